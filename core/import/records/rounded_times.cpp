#include "core/import/records/rounded_times.h"

#include <algorithm>
#include <cstddef>

#include <fmt/core.h>

#include "core/base/spill_vector.h"

namespace jitterscope::import {
namespace {

using store::Severity;

constexpr std::size_t kMinLaunches = 20;
constexpr std::int64_t kMinStep = 1'000;         // minimum step [ns]
constexpr std::int64_t kMaxStep = 1'000'000'000; // maximum step [ns]
constexpr std::int64_t kSmallPart = 100;         // steps; rounding hardly affects longer durations
constexpr std::size_t kSampled = 65'536;         // maximum number of durations for the median

std::string readable(std::int64_t ns) {
  if (ns % 1'000'000'000 == 0 && ns > 0) return fmt::format("{} s", ns / 1'000'000'000);
  if (ns % 1'000'000 == 0 && ns > 0) return fmt::format("{} ms", ns / 1'000'000);
  return ns % 1'000 == 0 && ns > 0 ? fmt::format("{} µs", ns / 1'000) : fmt::format("{} ns", ns);
}

// The largest power of ten that divides all durations; below kMinStep for none, or for too few.
std::int64_t step_of(const auto& durations, std::size_t from) {
  std::int64_t step = kMaxStep;
  std::size_t known = 0;
  for (auto row = from; row < durations.size() && step >= kMinStep; ++row) {
    SpillMemory::relieve_at(row);
    if (durations[row] < 0) continue;
    ++known;
    while (step >= kMinStep && durations[row] % step != 0) step /= 10;
  }
  return known < kMinLaunches ? 0 : step;
}

std::int64_t median_of(const auto& durations, std::size_t from) {
  SpillVector<std::int64_t> sample;
  const auto stride = (durations.size() - from) / kSampled + 1;
  for (auto row = from; row < durations.size(); row += stride) {
    if (sample.size() % 256 == 0) SpillMemory::relieve(); // one page per step
    if (durations[row] >= 0) sample.push_back(durations[row]);
  }
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
  if (sample.empty()) return 0;
  std::nth_element(sample.begin(), middle, sample.end());
  return *middle;
}

void doubt_starts(const auto& starts, std::size_t from, std::string_view source, RowIssues& issues) {
  constexpr std::size_t kRowsAtOnce = 4'096;
  const auto launches = starts.size() - from;
  std::size_t repeated = 0;
  for (auto row = from + 1; row < starts.size();) {
    if (2 * (repeated + starts.size() - row) < launches) return; // for any values of the remaining rows
    SpillMemory::relieve_at(row - from - 1);
    for (const auto end = std::min(row + kRowsAtOnce, starts.size()); row < end; ++row)
      repeated += starts[row] == starts[row - 1];
  }
  if (launches < kMinLaunches || 2 * repeated < launches) return;
  issues.count(
      Severity::Doubt, "rounded-starts",
      [&] {
        return fmt::format("{}: {} of {} launches start at the same time as the previous one, probably "
                           "because times were written with too few digits, as by spreadsheets (1.62E+14)",
                           source, repeated, launches);
      },
      static_cast<std::int64_t>(repeated));
}

} // namespace

void doubt_rounded_times(const Draft& draft, const DraftSizes& from, std::string_view source,
                         RowIssues& issues, bool timed) {
  const auto& launches = draft.launches;
  const auto first = std::min(from.launches, launches.start.size());
  const auto count = static_cast<std::int64_t>(launches.start.size() - first);
  const auto step = step_of(launches.duration, first);
  const auto median = step >= kMinStep ? median_of(launches.duration, first) : 0;
  if (step >= kMinStep && median < kSmallPart * step)
    issues.count(
        Severity::Doubt, "rounded-times",
        [&] {
          if (median == 0)
            return fmt::format("{}: durations were rounded, and half of them are 0 ns. Rounding hides how "
                               "they vary; export them in ns",
                               source);
          return fmt::format("{}: durations were rounded to multiples of {}, and half of them are at most "
                             "{}. Rounding hides how they vary; export them in ns",
                             source, readable(step), readable(median));
        },
        count);
  const auto none = std::all_of(launches.duration.begin() + static_cast<std::ptrdiff_t>(first),
                                launches.duration.end(), [](std::int64_t duration) { return duration == 0; });
  if (none && count > 1)
    issues.count(
        Severity::Doubt, "no-durations",
        [&] {
          return fmt::format("{}: every launch lasts 0 ns, because the time columns are too coarse, or start "
                             "and end are the same column. The variation of durations is unknown",
                             source);
        },
        count);
  if (timed) doubt_starts(launches.start, first, source, issues);
}

} // namespace jitterscope::import
