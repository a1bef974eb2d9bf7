#include "core/analysis/parallel.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "core/analysis/bin_finder.h"
#include "core/analysis/global_range.h"
#include "core/analysis/launch_reader.h"
#include "core/analysis/row_blocks.h"

namespace jitterscope::analysis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostCategories = 24;

/// Range and, for columns that name things, the distinct values of every axis.
struct Ranges {
  std::vector<double> lows, highs;
  std::vector<std::set<std::int64_t>> distinct; ///< category columns; stops growing beyond kMostCategories

  explicit Ranges(std::size_t axes) : lows(axes, kInfinity), highs(axes, -kInfinity), distinct(axes) {}
  void add(std::size_t axis, bool category, double value) {
    if (std::isnan(value)) return;
    lows[axis] = std::min(lows[axis], value);
    highs[axis] = std::max(highs[axis], value);
    if (category && distinct[axis].size() <= kMostCategories) distinct[axis].insert(static_cast<std::int64_t>(value));
  }
  void add(const Ranges& other) {
    for (std::size_t a = 0; a < lows.size(); ++a) {
      lows[a] = std::min(lows[a], other.lows[a]);
      highs[a] = std::max(highs[a], other.highs[a]);
      distinct[a].insert(other.distinct[a].begin(), other.distinct[a].end());
    }
  }
};

bool names_things(const LaunchColumn& column) {
  return column.kind != ColumnKind::Number;
}

/// The columns of the axes, ready to be read.
std::vector<LaunchReader> readers_of(const Session& session, const LaunchColumns& columns,
                                     const std::vector<const LaunchColumn*>& axes) {
  std::vector<LaunchReader> readers;
  readers.reserve(axes.size());
  for (const auto* axis : axes) readers.emplace_back(session, columns, axis->name);
  return readers;
}

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

Expected<void> ranges_of_rows(const Session& session, const std::vector<const LaunchColumn*>& axes,
                              const std::vector<LaunchReader>& readers, const std::vector<std::size_t>& wanted,
                              Ranges& ranges, Communicator& communicator, const Job& job) {
  const RowBlocks blocks(session, communicator);
  std::vector<Ranges> threads(threads_of_rank(), Ranges(axes.size()));
  std::vector<std::vector<double>> buffers(threads.size());
  auto walked = blocks.for_each(job, "ranges of the axes", [&](std::size_t thread, std::size_t, const auto& segments) {
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

Expected<Ranges> find_ranges(const Session& session, const LaunchColumns& columns,
                             const std::vector<const LaunchColumn*>& axes, Communicator& communicator,
                             const Job& job) {
  Ranges ranges(axes.size());
  const auto readers = readers_of(session, columns, axes);
  ranges_of_tables(session, axes, readers, ranges);
  std::vector<std::size_t> unknown;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (!session.traces().empty() && readers[a].table(0)) continue;
    const auto* known = names_things(*axes[a]) ? nullptr : columns.known_range(axes[a]->name);
    if (known)
      ranges.lows[a] = known->low, ranges.highs[a] = known->high;
    else
      unknown.push_back(a);
  }
  if (unknown.empty()) return ranges;
  if (auto done = ranges_of_rows(session, axes, readers, unknown, ranges, communicator, job); !done)
    return forward(done.error());
  for (const auto a : unknown) columns.keep_range(axes[a]->name, {ranges.lows[a], ranges.highs[a]});
  return ranges;
}

/// Turns values into bin numbers; -1 for missing.
class Binning {
public:
  Binning(const ParallelAxis& axis, int bins) : codes_(axis.codes) {
    count_ = axis.categories.empty() ? bins : static_cast<int>(axis.categories.size());
    if (!codes_.empty() || !(axis.minimum < axis.maximum)) return;
    std::vector<double> edges;
    const double low = axis.log ? std::log(axis.minimum) : axis.minimum,
                 high = axis.log ? std::log(axis.maximum) : axis.maximum;
    for (int edge = 0; edge <= count_; ++edge) {
      const double at = low + (high - low) * edge / count_;
      edges.push_back(axis.log ? std::exp(at) : at);
    }
    finder_.emplace(std::move(edges));
  }
  int count() const { return count_; }
  int operator()(double value) const {
    if (std::isnan(value)) return -1;
    if (!codes_.empty()) return static_cast<int>(std::lower_bound(codes_.begin(), codes_.end(), value) - codes_.begin());
    return finder_ ? static_cast<int>((*finder_)(value)) : 0;
  }

private:
  std::vector<double> codes_;
  int count_ = 1;
  std::optional<BinFinder> finder_;
};

/// Reads an axis as bin numbers.
class AxisReader {
public:
  AxisReader(const LaunchReader& reader, const Binning& binning, std::size_t traces)
      : reader_(&reader), binning_(&binning) {
    for (std::size_t t = 0; t < traces; ++t) {
      auto& bins = bin_of_id_.emplace_back();
      if (const auto* values = reader.table(t))
        for (const double value : *values) bins.push_back(binning(value));
    }
  }
  /// `values` is room for as many doubles.
  void read(const Segment& segment, std::vector<double>& values, std::vector<int>& bins) const {
    const auto rows = static_cast<std::size_t>(segment.rows());
    bins.resize(rows);
    if (reader_->table(segment.trace)) {
      ids_to_bins(segment, bins);
      return;
    }
    values.resize(rows);
    reader_->read(segment, values.data());
    for (std::size_t i = 0; i < rows; ++i) bins[i] = (*binning_)(values[i]);
  }

private:
  void ids_to_bins(const Segment& segment, std::vector<int>& bins) const {
    constexpr std::size_t kPiece = 1'024;
    std::uint32_t ids[kPiece];
    const auto& all = reader_->ids(segment.trace);
    const auto& bin_of = bin_of_id_[segment.trace];
    for (std::size_t at = 0; at < bins.size(); at += kPiece) {
      const auto count = std::min(kPiece, bins.size() - at), first = static_cast<std::size_t>(segment.first) + at;
      all.read(first, first + count, ids);
      for (std::size_t i = 0; i < count; ++i) bins[at + i] = bin_of[ids[i]];
    }
  }

  const LaunchReader* reader_;
  const Binning* binning_;
  std::vector<std::vector<int>> bin_of_id_; ///< per trace
};

/// Squared correlation of two columns over the rows in which both are there; without a target the squared
/// coefficient of variation. 0 when neither can be told.
double telling(const std::vector<double>& values, const std::vector<double>& target) {
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double other = target.empty() ? 0 : target[i];
    if (!std::isfinite(values[i]) || !std::isfinite(other)) continue;
    ++n;
    const double dx = (values[i] - x), dy = other - y;
    x += dx / n, y += dy / n; // Welford's update: counters are large and close together
    xx += dx * (values[i] - x), yy += dy * (other - y), xy += dx * (other - y);
  }
  if (n < 3 || !(xx > 0)) return 0;
  if (target.empty()) return x != 0 ? xx / n / (x * x) : 0;
  return yy > 0 ? xy * xy / (xx * yy) : 0;
}

std::string category_label(const LaunchColumns& columns, const LaunchColumn& column, std::int64_t code) {
  if (column.kind == ColumnKind::Text) return columns.text(column.name, static_cast<double>(code));
  return fmt::format("{}", code);
}

ParallelAxis make_axis(const LaunchColumns& columns, const LaunchColumn& column, const Ranges& ranges,
                       std::size_t a) {
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
    }
  // Positive quantities that span more than two decades are read on a log scale.
  axis.log = axis.categories.empty() && axis.minimum > 0 && axis.maximum / axis.minimum > 100;
  return axis;
}

/// Recorded attributes (counters, parameters) that go with the duration most: at most `most` of them, the
/// strongest first, by squared correlation over at most 65,536 launches; without durations those of the
/// greatest spread relative to their mean. The same on every rank: each looks at the same launches.
std::vector<const LaunchColumn*> telling_columns(const Session& session, const LaunchColumns& columns,
                                                 std::size_t most, const Job& job) {
  const std::int64_t rows = std::min<std::int64_t>(session.launches(), 65'536);
  const auto values_of = [&](std::string_view name) {
    std::vector<double> values;
    for (const auto& segment : session.segments(0, rows)) {
      const auto part = columns.read(name, segment);
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  };
  const auto target = columns.find("duration") ? values_of("duration") : std::vector<double>();
  std::vector<std::pair<double, const LaunchColumn*>> scores;
  for (const auto& column : columns.list()) {
    const bool attribute = column.recorded && !column.constant && column.kind == ColumnKind::Number;
    if (!attribute) continue;
    if (job.cancelled()) break;
    const double score = telling(values_of(column.name), target);
    if (score > 0) scores.emplace_back(score, &column);
  }
  std::stable_sort(scores.begin(), scores.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  // Columns that say the same (cycles and nanoseconds) need no axis each.
  constexpr double kSame = 0.96;
  constexpr std::size_t kMostCompared = 200;
  std::vector<const LaunchColumn*> chosen;
  std::vector<std::vector<double>> kept;
  if (scores.size() > kMostCompared) scores.resize(kMostCompared);
  for (const auto& [score, column] : scores) {
    if (chosen.size() == most) break;
    if (!target.empty() && score > 0.999) continue; // the duration once more
    auto values = values_of(column->name);
    if (std::any_of(kept.begin(), kept.end(),
                    [&](const auto& other) { return telling(values, other) > kSame; }))
      continue;
    chosen.push_back(column);
    kept.push_back(std::move(values));
  }
  return chosen;
}

/// What one thread counts: all launches, and the selected ones where not all are.
class ThreadCounts {
public:
  explicit ThreadCounts(const ParallelCounts& empty) {
    for (const auto& axis : empty.axes) axes_.push_back({axis.all, axis.all, 0});
    for (const auto& pair : empty.pairs) pairs_.push_back({pair.all, pair.all, pair.right_bins});
  }

  /// An empty mask selects everything.
  void add(const Segment& segment, const std::vector<AxisReader>& readers, const std::vector<std::uint8_t>& mask) {
    rows_ += segment.rows();
    for (const auto bit : mask) selected_rows_ += bit;
    for (std::size_t a = 0; a < readers.size(); ++a) {
      readers[a].read(segment, values_, bins_);
      if (mask.empty())
        count<false>(a, mask);
      else
        count<true>(a, mask);
      std::swap(bins_, before_);
    }
  }

  void add_to(ParallelCounts& counts, std::int64_t (&rows)[2], bool everything) const {
    rows[0] += rows_;
    rows[1] += everything ? rows_ : selected_rows_;
    const auto sum = [](std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    };
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      sum(counts.axes[a].all, axes_[a].all);
      sum(counts.axes[a].selected, everything ? axes_[a].all : axes_[a].selected);
      counts.axes[a].missing += axes_[a].missing;
    }
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      sum(counts.pairs[p].all, pairs_[p].all);
      sum(counts.pairs[p].selected, everything ? pairs_[p].all : pairs_[p].selected);
    }
  }

private:
  struct Axis {
    std::vector<std::int64_t> all, selected;
    std::int64_t missing = 0;
  };
  struct Pair {
    std::vector<std::int64_t> all, selected;
    int right_bins = 0;
  };

  // bins_ are those of axis a, before_ those of the axis before it.
  template <bool Masked>
  void count(std::size_t a, const std::vector<std::uint8_t>& mask) {
    auto& axis = axes_[a];
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      if (bins_[i] < 0) {
        ++axis.missing;
        continue;
      }
      const auto bin = static_cast<std::size_t>(bins_[i]);
      ++axis.all[bin];
      if constexpr (Masked) axis.selected[bin] += mask[i];
      if (a == 0 || before_[i] < 0) continue;
      auto& pair = pairs_[a - 1];
      const auto cell = static_cast<std::size_t>(before_[i]) * static_cast<std::size_t>(pair.right_bins) + bin;
      ++pair.all[cell];
      if constexpr (Masked) pair.selected[cell] += mask[i];
    }
  }

  std::vector<Axis> axes_;
  std::vector<Pair> pairs_;
  std::int64_t rows_ = 0, selected_rows_ = 0;
  std::vector<double> values_;
  std::vector<int> bins_, before_;
};

} // namespace

Expected<std::vector<std::string>> default_axes(const Session& session, const LaunchColumns& columns,
                                                std::size_t most, Communicator& communicator,
                                                const Job& job) {
  /// In display order; where there is no room the highest numbers leave first.
  struct Wanted {
    const char* name;
    int leaves;
  };
  static constexpr std::array kWanted = {Wanted{"short_name", 1},
                                         Wanted{"blocks", 1},
                                         Wanted{"threads_per_block", 5},
                                         Wanted{"registers", 6},
                                         Wanted{"dynamic_shared_memory", 6},
                                         Wanted{"device", 3},
                                         Wanted{"rank", 3},
                                         Wanted{"stream", 3},
                                         Wanted{"gap_ns", 3},
                                         Wanted{"queue_delay_ns", 4},
                                         Wanted{"concurrency", 4},
                                         Wanted{"burst_position", 7},
                                         Wanted{"migration_ns", 1},
                                         Wanted{"overlap_host_to_device_ns", 2},
                                         Wanted{"overlap_device_to_host_ns", 3},
                                         Wanted{"memory_stall", 5},
                                         Wanted{"duration", 0},
                                         Wanted{"kernel_variability", 0}};
  struct Candidate {
    const LaunchColumn* column;
    int leaves;
  };
  constexpr std::size_t kMostTelling = 6;
  const auto telling_ones = telling_columns(session, columns, kMostTelling, job);
  std::vector<Candidate> candidates;
  for (const auto& wanted : kWanted) {
    if (std::string_view(wanted.name) == "memory_stall")
      for (std::size_t i = telling_ones.size(); i-- > 0;) // the most telling next to what it tells of
        candidates.push_back({telling_ones[i], i < 3 ? 2 : 4});
    if (std::string_view(wanted.name) == "memory_stall") // clocks stand before what is to be explained
      for (const auto& column : columns.list())
        if (column.name.rfind("mean_", 0) == 0 && column.name.find("clock") != std::string::npos)
          candidates.push_back({&column, 2});
    if (const auto* column = columns.find(wanted.name)) candidates.push_back({column, wanted.leaves});
  }
  std::vector<const LaunchColumn*> looked_at;
  for (const auto& candidate : candidates) looked_at.push_back(candidate.column);
  auto ranges = find_ranges(session, columns, looked_at, communicator, job);
  if (!ranges) return forward(ranges.error());
  std::vector<Candidate> chosen;
  for (std::size_t a = 0; a < candidates.size(); ++a)
    if (ranges->lows[a] < ranges->highs[a]) chosen.push_back(candidates[a]);
  while (chosen.size() > std::max<std::size_t>(most, 1))
    chosen.erase(std::max_element(chosen.begin(), chosen.end(), [](const Candidate& x, const Candidate& y) {
      return x.leaves < y.leaves;
    }));
  std::vector<std::string> axes;
  for (const auto& candidate : chosen) axes.push_back(candidate.column->name);
  return axes;
}

Expected<ParallelCounts> parallel_counts(const Session& session, const LaunchColumns& columns,
                                         const Selection& selection, const ParallelOptions& options,
                                         Communicator& communicator, const Job& job) {
  std::vector<const LaunchColumn*> wanted;
  for (const auto& name : options.axes) {
    wanted.push_back(columns.find(name));
    if (!wanted.back())
      return failure(ErrorKind::BadUse, "there is no column '" + name + "'", {}, "axes",
                     "'info' lists the columns.");
  }
  const int bins = std::clamp(options.bins, 2, 1024);
  auto ranges = find_ranges(session, columns, wanted, communicator, job);
  if (!ranges) return forward(ranges.error());
  ParallelCounts counts;
  for (std::size_t a = 0; a < wanted.size(); ++a)
    counts.axes.push_back(make_axis(columns, *wanted[a], *ranges, a));
  std::vector<Binning> binnings;
  binnings.reserve(counts.axes.size());
  for (auto& axis : counts.axes) {
    binnings.emplace_back(axis, bins);
    axis.all.assign(static_cast<std::size_t>(binnings.back().count()), 0);
    axis.selected = axis.all;
  }
  for (std::size_t a = 0; a + 1 < wanted.size(); ++a) {
    const int left = binnings[a].count(), right = binnings[a + 1].count();
    const std::vector<std::int64_t> zeros(static_cast<std::size_t>(left) * static_cast<std::size_t>(right));
    counts.pairs.push_back({wanted[a]->name, wanted[a + 1]->name, left, right, zeros, zeros});
  }
  const auto readers = readers_of(session, columns, wanted);
  std::vector<AxisReader> axes;
  for (std::size_t a = 0; a < wanted.size(); ++a) axes.emplace_back(readers[a], binnings[a], session.traces().size());
  std::int64_t rows[2] = {};
  const RowBlocks blocks(session, communicator);
  std::vector<ThreadCounts> threads(threads_of_rank(), ThreadCounts(counts));
  auto walked = blocks.for_each(job, "parallel coordinates", [&](std::size_t thread, std::size_t, const auto& segments) {
    for (const auto& segment : segments) {
      std::vector<std::uint8_t> mask;
      if (!selection.everything()) mask = selection.select(session, columns, segment);
      threads[thread].add(segment, axes, mask);
    }
  });
  if (!walked) return forward(walked.error());
  for (const auto& thread : threads) thread.add_to(counts, rows, selection.everything());
  if (auto done = communicator.sum(rows); !done) return forward(done.error());
  counts.rows = rows[0];
  counts.selected_rows = rows[1];
  for (auto& axis : counts.axes) {
    std::int64_t missing[1] = {axis.missing};
    if (auto done = communicator.sum(missing); !done) return forward(done.error());
    axis.missing = missing[0];
    for (auto* histogram : {&axis.all, &axis.selected})
      if (auto done = communicator.sum(*histogram); !done) return forward(done.error());
  }
  for (auto& pair : counts.pairs)
    for (auto* histogram : {&pair.all, &pair.selected})
      if (auto done = communicator.sum(*histogram); !done) return forward(done.error());
  return counts;
}

} // namespace jitterscope::analysis
