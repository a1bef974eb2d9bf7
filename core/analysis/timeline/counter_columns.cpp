#include "core/analysis/timeline/counter_columns.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

#include "core/analysis/lanes/level_of_detail.h"

namespace jitterscope::analysis {
namespace {

constexpr float kNoSample = std::numeric_limits<float>::quiet_NaN();

/// Time from `early` to `late`, without overflow.
std::uint64_t until(std::int64_t early, std::int64_t late) {
  return static_cast<std::uint64_t>(late) - static_cast<std::uint64_t>(early);
}

/// Median time between samples near `first`; 0 if there are too few samples.
std::uint64_t step_near(std::span<const std::int64_t> times, std::size_t first) {
  constexpr std::size_t kBefore = 32, kBehind = 96;
  std::vector<std::uint64_t> steps;
  const auto last = std::min(times.size(), first + kBehind);
  for (auto i = first - std::min(first, kBefore) + 1; i < last; ++i)
    steps.push_back(until(times[i - 1], times[i]));
  if (steps.empty()) return 0;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

// A sample is valid up to one sampling period around it, as for launches (store::SampleTimes).
void fill_between(const store::CounterSeries& series, std::span<const std::int64_t> borders,
                  std::vector<CounterColumn>& counter) {
  const auto& times = series.times;
  const auto first_behind = [&](std::int64_t time) {
    return static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
  };
  const auto period = step_near(times, first_behind(borders.front()));
  if (period == 0) return;
  for (std::size_t c = 0; c + 1 < borders.size(); ++c) {
    if (!std::isnan(counter[c].mean)) continue;
    const auto middle = std::midpoint(borders[c], borders[c + 1]);
    auto nearest = first_behind(middle);
    if (nearest == times.size() ||
        (nearest > 0 && until(times[nearest - 1], middle) <= until(middle, times[nearest])))
      --nearest;
    if (until(std::min(times[nearest], middle), std::max(times[nearest], middle)) > period) continue;
    if (const auto found = series.extremes(nearest, nearest + 1); found.numbers > 0) {
      const auto value = static_cast<float>(found.sum);
      counter[c] = {value, value, value};
    }
  }
}

constexpr std::size_t kWeighted = 512; ///< samples of a column whose mean is weighted by time

// Samples [first, last) of a counter whose values hold, in the column [begin, end): with the value at
// `begin`.
CounterColumn held_column(const store::CounterSeries& series, std::size_t first, std::size_t last,
                          std::int64_t begin, std::int64_t end) {
  // Whether the value before the first sample is part of the column.
  const bool known = first > 0 && !(first < last && series.times[first] == begin);
  const auto from = first - (known ? 1 : 0);
  const auto all = series.extremes(from, last);
  if (all.numbers == 0) return {kNoSample, kNoSample, kNoSample};
  double area = 0, time = 0;
  for (auto i = from; i < last && last - from <= kWeighted; ++i) {
    const auto value = series.extremes(i, i + 1);
    if (value.numbers == 0) continue;
    const auto length = static_cast<double>(
        until(i < first ? begin : series.times[i], i + 1 < last ? series.times[i + 1] : end));
    area += value.sum * length;
    time += length;
  }
  const double mean = time > 0 ? area / time : all.sum / static_cast<double>(all.numbers);
  return {static_cast<float>(all.minimum), static_cast<float>(mean), static_cast<float>(all.maximum)};
}

} // namespace

std::vector<CounterColumn> counter_columns(const store::CounterSeries& series, Interval window, int columns,
                                           std::int64_t end) {
  if (!series.times.empty()) end = std::max(end, series.times.back() + 1);
  const ColumnBins bins(window, columns, false);
  std::vector<CounterColumn> counter(bins.bins(), {kNoSample, kNoSample, kNoSample});
  const auto from = series.times.begin();
  auto at = std::lower_bound(from, series.times.end(), window.begin.count);
  for (std::size_t c = 0; c < bins.bins() && (series.holds || at != series.times.end()); ++c) {
    const auto border = bins.borders()[c + 1];
    const auto first = at;
    for (std::ptrdiff_t step = 1; at != series.times.end() && *at < border;
         step *= 2) { // galloping search for the border
      const auto next = series.times.end() - at > step ? at + step : series.times.end();
      at = next == series.times.end() || *next >= border ? std::lower_bound(at, next, border) : next;
      if (at != next) break;
    }
    const auto begin = static_cast<std::size_t>(first - from), last = static_cast<std::size_t>(at - from);
    if (series.holds) {
      if (bins.borders()[c] < end)
        counter[c] = held_column(series, begin, last, bins.borders()[c], std::min(border, end));
      continue;
    }
    const auto found = series.extremes(begin, last);
    if (found.numbers > 0)
      counter[c] = {static_cast<float>(found.minimum),
                    static_cast<float>(found.sum / static_cast<double>(found.numbers)),
                    static_cast<float>(found.maximum)};
  }
  if (!series.holds) fill_between(series, bins.borders(), counter);
  return by_column(bins, counter);
}

std::vector<CounterColumn> by_column(const ColumnBins& bins, std::span<const CounterColumn> counter) {
  std::vector<CounterColumn> columns;
  for (int c = 0; c < bins.columns(); ++c) columns.push_back(counter[bins.bin_of(c)]);
  return columns;
}

} // namespace jitterscope::analysis
