#pragma once

#include <QString>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/engine/messages/metric_answers.h"

namespace jitterscope::app {

/// A statistic of the cells of a metric's histogram (engine operation "metric_histogram"), as in Paraver.
enum class CellStatistic { Time, Bursts, BurstTime, Average, Minimum, Maximum, Integral };

struct CellStatisticSpec {
  CellStatistic statistic;
  const char* name;  ///< on the command line and in JSON
  const char* title; ///< "average", of the data metric if `of_data`
  bool of_data;      ///< of the data metric
  bool amount;       ///< 0 in a cell without time
};
std::span<const CellStatisticSpec> cell_statistics();
std::optional<CellStatisticSpec> cell_statistic(std::string_view name);

/// The statistic of every cell, by object, then by bin: times in ns, integrals in the data's unit · ns. NaN
/// in cells without time.
std::vector<double> cell_values(const engine::answers::MetricHistogramAnswer& answer,
                                CellStatistic statistic);

/// Unit of an integral of values in this unit: "B" for "B/s", a time for plain numbers. Multiplied by
/// `factor`, the engine's integrals, in unit · ns, have this unit.
struct IntegralUnit {
  QString name;
  double factor = 1;
};
IntegralUnit integral_unit(const QString& unit);

} // namespace jitterscope::app
