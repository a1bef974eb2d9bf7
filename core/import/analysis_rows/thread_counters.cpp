#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include <fmt/core.h>

#include "core/base/near_search.h"
#include "core/import/analysis_rows/present.h"
#include "core/import/analysis_rows/rows.h"
#include "core/store/columns/sample_times.h"
#include "core/store/trace/event_kinds.h"

namespace jitterscope::import {
namespace {

using store::TraceData;

constexpr double kNotCounted = std::numeric_limits<double>::quiet_NaN();
constexpr double kMaxExactCount = 9e15; // above this a double is not an exact count

/// "PAPI_TOT_INS (Instr completed)" and "PAPI_TOT_INS [Instr completed]" → "papi_tot_ins"; "Queue length" →
/// "queue_length".
std::string column_of(const std::string& counter) {
  std::string name;
  for (const char c : counter.substr(0, std::min(counter.find(" ("), counter.find(" ["))))
    name += std::isalnum(static_cast<unsigned char>(c))
                ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                : '_';
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) ? "counter_" + name : name;
}

/// Whether a counter counts hardware events: a preset of PAPI, or a native event by its type in a Paraver
/// trace.
bool counts_hardware(const TraceData& data, std::uint32_t counter) {
  const auto& counters = *data.find("counters");
  const auto name = counters.get<std::uint32_t>("name")[counter];
  if (column_of(data.strings[StringId{name}]).starts_with("papi_")) return true;
  if (!counters.find(store::kCounterType)) return false;
  const auto type = counters.get<std::int64_t>(store::kCounterType)[counter];
  return type >= 42'000'000 && type < 43'000'000;
}

/// Whether the samples of a counter never decrease: each is the count since the start, not since the previous
/// sample. Counts of single bursts decrease sooner or later.
bool is_cumulative(std::span<const double> values) {
  constexpr std::size_t kMinSamples = 32;
  std::size_t larger = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (!(values[i] >= values[i - 1])) return false;
    larger += values[i] > values[i - 1];
  }
  return values.size() >= kMinSamples && 2 * larger > values.size();
}

/// Replaces cumulative counts of hardware events by the counts since the previous sample.
void subtract_earlier_counts(TraceData& data, store::ImportReport& report, Stop& stop) {
  auto& samples = *data.find("samples");
  const auto& of = samples.get<std::uint32_t>("counter");
  auto& values = std::get<SpillVector<double>>(
      std::ranges::find(samples.columns, "value", &store::Column::name)->values);
  const auto& names = data.find("counters")->get<std::uint32_t>("name");
  std::size_t cumulative = 0;
  std::string example;
  for (std::uint32_t counter = 0; counter < names.size() && !stop.requested(); ++counter) {
    const auto& label = data.strings[StringId{names[counter]}];
    if (!counts_hardware(data, counter)) continue;
    const auto [first, last] = std::equal_range(of.begin(), of.end(), counter);
    const std::span counts{values.data() + (first - of.begin()), static_cast<std::size_t>(last - first)};
    if (!is_cumulative(counts)) continue;
    for (auto i = counts.size() - 1; i > 0; --i) counts[i] -= counts[i - 1];
    counts[0] = 0;
    if (cumulative++ == 0) example = label;
  }
  if (cumulative > 0)
    report.add(
        store::Severity::Repair, "cumulative-counters",
        fmt::format("{} counters of single threads never decrease, for example {}: their values are taken "
                    "as counts since the start, and the counts since the previous sample are used",
                    cumulative, example));
}

/// Prefix sums of the samples of one counter. Only the first of several samples with the same time counts,
/// because the others cover no time.
class SampleSums {
public:
  SampleSums(std::span<const std::int64_t> times, std::span<const double> values) : times_(times) {
    sums_.push_back(0);
    counted_.push_back(0);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const bool counts = std::abs(values[i]) < kMaxExactCount && !(i > 0 && times[i - 1] == times[i]);
      sums_.push_back(sums_.back() + (counts ? values[i] : 0));
      counted_.push_back(counted_.back() + counts);
    }
  }
  /// Sum in (begin, end]; NaN without samples. Fast for windows that move along the run.
  double within(std::int64_t begin, std::int64_t end) const {
    const auto first = near_begin_(times_.size(), [&](std::size_t i) { return times_[i] <= begin; }),
               last = near_end_(times_.size(), [&](std::size_t i) { return times_[i] <= end; });
    return last > first && counted_[last] > counted_[first] ? sums_[last] - sums_[first] : kNotCounted;
  }

private:
  std::span<const std::int64_t> times_;
  SpillVector<double> sums_;
  SpillVector<std::uint32_t> counted_;
  NearSearch near_begin_, near_end_;
};

/// The column of one counter name under construction, over all threads.
struct CounterColumn {
  std::string description, unit;
  SpillVector<double> values;
};
using CounterColumns = std::map<std::string, CounterColumn>;

CounterColumns sums_of_counters(const TraceData& data, store::ImportReport& report, Stop& stop) {
  const auto& rows = *data.find("launches");
  const auto& starts = rows.get<std::int64_t>("start");
  const auto& durations = rows.get<std::int64_t>("duration");
  const auto& names = data.find("counters")->get<std::uint32_t>("name");
  const auto& units = data.find("counters")->get<std::uint32_t>("unit");
  const auto& threads = data.find("counters")->get<std::uint32_t>("device");
  const auto& of = data.find("samples")->get<std::uint32_t>("counter");
  const auto& times = data.find("samples")->get<std::int64_t>("time");
  const auto& values = data.find("samples")->get<double>("value");
  const ByThread rows_of(rows.get<std::uint32_t>("stream"), data.resources.size());
  CounterColumns columns;
  for (std::uint32_t counter = 0; counter < names.size() && !stop.requested(); ++counter) {
    const auto thread = threads[counter];
    if (thread >= data.resources.size() || rows_of.count(thread) == 0) continue;
    const auto& label = data.strings[StringId{names[counter]}];
    const auto name = column_of(label);
    if (!columns.contains(name) && columns.size() >= kMaxThreadCounters) {
      report.add(store::Severity::Drop, "counters-left-out",
                 fmt::format("counter {} was left out: there are more than {} counter names", label,
                             kMaxThreadCounters));
      continue;
    }
    auto& column = columns[name];
    if (column.values.empty()) {
      column.description = label;
      column.description += counts_hardware(data, counter) ? store::kHardwareCount : store::kSumOfSamples;
      column.unit = data.strings[StringId{units[counter]}];
      column.values.resize(starts.size(), kNotCounted);
    }
    const auto [first, last] = std::equal_range(of.begin(), of.end(), counter);
    const auto from = static_cast<std::size_t>(first - of.begin()),
               count = static_cast<std::size_t>(last - first);
    const SampleSums sums{std::span(times).subspan(from, count), std::span(values).subspan(from, count)};
    for (std::size_t i = 0; i < rows_of.count(thread) && !stop.at(i); ++i) {
      const auto row = rows_of.row(thread, i);
      column.values[row] = sums.within(starts[row], starts[row] + durations[row]);
    }
  }
  return columns;
}

SpillVector<double> quotient(const SpillVector<double>& a, const std::function<double(std::size_t)>& b) {
  SpillVector<double> values;
  values.reserve(a.size());
  for (std::size_t row = 0; row < a.size(); ++row) {
    SpillMemory::relieve_at(row);
    const double divisor = b(row);
    values.push_back(divisor > 0 ? a[row] / divisor : kNotCounted);
  }
  return values;
}

} // namespace

void add_thread_counters(TraceData& data, store::ImportReport& report, Stop& stop) {
  subtract_earlier_counts(data, report, stop);
  auto columns = sums_of_counters(data, report, stop);
  if (stop.requested()) return;
  auto& table = *data.find("launches");
  const auto free_name = [&](std::string name) {
    while (table.find(name)) name += "_counter";
    return name;
  };
  const auto instructions = columns.find("papi_tot_ins"), cycles = columns.find("papi_tot_cyc");
  if (cycles != columns.end()) {
    const auto& counted = cycles->second.values;
    const auto durations = table.get<std::int64_t>("duration"); // added columns move those of the table
    if (instructions != columns.end())
      table.add("ipc", "", "Instructions per cycle: papi_tot_ins / papi_tot_cyc",
                quotient(instructions->second.values, [&](std::size_t row) { return counted[row]; }));
    table.add("frequency_ghz", "GHz", "Cycles per nanosecond: papi_tot_cyc / duration",
              quotient(counted, [&](std::size_t row) { return static_cast<double>(durations[row]); }));
  }
  for (auto& [name, column] : columns)
    table.add(free_name(name), column.unit, column.description, std::move(column.values));
}

} // namespace jitterscope::import
