#include "core/analysis/bins.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include "core/analysis/launch_reader.h"
#include "core/analysis/threads.h"
#include "core/base/vector_clones.h"
#include "core/causal/exact_sums.h"

namespace jitterscope::analysis {
namespace {

constexpr std::int64_t kDefaultBins = 2000;
constexpr std::int64_t kMostBins =
    500'000; // what a ranking that people read, and one answer of the engine, can hold
constexpr std::int64_t kRowsPerTask = 50'000; // under a millisecond, so that cancelling is quick

std::int64_t default_width(Interval span) {
  return std::max<std::int64_t>((span.length().count + kDefaultBins - 1) / kDefaultBins, 1);
}

// Tables are short and every row counts: about a hundred bins, each of ten rows at least, so that a bin has a
// spread.
std::int64_t default_rows(Interval span) {
  return std::max<std::int64_t>((span.length().count + 99) / 100, 10);
}

/// What all threads share.
struct Question {
  const Session& session;
  const LaunchColumns& columns;
  const Selection& selection;
  const Bins& frame;
  const LaunchReader& reader;
  const LaunchReader* groups = nullptr; ///< of the column that bins are divided by

  std::int64_t start_of(std::int64_t bin) const { return frame.origin_ns + bin * frame.width_ns; }
};

/// Walks over neighbouring bins, reading the values of each.
class BinReader {
public:
  BinReader(const Question& question, std::int64_t first_bin) : question_(question), bin_(first_bin) {
    for (const auto& trace : question.session.traces()) {
      const auto starts = trace.starts();
      const auto at = std::lower_bound(starts.begin(), starts.end(), question.start_of(first_bin) - trace.shift_ns);
      next_.push_back(at - starts.begin());
    }
  }

  /// Reads the next bin. False when it has no launches at all.
  bool next() {
    segments_.clear();
    const auto end = question_.start_of(++bin_);
    for (std::size_t t = 0; t < next_.size(); ++t) {
      const auto& trace = question_.session.traces()[t];
      const auto first = std::exchange(next_[t], first_from(trace.starts(), next_[t], end - trace.shift_ns));
      if (first < next_[t]) segments_.push_back({t, first, next_[t]});
    }
    return !segments_.empty();
  }
  std::int64_t bin() const { return bin_ - 1; }
  const std::vector<Segment>& segments() const { return segments_; }

private:
  // Gallops from where the last bin ended: rows of far away bins are never touched.
  static std::int64_t first_from(std::span<const std::int64_t> starts, std::int64_t from, std::int64_t time) {
    const auto rows = static_cast<std::int64_t>(starts.size());
    std::int64_t step = 1, low = from;
    while (low + step < rows && starts[static_cast<std::size_t>(low + step)] < time) low += step, step *= 2;
    const auto high = std::min(low + step, rows);
    return std::lower_bound(starts.begin() + low, starts.begin() + high, time) - starts.begin();
  }

  const Question& question_;
  std::int64_t bin_;
  std::vector<std::int64_t> next_; ///< per trace: first row of the next bin
  std::vector<Segment> segments_;
};

JITTERSCOPE_VECTOR_CLONES
bool any_missing(const double* values, std::size_t count) {
  unsigned missing = 0;
  for (std::size_t i = 0; i < count; ++i) missing |= values[i] != values[i];
  return missing != 0;
}

/// What a bin or one group of it holds: values without the missing ones; `launches` counts these too.
struct Part {
  double group = std::numeric_limits<double>::quiet_NaN();
  std::int64_t launches = 0;
  std::span<const double> values;
};

/// The values of a bin's selected launches, and what they are made of where somebody asks.
class BinValues {
public:
  explicit BinValues(const Question& question)
      : question_(question), kernel_sums_(question.session.kernels().size(), 0.0) {}

  /// The whole bin, or its groups in ascending order, those without a value of the group last.
  const std::vector<Part>& read(const std::vector<Segment>& segments) {
    std::size_t rows = 0;
    for (const auto& segment : segments) rows += static_cast<std::size_t>(segment.rows());
    if (values_.size() < rows) values_.resize(rows);
    if (question_.groups && codes_.size() < rows) codes_.resize(rows);
    std::size_t selected = 0;
    for (const auto& segment : segments) {
      const auto count = static_cast<std::size_t>(segment.rows());
      question_.reader.read(segment, values_.data() + selected);
      if (question_.groups) question_.groups->read(segment, codes_.data() + selected);
      selected += question_.selection.everything() ? count : only_selected(segment, selected, count);
    }
    parts_.clear();
    if (question_.groups)
      divide(selected);
    else if (selected > 0)
      parts_.push_back(part_of({values_.data(), selected}));
    return parts_;
  }

  /// What the bin is made of.
  void describe(const std::vector<Segment>& segments, KeptBin& kept) {
    kept.last_end_ns = kept.bin.start_ns;
    double largest = -1;
    for (const auto& segment : segments) add(segment, kept, largest);
    double most = -1;
    for (const auto kernel : seen_) {
      if (kernel_sums_[kernel] > most || (kernel_sums_[kernel] == most && kernel < kept.top_kernel)) {
        most = kernel_sums_[kernel];
        kept.top_kernel = kernel;
      }
      kernel_sums_[kernel] = 0;
    }
    seen_.clear();
    kept.top_kernel_share = kept.bin.statistics.sum > 0 ? most / kept.bin.statistics.sum : 0;
  }

private:
  std::size_t only_selected(const Segment& segment, std::size_t at, std::size_t count) {
    const auto mask = question_.selection.select(question_.session, question_.columns, segment);
    std::size_t kept = at;
    for (std::size_t i = 0; i < count; ++i) {
      if (!mask[i]) continue;
      values_[kept] = values_[at + i];
      if (question_.groups) codes_[kept] = codes_[at + i];
      ++kept;
    }
    return kept - at;
  }

  static Part part_of(std::span<double> values) {
    Part part;
    part.launches = static_cast<std::int64_t>(values.size());
    auto kept = values.size();
    if (any_missing(values.data(), kept))
      kept = static_cast<std::size_t>(
          std::remove_if(values.begin(), values.end(), [](double v) { return v != v; }) - values.begin());
    part.values = values.first(kept);
    return part;
  }

  // Values are dealt out to their groups, in the order of the rows.
  void divide(std::size_t count) {
    const auto key = [](double code) { return std::isnan(code) ? std::numeric_limits<double>::infinity() : code; };
    std::map<double, std::vector<double>*> groups;
    std::size_t used = 0;
    for (std::size_t i = 0; i < count; ++i) {
      auto& values = groups[key(codes_[i])];
      if (!values) {
        if (used == group_values_.size()) group_values_.push_back(std::make_unique<std::vector<double>>());
        values = group_values_[used++].get();
        values->clear();
      }
      values->push_back(values_[i]);
    }
    for (auto& [code, values] : groups) {
      parts_.push_back(part_of(*values));
      if (std::isfinite(code)) parts_.back().group = code;
    }
  }

  bool in_group(double code, double group) const {
    return !question_.groups || code == group || (std::isnan(code) && std::isnan(group));
  }

  void add(const Segment& segment, KeptBin& kept, double& largest) {
    const Trace& trace = question_.session.traces()[segment.trace];
    const auto starts = trace.starts();
    const auto durations = trace.durations();
    const auto configurations = trace.configurations();
    const auto mask = question_.selection.select(question_.session, question_.columns, segment);
    if (values_.size() < mask.size()) values_.resize(mask.size());
    question_.reader.read(segment, values_.data());
    if (codes_.size() < mask.size()) codes_.resize(mask.size());
    if (question_.groups) question_.groups->read(segment, codes_.data());
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (!mask[i] || !in_group(codes_[i], kept.bin.group)) continue;
      const auto row = static_cast<std::size_t>(segment.first) + i;
      kept.last_end_ns =
          std::max(kept.last_end_ns, starts[row] + trace.extent(durations[row]) + trace.shift_ns);
      const double value = values_[i];
      if (std::isnan(value)) continue;
      const auto kernel =
          question_.session.configurations()[trace.configuration[configurations[row]]].kernel;
      if (kernel_sums_[kernel] == 0) seen_.push_back(kernel);
      kernel_sums_[kernel] += value;
      if (value > largest) {
        largest = value;
        kept.top_launch = trace.first_launch + static_cast<std::int64_t>(row);
      }
    }
  }

  const Question& question_;
  std::vector<double> values_, codes_, kernel_sums_;
  std::vector<std::uint32_t> seen_;
  std::vector<Part> parts_;
  std::vector<std::unique_ptr<std::vector<double>>> group_values_;
};

Expected<Bins> frame_of(const Session& session, const LaunchColumns& columns, const BinOptions& options) {
  if (options.metric == "kernel_variability" && !columns.find(options.metric))
    return failure(ErrorKind::BadUse, "the table has no durations, so its kernels have no variability", {},
                   "metric", "Name a column to rank by, for example one that 'info' lists: --metric COLUMN.");
  const auto* metric = columns.find(options.metric);
  if (!metric || metric->kind == ColumnKind::Text)
    return failure(ErrorKind::BadUse, "there is no numeric column '" + options.metric + "' to make bins of",
                   {}, "metric",
                   "Use duration, kernel-variability, memory-stall or a column that 'info' lists.");
  const auto* by = columns.find(options.by);
  if (!options.by.empty() && (!by || by->kind == ColumnKind::Number))
    return failure(ErrorKind::BadUse, "bins cannot be divided by '" + options.by + "'", {}, "by",
                   "Use kernel, configuration, stream, device, rank, process, trace, range or a column of texts.");
  Bins frame;
  const auto span = session.launch_span();
  frame.by = options.by;
  frame.metric = metric->name;
  frame.unit = metric->unit;
  frame.origin_ns = span.begin.count;
  frame.width_ns = options.width_ns > 0     ? options.width_ns
                   : session.launch_order() ? default_rows(span)
                                            : default_width(span);
  if (span.length().count / frame.width_ns >= kMostBins)
    return failure(ErrorKind::BadUse,
                   fmt::format("bins of {} {} would be {} bins, more than {}", frame.width_ns,
                               session.launch_order() ? "launches" : "ns",
                               span.length().count / frame.width_ns + 1, kMostBins),
                   {}, "width", "Choose a larger width.");
  return frame;
}

// Borders of bins at which the rows are shared out evenly: rank r takes bins [border[r], border[r + 1]).
std::int64_t border(const Session& session, const Bins& frame, std::int64_t bins, int rank, int size) {
  if (rank == 0) return 0;
  if (rank == size) return bins;
  const std::int64_t wanted = share_of(session.launches(), rank, size).first;
  std::int64_t low = 0, high = bins;
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    std::int64_t rows = 0;
    const Interval before{session.launch_span().begin, {frame.origin_ns + middle * frame.width_ns}};
    for (const auto& segment : session.launches_in(before)) rows += segment.rows();
    if (rows < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// The bins of a rank, computed in tasks of neighbouring ones.
class Shard {
public:
  Shard(const Question& question, std::int64_t first, std::int64_t last, std::int64_t bins)
      : question_(question), first_(first), last_(last) {
    const auto rows_per_bin = std::max<std::int64_t>(question.session.launches() / std::max<std::int64_t>(bins, 1), 1);
    step_ = std::max<std::int64_t>(kRowsPerTask / rows_per_bin, 1);
  }

  Expected<std::vector<Bin>> statistics(const Job& job) const {
    std::vector<std::vector<Bin>> parts(static_cast<std::size_t>((last_ - first_ + step_ - 1) / step_));
    struct Tools {
      BinValues values;
      QuartileFinder quartiles;
    };
    std::vector<std::unique_ptr<Tools>> tools;
    while (tools.size() < threads_of_rank()) tools.emplace_back(new Tools{BinValues(question_), {}});
    const auto tasks = static_cast<std::int64_t>(parts.size());
    const bool whole = on_threads(tasks, job, "bins", [&](std::size_t thread, std::int64_t task) {
      auto& tool = *tools[thread];
      const auto from = first_ + task * step_;
      BinReader reader(question_, from);
      for (auto bin = from; bin < std::min(from + step_, last_); ++bin) {
        if (!reader.next()) continue;
        for (const auto& part : tool.values.read(reader.segments())) {
          auto& found = parts[static_cast<std::size_t>(task)].emplace_back();
          found.index = bin;
          found.start_ns = question_.start_of(bin);
          found.group = part.group;
          found.launches = part.launches;
          found.statistics = statistics_of(part.values, tool.quartiles);
        }
      }
    });
    if (!whole) return Job::cancelled_error();
    std::vector<Bin> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }

  /// What the kept ones among the bins are made of, by index.
  Expected<std::vector<KeptBin>> describe(const std::vector<Bin>& bins, const Job& job) const {
    std::vector<KeptBin> kept;
    for (const auto& bin : bins)
      if (bin.kept) kept.push_back({bin, 0, -1, kNone, 0});
    std::vector<std::unique_ptr<BinValues>> tools;
    while (tools.size() < threads_of_rank()) tools.push_back(std::make_unique<BinValues>(question_));
    const auto tasks = static_cast<std::int64_t>(kept.size());
    const bool whole = on_threads(tasks, job, "kept bins", [&](std::size_t thread, std::int64_t task) {
      auto& bin = kept[static_cast<std::size_t>(task)];
      BinReader reader(question_, bin.bin.index);
      reader.next();
      tools[thread]->describe(reader.segments(), bin);
    });
    if (!whole) return Job::cancelled_error();
    return kept;
  }

private:
  const Question& question_;
  std::int64_t first_, last_, step_;
};

// Larger is better; 0 for bins without a value.
std::uint64_t rank_key(const Bin& bin, Statistic by) {
  const double value = value_of(bin.statistics, by);
  if (bin.statistics.n == 0 || std::isnan(value)) return 0;
  return ordered_key(value);
}

/// Which bins of all ranks are the `keep` best: those above a key, and of those with that key the earliest.
class Selector {
public:
  Selector(const std::vector<Bin>& bins, Statistic by, Communicator& communicator) : communicator_(communicator) {
    keys_.reserve(bins.size());
    for (const auto& bin : bins) keys_.push_back(rank_key(bin, by));
  }

  Expected<void> mark(std::vector<Bin>& bins, std::int64_t keep) {
    std::uint64_t prefix = 0;
    for (int shift = 64 - kDigit; shift >= 0; shift -= kDigit) {
      std::vector<std::int64_t> counts(std::size_t{1} << kDigit);
      for (const auto key : keys_)
        if (shift + kDigit == 64 || key >> (shift + kDigit) == prefix) ++counts[(key >> shift) & (counts.size() - 1)];
      if (auto done = communicator_.sum(counts); !done) return done;
      auto digit = counts.size() - 1;
      while (digit > 0 && counts[digit] < keep) keep -= counts[digit--];
      prefix = prefix << kDigit | digit;
    }
    // Ranks hold ascending ranges of bins, so the earliest are those of the first ranks.
    const std::int64_t equal[1] = {std::count(keys_.begin(), keys_.end(), prefix)};
    auto equals = communicator_.all_gather<std::int64_t>(equal);
    if (!equals) return forward(equals.error());
    keep -= std::accumulate(equals->begin(), equals->begin() + communicator_.rank(), std::int64_t{0});
    for (std::size_t i = 0; i < bins.size(); ++i)
      bins[i].kept = keys_[i] > prefix || (keys_[i] == prefix && keep-- > 0);
    return {};
  }

private:
  static constexpr int kDigit = 8;
  Communicator& communicator_;
  std::vector<std::uint64_t> keys_;
};

// Numbers bins of any order by rank: best first, ties by time.
template <class T, class BinOf>
void rank(std::vector<T>& list, Statistic by, BinOf&& bin_of) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) order.emplace_back(~rank_key(bin_of(list[i]), by), i);
  std::sort(order.begin(), order.end());
  for (std::size_t place = 0; place < order.size(); ++place)
    bin_of(list[order[place].second]).rank = static_cast<std::int64_t>(place) + 1;
}

Expected<std::int64_t> bins_to_keep(const std::vector<Bin>& mine, const BinOptions& options, Bins& result,
                                    Communicator& communicator) {
  std::int64_t counts[3] = {static_cast<std::int64_t>(mine.size()), 0, 0}; // bins, those with a value, missing
  double most = 0;
  for (const auto& bin : mine) {
    counts[1] += bin.statistics.n > 0;
    counts[2] += bin.launches - bin.statistics.n;
    if (bin.statistics.n > 0) most = std::max(most, std::abs(bin.statistics.sum));
  }
  if (auto done = communicator.sum(counts); !done) return forward(done.error());
  std::int64_t bound[1] = {-ordered_integer(most)};
  if (auto done = communicator.minimum(bound); !done) return forward(done.error());
  causal::ExactSums total(1, from_ordered_integer(-bound[0]), counts[0]);
  for (const auto& bin : mine)
    if (bin.statistics.n > 0) total.add(0, bin.statistics.sum);
  auto totals = total.total(communicator);
  if (!totals) return forward(totals.error());
  result.total = totals->front();
  result.count = counts[0];
  result.missing = counts[2];
  auto keep = options.top_count;
  if (keep <= 0)
    keep = std::max(options.top_least,
                    static_cast<std::int64_t>(std::ceil(options.top_share * static_cast<double>(counts[0]))));
  return std::min(keep, counts[1]);
}

} // namespace

Expected<Bins> compute_bins(const Session& session, const LaunchColumns& columns, const Selection& selection,
                            const BinOptions& options, Communicator& communicator, const Job& job) {
  auto frame = frame_of(session, columns, options);
  if (!frame) return frame;
  const auto span = session.launch_span();
  const std::int64_t bins = session.launches() == 0 ? 0 : span.length().count / frame->width_ns + 1;
  const LaunchReader reader(session, columns, frame->metric);
  std::optional<LaunchReader> groups;
  if (!options.by.empty()) groups.emplace(session, columns, options.by);
  const Question question{session, columns, selection, *frame, reader, groups ? &*groups : nullptr};
  const Shard shard(question, border(session, *frame, bins, communicator.rank(), communicator.size()),
                    border(session, *frame, bins, communicator.rank() + 1, communicator.size()), bins);
  auto mine = shard.statistics(job);
  if (!mine) return forward(mine.error());
  auto keep = bins_to_keep(*mine, options, *frame, communicator);
  if (!keep) return forward(keep.error());
  if (auto done = Selector(*mine, options.rank_by, communicator).mark(*mine, *keep); !done)
    return forward(done.error());
  auto described = shard.describe(*mine, job);
  if (!described) return forward(described.error());
  auto kept = communicator.gather<KeptBin>(*described);
  if (!kept) return forward(kept.error());
  frame->kept = std::move(*kept);
  rank(frame->kept, options.rank_by, [](KeptBin& bin) -> Bin& { return bin.bin; });
  std::sort(frame->kept.begin(), frame->kept.end(),
            [](const KeptBin& a, const KeptBin& b) { return a.bin.rank < b.bin.rank; });
  if (!options.all) return frame;
  auto all = communicator.gather<Bin>(*mine);
  if (!all) return forward(all.error());
  frame->bins = std::move(*all);
  rank(frame->bins, options.rank_by, [](Bin& bin) -> Bin& { return bin; });
  return frame;
}

} // namespace jitterscope::analysis
