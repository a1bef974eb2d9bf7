#include "core/analysis/distribution.h"

#include <cmath>
#include <limits>

#include "core/analysis/row_walk.h"

namespace jitterscope::analysis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t bin_of(const std::vector<double>& edges, double value) {
  const auto above = std::upper_bound(edges.begin(), edges.end(), value);
  const auto bin = std::max<std::ptrdiff_t>(above - edges.begin() - 1, 0);
  return std::min(static_cast<std::size_t>(bin), edges.size() - 2);
}

std::vector<double> make_edges(double low, double high, int bins, bool log) {
  if (!(low < high)) { // a single value gets a bin of its own width
    const double half = low != 0 ? std::abs(low) * 0.01 : 0.5;
    high = low + half;
    low -= half;
  }
  std::vector<double> edges;
  const double a = log ? std::log10(low) : low, b = log ? std::log10(high) : high;
  for (int i = 0; i <= bins; ++i) {
    const double at = a + (b - a) * i / bins;
    edges.push_back(log ? std::pow(10.0, at) : at);
  }
  edges.front() = low;
  edges.back() = high;
  return edges;
}

} // namespace

Expected<Distribution> distribution(const Session& session, const LaunchColumns& columns,
                                    const Selection& selection, const DistributionOptions& options,
                                    Communicator& communicator, const Job& job) {
  const auto* column = columns.find(options.column);
  if (!column || column->kind == ColumnKind::Text)
    return failure(ErrorKind::BadUse, "there is no numeric column '" + options.column + "'", {}, "column",
                   "'info' lists the columns.");
  if (options.bins < 1 || options.bins > 10'000)
    return failure(ErrorKind::BadUse, "a histogram has 1 to 10,000 bins", {}, "bins");
  auto base = Filter::parse(options.base, columns);
  if (!base) return forward(base.error());
  Distribution result;
  result.column = column->name;
  result.unit = column->unit;
  result.log = options.log;
  double low[1] = {kInfinity}, high[1] = {-kInfinity};
  std::int64_t counts[3] = {}; // rows, missing, outside
  std::vector<double> chosen, values_all;
  std::vector<std::uint8_t> chosen_of_all;
  auto walked = walk_share(session, communicator, job, "distribution", [&](const Segment& segment) {
    const auto values = columns.read(column->name, segment);
    const auto in_base = base->select(columns, segment);
    const auto in_selection = selection.select(session, columns, segment);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!in_base[i]) continue;
      if (std::isnan(values[i])) {
        ++counts[1];
        continue;
      }
      ++counts[0];
      if (in_selection[i]) chosen.push_back(values[i]);
      if (options.log && values[i] <= 0) {
        ++counts[2];
        continue;
      }
      low[0] = std::min(low[0], values[i]);
      high[0] = std::max(high[0], values[i]);
      values_all.push_back(values[i]);
      chosen_of_all.push_back(in_selection[i]);
    }
  });
  if (!walked) return forward(walked.error());
  if (auto done = communicator.sum(counts); !done) return forward(done.error());
  if (auto done = global_range(communicator, low, high); !done) return forward(done.error());
  result.rows = counts[0];
  result.missing = counts[1];
  result.outside = counts[2];
  if (low[0] <= high[0]) {
    result.edges = make_edges(low[0], high[0], options.bins, options.log);
    result.all.assign(static_cast<std::size_t>(options.bins), 0);
    result.selected = result.all;
    for (std::size_t i = 0; i < values_all.size(); ++i) {
      const auto bin = bin_of(result.edges, values_all[i]);
      ++result.all[bin];
      result.selected[bin] += chosen_of_all[i];
    }
    if (auto done = communicator.sum(result.all); !done) return forward(done.error());
    if (auto done = communicator.sum(result.selected); !done) return forward(done.error());
  }
  auto gathered = communicator.gather<double>(chosen);
  if (!gathered) return forward(gathered.error());
  result.statistics = statistics_of(*gathered);
  return result;
}

} // namespace jitterscope::analysis
