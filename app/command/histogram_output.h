#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include "app/metrics/histogram_cells.h"

namespace jitterscope::app {

/// Output of the engine's operation "metric_histogram".
class HistogramOutput {
public:
  HistogramOutput(const engine::answers::MetricHistogramAnswer& answer, CellStatisticSpec shown);

  /// A line per object, at most `maximum`: the statistic in each bin as a number or, in many bins, as a bar.
  void print(std::size_t maximum) const;
  std::string csv() const;
  /// The cells of each object, and for each bin the totals of the statistic over the objects.
  nlohmann::json document() const;

private:
  std::size_t bins() const { return answer_.edges.size() - 1; }
  bool with_data() const { return answer_.data != nullptr; }
  double edge(std::size_t bin) const { return answer_.edges[bin]; }
  QString cell_text(double value) const;
  nlohmann::json totals_of(std::size_t bin) const;

  const engine::answers::MetricHistogramAnswer& answer_;
  CellStatisticSpec shown_;
  std::vector<double> values_;
};

} // namespace jitterscope::app
