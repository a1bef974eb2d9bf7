#include "app/metrics/histogram_cells.h"

#include <algorithm>
#include <limits>

#include <QtGlobal>

namespace jitterscope::app {
namespace {

constexpr CellStatisticSpec kStatistics[] = {
    {CellStatistic::Time, "time", QT_TRANSLATE_NOOP("Jitterscope", "time at a value"), false, true},
    {CellStatistic::Bursts, "bursts", QT_TRANSLATE_NOOP("Jitterscope", "number of bursts"), false, true},
    {CellStatistic::BurstTime, "burst-time", QT_TRANSLATE_NOOP("Jitterscope", "average time of a burst"),
     false, false},
    {CellStatistic::Average, "average", QT_TRANSLATE_NOOP("Jitterscope", "average"), true, false},
    {CellStatistic::Minimum, "minimum", QT_TRANSLATE_NOOP("Jitterscope", "minimum"), true, false},
    {CellStatistic::Maximum, "maximum", QT_TRANSLATE_NOOP("Jitterscope", "maximum"), true, false},
    {CellStatistic::Integral, "integral", QT_TRANSLATE_NOOP("Jitterscope", "integral"), true, false}};

} // namespace

std::span<const CellStatisticSpec> cell_statistics() {
  return kStatistics;
}

std::optional<CellStatisticSpec> cell_statistic(std::string_view name) {
  const auto* found = std::ranges::find(kStatistics, name, &CellStatisticSpec::name);
  return found == std::end(kStatistics) ? std::nullopt : std::optional(*found);
}

IntegralUnit integral_unit(const QString& unit) {
  if (unit.isEmpty()) return {"ns", 1};
  return {unit.endsWith("/s") ? unit.chopped(2) : unit + QString::fromUtf8("·s"), 1e-9};
}

std::vector<double> cell_values(const engine::answers::MetricHistogramAnswer& answer,
                                CellStatistic statistic) {
  const auto &time = answer.time, &bursts = answer.bursts;
  const auto& of_data = statistic == CellStatistic::Minimum   ? answer.minimum
                        : statistic == CellStatistic::Maximum ? answer.maximum
                                                              : answer.integral;
  std::vector<double> values(time.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    if (time[cell] == 0) continue;
    const auto length = static_cast<double>(time[cell]);
    switch (statistic) {
    case CellStatistic::Time:
      values[cell] = length;
      break;
    case CellStatistic::Bursts:
      values[cell] = static_cast<double>(bursts[cell]);
      break;
    case CellStatistic::BurstTime:
      values[cell] = length / static_cast<double>(bursts[cell]);
      break;
    case CellStatistic::Average:
      values[cell] = of_data[cell] / length;
      break;
    case CellStatistic::Minimum:
    case CellStatistic::Maximum:
    case CellStatistic::Integral:
      values[cell] = of_data[cell];
      break;
    }
  }
  return values;
}

} // namespace jitterscope::app
