#include "app/command/bin_reasons.h"

#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/selection.h"

namespace jitterscope::app {

Expected<void> add_reasons(BlockingEngine& engine, const engine::SelectionOptions& launches,
                           nlohmann::json& bins, const Job& job) {
  const Nanoseconds width{bins.at("width_ns").get<std::int64_t>()};
  auto options = with_selection(engine::ReasonsOptions(), launches);
  for (const auto& bin : bins.at("kept_bins")) {
    const Nanoseconds start{bin.at("start_ns").get<std::int64_t>()};
    options.moments.push_back({start, start + width});
  }
  auto answer = engine.run(options, job);
  if (!answer) return forward(answer.error());
  auto& kept = bins.at("kept_bins");
  const auto& reasons = answer->document.at("reasons");
  for (std::size_t i = 0; i < kept.size() && i < reasons.size(); ++i) kept[i].update(reasons[i]);
  return {};
}

} // namespace jitterscope::app
