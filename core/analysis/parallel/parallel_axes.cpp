#include "core/analysis/parallel/parallel_axes.h"

#include <fmt/core.h>

#include <bit>
#include <functional>

#include "core/analysis/parallel/parallel_cache.h"
#include "core/analysis/parallel/row_masks.h"
#include "core/analysis/statistics/global_range.h"
#include "core/analysis/statistics/symmetric_log.h"
#include "core/base/agreement.h"
#include "core/base/stratified_sample.h"

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

// Columns determined by configurations or streams need no reading of launches.
void ranges_of_tables(const Session& session, const std::vector<const LaunchColumn*>& axes,
                      const std::vector<LaunchReader>& readers, Ranges& ranges,
                      const std::function<bool(std::size_t)>& left_out) {
  for (std::size_t a = 0; a < axes.size(); ++a)
    for (std::size_t t = 0; t < session.traces().size(); ++t) {
      const auto* values = left_out(a) ? nullptr : readers[a].table(t);
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

constexpr std::int64_t kSampledRows = 65'536;

/// Sampling step for the kept rows: one of this many kept rows, over all ranks, is sampled.
Expected<std::int64_t> rows_per_sampled(const RowBits& kept, Communicator& communicator) {
  std::int64_t rows = 0;
  for (const auto word : kept) rows += std::popcount(word);
  if (auto summed = communicator.sum(std::span(&rows, 1)); !summed) return forward(summed.error());
  return std::max<std::int64_t>(1, (rows + kSampledRows - 1) / kSampledRows);
}

/// Maps neighbouring rows far apart (multiplier of Knuth's multiplicative hashing, 2⁶⁴ / golden ratio).
std::int64_t scattered(std::int64_t row) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(row) * 0x9E3779B97F4A7C15u >> 33);
}

// Which rows are sampled depends only on their index, not on threads and ranks.
void add_kept(Ranges& ranges, std::size_t a, bool category, const std::vector<double>& values,
              const RowBits& kept, std::size_t place, std::int64_t first, std::int64_t every) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = place + i;
    if (!(kept[row / 64] >> (row % 64) & 1)) continue;
    ranges.add(a, category, values[i]);
    if (!std::isnan(values[i]) &&
        (every == 1 || scattered(first + static_cast<std::int64_t>(i)) % every == 0))
      ranges.samples[a].push_back(values[i]);
  }
}

Expected<void> ranges_of_rows(const std::vector<const LaunchColumn*>& axes,
                              const std::vector<LaunchReader>& readers,
                              const std::vector<std::size_t>& requested, Ranges& ranges,
                              const RowSample& sample, Communicator& communicator, const Job& job,
                              const RowBits* kept) {
  std::vector<Ranges> threads(threads_of_rank(), Ranges(axes.size()));
  std::vector<std::vector<double>> buffers(threads.size());
  auto every = kept ? rows_per_sampled(*kept, communicator) : Expected<std::int64_t>(0);
  if (!every) return forward(every.error());
  auto walked =
      sample.for_each(job, "ranges of the axes",
                      [&](std::size_t thread, std::size_t block, std::size_t, const auto& segments) {
                        auto& values = buffers[thread];
                        std::size_t place = block * static_cast<std::size_t>(RowSample::kBlock);
                        for (const auto& segment : segments) {
                          values.resize(static_cast<std::size_t>(segment.rows()));
                          for (const auto a : requested) {
                            readers[a].read(segment, values.data());
                            if (kept)
                              add_kept(threads[thread], a, names_things(*axes[a]), values, *kept, place,
                                       segment.first, *every);
                            else
                              for (const double value : values)
                                threads[thread].add(a, names_things(*axes[a]), value);
                          }
                          place += values.size();
                        }
                      });
  if (!walked) return walked;
  for (const auto& found : threads) ranges.add(found);
  if (auto done = global_range(communicator, ranges.lows, ranges.highs); !done) return done;
  for (const auto a : requested) {
    if (job.cancelled()) return Job::cancelled_error();
    if (kept) {
      auto all = communicator.all_gather<double>(ranges.samples[a]);
      if (!all) return forward(all.error());
      ranges.samples[a] = std::move(*all);
      std::sort(ranges.samples[a].begin(), ranges.samples[a].end());
    }
    if (!names_things(*axes[a])) continue;
    const std::vector<std::int64_t> mine(ranges.distinct[a].begin(), ranges.distinct[a].end());
    auto all = communicator.all_gather<std::int64_t>(mine);
    if (!all) return forward(all.error());
    ranges.distinct[a] = {all->begin(), all->end()};
  }
  return {};
}

// Ranges over the rows of the latest filter are cached, since a moving brush repeats the same query. Columns
// that hold identifiers are handled elsewhere.
Expected<void> ranges_of_kept(const std::vector<const LaunchColumn*>& axes,
                              const std::vector<LaunchReader>& readers, Ranges& ranges,
                              const RowSample& sample, Communicator& communicator, const Job& job,
                              ParallelCache* cache, const KeptRows& kept) {
  const std::string name = fmt::format("{} {}", sample.every(), kept.name);
  const bool same_rows = cache && cache->kept_rows == name;
  std::vector<std::int64_t> known;
  for (const auto* axis : axes)
    known.push_back(names_things(*axis) || (same_rows && cache->ranges_of_kept.contains(axis->name)));
  if (auto agreed = known_to_all(communicator, known); !agreed) return agreed;
  std::vector<std::size_t> unknown;
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (!known[a])
      unknown.push_back(a);
    else if (!names_things(*axes[a]))
      ranges.set(a, cache->ranges_of_kept.at(axes[a]->name));
  if (unknown.empty()) return {};
  if (auto done = ranges_of_rows(axes, readers, unknown, ranges, sample, communicator, job, kept.bits); !done)
    return done;
  if (auto agreed = all_ranks_succeeded(communicator); !agreed || !cache) return agreed;
  if (!same_rows) cache->kept_rows = name, cache->ranges_of_kept.clear();
  for (const auto a : unknown) cache->ranges_of_kept[axes[a]->name] = ranges.of(a);
  return {};
}

// A preview does not use the ranges of earlier queries: its ranges depend only on its rows and on
// `given`.
std::optional<ColumnRange> known_range(const LaunchColumn& axis, const LaunchColumns& columns,
                                       const RowSample& sample, const ParallelCache* cache,
                                       const std::map<std::string, ColumnRange>& given) {
  if (!sample.whole()) {
    const auto found = given.find(axis.name);
    return found == given.end() ? std::nullopt : std::optional(found->second);
  }
  if (cache)
    if (const auto found = cache->ranges.find(axis.name); found != cache->ranges.end()) return found->second;
  const auto* known = names_things(axis) ? nullptr : columns.known_range(axis.name);
  return known ? std::optional(ColumnRange{known->low, known->high, {}, {}}) : std::nullopt;
}

std::string category_label(const LaunchColumns& columns, const LaunchColumn& column, std::int64_t code) {
  if (column.kind == ColumnKind::Text) return columns.text(column.name, static_cast<double>(code));
  return fmt::format("{}", code);
}

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

// Values shared by many rows would give empty bins: equal quantiles are used once.
std::vector<double> rank_edges(const std::vector<double>& sorted, double low, double high, int bins) {
  std::vector<double> edges = {low};
  for (int edge = 1; edge < bins; ++edge) {
    const double at = sorted[sorted.size() * static_cast<std::size_t>(edge) / static_cast<std::size_t>(bins)];
    if (at > edges.back() && at < high) edges.push_back(at);
  }
  edges.push_back(high);
  return edges;
}

// Four intervals of equal length, linear between the quartiles.
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
                             Communicator& communicator, const Job& job, ParallelCache* cache,
                             const std::optional<KeptRows>& kept,
                             const std::map<std::string, ColumnRange>& given) {
  Ranges ranges(axes.size());
  const auto readers = readers_of(session, columns, axes);
  if (kept)
    if (auto done = ranges_of_kept(axes, readers, ranges, sample, communicator, job, cache, *kept); !done)
      return forward(done.error());
  const auto done_already = [&](std::size_t a) { return kept && !names_things(*axes[a]); };
  ranges_of_tables(session, axes, readers, ranges, done_already);
  std::vector<std::optional<ColumnRange>> found(axes.size());
  std::vector<std::int64_t> known;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const bool decided = done_already(a) || (!session.traces().empty() && readers[a].table(0));
    if (!decided) found[a] = known_range(*axes[a], columns, sample, cache, given);
    known.push_back(decided || found[a]);
  }
  if (auto agreed = known_to_all(communicator, known); !agreed) return forward(agreed.error());
  std::vector<std::size_t> unknown;
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (!known[a])
      unknown.push_back(a);
    else if (found[a])
      ranges.set(a, *found[a]);
  if (unknown.empty()) return ranges;
  if (auto done = ranges_of_rows(axes, readers, unknown, ranges, sample, communicator, job, nullptr); !done)
    return forward(done.error());
  if (auto agreed = all_ranks_succeeded(communicator); !agreed) return forward(agreed.error());
  for (const auto a : unknown) {
    if (!sample.whole()) continue;
    columns.keep_range(axes[a]->name, {ranges.lows[a], ranges.highs[a]});
    if (cache) cache->ranges[axes[a]->name] = ranges.of(a);
  }
  return ranges;
}

std::vector<double> sampled_values(const Session& session, const LaunchColumns& columns,
                                   std::string_view name, std::int64_t maximum, const Selection* within,
                                   Stop* stop) {
  constexpr std::int64_t kStretch = 64; // adjacent rows are read together
  const std::int64_t rows = session.launches(), runs = (rows + kStretch - 1) / kStretch;
  std::vector<double> values;
  std::int64_t before = 0;
  for (const auto run :
       stratified_sample(runs, rows <= maximum ? runs : std::max<std::int64_t>(1, maximum / kStretch))) {
    if (stop && ++before % 64 == 0 && stop->requested()) break;
    const std::int64_t first = run * kStretch, last = std::min(rows, first + kStretch);
    for (const auto& segment : session.segments(first, last)) {
      const auto part = columns.read(name, segment);
      if (!within) {
        values.insert(values.end(), part.begin(), part.end());
        continue;
      }
      const auto mask = within->select(session, columns, segment);
      for (std::size_t i = 0; i < part.size(); ++i)
        if (mask[i]) values.push_back(part[i]);
    }
  }
  return values;
}

static void add_edges_by_values(ParallelAxis& axis, const std::vector<double>& sorted, int bins) {
  if (sorted.empty()) return;
  if (axis.scale == AxisScale::rank) axis.edges = rank_edges(sorted, axis.minimum, axis.maximum, bins);
  if (axis.scale == AxisScale::quantile)
    axis.edges = quantile_edges(sorted, axis.minimum, axis.maximum, bins);
  if (axis.scale != AxisScale::symlog) return;
  axis.straight_below = SymmetricLog::straight_below(sorted);
  if (axis.straight_below > 0)
    axis.edges = SymmetricLog(axis.straight_below).edges(axis.minimum, axis.maximum, bins);
}

ParallelAxis make_axis(const Session& session, const LaunchColumns& columns, const LaunchColumn& column,
                       const Ranges& ranges, std::size_t a, AxisScale scale, int bins, bool kept) {
  ParallelAxis axis;
  axis.column = column.name;
  axis.unit = column.unit;
  axis.description = column.description;
  if (ranges.lows[a] <= ranges.highs[a]) {
    axis.minimum = ranges.lows[a];
    axis.maximum = ranges.highs[a];
  }
  const auto& distinct = ranges.distinct[a];
  if (column.kind != ColumnKind::Number && !distinct.empty() && distinct.size() <= kMaxCategories)
    for (const auto code : distinct) {
      axis.codes.push_back(static_cast<double>(code));
      axis.categories.push_back(category_label(columns, column, code));
      axis.texts = column.kind == ColumnKind::Text;
    }
  if (!axis.categories.empty()) return axis;
  const bool wide = axis.minimum > 0 && axis.maximum / axis.minimum > 100;
  axis.scale = scale == AxisScale::automatic ? (wide ? AxisScale::log : AxisScale::linear) : scale;
  if (axis.scale == AxisScale::log && axis.minimum <= 0) axis.scale = AxisScale::symlog;
  const bool may_be_skewed =
      scale == AxisScale::automatic && axis.minimum <= 0 && column.kind == ColumnKind::Number;
  const bool by_values =
      axis.scale == AxisScale::quantile || axis.scale == AxisScale::rank || axis.scale == AxisScale::symlog;
  if ((may_be_skewed || by_values) && axis.minimum < axis.maximum) {
    auto values = kept ? ranges.samples[a] : sampled_values(session, columns, column.name, kSampledRows);
    std::erase_if(values, [](double v) { return std::isnan(v); });
    std::sort(values.begin(), values.end());
    if (may_be_skewed && SymmetricLog::skewed(values)) axis.scale = AxisScale::symlog;
    add_edges_by_values(axis, values, bins);
  }
  if (axis.edges.empty() && axis.scale != AxisScale::log) axis.scale = AxisScale::linear;
  if (axis.edges.empty())
    axis.edges = even_edges(axis.minimum, axis.maximum, axis.scale == AxisScale::log, bins);
  return axis;
}

std::string to_string(AxisScale scale) {
  static constexpr const char* kNames[] = {"automatic", "linear", "log", "quantile", "rank", "symlog"};
  return kNames[static_cast<std::size_t>(scale)];
}

bool parse(const std::string& text, AxisScale& scale) {
  for (const auto each : {AxisScale::automatic, AxisScale::linear, AxisScale::log, AxisScale::quantile,
                          AxisScale::rank, AxisScale::symlog})
    if (text == to_string(each)) {
      scale = each;
      return true;
    }
  return false;
}

} // namespace jitterscope::analysis
