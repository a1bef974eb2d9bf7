#include "core/analysis/distributions/heat_map.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "core/analysis/columns/launch_reader.h"
#include "core/analysis/session/row_blocks.h"
#include "core/analysis/statistics/bin_finder.h"
#include "core/analysis/statistics/global_range.h"
#include "core/analysis/statistics/histogram_edges.h"
#include "core/base/time.h"

namespace jitterscope::analysis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The selected launches that start in the window, with their time column.
class Cells {
public:
  Cells(const Session& session, const LaunchColumns& columns, const Selection& selection,
        const HeatMapOptions& options, Communicator& communicator, const Job& job)
      : session_(session), columns_(columns), selection_(selection), options_(options),
        reader_(session, columns, options.column), blocks_(session, communicator), job_(job),
        values_(threads_of_rank()) {}
  std::size_t threads() const { return values_.size(); }

  /// Calls `use(thread, column, value)`; missing values are skipped.
  template <class Use>
  Expected<void> for_each(Use&& use) {
    const auto begin = options_.window.begin.count, length = options_.window.length().count;
    return blocks_.for_each(job_, "heat map", [&](std::size_t thread, std::size_t, const auto& segments) {
      for (const auto& segment : segments) {
        const auto& trace = session_.traces()[segment.trace];
        const auto starts = trace.starts();
        const auto first = static_cast<std::size_t>(segment.first),
                   last = static_cast<std::size_t>(segment.last);
        if (starts[first] + trace.shift_ns >= begin + length || starts[last - 1] + trace.shift_ns < begin)
          continue;
        auto& values = values_[thread];
        values.resize(last - first);
        reader_.read(segment, values.data());
        std::vector<std::uint8_t> mask;
        if (!selection_.everything()) mask = selection_.select(session_, columns_, segment);
        for (std::size_t i = 0; i < values.size(); ++i) {
          const auto at = starts[first + i] + trace.shift_ns - begin;
          if (at < 0 || at >= length || std::isnan(values[i]) || (!mask.empty() && !mask[i])) continue;
          use(thread, static_cast<std::size_t>(static_cast<Int128>(at) * options_.columns / length),
              values[i]);
        }
      }
    });
  }

private:
  const Session& session_;
  const LaunchColumns& columns_;
  const Selection& selection_;
  const HeatMapOptions& options_;
  LaunchReader reader_;
  RowBlocks blocks_;
  const Job& job_;
  std::vector<std::vector<double>> values_;
};

Expected<void> find_edges(Cells& cells, const HeatMapOptions& options, HeatMap& map,
                          Communicator& communicator) {
  std::vector<double> lows(cells.threads(), kInfinity), highs(cells.threads(), -kInfinity);
  std::vector<std::int64_t> outside(cells.threads());
  auto walked = cells.for_each([&](std::size_t thread, std::size_t, double value) {
    if (options.log && value <= 0) return void(++outside[thread]);
    lows[thread] = std::min(lows[thread], value);
    highs[thread] = std::max(highs[thread], value);
  });
  if (!walked) return walked;
  double low[1] = {*std::min_element(lows.begin(), lows.end())},
         high[1] = {*std::max_element(highs.begin(), highs.end())};
  if (auto done = global_range(communicator, low, high); !done) return done;
  std::int64_t sum[1] = {std::accumulate(outside.begin(), outside.end(), std::int64_t{0})};
  if (auto done = communicator.sum(sum); !done) return done;
  map.outside = sum[0];
  if (low[0] <= high[0]) map.edges = histogram_edges(low[0], high[0], options.rows, options.log);
  return {};
}

} // namespace

Expected<HeatMap> heat_map(const Session& session, const LaunchColumns& columns, const Selection& selection,
                           const HeatMapOptions& options, Communicator& communicator, const Job& job) {
  const auto* column = columns.find(options.column);
  if (!column || column->kind == ColumnKind::Text)
    return failure(ErrorKind::BadUse, "there is no numeric column \"" + options.column + "\"", {}, "column",
                   columns.instead_of(options.column));
  if (options.columns < 1 || options.columns > 4'000 || options.rows < 1 || options.rows > 1'000)
    return failure(ErrorKind::BadUse, "a heat map has 1 to 4,000 columns and 1 to 1,000 rows", {},
                   "columns, rows");
  HeatMapOptions requested = options;
  if (requested.window.empty()) { // so that the last launch is included even if its length is 0
    requested.window = session.launch_span();
    requested.window.end = std::max(requested.window.end, requested.window.begin) + Nanoseconds{1};
  }
  HeatMap map;
  map.column = column->name;
  map.unit = column->unit;
  map.log = requested.log;
  map.window = requested.window;
  map.columns = requested.columns;
  Cells cells(session, columns, selection, requested, communicator, job);
  if (auto done = find_edges(cells, requested, map, communicator); !done) return forward(done.error());
  const auto width = static_cast<std::size_t>(requested.columns);
  map.counts.assign(width * static_cast<std::size_t>(requested.rows), 0);
  if (map.edges.empty()) return map;
  const BinFinder row_of(map.edges);
  std::vector<std::vector<std::int64_t>> threads(cells.threads(), map.counts);
  auto walked = cells.for_each([&](std::size_t thread, std::size_t place, double value) {
    if (!requested.log || value > 0) ++threads[thread][row_of(value) * width + place];
  });
  if (!walked) return forward(walked.error());
  for (const auto& thread : threads)
    for (std::size_t i = 0; i < thread.size(); ++i) map.counts[i] += thread[i];
  if (auto done = communicator.sum(map.counts); !done) return forward(done.error());
  map.n = std::accumulate(map.counts.begin(), map.counts.end(), std::int64_t{0});
  return map;
}

} // namespace jitterscope::analysis
