#include "core/reasons/rows/typical_counters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "core/causal/base/tiers.h"

namespace jitterscope::analysis {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::array kHalfPeriods = {0, -2, -1, 1, 2, 3, 4, 5, 6}; ///< shifts that align() tries
constexpr std::size_t kMinRuns = 20, kMaxAligned = 65'536; ///< minimum runs, maximum launches of align()
constexpr double kMaxChange = 1;                           ///< limit of |ln(duration / typical duration)|

/// Columns of counter means by the name of their counter.
std::map<std::string, std::string, std::less<>> columns_by_counter(const store::Store& store) {
  std::map<std::string, std::string, std::less<>> columns;
  for (const auto& column : store.table("launches").columns)
    if (column.description.ends_with(store::kMeanOfSamples))
      columns.emplace(column.description.substr(0, column.description.size() - store::kMeanOfSamples.size()),
                      column.name);
  return columns;
}

/// Squared residuals of y, summed by run, of a straight line over x; both without missing values.
std::vector<double> residuals(const std::vector<double>& x, const std::vector<double>& y,
                              const std::vector<std::size_t>& run, std::size_t runs) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mean_x += x[i] / n, mean_y += y[i] / n;
  for (std::size_t i = 0; i < x.size(); ++i)
    xx += (x[i] - mean_x) * (x[i] - mean_x), xy += (x[i] - mean_x) * (y[i] - mean_y);
  const double slope = xx > 0 ? xy / xx : 0;
  std::vector<double> sums(runs);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double rest = y[i] - mean_y - slope * (x[i] - mean_x);
    sums[run[i]] += rest * rest;
  }
  return sums;
}

/// Mean difference of paired values and how many standard errors it is above 0.
std::pair<double, double> paired_gain(const std::vector<double>& before, const std::vector<double>& after) {
  const auto n = static_cast<double>(before.size());
  double mean = 0, squares = 0;
  for (std::size_t k = 0; k < before.size(); ++k) mean += (before[k] - after[k]) / n;
  for (std::size_t k = 0; k < before.size(); ++k)
    squares += (before[k] - after[k] - mean) * (before[k] - after[k] - mean);
  return {mean, squares > 0 ? mean / std::sqrt(squares / (n - 1) / n) : 0.0};
}

/// `first`: row of the counter's first sample.
double mean_of(const store::WindowSamples& window, const store::Values<double>& samples, std::size_t first) {
  if (window.last == window.first) return kMissing;
  double sum = 0;
  for (auto i = window.first; i < window.last; ++i) sum += samples[first + i];
  return sum / static_cast<double>(window.last - window.first);
}

} // namespace

TypicalCounters::TypicalCounters(const Session& session,
                                 const std::vector<std::vector<std::uint32_t>>& physical)
    : session_(&session) {
  for (std::size_t t = 0; t < session.traces().size(); ++t) {
    OfTrace& known = traces_.emplace_back();
    known.device = physical[t];
    const auto& store = session.traces()[t].store;
    const auto columns = columns_by_counter(store);
    if (columns.empty()) continue;
    const auto of = store.column<std::uint32_t>("samples", "counter");
    const auto times = store.starts("samples");
    const auto names = store.column<std::uint32_t>("counters", "name");
    const auto devices = store.column<std::uint32_t>("counters", "device");
    auto first = of.begin();
    for (std::uint32_t counter = 0; counter < names.size(); ++counter) {
      const auto begin = first;
      first = std::upper_bound(begin, of.end(), counter);
      const auto column = columns.find(store.string(StringId{names[counter]}));
      if (column == columns.end()) continue;
      const auto from = static_cast<std::size_t>(begin - of.begin());
      const auto ticks = times.subspan(from, static_cast<std::size_t>(first - begin));
      const auto same = std::find_if(known.clocks.begin(), known.clocks.end(),
                                     [&](const auto& clock) { return clock.ticks_like(ticks); });
      const auto clock = static_cast<std::size_t>(same - known.clocks.begin());
      if (same == known.clocks.end()) known.clocks.emplace_back(ticks), known.shift.push_back(0);
      known.columns[column->second][known.device[devices[counter]]].push_back({clock, from});
    }
  }
}

/// Launches of one trace with the values of a counter at every shift.
struct TypicalCounters::Compared {
  std::vector<double> lengthening; ///< ln(duration / typical duration), limited
  std::vector<std::size_t> run;    ///< number of the launch's run
  std::array<std::vector<double>, kHalfPeriods.size()> values;
};

TypicalCounters::Compared TypicalCounters::compare(std::string_view column, std::size_t clock,
                                                   std::span<const Segment> runs,
                                                   const std::vector<std::int64_t>& typical, Stop& stop) {
  Compared compared;
  auto& of_trace = traces_[runs.front().trace];
  const Trace& trace = session_->traces()[runs.front().trace];
  const auto durations = trace.durations();
  const auto configurations = trace.configurations();
  for (std::size_t r = 0; r < runs.size() && !stop.requested(); ++r) {
    std::array<std::vector<double>, kHalfPeriods.size()> at;
    for (std::size_t k = 0; k < at.size(); ++k) {
      of_trace.shift[clock] = kHalfPeriods[k] * of_trace.clocks[clock].period() / 2;
      last_.value() = {}; // read() keeps the samples of its last segment
      at[k] = read(column, runs[r], typical);
    }
    for (std::size_t i = 0; i < at.front().size(); ++i) {
      const auto row = static_cast<std::size_t>(runs[r].first) + i;
      const auto usual = typical[trace.configuration[configurations[row]]], own = durations[row];
      const bool unknown = std::any_of(at.begin(), at.end(), [&](const auto& v) { return std::isnan(v[i]); });
      if (usual <= 0 || own <= 0 || unknown) continue;
      compared.lengthening.push_back(std::clamp(
          std::log(static_cast<double>(own) / static_cast<double>(usual)), -kMaxChange, kMaxChange));
      compared.run.push_back(r);
      for (std::size_t k = 0; k < at.size(); ++k) compared.values[k].push_back(at[k][i]);
    }
  }
  of_trace.shift[clock] = 0, last_.value() = {};
  return compared;
}

void TypicalCounters::align(const std::vector<Segment>& sample, const std::vector<std::int64_t>& typical,
                            Stop& stop) {
  std::size_t launches = 0;
  for (const auto& run : sample) launches += static_cast<std::size_t>(run.rows());
  const std::size_t every = std::max<std::size_t>(1, launches / kMaxAligned);
  for (std::size_t t = 0; t < traces_.size(); ++t) {
    std::vector<Segment> runs;
    for (std::size_t r = 0; r < sample.size(); r += every)
      if (sample[r].trace == t) runs.push_back(sample[r]);
    if (runs.size() < kMinRuns) continue;
    std::vector<std::pair<double, std::int64_t>> best(traces_[t].clocks.size()); // gain, shift
    for (const auto& [column, devices] : traces_[t].columns) {
      if (!causal::is_device_state(column) || devices.empty() || devices.begin()->second.empty()) continue;
      const auto clock = devices.begin()->second.front().clock;
      const auto compared = compare(column, clock, runs, typical, stop);
      if (stop.requested()) return;
      const auto rest = [&](std::size_t k) {
        return residuals(compared.values[k], compared.lengthening, compared.run, runs.size());
      };
      const auto unshifted = rest(0);
      for (std::size_t k = 1; k < kHalfPeriods.size(); ++k)
        if (const auto [gain, clear] = paired_gain(unshifted, rest(k));
            clear > kClearly && gain > best[clock].first)
          best[clock] = {gain, kHalfPeriods[k] * traces_[t].clocks[clock].period() / 2};
    }
    for (std::size_t clock = 0; clock < best.size(); ++clock) traces_[t].shift[clock] = best[clock].second;
  }
}

std::int64_t TypicalCounters::shift_of(std::string_view column) const {
  for (const auto& trace : traces_)
    if (const auto found = trace.columns.find(column); found != trace.columns.end())
      for (const auto& [device, all] : found->second)
        for (const auto& series : all)
          if (trace.shift[series.clock] != 0) return trace.shift[series.clock];
  return 0;
}

bool TypicalCounters::measures(std::string_view column) const {
  return std::any_of(traces_.begin(), traces_.end(),
                     [&](const OfTrace& t) { return t.columns.contains(column); });
}

const std::vector<store::WindowSamples>&
TypicalCounters::samples_in(std::size_t clock, const Segment& segment,
                            const std::vector<std::int64_t>& typical) const {
  auto& last = last_.value();
  if (segment.trace != last.segment.trace || segment.first != last.segment.first ||
      segment.last != last.segment.last)
    last = {segment, {}};
  const auto [place, fresh] = last.windows.try_emplace(clock);
  if (!fresh) return place->second;
  const Trace& trace = session_->traces()[segment.trace];
  const auto& times = traces_[segment.trace].clocks[clock];
  const auto shift = traces_[segment.trace].shift[clock];
  const auto starts = trace.starts();
  const auto durations = trace.durations();
  const auto configurations = trace.configurations();
  place->second.reserve(static_cast<std::size_t>(segment.rows()));
  for (auto row = static_cast<std::size_t>(segment.first); row < static_cast<std::size_t>(segment.last);
       ++row) {
    const auto length = typical[trace.configuration[configurations[row]]];
    const auto known = length >= 0 ? length : std::max<std::int64_t>(durations[row], 0);
    place->second.push_back(times.within(starts[row] + shift, starts[row] + shift + known));
  }
  return place->second;
}

std::vector<double> TypicalCounters::read(std::string_view column, const Segment& segment,
                                          const std::vector<std::int64_t>& typical) const {
  std::vector<double> values(static_cast<std::size_t>(segment.rows()), kMissing);
  const OfTrace& known = traces_[segment.trace];
  const auto of_devices = known.columns.find(column);
  if (of_devices == known.columns.end()) return values;
  const Trace& trace = session_->traces()[segment.trace];
  const auto samples = trace.store.column<double>("samples", "value");
  const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
  for (const auto& [device, all] : of_devices->second)
    for (const auto& series : all) {
      const auto& windows = samples_in(series.clock, segment, typical);
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != values[i] &&
            known.device[streams[static_cast<std::size_t>(segment.first) + i]] == device)
          values[i] = mean_of(windows[i], samples, series.first);
    }
  return values;
}

} // namespace jitterscope::analysis
