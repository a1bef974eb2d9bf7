#include "app/command/bin_reasons.h"

#include <algorithm>

#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/selection.h"
#include "core/engine/messages/table_json.h"

namespace jitterscope::app {

Expected<void> add_reasons(BlockingEngine& engine, const engine::SelectionOptions& launches,
                           nlohmann::json& bins, const Job& job) {
  const Nanoseconds width{bins.at("width_ns").get<std::int64_t>()};
  auto options = with_selection(engine::ReasonsOptions(), launches);
  for (const auto& bin : bins.at("kept_bins")) {
    const Nanoseconds start{bin.at("start_ns").get<std::int64_t>()};
    options.moments.push_back({start, start + width});
  }
  const auto answer = engine.run(options, job).and_then(engine::table_of<engine::answers::ReasonsAnswer>);
  if (!answer) return forward(answer.error());
  auto& kept = bins.at("kept_bins");
  for (std::size_t i = 0; i < std::min(kept.size(), answer->reasons.size()); ++i) {
    const auto& moment = answer->reasons[i];
    auto reason = engine::json_of(moment);
    if (moment.reason)
      reason.erase("reason_note");
    else
      reason["reason"] = nullptr;
    kept[i].update(reason);
  }
  return {};
}

} // namespace jitterscope::app
