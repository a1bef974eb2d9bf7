#include "core/import/counter_means.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>

#include <fmt/core.h>

#include "core/import/context.h"
#include "core/import/near_search.h"
#include "core/import/text.h"

namespace jitterscope::import {
namespace {

using store::Severity;

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

/// The samples of one counter: sums give the mean over any window in O(log n).
class Series {
public:
  Series(std::span<const std::int64_t> times, std::span<const double> values)
      : times_(times), values_(values) {
    sums_.reserve(values.size() + 1);
    sums_.push_back(0.0);
    for (const double value : values) sums_.push_back(sums_.back() + value);
    period_ = median_step();
  }

  float mean(std::int64_t start, std::int64_t end) const {
    const auto first = near_(times_.size(), [&](std::size_t i) { return times_[i] < start; });
    const auto last = near_(times_.size(), [&](std::size_t i) { return times_[i] <= end; });
    if (last > first)
      return static_cast<float>((sums_[last] - sums_[first]) / static_cast<double>(last - first));
    return nearest(start + (end - start) / 2);
  }

private:
  float nearest(std::int64_t time) const {
    const auto after = near_(times_.size(), [&](std::size_t i) { return times_[i] < time; });
    std::int64_t distance = period_ + 1;
    float value = kMissing;
    for (const auto candidate : {after, after - 1}) {
      if (candidate >= times_.size()) continue; // after − 1 wraps around at the beginning
      const auto away = std::abs(times_[candidate] - time);
      if (away < distance) {
        distance = away;
        value = static_cast<float>(values_[candidate]);
      }
    }
    return value;
  }

  std::int64_t median_step() const {
    if (times_.size() < 2) return 0;
    std::vector<std::int64_t> steps;
    steps.reserve(times_.size() - 1);
    for (std::size_t i = 1; i < times_.size(); ++i) steps.push_back(times_[i] - times_[i - 1]);
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    return *middle;
  }

  std::span<const std::int64_t> times_;
  std::span<const double> values_;
  std::vector<double> sums_;
  std::int64_t period_ = 0;
  NearSearch near_;
};

std::string without_unit(const std::string& name) {
  const auto open = name.rfind('[');
  return open == std::string::npos || open == 0 ? name : name.substr(0, open);
}

// Rows of table counters by name. Counters of the same name on several devices share a column.
std::map<std::string, std::vector<std::uint32_t>> counters_by_name(const store::TraceData& data) {
  std::map<std::string, std::vector<std::uint32_t>> by_name;
  const auto& names = data.find("counters")->get<std::uint32_t>("name");
  const auto& device = data.find("counters")->get<std::uint32_t>("device");
  for (std::uint32_t row = 0; row < names.size(); ++row)
    if (data.resources[device[row]].kind ==
        store::ResourceKind::Device) // those of threads tell nothing of launches
      by_name[data.strings[StringId{names[row]}]].push_back(row);
  return by_name;
}

std::string free_name(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted;
  for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
  return name;
}

Series series_of(const store::TraceData& data, std::uint32_t counter) {
  const auto& samples = *data.find("samples");
  const auto& counters = samples.get<std::uint32_t>("counter");
  const auto [first, last] = std::equal_range(counters.begin(), counters.end(), counter);
  const auto from = static_cast<std::size_t>(first - counters.begin());
  const auto count = static_cast<std::size_t>(last - first);
  return {std::span(samples.get<std::int64_t>("time")).subspan(from, count),
          std::span(samples.get<double>("value")).subspan(from, count)};
}

std::vector<float> means(const store::TraceData& data, const std::vector<std::uint32_t>& counters,
                         const std::vector<std::uint32_t>& physical, Stop& stop) {
  const auto& launches = *data.find("launches");
  const auto& start = launches.get<std::int64_t>("start");
  const auto& duration = launches.get<std::int64_t>("duration");
  const auto& stream = launches.get<std::uint32_t>("stream");
  const auto& device = data.find("counters")->get<std::uint32_t>("device");
  std::unordered_map<std::uint32_t, std::vector<Series>>
      of_device; // several where files of one machine overlap
  for (const auto counter : counters)
    of_device[physical[device[counter]]].push_back(series_of(data, counter));
  std::vector<float> values(start.size(), kMissing);
  for (std::size_t row = 0; row < start.size() && !stop.at(row); ++row) {
    const auto found = of_device.find(physical[stream[row]]);
    if (found == of_device.end()) continue;
    for (const auto& series : found->second)
      if (std::isnan(values[row])) values[row] = series.mean(start[row], start[row] + duration[row]);
  }
  return values;
}

} // namespace

void add_counter_means(store::TraceData& data, const std::vector<std::uint32_t>& physical,
                       store::ImportReport& report, Stop& stop) {
  auto& launches = *data.find("launches");
  std::set<std::string> taken;
  for (const auto& column : launches.columns) taken.insert(column.name);
  std::size_t added = 0;
  for (const auto& [name, counters] : counters_by_name(data)) {
    if (stop.wanted()) return;
    if (added++ >= kMostCounterColumns) {
      report.add(
          Severity::Doubt, "too-many-counters",
          fmt::format("{} counters have a column of their own; {} has none", kMostCounterColumns, name));
      continue;
    }
    const auto& unit =
        data.strings[StringId{data.find("counters")->get<std::uint32_t>("unit")[counters.front()]}];
    auto values = means(data, counters, physical, stop);
    launches.add(
        free_name("mean_" + slug(without_unit(name)), taken), unit,
        fmt::format(
            "{}: mean of the samples during the execution, else the nearest within one sampling period",
            name),
        std::move(values));
  }
}

} // namespace jitterscope::import
