#include "core/reasons/rows/burst_counters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "core/base/median.h"
#include "core/base/stratified_sample.h"
#include "core/causal/base/tiers.h"
#include "core/reasons/rows/table_target.h"
#include "core/store/columns/sample_times.h"
#include "core/store/format/analysis_rows.h"

namespace jitterscope::analysis {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kRunOfSample = 4'096,
                       kRunsOfSample = 64; ///< sample of bursts: runs of consecutive rows
constexpr std::size_t kMinOfKind = 5;      ///< bursts of a kind with a typical value
/// Bursts of the thread before, and after, a burst that give its clock; they are searched within reach_of().
constexpr std::size_t kNeighbours = 8, kMinNeighbours = 4;
constexpr std::int64_t kMinReach = 4'096, kMaxReach = 32'768;
constexpr double kSpreadOfSlopes = 0.3; ///< standard deviation over kinds of the slope of the clock
/// Time off the core is counted from this fraction of the duration, and from this multiple of the standard
/// deviation of cycles per ns in the neighbouring bursts.
constexpr double kMinOffCore = 0.02, kMinDeviations = 5, kDeviationOfMedian = 1.4826;

bool is_count(const LaunchColumn& column) {
  return column.stored && column.kind == ColumnKind::Number &&
         column.description.ends_with(store::kHardwareCount);
}

/// Names of columns that count instructions (cycles), the best first: the beginning of a name, or all of it
/// if it is a single word.
constexpr std::array<std::string_view, 3> kInstructions{"papi_tot_ins", "inst_retired", "instructions"};
constexpr std::array<std::string_view, 5> kCycles{"papi_tot_cyc", "cpu_clk_unhalted", "cpu_cycles", "cycles",
                                                  "papi_ref_cyc"};

bool is_named(std::string_view column, std::string_view name) {
  return name.find('_') == name.npos ? column == name : column.starts_with(name);
}

template <std::size_t N>
bool is_named_any(std::string_view column, const std::array<std::string_view, N>& names) {
  return std::ranges::any_of(names, [&](auto name) { return is_named(column, name); });
}

/// Whether a column counts events in which the operating system takes the core (getrusage).
bool takes_core(std::string_view column) {
  return column.ends_with("page_faults") || column.ends_with("context_switches");
}

template <std::size_t N>
std::string first_count(const LaunchColumns& columns, const std::array<std::string_view, N>& names) {
  for (const auto name : names)
    for (const auto& column : columns.list())
      if (is_count(column) && is_named(column.name, name)) return column.name;
  return {};
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

double known(double value, double otherwise) {
  return std::isfinite(value) ? value : otherwise;
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

/// Sums for a regression through the origin.
class LeastSquares {
public:
  explicit LeastSquares(Eigen::Index predictors)
      : squares_(Eigen::MatrixXd::Zero(predictors, predictors)),
        products_(Eigen::VectorXd::Zero(predictors)) {}
  void add(const Eigen::VectorXd& x, double y) {
    squares_.selfadjointView<Eigen::Lower>().rankUpdate(x);
    products_ += y * x;
  }
  /// The slopes; 0 for predictors that are left out, the one with the most negative slope first, until none
  /// is negative.
  Eigen::VectorXd non_negative_slopes() const {
    const Eigen::MatrixXd all = squares_.selfadjointView<Eigen::Lower>();
    std::vector<Eigen::Index> used(static_cast<std::size_t>(products_.size()));
    std::iota(used.begin(), used.end(), Eigen::Index{0});
    std::erase_if(used, [&](Eigen::Index i) { return !(all(i, i) > 0); });
    while (!used.empty()) {
      Eigen::MatrixXd squares = all(used, used);
      squares.diagonal() *= 1 + 1e-9; // predictors may be the same events
      const Eigen::VectorXd slopes = squares.ldlt().solve(products_(used).eval());
      Eigen::Index lowest = 0;
      if (!slopes.allFinite()) break;
      if (slopes.minCoeff(&lowest) >= 0) {
        Eigen::VectorXd result = Eigen::VectorXd::Zero(products_.size());
        for (std::size_t k = 0; k < used.size(); ++k) result(used[k]) = slopes(static_cast<Eigen::Index>(k));
        return result;
      }
      used.erase(used.begin() + lowest);
    }
    return Eigen::VectorXd::Zero(products_.size());
  }

private:
  Eigen::MatrixXd squares_;
  Eigen::VectorXd products_;
};

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
  const bool work =
      rows_are(session, store::AnalysisRows::Bursts) || rows_are(session, store::AnalysisRows::Ranges);
  if (!work || !session.has_durations()) return counters;
  counters.session_ = &session, counters.columns_ = &columns;
  counters.instructions_ = first_count(columns, kInstructions);
  counters.cycles_ = first_count(columns, kCycles);
  for (const auto& column : columns.list())
    if (is_count(column) && !is_named_any(column.name, kInstructions) &&
        !is_named_any(column.name, kCycles) &&
        causal::default_tier(column.name) != static_cast<int>(causal::Tier::duration))
      counters.counts_.push_back({column.name, {}, 0});
  for (const auto& column : columns.list())
    if (column.stored && column.kind == ColumnKind::Number && takes_core(column.name))
      counters.off_core_events_.push_back({column.name, 0});
  std::vector<Segment> sample;
  const auto rows = session.launches();
  for (const auto run : stratified_sample((rows + kRunOfSample - 1) / kRunOfSample, kRunsOfSample)) {
    if (job.cancelled()) return Job::cancelled_error();
    for (const auto& segment : session.segments(run * kRunOfSample, std::min((run + 1) * kRunOfSample, rows)))
      sample.push_back(segment);
  }
  Stop stop(job);
  counters.learn(sample, stop);
  if (stop.requested()) return Job::cancelled_error();
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
  const auto counted = [&](const std::string& column) {
    auto values = column.empty() ? std::vector(rows, kUnknown) : columns_->read(column, segment);
    for (auto& value : values)
      if (!(value > 0)) value = kUnknown;
    return values;
  };
  rates.instructions = counted(instructions_);
  rates.cycles = counted(cycles_);
  for (std::size_t i = 0; i < rows; ++i) rates.cycles[i] /= rates.instructions[i];
  for (const auto& count : counts_) {
    auto& values = rates.of_counts.emplace_back(columns_->read(count.name, segment));
    if (!instructions_.empty())
      for (std::size_t i = 0; i < rows; ++i) values[i] *= 1'000 / rates.instructions[i];
  }
  return rates;
}

std::vector<double> BurstCounters::cycle_rates(const Segment& segment) const {
  auto values = columns_->read(cycles_, segment);
  const auto durations = columns_->read("duration", segment);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] /= durations[i];
  return values;
}

void BurstCounters::learn(const std::vector<Segment>& sample, Stop& stop) {
  Rates all;
  all.of_counts.resize(counts_.size());
  std::vector<double> clocks;
  for (const auto& segment : sample) {
    if (stop.requested()) return;
    const auto rates = read_rates(segment);
    append(all.kind, rates.kind), append(all.instructions, rates.instructions);
    append(all.cycles, rates.cycles);
    for (std::size_t c = 0; c < counts_.size(); ++c) append(all.of_counts[c], rates.of_counts[c]);
    if (!cycles_.empty()) append(clocks, cycle_rates(segment));
  }
  const auto* sites = columns_->call_sites();
  const auto kinds = sites ? sites->all().size() : session_->configurations().size();
  typical_instructions_ = medians(all.instructions, all.kind, kinds);
  typical_cycles_ = medians(all.cycles, all.kind, kinds);
  clock_of_all_ = median_of_known(clocks);
  for (std::size_t c = 0; c < counts_.size() && !stop.requested(); ++c)
    counts_[c].typical = medians(all.of_counts[c], all.kind, kinds);
  const auto missing = [&](const std::vector<double>& values) {
    const auto count = std::ranges::count_if(values, [](double value) { return !std::isfinite(value); });
    without_ = std::max(without_, static_cast<double>(count) /
                                      static_cast<double>(std::max<std::size_t>(values.size(), 1)));
  };
  if (!instructions_.empty()) missing(all.instructions);
  if (!cycles_.empty()) missing(clocks);
  for (const auto& of : all.of_counts) missing(of);
  if (cycles_.empty() || stop.requested()) return;
  std::vector<double> off_core;
  std::vector<std::vector<double>> events(off_core_events_.size());
  for (const auto& segment : sample) {
    if (stop.requested()) return;
    const auto times = measured_core_times(segment);
    append(all.clock, times.clock), append(off_core, times.off_core);
    for (std::size_t e = 0; e < events.size(); ++e)
      append(events[e], columns_->read(off_core_events_[e].column, segment));
  }
  for (std::size_t i = 0; i < clocks.size(); ++i) clocks[i] = std::abs(clocks[i] / all.clock[i] - 1);
  spread_ = known(kDeviationOfMedian * median_of_known(clocks), 0);
  fit_off_core(off_core, events, stop);
  if (!instructions_.empty()) fit_cycles(all, stop);
}

// Least squares of cycles per instruction on the rates of events and on the clock, all relative to the kind
// and to its typical cycles, so that kinds weigh the same. A missing rate counts as typical. An event cannot
// save cycles. At a clock that is lower by 1 %, cycles decrease by at most 1 %: by the part of them that a
// kind spends in memory, so the slope of the clock is that of the kind, regularised by the slope of all.
void BurstCounters::fit_cycles(const Rates& rates, Stop& stop) {
  const auto n = static_cast<Eigen::Index>(counts_.size()) + 1; // the clock is the last
  LeastSquares sums(n);
  Eigen::VectorXd x(n);
  for (std::size_t i = 0; i < rates.kind.size() && !stop.at(i); ++i) {
    const auto kind = rates.kind[i];
    const double typical = typical_cycles_[kind], y = rates.cycles[i] / typical - 1;
    if (!std::isfinite(y)) continue;
    for (Eigen::Index c = 0; c + 1 < n; ++c) {
      const auto count = static_cast<std::size_t>(c);
      x(c) = known((rates.of_counts[count][i] - counts_[count].typical[kind]) / typical, 0);
    }
    x(n - 1) = known(rates.clock[i] / clock_of_all_ - 1, 0);
    sums.add(x, y);
  }
  const auto slopes = sums.non_negative_slopes();
  for (Eigen::Index c = 0; c + 1 < n; ++c) counts_[static_cast<std::size_t>(c)].cycles = slopes(c);
  fit_clock(rates, std::min(slopes(n - 1), 1.0), stop);
}

double BurstCounters::cycles_of_counts(const Rates& rates, std::size_t i) const {
  double cycles = 0; // with an unknown rate, the cycles of it are unknown
  for (std::size_t c = 0; c < counts_.size(); ++c)
    if (counts_[c].cycles > 0)
      cycles += counts_[c].cycles * (rates.of_counts[c][i] - counts_[c].typical[rates.kind[i]]);
  return cycles;
}

void BurstCounters::fit_clock(const Rates& rates, double slope_of_all, Stop& stop) {
  struct Sums {
    double n = 0, squares = 0, products = 0, errors = 0;
  };
  std::vector<Sums> sums(typical_cycles_.size());
  for (std::size_t i = 0; i < rates.kind.size() && !stop.at(i); ++i) {
    const auto kind = rates.kind[i];
    const double change = rates.clock[i] / clock_of_all_ - 1,
                 y = (rates.cycles[i] - cycles_of_counts(rates, i)) / typical_cycles_[kind] - 1,
                 error = y - slope_of_all * change;
    if (!std::isfinite(error)) continue;
    auto& of = sums[kind];
    of.n += 1, of.squares += change * change, of.products += change * y, of.errors += error * error;
  }
  cycles_of_clock_.clear();
  for (const auto& of : sums) {
    const double weight = of.n > 0 ? of.errors / of.n / (kSpreadOfSlopes * kSpreadOfSlopes) : 1;
    const double slope = (of.products + weight * slope_of_all) / (of.squares + weight);
    cycles_of_clock_.push_back(std::isfinite(slope) ? std::clamp(slope, 0.0, 1.0) : slope_of_all);
  }
}

// Least squares of the time off the core on the numbers of events that take such time.
void BurstCounters::fit_off_core(const std::vector<double>& off_core,
                                 const std::vector<std::vector<double>>& events, Stop& stop) {
  const auto n = static_cast<Eigen::Index>(events.size());
  LeastSquares sums(n);
  Eigen::VectorXd x(n);
  for (std::size_t i = 0; i < off_core.size() && n > 0 && !stop.at(i); ++i) {
    for (Eigen::Index e = 0; e < n; ++e) x(e) = known(events[static_cast<std::size_t>(e)][i], 0);
    sums.add(x, off_core[i]);
  }
  const auto slopes = sums.non_negative_slopes();
  for (Eigen::Index e = 0; e < n; ++e) off_core_events_[static_cast<std::size_t>(e)].ns = slopes(e);
}

bool BurstCounters::provides(std::string_view column) const {
  if (!session_ || column.empty()) return false;
  if (column == kIpc) return !instructions_.empty() && !cycles_.empty();
  if (column == kClock || column == kOffCore) return !cycles_.empty();
  return column == instructions_ ||
         std::ranges::any_of(counts_, [&](const Count& count) { return count.name == column; });
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
  constexpr const char* kRatio = "× typical";
  add(instructions_, kRatio, Tier::configuration,
      "instructions, relative to the typical number of the kind of burst");
  for (const auto& count : counts_)
    if (instructions_.empty())
      add(count.name, kRatio, Tier::context, "events, relative to the typical number of the kind of burst");
    else
      add(count.name, "per 1,000 instructions above typical", Tier::context,
          "events per 1,000 instructions minus the typical value of the kind of burst");
  add(kIpc, kRatio, Tier::context,
      "instructions per cycle, relative to the kind of burst, without the change of the cycles that "
      "the rates of other events and the clock account for");
  add(kClock, "GHz", Tier::context,
      "median cycles per ns of the bursts of the thread before and after this one");
  add(kOffCore, "ns", Tier::context,
      "duration minus cycles / clock, if clearly longer than in the bursts before and after: another "
      "thread or the operating system had the core, or its clock was lower for this burst only");
  return features;
}

std::vector<double> BurstCounters::read(std::string_view column, const Segment& segment) const {
  if (column == kClock) return core_times(segment).clock;
  if (column == kOffCore) {
    auto off = core_times(segment).off_core;
    for (const auto& event : off_core_events_) {
      if (!(event.ns > 0)) continue;
      const auto counts = columns_->read(event.column, segment);
      for (std::size_t i = 0; i < off.size(); ++i)
        if (std::isfinite(counts[i])) off[i] = std::max(off[i] - event.ns * counts[i], 0.0);
    }
    return off;
  }
  const auto& rates = this->rates(segment);
  std::vector<double> values(rates.kind.size());
  if (column == instructions_) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = known(rates.instructions[i] / typical_instructions_[rates.kind[i]], 1);
    return values;
  }
  if (column == kIpc) {
    const auto& clock = core_times(segment).clock;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto kind = rates.kind[i];
      const double typical = typical_cycles_[kind];
      const double cycles = rates.cycles[i] - cycles_of_counts(rates, i) -
                            typical * cycles_of_clock_[kind] * known(clock[i] / clock_of_all_ - 1, 0);
      const double least = 0.05 * rates.cycles[i]; // the model is linear: it may account for all of them
      values[i] = std::isfinite(cycles) ? known(typical / std::max(cycles, least), 1) : 1.0;
    }
    return values;
  }
  const auto count = std::ranges::find(counts_, column, &Count::name);
  const auto& of = rates.of_counts[static_cast<std::size_t>(count - counts_.begin())];
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double typical = count->typical[rates.kind[i]];
    values[i] = instructions_.empty() ? known(of[i] / typical, 1) : known(of[i] - typical, 0);
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
  const auto reach = reach_of(trace, 2 * std::int64_t{kNeighbours}, kMinReach, kMaxReach);
  const Segment wide{segment.trace, std::max<std::int64_t>(0, segment.first - reach),
                     std::min(trace.launches(), segment.last + reach)};
  const auto ratio = cycle_rates(wide), durations = columns_->read("duration", wide);
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
    // The distance is limited, so that the result does not depend on which rows are read together.
    const auto is_near = [&](std::size_t other) {
      const auto j = order[other];
      return thread_of(j) == thread_of(i) &&
             std::max(i, j) - std::min(i, j) <= static_cast<std::size_t>(reach);
    };
    const auto add = [&](std::size_t other) {
      near.emplace_back(ratio[order[other]], durations[order[other]]);
    };
    for (std::size_t k = 1; k <= std::min(kNeighbours, at) && is_near(at - k); ++k) add(at - k);
    for (std::size_t k = 1; k <= kNeighbours && at + k < order.size() && is_near(at + k); ++k) add(at + k);
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
