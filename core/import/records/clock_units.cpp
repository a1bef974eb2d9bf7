#include "core/import/records/clock_units.h"

#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/records/units.h"

namespace jitterscope::import {

void settle_clock_units(Draft& draft, std::size_t first_counter, std::size_t first_sample,
                        RowIssues& issues) {
  constexpr double kFastest = 100'000; // maximum clock frequency [MHz]; no clock is faster
  if (draft.counters.size() <= first_counter) return;
  const auto mhz = draft.strings.intern("MHz").value, hz = draft.strings.intern("Hz").value;
  const auto in_mhz = [&](const Counter& counter) { return counter.unit == mhz; };
  const auto first = draft.counters.begin() + static_cast<std::ptrdiff_t>(first_counter);
  if (std::none_of(first, draft.counters.end(), in_mhz)) return;
  SpillVector<double> largest(draft.counters.size(), 0);
  const auto& samples = draft.samples;
  for (auto row = first_sample; row < samples.value.size(); ++row) {
    SpillMemory::relieve_at(row);
    largest[samples.counter[row]] = std::max(largest[samples.counter[row]], samples.value[row]);
  }
  for (auto i = first_counter; i < draft.counters.size(); ++i) {
    auto& counter = draft.counters[i];
    if (!in_mhz(counter) || largest[i] < kFastest) continue;
    const std::string name = draft.strings[StringId{counter.name}];
    counter.name = draft.strings.intern(split_unit(name).title).value;
    counter.unit = hz;
    issues.count(store::Severity::Repair, "clock-in-hz", [&] {
      return fmt::format(
          "\"{}\" contains values up to {:.0f}: they are read as Hz, as Nsight Systems stores them", name,
          largest[i]);
    });
  }
}

} // namespace jitterscope::import
