#include "core/import/assemble/counter_means.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/text/text.h"
#include "core/store/columns/sample_times.h"

namespace jitterscope::import {
namespace {

using store::Severity;
using store::WindowSamples;

constexpr float kNoSamples = std::numeric_limits<float>::quiet_NaN();

/// The samples of one counter; prefix sums give the mean over any window.
class Series {
public:
  Series(std::size_t clock, std::span<const double> values) : clock_(clock), values_(values) {
    sums_.reserve(values.size() + 1);
    sums_.push_back(0.0);
    for (const double value : values) sums_.push_back(sums_.back() + value);
  }

  std::size_t clock() const { return clock_; }
  float mean(const WindowSamples& samples) const {
    if (samples.last == samples.first) return kNoSamples;
    if (samples.nearest) return static_cast<float>(values_[samples.first]);
    return static_cast<float>((sums_[samples.last] - sums_[samples.first]) /
                              static_cast<double>(samples.last - samples.first));
  }

private:
  std::size_t clock_;
  std::span<const double> values_;
  SpillVector<double> sums_;
};

std::string without_unit(const std::string& name) {
  const auto open = name.rfind('[');
  return open == std::string::npos || open == 0 ? name : name.substr(0, open);
}

// Rows of the table "counters" by name. Counters of the same name on several devices share a column.
std::map<std::string, SpillVector<std::uint32_t>> counters_by_name(const store::TraceData& data) {
  std::map<std::string, SpillVector<std::uint32_t>> by_name;
  const auto& names = data.find("counters")->get<std::uint32_t>("name");
  const auto& device = data.find("counters")->get<std::uint32_t>("device");
  for (std::uint32_t row = 0; row < names.size(); ++row)
    if (data.resources[device[row]].kind ==
        store::ResourceKind::Device) // counters of threads do not describe launches
      by_name[data.strings[StringId{names[row]}]].push_back(row);
  return by_name;
}

std::string free_name(const std::string& requested, std::set<std::string>& taken) {
  std::string name = requested;
  for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", requested, n);
  return name;
}

/// The mean columns of all counters, computed together, because counters that are sampled together have
/// the same sample times.
class Means {
public:
  Means(const store::TraceData& data, const std::vector<std::uint32_t>& physical)
      : data_(data), physical_(physical), clocks_of_(data.resources.size() + 1) {}

  /// Adds the counters of one name. A device has several of them if files of the same machine overlap.
  void add(const SpillVector<std::uint32_t>& counters) {
    const auto& device = data_.find("counters")->get<std::uint32_t>("device");
    Column column;
    column.of_device.resize(clocks_of_.size());
    for (const auto counter : counters) {
      const auto of = place_of(physical_[device[counter]]);
      column.of_device[of].push_back(series_of(counter, of));
    }
    columns_.push_back(std::move(column));
  }

  std::vector<SpillVector<float>> compute(Stop& stop) {
    const auto rows = data_.find("launches")->rows();
    for (auto& column : columns_) column.values.reserve(rows);
    for (std::size_t row = 0; row < rows && !stop.requested(); row += kPiece)
      compute(row, std::min(row + kPiece, rows));
    std::vector<SpillVector<float>> values;
    for (auto& column : columns_) values.push_back(std::move(column.values));
    return values;
  }

private:
  struct Column {
    std::vector<std::vector<Series>> of_device;
    SpillVector<float> values;
  };
  static constexpr std::size_t kPiece = 4'096;

  std::size_t place_of(std::uint32_t device) const {
    return std::min<std::size_t>(device, clocks_of_.size() - 1);
  }

  Series series_of(std::uint32_t counter, std::size_t device) {
    const auto& samples = *data_.find("samples");
    const auto& counters = samples.get<std::uint32_t>("counter");
    const auto [first, last] = std::equal_range(counters.begin(), counters.end(), counter);
    const auto from = static_cast<std::size_t>(first - counters.begin());
    const auto count = static_cast<std::size_t>(last - first);
    const auto times = std::span(samples.get<std::int64_t>("time")).subspan(from, count);
    return {clock_of(times, device), std::span(samples.get<double>("value")).subspan(from, count)};
  }

  std::size_t clock_of(std::span<const std::int64_t> times, std::size_t device) {
    auto& clocks = clocks_of_[device];
    const auto same = std::find_if(clocks.begin(), clocks.end(),
                                   [&](std::size_t clock) { return clocks_[clock].ticks_like(times); });
    if (same != clocks.end()) return *same;
    clocks.push_back(clocks_.size());
    clocks_.emplace_back(times);
    window_samples_.emplace_back(kPiece);
    return clocks_.size() - 1;
  }

  void compute(std::size_t first, std::size_t last) {
    const auto& launches = *data_.find("launches");
    const auto& start = launches.get<std::int64_t>("start");
    const auto& duration = launches.get<std::int64_t>("duration");
    const auto& stream = launches.get<std::uint32_t>("stream");
    for (auto row = first; row < last; ++row)
      for (const auto clock : clocks_of_[place_of(physical_[stream[row]])])
        window_samples_[clock][row - first] = clocks_[clock].within(start[row], start[row] + duration[row]);
    for (auto& column : columns_) {
      column.values.resize(last, kNoSamples);
      for (auto row = first; row < last; ++row)
        for (const auto& series : column.of_device[place_of(physical_[stream[row]])])
          if (std::isnan(column.values[row]))
            column.values[row] = series.mean(window_samples_[series.clock()][row - first]);
    }
  }

  const store::TraceData& data_;
  const std::vector<std::uint32_t>& physical_;
  std::vector<store::SampleTimes> clocks_;
  std::vector<std::vector<std::size_t>> clocks_of_;        // by physical device; those without a device last
  std::vector<std::vector<WindowSamples>> window_samples_; // by clock, for the current piece of rows
  std::vector<Column> columns_;
};

} // namespace

std::vector<CounterMeans> counter_means(const store::TraceData& data,
                                        const std::vector<std::uint32_t>& physical,
                                        store::ImportReport& report, Stop& stop) {
  Means means(data, physical);
  std::vector<CounterMeans> columns;
  for (const auto& [name, counters] : counters_by_name(data)) {
    if (stop.requested()) return {};
    if (columns.size() >= kMaxCounterColumns) {
      report.add(
          Severity::Doubt, "too-many-counters",
          fmt::format("only {} counters have a column of their own; {} has none", kMaxCounterColumns, name));
      continue;
    }
    const auto unit = data.find("counters")->get<std::uint32_t>("unit")[counters.front()];
    columns.push_back({name, data.strings[StringId{unit}], {}});
    means.add(counters);
  }
  auto values = means.compute(stop);
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].values = std::move(values[i]);
  return columns;
}

void append(store::Table& launches, std::vector<CounterMeans>&& means) {
  std::set<std::string> taken;
  for (const auto& column : launches.columns) taken.insert(column.name);
  for (auto& mean : means)
    launches.add(free_name("mean_" + slug(without_unit(mean.name)), taken), mean.unit,
                 fmt::format("{}{}", mean.name, store::kMeanOfSamples), std::move(mean.values));
}

} // namespace jitterscope::import
