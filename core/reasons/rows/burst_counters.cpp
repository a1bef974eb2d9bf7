#include "core/reasons/rows/burst_counters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "core/base/median.h"
#include "core/base/stratified_sample.h"
#include "core/causal/base/tiers.h"
#include "core/reasons/rows/plain_tables.h"
#include "core/store/columns/sample_times.h"
#include "core/store/format/analysis_rows.h"

namespace jitterscope::analysis {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kRunOfSample = 4'096,
                       kRunsOfSample = 64; ///< sample of bursts: runs of consecutive rows
constexpr std::size_t kMinOfKind = 5;      ///< bursts of a kind with a typical value
/// Bursts of the thread before, and after, a burst that give its clock; they are searched within kReach rows.
constexpr std::size_t kNeighbours = 8, kMinNeighbours = 4;
constexpr std::int64_t kReach = 4'096;
/// Time off the core is counted from this fraction of the duration, and from this multiple of the standard
/// deviation of cycles per ns in the neighbouring bursts.
constexpr double kMinOffCore = 0.02, kMinDeviations = 5, kDeviationOfMedian = 1.4826;

bool is_count(const LaunchColumn& column) {
  return column.stored && column.kind == ColumnKind::Number &&
         column.description.ends_with(store::kHardwareCount);
}

/// Median of the known values of each kind; NaN for kinds with few.
std::vector<double> medians(const std::vector<double>& values, const std::vector<std::uint32_t>& kind,
                            std::size_t kinds) {
  std::vector<std::vector<double>> of_kind(kinds);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values[i])) of_kind[kind[i]].push_back(values[i]);
  std::vector<double> result(kinds, kUnknown);
  for (std::size_t k = 0; k < kinds; ++k)
    if (of_kind[k].size() >= kMinOfKind) result[k] = median_of(of_kind[k]);
  return result;
}

double median_of_known(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values.empty() ? kUnknown : median_of(values);
}

/// Value below which half of the weight is.
double weighted_median(std::vector<std::pair<double, double>>& values) {
  std::ranges::sort(values);
  double all = 0, sum = 0;
  for (const auto& [value, weight] : values) all += weight;
  for (const auto& [value, weight] : values)
    if ((sum += weight) >= all / 2) return value;
  return values.back().first;
}

bool same(const Segment& a, const Segment& b) {
  return a.trace == b.trace && a.first == b.first && a.last == b.last;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

} // namespace

Expected<BurstCounters> BurstCounters::make(const Session& session, const LaunchColumns& columns,
                                            const Job& job) {
  BurstCounters counters;
  if (!rows_are(session, store::AnalysisRows::Bursts) || !session.has_durations()) return counters;
  counters.session_ = &session, counters.columns_ = &columns;
  for (const auto& column : columns.list()) {
    if (!is_count(column)) continue;
    if (column.name == kInstructions)
      counters.instructions_ = true;
    else if (column.name == kCycles)
      counters.cycles_ = true;
    else if (causal::default_tier(column.name) != static_cast<int>(causal::Tier::duration))
      counters.counts_.push_back({column.name, column.unit, column.description, {}, 0, 0});
  }
  std::vector<Segment> sample;
  const auto rows = session.launches();
  for (const auto run : stratified_sample((rows + kRunOfSample - 1) / kRunOfSample, kRunsOfSample)) {
    if (job.cancelled()) return Job::cancelled_error();
    for (const auto& segment : session.segments(run * kRunOfSample, std::min((run + 1) * kRunOfSample, rows)))
      sample.push_back(segment);
  }
  counters.learn(sample);
  if (job.cancelled()) return Job::cancelled_error();
  return counters;
}

std::vector<std::uint32_t> BurstCounters::kinds(const Segment& segment) const {
  if (const auto* sites = columns_->call_sites()) return sites->read(segment);
  const auto& trace = session_->traces()[segment.trace];
  const auto configurations = trace.configurations();
  std::vector<std::uint32_t> kinds;
  for (auto row = segment.first; row < segment.last; ++row)
    kinds.push_back(trace.configuration[configurations[static_cast<std::size_t>(row)]]);
  return kinds;
}

const BurstCounters::Rates& BurstCounters::rates(const Segment& segment) const {
  auto& last = last_rates_.value();
  if (last.kind.empty() || !same(last.segment, segment)) last = read_rates(segment);
  return last;
}

BurstCounters::Rates BurstCounters::read_rates(const Segment& segment) const {
  Rates rates;
  rates.segment = segment;
  rates.kind = kinds(segment);
  const auto rows = static_cast<std::size_t>(segment.rows());
  rates.instructions = instructions_ ? columns_->read(kInstructions, segment) : std::vector(rows, kUnknown);
  for (auto& value : rates.instructions)
    if (!(value > 0)) value = kUnknown;
  rates.cycles = cycles_ ? columns_->read(kCycles, segment) : std::vector(rows, kUnknown);
  for (std::size_t i = 0; i < rows; ++i) {
    rates.cycles[i] /= rates.instructions[i];
    if (!(rates.cycles[i] > 0)) rates.cycles[i] = kUnknown;
  }
  for (const auto& count : counts_) {
    auto& values = rates.of_counts.emplace_back(columns_->read(count.name, segment));
    if (instructions_)
      for (std::size_t i = 0; i < rows; ++i) values[i] *= 1'000 / rates.instructions[i];
  }
  return rates;
}

void BurstCounters::learn(const std::vector<Segment>& sample) {
  Rates all;
  all.of_counts.resize(counts_.size());
  std::vector<double> clocks;
  for (const auto& segment : sample) {
    const auto rates = read_rates(segment);
    append(all.kind, rates.kind), append(all.instructions, rates.instructions);
    append(all.cycles, rates.cycles);
    for (std::size_t c = 0; c < counts_.size(); ++c) append(all.of_counts[c], rates.of_counts[c]);
    if (cycles_) append(clocks, columns_->read(kClock, segment));
  }
  const auto* sites = columns_->call_sites();
  const auto kinds = sites ? sites->all().size() : session_->configurations().size();
  typical_instructions_ = medians(all.instructions, all.kind, kinds);
  typical_cycles_ = medians(all.cycles, all.kind, kinds);
  cycles_of_all_ = median_of_known(all.cycles);
  clock_of_all_ = median_of_known(clocks);
  for (std::size_t c = 0; c < counts_.size(); ++c) {
    counts_[c].typical = medians(all.of_counts[c], all.kind, kinds);
    counts_[c].of_all = median_of_known(all.of_counts[c]);
  }
  std::size_t without = 0;
  for (std::size_t i = 0; i < all.kind.size(); ++i)
    without += !std::isfinite(all.instructions[i]) &&
               std::ranges::none_of(all.of_counts, [&](const auto& of) { return std::isfinite(of[i]); });
  without_ = all.kind.empty() ? 0 : static_cast<double>(without) / static_cast<double>(all.kind.size());
  if (instructions_ && cycles_) fit_cycles(all);
}

// Least squares of cycles per instruction on the rates of events, both relative to the kind and divided by
// its typical cycles, so that kinds weigh the same. An event cannot save cycles: counts with a negative
// coefficient are left out, the most negative one first.
void BurstCounters::fit_cycles(const Rates& rates) {
  constexpr double kFar = 3; // far values would decide the fit
  std::vector<std::size_t> used(counts_.size());
  std::iota(used.begin(), used.end(), std::size_t{0});
  while (!used.empty()) {
    const auto n = static_cast<Eigen::Index>(used.size());
    Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd products = Eigen::VectorXd::Zero(n), x(n);
    for (std::size_t i = 0; i < rates.kind.size(); ++i) {
      const auto kind = rates.kind[i];
      const double typical = typical_cycles_[kind], y = std::min(rates.cycles[i] / typical - 1, kFar);
      for (Eigen::Index k = 0; k < n; ++k) {
        const auto c = used[static_cast<std::size_t>(k)];
        x(k) = (rates.of_counts[c][i] - counts_[c].typical[kind]) / typical;
      }
      if (!std::isfinite(y) || !x.allFinite()) continue;
      squares.selfadjointView<Eigen::Lower>().rankUpdate(x);
      products += y * x;
    }
    squares = squares.selfadjointView<Eigen::Lower>();
    squares.diagonal() *= 1 + 1e-9; // counts may be the same events
    const Eigen::VectorXd slopes = squares.ldlt().solve(products);
    for (auto& count : counts_) count.cycles = 0;
    Eigen::Index lowest = 0;
    if (!slopes.allFinite()) return;
    if (slopes.minCoeff(&lowest) >= 0) {
      for (Eigen::Index k = 0; k < n; ++k) counts_[used[static_cast<std::size_t>(k)]].cycles = slopes(k);
      return;
    }
    used.erase(used.begin() + lowest);
  }
}

bool BurstCounters::provides(std::string_view column) const {
  if (!session_) return false;
  if (column == kInstructions) return instructions_;
  if (column == kIpc) return instructions_ && cycles_;
  if (column == kClock || column == kOffCore) return cycles_;
  return std::ranges::any_of(counts_, [&](const Count& count) { return count.name == column; });
}

std::vector<causal::FeatureInfo> BurstCounters::features() const {
  std::vector<causal::FeatureInfo> features;
  const auto add = [&](std::string_view name, std::string unit, causal::Tier tier, std::string description) {
    if (!provides(name)) return;
    causal::FeatureInfo info;
    info.name = name, info.unit = std::move(unit), info.tier = static_cast<int>(tier);
    info.description = std::move(description);
    info.factor = true;
    features.push_back(std::move(info));
  };
  using causal::Tier;
  add(kInstructions, "× typical", Tier::configuration,
      "instructions, relative to the typical number of the kind of burst");
  for (const auto& count : counts_)
    add(count.name, instructions_ ? "per 1,000 instructions" : count.unit, Tier::context,
        instructions_ ? "events per 1,000 instructions, compared with the kind of burst"
                      : "events, compared with the kind of burst");
  add(kIpc, "", Tier::context,
      "instructions per cycle, compared with the kind of burst, without the change of the cycles that the "
      "rates of other events account for");
  add(kClock, "GHz", Tier::context,
      "median cycles per ns of the bursts of the thread before and after this one");
  add(kOffCore, "ns", Tier::context,
      "duration minus cycles / clock, if clearly longer than in the bursts before and after: another thread "
      "or "
      "the operating system had the core");
  return features;
}

std::vector<double> BurstCounters::read(std::string_view column, const Segment& segment) const {
  if (column == kClock) return core_times(segment).clock;
  if (column == kOffCore) return core_times(segment).off_core;
  const auto& rates = this->rates(segment);
  std::vector<double> values(rates.kind.size());
  const auto known = [](double value, double otherwise) { return std::isfinite(value) ? value : otherwise; };
  if (column == kInstructions) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = known(rates.instructions[i] / typical_instructions_[rates.kind[i]], 1);
    return values;
  }
  if (column == kIpc) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto kind = rates.kind[i];
      double cycles = rates.cycles[i];
      for (std::size_t c = 0; c < counts_.size(); ++c)
        cycles -= counts_[c].cycles * known(rates.of_counts[c][i] - counts_[c].typical[kind], 0);
      const double least = 0.05 * rates.cycles[i]; // the model is linear: it may account for all of them
      values[i] = known(typical_cycles_[kind] / std::max(cycles, least), 1) / cycles_of_all_;
    }
    return values;
  }
  const auto count = std::ranges::find(counts_, column, &Count::name);
  const auto& of = rates.of_counts[static_cast<std::size_t>(count - counts_.begin())];
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double typical = count->typical[rates.kind[i]];
    values[i] =
        instructions_ ? known(of[i] - typical, 0) + count->of_all : known(of[i] / typical, 1) * count->of_all;
  }
  return values;
}

const BurstCounters::CoreTimes& BurstCounters::core_times(const Segment& segment) const {
  auto& last = last_times_.value();
  if (last.clock.empty() || !same(last.segment, segment)) last = measured_core_times(segment);
  return last;
}

BurstCounters::CoreTimes BurstCounters::measured_core_times(const Segment& segment) const {
  const auto& trace = session_->traces()[segment.trace];
  const Segment wide{segment.trace, std::max<std::int64_t>(0, segment.first - kReach),
                     std::min(trace.launches(), segment.last + kReach)};
  const auto ratio = columns_->read(kClock, wide), durations = columns_->read("duration", wide);
  const auto threads = trace.store.column<std::uint32_t>("launches", "stream");
  const auto thread_of = [&](std::size_t i) { return threads[static_cast<std::size_t>(wide.first) + i]; };
  std::vector<std::size_t> order(ratio.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, thread_of);
  std::erase_if(order, [&](std::size_t i) { return !(ratio[i] > 0) || !(durations[i] > 0); });

  const auto rows = static_cast<std::size_t>(segment.rows()),
             before = static_cast<std::size_t>(segment.first - wide.first);
  CoreTimes times{segment, std::vector(rows, clock_of_all_), std::vector(rows, 0.0)};
  std::vector<std::pair<double, double>> near; // cycles per ns, duration
  for (std::size_t at = 0; at < order.size(); ++at) {
    const auto i = order[at];
    if (i < before || i >= before + rows) continue;
    near.clear();
    const auto add = [&](std::size_t other) {
      const bool same = thread_of(order[other]) == thread_of(i);
      if (same) near.emplace_back(ratio[order[other]], durations[order[other]]);
      return same;
    };
    for (std::size_t k = 1; k <= std::min(kNeighbours, at) && add(at - k); ++k) {
    }
    for (std::size_t k = 1; k <= kNeighbours && at + k < order.size() && add(at + k); ++k) {
    }
    if (near.size() < kMinNeighbours) continue;
    const double clock = weighted_median(near);
    times.clock[i - before] = clock;
    for (auto& [of, weight] : near) of = std::abs(of / clock - 1);
    const double deviation = kDeviationOfMedian * weighted_median(near), off = 1 - ratio[i] / clock;
    if (off > std::max(kMinOffCore, kMinDeviations * deviation))
      times.off_core[i - before] = off * durations[i];
  }
  return times;
}

} // namespace jitterscope::analysis
