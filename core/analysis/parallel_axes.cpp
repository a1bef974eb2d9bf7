#include "core/analysis/parallel_axes.h"

#include <fmt/core.h>

#include "core/analysis/global_range.h"
#include "core/analysis/parallel_cache.h"

namespace jitterscope::analysis {

bool names_things(const LaunchColumn& column) {
  return column.kind != ColumnKind::Number;
}

std::vector<LaunchReader> readers_of(const Session& session, const LaunchColumns& columns,
                                     const std::vector<const LaunchColumn*>& axes) {
  std::vector<LaunchReader> readers;
  readers.reserve(axes.size());
  for (const auto* axis : axes) readers.emplace_back(session, columns, axis->name);
  return readers;
}

namespace {

// What configurations or streams decide is known without looking at launches.
void ranges_of_tables(const Session& session, const std::vector<const LaunchColumn*>& axes,
                      const std::vector<LaunchReader>& readers, Ranges& ranges) {
  for (std::size_t a = 0; a < axes.size(); ++a)
    for (std::size_t t = 0; t < session.traces().size(); ++t) {
      const auto* values = readers[a].table(t);
      if (!values) continue;
      const auto& trace = session.traces()[t];
      const auto add = [&](std::size_t id) { ranges.add(a, names_things(*axes[a]), (*values)[id]); };
      if (LaunchColumns::depends_on_stream(axes[a]->name)) {
        for (const auto stream : *trace.store.table("launches").find("stream")->distinct) add(stream);
      } else {
        const auto launches = trace.store.totals().launches;
        for (std::size_t c = 0; c < launches.size(); ++c)
          if (launches[c] > 0) add(c);
      }
    }
}

Expected<void> ranges_of_rows(const std::vector<const LaunchColumn*>& axes,
                              const std::vector<LaunchReader>& readers, const std::vector<std::size_t>& wanted,
                              Ranges& ranges, const RowSample& sample, Communicator& communicator, const Job& job) {
  std::vector<Ranges> threads(threads_of_rank(), Ranges(axes.size()));
  std::vector<std::vector<double>> buffers(threads.size());
  auto walked = sample.for_each(job, "ranges of the axes", [&](std::size_t thread, std::size_t, std::size_t, const auto& segments) {
    auto& values = buffers[thread];
    for (const auto& segment : segments) {
      values.resize(static_cast<std::size_t>(segment.rows()));
      for (const auto a : wanted) {
        readers[a].read(segment, values.data());
        for (const double value : values) threads[thread].add(a, names_things(*axes[a]), value);
      }
    }
  });
  if (!walked) return walked;
  for (const auto& found : threads) ranges.add(found);
  if (auto done = global_range(communicator, ranges.lows, ranges.highs); !done) return done;
  for (const auto a : wanted) {
    if (!names_things(*axes[a])) continue;
    const std::vector<std::int64_t> mine(ranges.distinct[a].begin(), ranges.distinct[a].end());
    auto all = communicator.all_gather<std::int64_t>(mine);
    if (!all) return forward(all.error());
    ranges.distinct[a] = {all->begin(), all->end()};
  }
  return {};
}

std::string category_label(const LaunchColumns& columns, const LaunchColumn& column, std::int64_t code) {
  if (column.kind == ColumnKind::Text) return columns.text(column.name, static_cast<double>(code));
  return fmt::format("{}", code);
}

constexpr std::int64_t kSampledRows = 65'536;

std::vector<double> even_edges(double low, double high, bool log, int bins) {
  std::vector<double> edges;
  if (!(low < high)) return edges;
  const double a = log ? std::log(low) : low, b = log ? std::log(high) : high;
  for (int edge = 0; edge <= bins; ++edge) {
    const double at = a + (b - a) * edge / bins;
    edges.push_back(log ? std::exp(at) : at);
  }
  return edges;
}

// Values that many rows share would make empty bins: such quantiles stand once.
std::vector<double> rank_edges(const std::vector<double>& sorted, double low, double high, int bins) {
  std::vector<double> edges = {low};
  for (int edge = 1; edge < bins; ++edge) {
    const double at = sorted[sorted.size() * static_cast<std::size_t>(edge) / static_cast<std::size_t>(bins)];
    if (at > edges.back() && at < high) edges.push_back(at);
  }
  edges.push_back(high);
  return edges;
}

// Four stretches of equal length, each straight from quartile to quartile.
std::vector<double> quantile_edges(const std::vector<double>& sorted, double low, double high, int bins) {
  std::vector<double> corners = {low};
  for (const std::size_t quarter : {1u, 2u, 3u}) {
    const double at = sorted[sorted.size() * quarter / 4];
    if (at > corners.back() && at < high) corners.push_back(at);
  }
  corners.push_back(high);
  const int each = std::max(1, bins / static_cast<int>(corners.size() - 1));
  std::vector<double> edges;
  for (std::size_t c = 0; c + 1 < corners.size(); ++c)
    for (int step = 0; step < each; ++step)
      edges.push_back(corners[c] + (corners[c + 1] - corners[c]) * step / each);
  edges.push_back(high);
  return edges;
}

} // namespace

Expected<Ranges> find_ranges(const Session& session, const LaunchColumns& columns,
                             const std::vector<const LaunchColumn*>& axes, const RowSample& sample,
                             Communicator& communicator, const Job& job, ParallelCache* cache) {
  Ranges ranges(axes.size());
  const auto readers = readers_of(session, columns, axes);
  ranges_of_tables(session, axes, readers, ranges);
  std::vector<std::size_t> unknown;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (!session.traces().empty() && readers[a].table(0)) continue;
    const auto kept = cache ? cache->ranges.find(axes[a]->name) : std::map<std::string, ColumnRange>::iterator();
    if (cache && kept != cache->ranges.end()) {
      ranges.lows[a] = kept->second.low, ranges.highs[a] = kept->second.high;
      ranges.distinct[a] = kept->second.distinct;
    } else if (const auto* known = names_things(*axes[a]) ? nullptr : columns.known_range(axes[a]->name)) {
      ranges.lows[a] = known->low, ranges.highs[a] = known->high;
    } else {
      unknown.push_back(a);
    }
  }
  if (unknown.empty()) return ranges;
  if (auto done = ranges_of_rows(axes, readers, unknown, ranges, sample, communicator, job); !done)
    return forward(done.error());
  for (const auto a : unknown) {
    if (!sample.whole()) continue;
    columns.keep_range(axes[a]->name, {ranges.lows[a], ranges.highs[a]});
    if (cache) cache->ranges[axes[a]->name] = {ranges.lows[a], ranges.highs[a], ranges.distinct[a]};
  }
  return ranges;
}

std::vector<double> sampled_values(const Session& session, const LaunchColumns& columns, std::string_view name,
                                   std::int64_t most) {
  // Short stretches in equal distances: rows that lie together are read together.
  constexpr std::int64_t kStretch = 64;
  const std::int64_t rows = session.launches();
  const std::int64_t stretches = std::max<std::int64_t>(1, std::min(most, rows) / kStretch);
  std::vector<double> values;
  for (std::int64_t s = 0; s < stretches; ++s) {
    const std::int64_t first = rows * s / stretches;
    const std::int64_t last = rows <= most ? rows * (s + 1) / stretches : std::min(rows, first + kStretch);
    for (const auto& segment : session.segments(first, last)) {
      const auto part = columns.read(name, segment);
      values.insert(values.end(), part.begin(), part.end());
    }
  }
  return values;
}

ParallelAxis make_axis(const Session& session, const LaunchColumns& columns, const LaunchColumn& column,
                       const Ranges& ranges, std::size_t a, AxisScale scale, int bins) {
  ParallelAxis axis;
  axis.column = column.name;
  axis.unit = column.unit;
  axis.description = column.description;
  if (ranges.lows[a] <= ranges.highs[a]) {
    axis.minimum = ranges.lows[a];
    axis.maximum = ranges.highs[a];
  }
  const auto& distinct = ranges.distinct[a];
  if (column.kind != ColumnKind::Number && !distinct.empty() && distinct.size() <= kMostCategories)
    for (const auto code : distinct) {
      axis.codes.push_back(static_cast<double>(code));
      axis.categories.push_back(category_label(columns, column, code));
      axis.texts = column.kind == ColumnKind::Text;
    }
  if (!axis.categories.empty()) return axis;
  const bool wide = axis.minimum > 0 && axis.maximum / axis.minimum > 100;
  axis.scale = scale == AxisScale::automatic ? (wide ? AxisScale::log : AxisScale::linear) : scale;
  if (axis.scale == AxisScale::log && axis.minimum <= 0) axis.scale = AxisScale::linear;
  if (axis.scale == AxisScale::quantile || axis.scale == AxisScale::rank) {
    auto values = sampled_values(session, columns, column.name, kSampledRows);
    std::erase_if(values, [](double v) { return std::isnan(v); });
    std::sort(values.begin(), values.end());
    if (values.empty() || !(axis.minimum < axis.maximum))
      axis.scale = AxisScale::linear;
    else
      axis.edges = axis.scale == AxisScale::rank ? rank_edges(values, axis.minimum, axis.maximum, bins)
                                                 : quantile_edges(values, axis.minimum, axis.maximum, bins);
  }
  if (axis.edges.empty()) axis.edges = even_edges(axis.minimum, axis.maximum, axis.scale == AxisScale::log, bins);
  return axis;
}

std::string to_string(AxisScale scale) {
  static constexpr const char* kNames[] = {"automatic", "linear", "log", "quantile", "rank"};
  return kNames[static_cast<std::size_t>(scale)];
}

bool parse(const std::string& text, AxisScale& scale) {
  for (const auto each : {AxisScale::automatic, AxisScale::linear, AxisScale::log, AxisScale::quantile, AxisScale::rank})
    if (text == to_string(each)) {
      scale = each;
      return true;
    }
  return false;
}

} // namespace jitterscope::analysis
