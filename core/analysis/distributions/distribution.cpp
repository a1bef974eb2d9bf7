#include "core/analysis/distributions/distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "core/analysis/columns/launch_reader.h"
#include "core/analysis/session/row_blocks.h"
#include "core/analysis/statistics/bin_finder.h"
#include "core/analysis/statistics/global_range.h"
#include "core/analysis/statistics/histogram_edges.h"
#include "core/analysis/statistics/quantile_search.h"

namespace jitterscope::analysis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Moments of a block of rows.
struct BlockSums {
  double n = 0, mean = 0,
         squares = 0; ///< moments of the selected values; squares: sum of squared differences from the mean
};

// Chan, Golub & LeVeque 1983, in block order, so that the result does not depend on the ranks.
BlockSums merged(const std::vector<BlockSums>& blocks) {
  BlockSums all;
  for (const auto& block : blocks) {
    if (block.n == 0) continue;
    const double n = all.n + block.n, difference = block.mean - all.mean;
    all.squares += block.squares + difference * difference * (all.n / n) * block.n;
    all.mean += difference * (block.n / n);
    all.n = n;
  }
  return all;
}

/// Row reader of one thread: values, and whether their rows are selected.
class Reader {
public:
  Reader(const Session& session, const LaunchColumns& columns, const LaunchReader& reader, const Filter& base,
         const Selection& selection)
      : session_(&session), columns_(&columns), reader_(&reader), base_(&base), selection_(&selection) {}

  /// Calls `use(value, selected)` for the rows of the segments that pass `base`; missing values are NaN.
  template <class Use>
  void operator()(const std::vector<Segment>& segments, Use&& use) {
    for (const auto& segment : segments) {
      values_.resize(static_cast<std::size_t>(segment.rows()));
      reader_->read(segment, values_.data());
      std::vector<std::uint8_t> in_base, selected;
      if (!base_->everything()) in_base = base_->select(*columns_, segment);
      if (!selection_->everything()) selected = selection_->select(*session_, *columns_, segment);
      for (std::size_t i = 0; i < values_.size(); ++i)
        if (in_base.empty() || in_base[i]) use(values_[i], selected.empty() || selected[i]);
    }
  }

  /// Same as operator(), but also passes the value of a second column.
  template <class Use>
  void with(const LaunchReader& other, const std::vector<Segment>& segments, Use&& use) {
    for (const auto& segment : segments) {
      others_.resize(static_cast<std::size_t>(segment.rows()));
      other.read(segment, others_.data());
      std::size_t at = 0;
      std::vector<std::uint8_t> in_base;
      if (!base_->everything()) in_base = base_->select(*columns_, segment);
      (*this)({segment}, [&](double value, bool selected) {
        while (!in_base.empty() && !in_base[at]) ++at;
        use(value, selected, others_[at++]);
      });
    }
  }

private:
  const Session* session_;
  const LaunchColumns* columns_;
  const LaunchReader* reader_;
  const Filter* base_;
  const Selection* selection_;
  std::vector<double> values_, others_;
};

/// Bits of the missing value.
constexpr auto kNoCode = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());

/// The passes over the rows, in sequence.
class Passes {
public:
  Passes(const Session& session, const Reader& reader, const DistributionOptions& options,
         Communicator& communicator, const Job& job)
      : blocks_(session, communicator), readers_(threads_of_rank(), reader), options_(options),
        communicator_(communicator), job_(job) {}

  /// First pass: counts, ranges and sums.
  Expected<void> survey(Distribution& result) {
    struct Found {
      std::int64_t rows = 0, missing = 0, outside = 0, selected = 0;
      double low = kInfinity, high = -kInfinity, selected_low = kInfinity, selected_high = -kInfinity;
      bool whole = true; // all selected values are integers
    };
    std::vector<Found> threads(readers_.size());
    std::vector<BlockSums> sums(static_cast<std::size_t>(blocks_.mine()));
    auto walked = blocks_.for_each(
        job_, "distribution", [&](std::size_t thread, std::size_t block, const auto& segments) {
          auto& found = threads[thread];
          auto& sum = sums[block];
          readers_[thread](segments, [&](double value, bool selected) {
            if (std::isnan(value)) return void(++found.missing);
            ++found.rows;
            const bool outside = options_.log && value <= 0;
            found.outside += outside;
            if (!outside) found.low = std::min(found.low, value), found.high = std::max(found.high, value);
            if (!selected) return;
            ++found.selected;
            found.selected_low = std::min(found.selected_low, value);
            found.selected_high = std::max(found.selected_high, value);
            found.whole &= QuantileSearch::is_integer(value);
            sum.n += 1; // Welford 1962
            const double before = value - sum.mean;
            sum.mean += before / sum.n;
            sum.squares += before * (value - sum.mean);
          });
        });
    if (!walked) return walked;
    std::int64_t counts[5] = {};
    double lows[2] = {kInfinity, kInfinity}, highs[2] = {-kInfinity, -kInfinity};
    for (const auto& found : threads) {
      counts[0] += found.rows, counts[1] += found.missing, counts[2] += found.outside,
          counts[3] += found.selected;
      counts[4] += !found.whole;
      lows[0] = std::min(lows[0], found.low), highs[0] = std::max(highs[0], found.high);
      lows[1] = std::min(lows[1], found.selected_low), highs[1] = std::max(highs[1], found.selected_high);
    }
    if (auto done = communicator_.sum(counts); !done) return done;
    if (auto done = global_range(communicator_, lows, highs); !done) return done;
    auto all = communicator_.gather<BlockSums>(sums);
    if (!all) return forward(all.error());
    result.rows = counts[0], result.missing = counts[1], result.outside = counts[2];
    if (lows[0] <= highs[0]) result.edges = histogram_edges(lows[0], highs[0], options_.bins, options_.log);
    values_ = counts[4] == 0 ? QuantileSearch::Values::Integers : QuantileSearch::Values::Any;
    fill(result.statistics, counts[3], lows[1], highs[1], merged(*all));
    return {};
  }

  Expected<void> histogram(Distribution& result) {
    if (result.edges.empty()) return {};
    const BinFinder bin_of(result.edges);
    const auto bins = static_cast<std::size_t>(options_.bins);
    std::vector<std::vector<std::int64_t>> threads(readers_.size(), std::vector<std::int64_t>(2 * bins));
    auto walked =
        blocks_.for_each(job_, "distribution", [&](std::size_t thread, std::size_t, const auto& segments) {
          auto& counts = threads[thread];
          readers_[thread](segments, [&](double value, bool selected) {
            if (std::isnan(value) || (options_.log && value <= 0)) return;
            const auto bin = bin_of(value);
            ++counts[bin];
            counts[bins + bin] += selected;
          });
        });
    if (!walked) return walked;
    auto counts = added(threads);
    if (auto done = communicator_.sum(counts); !done) return done;
    const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(bins);
    result.all.assign(counts.begin(), middle);
    result.selected.assign(middle, counts.end());
    return {};
  }

  /// Total duration of the launches in each bin [ns]; launches without a duration are ignored.
  Expected<void> time(Distribution& result, const LaunchReader& durations) {
    if (result.edges.empty()) return {};
    const BinFinder bin_of(result.edges);
    const auto bins = static_cast<std::size_t>(options_.bins);
    std::vector<std::vector<std::int64_t>> threads(readers_.size(), std::vector<std::int64_t>(2 * bins));
    auto walked =
        blocks_.for_each(job_, "distribution", [&](std::size_t thread, std::size_t, const auto& segments) {
          auto& sums = threads[thread];
          readers_[thread].with(durations, segments, [&](double value, bool selected, double duration) {
            if (std::isnan(value) || std::isnan(duration) || (options_.log && value <= 0)) return;
            const auto bin = bin_of(value);
            const auto ns = static_cast<std::int64_t>(duration);
            sums[bin] += ns;
            if (selected) sums[bins + bin] += ns;
          });
        });
    if (!walked) return walked;
    auto sums = added(threads);
    if (auto done = communicator_.sum(sums); !done) return done;
    const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(bins);
    result.all_ns.assign(sums.begin(), middle);
    result.selected_ns.assign(middle, sums.end());
    return {};
  }

  /// Histograms of the largest groups of selected launches.
  Expected<void> groups(Distribution& result, const LaunchReader& column) {
    if (result.edges.empty()) return {};
    if (auto done = choose_groups(result, column); !done) return done;
    std::map<double, std::size_t> place;
    std::optional<std::size_t> unnamed;
    for (std::size_t g = 0; g < result.groups.size(); ++g)
      if (std::isnan(result.groups[g].code) && !result.groups[g].rest)
        unnamed = g;
      else if (!result.groups[g].rest)
        place[result.groups[g].code] = g;
    const BinFinder bin_of(result.edges);
    const auto bins = static_cast<std::size_t>(options_.bins), rest = result.groups.size();
    const auto sums = (rest + 1) * bins; // the sums follow the counts
    const bool time = result.unit == "ns";
    std::vector<std::vector<std::int64_t>> threads(readers_.size(),
                                                   std::vector<std::int64_t>(sums + rest + 1));
    auto walked =
        blocks_.for_each(job_, "distribution", [&](std::size_t thread, std::size_t, const auto& segments) {
          auto& counts = threads[thread];
          readers_[thread].with(column, segments, [&](double value, bool selected, double code) {
            if (!selected || std::isnan(value) || (options_.log && value <= 0)) return;
            std::size_t group = rest;
            if (std::isnan(code))
              group = unnamed.value_or(rest);
            else if (const auto found = place.find(code); found != place.end())
              group = found->second;
            ++counts[group * bins + bin_of(value)];
            if (time) counts[sums + group] += std::llround(value);
          });
        });
    if (!walked) return walked;
    auto counts = added(threads);
    if (auto done = communicator_.sum(counts); !done) return done;
    const auto of = [&](std::size_t group) {
      const auto first = counts.begin() + static_cast<std::ptrdiff_t>(group * bins);
      return std::vector<std::int64_t>(first, first + static_cast<std::ptrdiff_t>(bins));
    };
    for (std::size_t g = 0; g < rest; ++g) {
      result.groups[g].counts = of(g);
      result.groups[g].sum_ns = counts[sums + g];
    }
    DistributionGroup others{std::numeric_limits<double>::quiet_NaN(), true, 0, of(rest),
                             counts[sums + rest]};
    others.n = std::accumulate(others.counts.begin(), others.counts.end(), std::int64_t{0});
    if (others.n > 0) result.groups.push_back(std::move(others));
    return {};
  }

  Expected<void> quantiles(Distribution& result) {
    Statistics& s = result.statistics;
    std::vector<double> probabilities;
    for (const double percent : kPercentiles) probabilities.push_back(percent / 100);
    QuantileSearch search({{s.n, s.min, s.max}}, probabilities, readers_.size(), values_);
    while (search.open()) {
      auto walked =
          blocks_.for_each(job_, "quartiles", [&](std::size_t thread, std::size_t, const auto& segments) {
            readers_[thread](segments, [&](double value, bool selected) {
              if (selected && !std::isnan(value)) search.add(thread, 0, value);
            });
          });
      if (!walked) return walked;
      if (auto closed = search.close_pass(communicator_, job_); !closed) return closed;
    }
    static_assert(kPercentiles[1] == 25 && kPercentiles[2] == 50 && kPercentiles[3] == 75);
    s.q1 = search.quantile(0, 1);
    s.median = search.quantile(0, 2);
    s.q3 = search.quantile(0, 3);
    s.iqr = s.q3 - s.q1;
    for (std::size_t p = 0; s.n > 0 && p < probabilities.size(); ++p)
      result.percentiles.push_back(search.quantile(0, p));
    return {};
  }

private:
  static std::vector<std::int64_t> added(const std::vector<std::vector<std::int64_t>>& threads) {
    std::vector<std::int64_t> sum(threads.front().size());
    for (const auto& thread : threads)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += thread[i];
    return sum;
  }

  Expected<void> choose_groups(Distribution& result, const LaunchReader& column) {
    struct Count {
      double code;
      std::int64_t n;
    };
    std::vector<std::unordered_map<std::uint64_t, std::int64_t>> threads(readers_.size());
    auto walked =
        blocks_.for_each(job_, "groups", [&](std::size_t thread, std::size_t, const auto& segments) {
          readers_[thread].with(column, segments, [&](double value, bool selected, double code) {
            if (selected && !std::isnan(value) && !(options_.log && value <= 0))
              ++threads[thread][std::isnan(code) ? kNoCode : std::bit_cast<std::uint64_t>(code + 0.0)];
          });
        });
    if (!walked) return walked;
    std::vector<Count> mine;
    for (const auto& thread : threads)
      for (const auto& [bits, n] : thread) mine.push_back({std::bit_cast<double>(bits), n});
    auto all = communicator_.all_gather<Count>(mine);
    if (!all) return forward(all.error());
    std::map<double, std::int64_t> codes;
    std::int64_t unnamed = 0;
    for (const auto& [code, n] : *all) (std::isnan(code) ? unnamed : codes[code]) += n;
    for (const auto& [code, n] : codes) result.groups.push_back({code, false, n, {}, 0});
    if (unnamed > 0) result.groups.push_back({std::bit_cast<double>(kNoCode), false, unnamed, {}, 0});
    std::stable_sort(result.groups.begin(), result.groups.end(),
                     [](const auto& a, const auto& b) { return a.n > b.n; });
    if (result.groups.size() > kMaxGroups) result.groups.resize(kMaxGroups);
    return {};
  }

  static void fill(Statistics& s, std::int64_t n, double low, double high, const BlockSums& sums) {
    s = statistics_of(std::span<const double>());
    s.n = n;
    if (n == 0) return;
    s.min = low;
    s.max = high;
    s.mean = sums.mean;
    s.sum = sums.mean * sums.n;
    if (n > 1) s.variance = sums.squares / (sums.n - 1);
    s.std = std::sqrt(s.variance);
    if (s.mean != 0) s.cv = s.std / s.mean;
  }

  RowBlocks blocks_;
  std::vector<Reader> readers_; ///< per thread: its reader
  const DistributionOptions& options_;
  Communicator& communicator_;
  const Job& job_;
  QuantileSearch::Values values_ =
      QuantileSearch::Values::Any; ///< whether the column has only integers over the selected launches
};

} // namespace

Expected<Distribution> distribution(const Session& session, const LaunchColumns& columns,
                                    const Selection& selection, const DistributionOptions& options,
                                    Communicator& communicator, const Job& job) {
  const auto* column = columns.find(options.column);
  if (!column || column->kind == ColumnKind::Text)
    return failure(ErrorKind::BadUse, "there is no numeric column \"" + options.column + "\"", {}, "column",
                   columns.instead_of(options.column));
  if (options.bins < 1 || options.bins > 10'000)
    return failure(ErrorKind::BadUse, "a histogram has 1 to 10,000 bins", {}, "bins");
  if (!options.group_by.empty() && !columns.find(options.group_by))
    return failure(ErrorKind::BadUse, "there is no column \"" + options.group_by + "\" to group by", {},
                   "group_by", columns.instead_of(options.group_by));
  auto base = Filter::parse(options.base, columns);
  if (!base) return forward(base.error());
  Distribution result;
  result.column = column->name;
  result.unit = column->unit;
  result.log = options.log;
  const LaunchReader reader(session, columns, column->name);
  Passes passes(session, Reader(session, columns, reader, *base, selection), options, communicator, job);
  if (auto done = passes.survey(result); !done) return forward(done.error());
  if (auto done = passes.histogram(result); !done) return forward(done.error());
  if (auto done = passes.quantiles(result); !done) return forward(done.error());
  if (options.time && columns.find("duration"))
    if (auto done = passes.time(result, LaunchReader(session, columns, "duration")); !done)
      return forward(done.error());
  if (!options.group_by.empty())
    if (auto done = passes.groups(result, LaunchReader(session, columns, options.group_by)); !done)
      return forward(done.error());
  result.modes = find_modes(result.selected);
  return result;
}

} // namespace jitterscope::analysis
