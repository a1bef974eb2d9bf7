#include "core/analysis/distributions/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/analysis/distributions/duration_sums.h"
#include "core/analysis/statistics/quantile_search.h"

namespace jitterscope::analysis {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kNormal95 = 1.959964, kSignificant = 0.05;
constexpr std::size_t kMinRepeated = 3; ///< traces of a run, so that their differences are its variation
constexpr std::size_t kSlices = 32, kFewestSlices = 8; ///< of a trace's time, and after they are joined
/// Quantiles from which the interval of a median is interpolated: 0.5 ± these.
constexpr double kAroundMedian[] = {0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04,
                                    0.05,   0.07,  0.1,   0.15,  0.2,   0.25,   0.3,  0.35,  0.4,  0.45, 0.5};
constexpr std::size_t kNotCompared = static_cast<std::size_t>(-1);

std::vector<double> probabilities() {
  std::vector<double> all{0.5};
  for (const double by : kAroundMedian) all.push_back(0.5 - by), all.push_back(0.5 + by);
  std::sort(all.begin(), all.end());
  return all;
}

/// Student's t at the probability of a normal deviate z > 0 (Wallace 1959; error below 0.02 z).
double student(double z, double freedom) {
  const double scaled = z * (8 * freedom + 3) / (8 * freedom + 1);
  return std::sqrt(freedom * std::expm1(scaled * scaled / freedom));
}

/// Median of one run's launches of a configuration, and what its interval is computed from.
struct Median {
  double value = kUnknown;                   ///< ns
  std::vector<double> probability, quantile; ///< ascending probabilities, and their quantiles [ns]
  /// Standard error: of the fraction of launches below the median, or, without quantiles, of its logarithm.
  double error = 0;
  double freedom = 0; ///< degrees of freedom of the error; 0: unknown

  /// End of the interval at the normal deviate z; `up`: the upper one. nullopt: beyond the launches.
  std::optional<double> end(double z, bool up) const {
    const double by = (up ? 1 : -1) * student(z, freedom) * error, p = 0.5 + by;
    if (quantile.empty()) return value * std::exp(by);
    if (!(p > 0 && p < 1)) return {};
    const auto right = std::upper_bound(probability.begin(), probability.end(), p) - probability.begin();
    const auto k = static_cast<std::size_t>(right);
    const double part = (p - probability[k - 1]) / (probability[k] - probability[k - 1]);
    return quantile[k - 1] + part * (quantile[k] - quantile[k - 1]);
  }
};

/// The geometric mean of the medians of repetitions.
Median mean_of(const std::vector<double>& medians) {
  Median mean;
  double sum = 0, squares = 0, n = 0;
  for (const double median : medians)
    if (median > 0) sum += std::log(median), n += 1;
  if (n == 0) return mean;
  mean.value = std::exp(sum / n);
  if (n < static_cast<double>(kMinRepeated)) return mean;
  for (const double median : medians)
    if (median > 0) squares += std::pow(std::log(median) - sum / n, 2);
  mean.error = std::sqrt(squares / (n - 1) / n), mean.freedom = n - 1;
  return mean;
}

/// Ends of the interval of ln(b / a) at the normal deviate z; nullopt: unbounded.
std::optional<std::pair<double, double>> interval_of(const Median& a, const Median& b, double z) {
  const auto low_a = a.end(z, false), high_a = a.end(z, true), low_b = b.end(z, false),
             high_b = b.end(z, true);
  if (!low_a || !high_a || !low_b || !high_b || !(*low_a > 0) || !(*low_b > 0)) return {};
  const double at = std::log(b.value / a.value);
  const double down = std::hypot(std::log(b.value / *low_b), std::log(*high_a / a.value)),
               up = std::hypot(std::log(*high_b / b.value), std::log(a.value / *low_a));
  return std::pair(at - down, at + up);
}

/// The largest deviate at which the interval does not contain 0, as a two-sided probability.
double probability_of_equality(const Median& a, const Median& b) {
  const auto apart = [&](double z) {
    const auto interval = interval_of(a, b, z);
    return interval && (interval->first > 0 || interval->second < 0);
  };
  double low = 0, high = 38;
  for (int step = 0; step < 50; ++step) {
    const double middle = (low + high) / 2;
    (apart(middle) ? low : high) = middle;
  }
  return std::erfc(low / std::sqrt(2.0));
}

/// Standard error of the fraction below the median and its degrees of freedom. `below`: by group of launches,
/// twice the number below the median plus the number at it; `n`: launches.
std::pair<double, double> error_of(const std::vector<std::int64_t>& below,
                                   const std::vector<std::int64_t>& n) {
  double sum = 0, all = 0, groups = 0, squares = 0, of_sizes = 0;
  for (std::size_t g = 0; g < n.size(); ++g)
    sum += static_cast<double>(below[g]) / 2, all += static_cast<double>(n[g]), groups += n[g] > 0;
  if (groups < 2) return {0, 0};
  for (std::size_t g = 0; g < n.size(); ++g) {
    const auto size = static_cast<double>(n[g]);
    const double by = static_cast<double>(below[g]) / 2 - sum / all * size;
    squares += by * by, of_sizes += size * size;
  }
  // Groups of unequal sizes count as fewer (Kish 1965).
  const double effective = std::max(2.0, all * all / of_sizes);
  return {std::max(std::sqrt(groups / (groups - 1) * squares) / all, 0.5 / std::sqrt(all)), effective - 1};
}

std::vector<std::int64_t> joined(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> pairs;
  for (std::size_t k = 0; k < counts.size(); k += 2) pairs.push_back(counts[k] + counts[k + 1]);
  return pairs;
}

/// Launches of the compared runs by group: configuration, and run or, of a repeated run, repetition.
class Runs {
public:
  Runs(const Session& session, const LaunchColumns& columns, const Selection& selection,
       const ComparisonOptions& options, Communicator& communicator, const Job& job)
      : session_(session), columns_(columns), selection_(selection), options_(options),
        communicator_(communicator), job_(job), blocks_(session, communicator),
        part_(session.traces().size(), kNotCompared), place_(session.traces().size()) {
    std::size_t parts = 0;
    for (std::size_t r = 0; r < options.runs.size(); ++r) {
      first_part_.push_back(parts);
      for (std::size_t k = 0; k < options.runs[r].size(); ++k) {
        const auto trace = options.runs[r][k];
        part_[trace] = repeated(r) ? parts++ : parts, place_[trace] = k;
      }
      parts += !repeated(r);
    }
    first_part_.push_back(parts);
  }

  bool repeated(std::size_t run) const { return options_.runs[run].size() >= kMinRepeated; }
  Expected<void> count();
  Expected<void> find_medians();
  Expected<void> count_below();
  RunComparison result() const;

private:
  /// First and last start of the launches of a trace and configuration.
  struct Starts {
    std::int64_t first = std::numeric_limits<std::int64_t>::max(),
                 last = std::numeric_limits<std::int64_t>::min() + 1;
  };
  std::size_t configurations() const { return session_.configurations().size(); }
  std::size_t group_of(std::size_t part, std::size_t configuration) const {
    return part * configurations() + configuration;
  }
  /// Samples of the launches of a run that is not repeated: slices of the time of each trace.
  std::size_t samples_of(std::size_t run) const { return options_.runs[run].size() * kSlices; }
  std::size_t sample_of(std::size_t trace, std::size_t configuration, std::int64_t start) const {
    const Starts& starts = starts_[trace * configurations() + configuration];
    const double part =
        static_cast<double>(start - starts.first) / static_cast<double>(starts.last - starts.first + 1);
    return place_[trace] * kSlices + static_cast<std::size_t>(part * static_cast<double>(kSlices));
  }
  /// Calls `use(thread, trace, row, configuration, duration)` for each selected launch of the runs.
  template <class Use>
  Expected<void> walk(Use&& use) const {
    return for_each_duration(session_, columns_, selection_, blocks_, job_,
                             [&](std::size_t thread, std::size_t trace, std::size_t row,
                                 std::uint32_t configuration, std::int64_t ns) {
                               if (part_[trace] != kNotCompared) use(thread, trace, row, configuration, ns);
                             });
  }
  DurationSums sums_of(std::size_t run, std::size_t configuration) const {
    DurationSums sums;
    for (auto part = first_part_[run]; part < first_part_[run + 1]; ++part)
      sums.add(sums_[group_of(part, configuration)]);
    return sums;
  }
  std::pair<double, double> error(std::size_t run, std::size_t configuration) const;
  Median median_of(std::size_t run, std::size_t configuration) const;
  ComparedConfiguration compared(std::size_t run, std::size_t configuration) const;

  const Session& session_;
  const LaunchColumns& columns_;
  const Selection& selection_;
  const ComparisonOptions& options_;
  Communicator& communicator_;
  const Job& job_;
  RowBlocks blocks_;
  std::vector<std::size_t> first_part_;   ///< by run: its first part; a repeated run has one for each trace
  std::vector<std::size_t> part_, place_; ///< by trace: its part, and its place in the run
  std::vector<DurationSums> sums_;        ///< by group
  std::vector<Starts> starts_;            ///< by trace and configuration
  /// By group: place in `below_` and `n_`; kNotCompared: too few launches, or repeated.
  std::vector<std::size_t> first_sample_;
  std::vector<std::int64_t> below_, n_; ///< by sample: as in error_of
  std::vector<Median> medians_;         ///< by group, without errors; only on rank 0
};

Expected<void> Runs::count() {
  const std::size_t groups = first_part_.back() * configurations();
  std::vector<std::vector<DurationSums>> threads(threads_of_rank(), std::vector<DurationSums>(groups));
  std::vector<std::vector<Starts>> starts(threads_of_rank(),
                                          std::vector<Starts>(part_.size() * configurations()));
  auto walked = walk([&](std::size_t thread, std::size_t trace, std::size_t row, std::uint32_t configuration,
                         std::int64_t ns) {
    auto& sums = threads[thread][group_of(part_[trace], configuration)];
    ++sums.launches;
    if (ns == store::kMissingDuration) return;
    sums.add(ns);
    auto& of = starts[thread][trace * configurations() + configuration];
    const auto start = session_.traces()[trace].starts()[row];
    of.first = std::min(of.first, start), of.last = std::max(of.last, start);
  });
  if (!walked) return walked;
  auto total = total_of(std::move(threads), communicator_);
  if (!total) return forward(total.error());
  sums_ = std::move(*total);
  std::vector<std::int64_t> ranges;
  for (std::size_t k = 0; k < starts.front().size(); ++k) {
    Starts all;
    for (const auto& of : starts)
      all.first = std::min(all.first, of[k].first), all.last = std::max(all.last, of[k].last);
    ranges.insert(ranges.end(), {all.first, -all.last});
  }
  if (auto done = communicator_.minimum(ranges); !done) return done;
  for (std::size_t k = 0; k < ranges.size(); k += 2) starts_.push_back({ranges[k], -ranges[k + 1]});
  std::size_t samples = 0;
  first_sample_.assign(groups, kNotCompared);
  for (std::size_t r = 0; r < options_.runs.size(); ++r)
    for (std::size_t c = 0; c < configurations() && !repeated(r); ++c)
      if (sums_of(r, c).measured >= kMinCompared)
        first_sample_[group_of(first_part_[r], c)] = std::exchange(samples, samples + samples_of(r));
  below_.resize(samples), n_.resize(samples);
  return {};
}

Expected<void> Runs::find_medians() {
  std::vector<QuantileSearch::Group> groups;
  for (const auto& s : sums_)
    groups.push_back({s.measured, static_cast<double>(s.low), static_cast<double>(s.high)});
  const auto all = probabilities();
  QuantileSearch search(std::move(groups), all, threads_of_rank(), QuantileSearch::Values::Integers);
  while (search.open()) {
    auto passed = walk([&](std::size_t thread, std::size_t trace, std::size_t, std::uint32_t configuration,
                           std::int64_t ns) {
      if (ns != store::kMissingDuration)
        search.add(thread, static_cast<std::uint32_t>(group_of(part_[trace], configuration)),
                   static_cast<double>(ns));
    });
    if (!passed) return passed;
    if (auto closed = search.close_pass(communicator_, job_); !closed) return closed;
  }
  if (communicator_.rank() != 0) return {};
  for (std::uint32_t g = 0; g < sums_.size(); ++g) {
    auto& median = medians_.emplace_back();
    median.probability = all;
    for (std::size_t p = 0; p < all.size(); ++p) median.quantile.push_back(search.quantile(g, p));
    median.value = median.quantile[all.size() / 2];
  }
  return {};
}

Expected<void> Runs::count_below() {
  std::vector<double> known; // on rank 0
  for (const auto& median : medians_) known.push_back(median.value);
  const auto values = communicator_.all_gather<double>(known);
  if (!values) return forward(values.error());
  std::vector<std::vector<std::int64_t>> below(threads_of_rank(), below_), n = below;
  auto walked = walk([&](std::size_t thread, std::size_t trace, std::size_t row, std::uint32_t configuration,
                         std::int64_t ns) {
    const std::size_t group = group_of(part_[trace], configuration);
    if (ns == store::kMissingDuration || first_sample_[group] == kNotCompared) return;
    const auto at =
        first_sample_[group] + sample_of(trace, configuration, session_.traces()[trace].starts()[row]);
    const double median = (*values)[group], duration = static_cast<double>(ns);
    below[thread][at] += duration < median ? 2 : duration == median ? 1 : 0;
    ++n[thread][at];
  });
  if (!walked) return walked;
  for (std::size_t t = 0; t < below.size(); ++t)
    for (std::size_t k = 0; k < n_.size(); ++k) below_[k] += below[t][k], n_[k] += n[t][k];
  if (auto done = communicator_.sum(below_); !done) return done;
  return communicator_.sum(n_);
}

// Slices are joined in pairs. The largest error counts: it includes variation that is slow compared with the
// shorter slices.
std::pair<double, double> Runs::error(std::size_t run, std::size_t configuration) const {
  const auto sample = first_sample_[group_of(first_part_[run], configuration)];
  if (sample == kNotCompared) return {0, 0};
  const auto first = static_cast<std::ptrdiff_t>(sample),
             last = static_cast<std::ptrdiff_t>(sample + samples_of(run));
  std::vector<std::int64_t> below(below_.begin() + first, below_.begin() + last),
      n(n_.begin() + first, n_.begin() + last);
  auto largest = error_of(below, n);
  for (std::size_t slices = kSlices; slices > kFewestSlices; slices /= 2) {
    below = joined(below), n = joined(n);
    const auto of = error_of(below, n);
    if (of.first > largest.first) largest = of;
  }
  return largest;
}

Median Runs::median_of(std::size_t run, std::size_t configuration) const {
  if (!repeated(run)) {
    Median median = medians_[group_of(first_part_[run], configuration)];
    std::tie(median.error, median.freedom) = error(run, configuration);
    return median;
  }
  std::vector<double> medians;
  for (auto part = first_part_[run]; part < first_part_[run + 1]; ++part)
    medians.push_back(medians_[group_of(part, configuration)].value);
  return mean_of(medians);
}

ComparedConfiguration Runs::compared(std::size_t run, std::size_t configuration) const {
  ComparedConfiguration out;
  out.run = run, out.configuration = static_cast<std::uint32_t>(configuration);
  out.a = sums_of(0, configuration).statistics(), out.b = sums_of(run, configuration).statistics();
  const Median a = median_of(0, configuration), b = median_of(run, configuration);
  out.a.median = a.value, out.b.median = b.value;
  out.ratio = out.low = out.high = out.p = out.q = kUnknown;
  if (!(a.value > 0 && b.value > 0)) return out;
  out.ratio = b.value / a.value;
  if (!(a.freedom > 0 && b.freedom > 0)) return out;
  const auto interval = interval_of(a, b, kNormal95);
  if (!interval) return out;
  out.low = std::exp(interval->first), out.high = std::exp(interval->second);
  out.p = probability_of_equality(a, b);
  out.verdict = Verdict::Unclear;
  return out;
}

/// Sets q and the verdict of all comparisons that have a p.
void judge(std::vector<ComparedConfiguration>& compared, double tolerance) {
  std::vector<ComparedConfiguration*> known;
  for (auto& each : compared)
    if (each.verdict != Verdict::Few) known.push_back(&each);
  std::stable_sort(known.begin(), known.end(), [](const auto* a, const auto* b) { return a->p < b->p; });
  double q = 1;
  for (std::size_t k = known.size(); k-- > 0;) {
    auto& each = *known[k];
    q = std::min(q, each.p * static_cast<double>(known.size()) / static_cast<double>(k + 1));
    each.q = q;
    if (q <= kSignificant && each.ratio > 1 + tolerance)
      each.verdict = Verdict::Slower;
    else if (q <= kSignificant && each.ratio < 1 / (1 + tolerance))
      each.verdict = Verdict::Faster;
    else if (each.low >= 1 / (1 + tolerance) && each.high <= 1 + tolerance)
      each.verdict = Verdict::Same;
  }
}

RunComparison Runs::result() const {
  RunComparison result;
  for (std::size_t r = 0; r < options_.runs.size(); ++r) {
    result.repeated.push_back(repeated(r));
    for (std::size_t c = 0; c < configurations() && r > 0; ++c) {
      const auto a = sums_of(0, c), b = sums_of(r, c);
      const auto single = [&](const DurationSums& of) {
        return SingleConfiguration{r, static_cast<std::uint32_t>(c), of.launches, of.duration};
      };
      if (a.measured > 0 && b.measured > 0)
        result.compared.push_back(compared(r, c));
      else if (a.launches > 0 && b.launches == 0)
        result.gone.push_back(single(a));
      else if (b.launches > 0 && a.launches == 0)
        result.appeared.push_back(single(b));
    }
  }
  judge(result.compared, options_.tolerance);
  std::stable_sort(result.compared.begin(), result.compared.end(), [](const auto& one, const auto& other) {
    const bool few = one.verdict == Verdict::Few, other_few = other.verdict == Verdict::Few;
    return one.run != other.run ? one.run < other.run
           : few != other_few   ? other_few
                                : std::fabs(one.change_ns()) > std::fabs(other.change_ns());
  });
  for (auto* list : {&result.appeared, &result.gone})
    std::stable_sort(list->begin(), list->end(), [](const auto& one, const auto& other) {
      return one.run != other.run ? one.run < other.run : one.duration_sum_ns > other.duration_sum_ns;
    });
  return result;
}

Expected<void> check(const Session& session, const ComparisonOptions& options) {
  if (!(options.tolerance >= 0 && options.tolerance < 1))
    return failure(ErrorKind::BadUse, "the tolerance must be at least 0 and below 1", {}, "tolerance");
  std::set<std::size_t> used;
  for (const auto& run : options.runs)
    for (const auto trace : run)
      if (trace >= session.traces().size() || !used.insert(trace).second)
        return failure(ErrorKind::BadUse, "every run must have traces of its own", {}, "runs");
  if (options.runs.size() < 2 ||
      std::any_of(options.runs.begin(), options.runs.end(), [](const auto& run) { return run.empty(); }))
    return failure(ErrorKind::BadUse, "a comparison needs two runs with a trace each", {}, "runs");
  if (!session.has_durations()) return failure(ErrorKind::BadInput, "no launch has a duration");
  return {};
}

} // namespace

Expected<RunComparison> compare_runs(const Session& session, const LaunchColumns& columns,
                                     const Selection& selection, const ComparisonOptions& options,
                                     Communicator& communicator, const Job& job) {
  if (auto valid = check(session, options); !valid) return forward(valid.error());
  Runs runs(session, columns, selection, options, communicator, job);
  if (auto done = runs.count(); !done) return forward(done.error());
  if (auto done = runs.find_medians(); !done) return forward(done.error());
  if (auto done = runs.count_below(); !done) return forward(done.error());
  return communicator.rank() == 0 ? runs.result() : RunComparison();
}

} // namespace jitterscope::analysis
