#include "app/metrics/metric_answer.h"

#include <QCoreApplication>

#include "app/engine/typed_answers.h"
#include "views/base/text.h"
#include "views/metrics/metrics_model.h"

namespace jitterscope::app {

QString words_of(const Error& error) {
  QString words = error.place.empty() ? QString() : QString::fromStdString(error.place) + ": ";
  words += QString::fromStdString(error.message);
  return error.hint.empty() ? words : words + ". " + QString::fromStdString(error.hint);
}

QString missing_records(const engine::answers::MetricDescriptionAnswer& of) {
  QStringList sources;
  for (const auto& source : of.not_recorded)
    sources << (source == "calls" ? views::Text::tr("calls other than MPI") : QString::fromStdString(source));
  if (sources.isEmpty()) return {};
  const auto last = sources.takeLast();
  return views::Text::tr("the trace has no %1")
      .arg(sources.isEmpty() ? last : views::Text::tr("%1 and no %2").arg(sources.join(", "), last));
}

Expected<void> read_metric(const engine::Answer& answer, views::MetricPanel& panel) {
  auto read = engine::table_of<engine::answers::MetricAnswer>(answer);
  if (!read) return forward(read.error());
  const auto count = read->of ? static_cast<std::size_t>(read->columns) * read->of->objects.size() : 0;
  if (!read->of || read->columns < 0 || read->of->range_ns.empty() || read->average.size() != count ||
      read->minimum.size() != count || read->maximum.size() != count)
    return failure(ErrorKind::Engine, "the engine's answer about a metric is inconsistent");
  const auto& of = *read->of;
  panel.title = QString::fromStdString(of.title);
  panel.unit = QString::fromStdString(of.unit);
  panel.help = QString::fromStdString(of.help);
  panel.level = QString::fromStdString(of.level);
  panel.levels = list_of_texts(of.levels);
  panel.missing = missing_records(of);
  auto& values = panel.values;
  values = {};
  values.range = of.range_ns;
  values.columns = static_cast<int>(read->columns);
  for (const auto& object : of.objects) {
    values.objects << QString::fromStdString(object.name);
    values.tracks.push_back(object.track ? std::optional(*object.track) : std::nullopt);
  }
  values.average = std::move(read->average);
  values.minimum = std::move(read->minimum);
  values.maximum = std::move(read->maximum);
  panel.problem.clear();
  return {};
}

views::MetricHistogram histogram_of(const engine::answers::MetricHistogramAnswer& answer,
                                    views::MetricPanel metric, const CellStatisticSpec& shown,
                                    const QString& range_text, const QString& data_title) {
  const auto& of = *answer.of;
  views::MetricHistogram data;
  metric.title = QString::fromStdString(of.title);
  data.title = views::metrics::titleOf(metric);
  data.unit = QString::fromStdString(of.unit);
  data.rangeText = range_text;
  data.range = of.range_ns;
  data.edges = answer.edges;
  data.logarithmic = answer.logarithmic;
  data.whole = answer.whole;
  data.bins = static_cast<int>(answer.bins);
  for (const auto& object : of.objects) {
    data.objects << QString::fromStdString(object.name);
    data.numbers.push_back(object.index);
    data.ranks.push_back(object.rank.value_or(-1));
  }
  data.shown = QCoreApplication::translate("Jitterscope", shown.title);
  data.amounts = shown.amount;
  if (shown.of_data) {
    data.shown = views::Text::tr("%1 of %2")
                     .arg(data.shown, data_title.isEmpty() ? views::Text::tr("the data metric") : data_title);
    data.shownUnit = answer.data ? QString::fromStdString(answer.data->unit) : QString();
  } else if (shown.statistic != CellStatistic::Bursts) {
    data.shownUnit = "ns";
  }
  data.time = answer.time;
  data.values = cell_values(answer, shown.statistic);
  if (shown.statistic == CellStatistic::Integral) {
    const auto unit = integral_unit(data.shownUnit);
    data.shownUnit = unit.name;
    for (auto& value : data.values) value *= unit.factor;
  }
  data.outside = answer.outside;
  return data;
}

} // namespace jitterscope::app
