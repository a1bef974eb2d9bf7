#include "app/command/bin_reasons.h"

namespace jitterscope::app {

Expected<void> add_reasons(BlockingEngine& engine, const std::string& where, nlohmann::json& bins,
                           const Job& job, const nlohmann::json& intervals) {
  const auto width = bins.at("width_ns").get<std::int64_t>();
  nlohmann::json moments = nlohmann::json::array();
  for (const auto& bin : bins.at("kept_bins")) {
    const auto start = bin.at("start_ns").get<std::int64_t>();
    moments.push_back({start, start + width});
  }
  auto answer = engine.run(
      "reasons", {{"where", where}, {"moments", std::move(moments)}, {"intervals", intervals}}, job);
  if (!answer) return forward(answer.error());
  auto& kept = bins.at("kept_bins");
  const auto& reasons = answer->document.at("reasons");
  for (std::size_t i = 0; i < kept.size() && i < reasons.size(); ++i) kept[i].update(reasons[i]);
  return {};
}

} // namespace jitterscope::app
