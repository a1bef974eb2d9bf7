#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jitterscope::causal {

/// Background knowledge that holds for every GPU trace: an edge never goes from a later to an earlier tier.
enum class Tier : int {
  environment = 0,   ///< device, rank, stream, time
  configuration = 1, ///< grid, block, shared memory, registers
  context = 2,       ///< gap, queue delay, concurrency, transfers, migrations, clocks, temperature, warm-up
  counters = 3,      ///< activity counters
  duration = 4,
  variability = 5,
  unknown = 6, ///< it is unknown whether the column comes before or after the outcome
};

/// Default tier by the whole words of a column name (camelCase and snake_case are split), which tiers.cpp
/// lists, and by its unit; activity counters if they decide nothing.
int default_tier(std::string_view name, std::string_view unit = {});
/// Tier by the words of a name and its unit; empty if no word is known, or if the form of the name allows a
/// consequence of the launch: rates, lengths of time, and what is measured afterwards.
std::optional<int> tier_by_name(std::string_view name, std::string_view unit = {});

/// Whether the form of a name allows a consequence of the launch: rates, lengths of time, and what is
/// measured afterwards.
bool has_form_of_consequence(std::string_view name, std::string_view unit);

/// Whether a name ends with a unit of time ("launch_us").
bool is_in_time_unit(std::string_view name);
/// Whether a name ends with any unit ("memory_used_mib", "fan_rpm"): the column is a quantity, not a code.
bool ends_with_unit(std::string_view name);

/// Whether a name may state how a launch ended ("status", "bottleneck"): such a category may follow from it.
bool says_outcome(std::string_view name);

/// Whether a column samples a lasting state of the device: a clock, a temperature, a fan. Such a value is not
/// a count, and it may be recorded late.
bool is_device_state(std::string_view name);

/// Whether a name says what other programs or devices do ("neighbour_active", "cpu_steal_pct").
bool is_of_others(std::string_view name);

/// Whether a column samples a clock.
bool is_clock(std::string_view name);

/// Whether a column is the call site, which is not a quantity that can be set. Its numbers are the typical
/// durations of the call sites.
inline bool is_call_site(std::string_view name) {
  return name == "call_site";
}

/// Words of a name in lower case, without digits: "dynamicSharedMemory", "dynamic_shared_memory" → dynamic,
/// shared, memory.
std::vector<std::string> words_of(std::string_view name);

/// Name without the suffix for the measure of one event: "migration" for migration_ns,
/// migration_bytes, migration_count, migration. The whole name if it has no such suffix.
std::string family_of(std::string_view name);

/// The quantity that a column measures, independent of unit and window: columns of one cause share it
/// (migrations during the launch and since the previous one, their bytes, page faults).
std::string cause_of(std::string_view name);

} // namespace jitterscope::causal
