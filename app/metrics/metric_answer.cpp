#include "app/metrics/metric_answer.h"

namespace jitterscope::app {

Expected<void> read_metric(const engine::Answer& answer, views::MetricPanel& panel) {
  const auto& d = answer.document;
  const auto wrong = [] {
    return failure(ErrorKind::Internal, "the engine's answer about a metric cannot be read");
  };
  try {
    const auto text = [&](const char* key) { return QString::fromStdString(d.at(key).get<std::string>()); };
    panel.title = text("title");
    panel.unit = text("unit");
    panel.help = text("help");
    panel.level = text("level");
    panel.levels.clear();
    for (const auto& level : d.at("levels")) panel.levels << QString::fromStdString(level.get<std::string>());
    auto& values = panel.values;
    values = {};
    values.range = {{d.at("range_ns").at("begin").get<std::int64_t>()},
                    {d.at("range_ns").at("end").get<std::int64_t>()}};
    values.columns = d.at("columns").get<int>();
    for (const auto& object : d.at("objects")) {
      values.objects << QString::fromStdString(object.at("name").get<std::string>());
      values.tracks.push_back(
          object.contains("track") ? std::optional(object.at("track").get<std::uint32_t>()) : std::nullopt);
    }
    values.average = answer.get<double>("average");
    values.minimum = answer.get<double>("minimum");
    values.maximum = answer.get<double>("maximum");
    const auto count = static_cast<std::size_t>(values.columns) * values.tracks.size();
    if (values.columns < 0 || values.range.empty() || values.average.size() != count ||
        values.minimum.size() != count || values.maximum.size() != count) {
      values = {};
      return wrong();
    }
  } catch (const nlohmann::json::exception&) {
    return wrong();
  }
  panel.problem.clear();
  return {};
}

} // namespace jitterscope::app
