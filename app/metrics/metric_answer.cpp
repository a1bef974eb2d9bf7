#include "app/metrics/metric_answer.h"

#include <QCoreApplication>

#include "views/base/text.h"
#include "views/metrics/metrics_model.h"

namespace jitterscope::app {

QString words_of(const Error& error) {
  QString words = error.place.empty() ? QString() : QString::fromStdString(error.place) + ": ";
  words += QString::fromStdString(error.message);
  return error.hint.empty() ? words : words + ". " + QString::fromStdString(error.hint);
}

QString missing_records(const nlohmann::json& document) {
  QStringList sources;
  for (const auto& source : document.value("not_recorded", nlohmann::json::array()))
    sources << (source == "calls" ? views::Text::tr("calls other than MPI")
                                  : QString::fromStdString(source.get<std::string>()));
  if (sources.isEmpty()) return {};
  const auto last = sources.takeLast();
  return views::Text::tr("the trace has no %1")
      .arg(sources.isEmpty() ? last : views::Text::tr("%1 and no %2").arg(sources.join(", "), last));
}

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
    panel.missing = missing_records(d);
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

views::MetricHistogram histogram_of(const engine::Answer& answer, views::MetricPanel metric,
                                    const CellStatisticSpec& shown, const QString& range_text,
                                    const QString& data_title) {
  const auto& d = answer.document;
  const auto text = [](const nlohmann::json& of) { return QString::fromStdString(of.get<std::string>()); };
  views::MetricHistogram data;
  metric.title = text(d.at("title"));
  data.title = views::metrics::titleOf(metric);
  data.unit = text(d.at("unit"));
  data.rangeText = range_text;
  data.range = {{d.at("range_ns").at("begin").get<std::int64_t>()},
                {d.at("range_ns").at("end").get<std::int64_t>()}};
  data.edges = d.at("edges").get<std::vector<double>>();
  data.logarithmic = d.at("logarithmic").get<bool>();
  data.whole = d.at("whole").get<bool>();
  data.bins = d.at("bins").get<int>();
  for (const auto& object : d.at("objects")) {
    data.objects << text(object.at("name"));
    data.numbers.push_back(object.at("index").get<std::uint32_t>());
    data.ranks.push_back(object.at("rank").is_null() ? -1 : object.at("rank").get<int>());
  }
  data.shown = QCoreApplication::translate("Jitterscope", shown.title);
  data.amounts = shown.amount;
  if (shown.of_data) {
    data.shown = views::Text::tr("%1 of %2")
                     .arg(data.shown, data_title.isEmpty() ? views::Text::tr("the data metric") : data_title);
    data.shownUnit = text(d.at("data").at("unit"));
  } else if (shown.statistic != CellStatistic::Bursts) {
    data.shownUnit = "ns";
  }
  data.time = answer.get<std::int64_t>("time");
  data.values = cell_values(answer, shown.statistic);
  if (shown.statistic == CellStatistic::Integral) {
    const auto unit = integral_unit(data.shownUnit);
    data.shownUnit = unit.name;
    for (auto& value : data.values) value *= unit.factor;
  }
  data.outside = answer.get<std::int64_t>("outside");
  return data;
}

} // namespace jitterscope::app
