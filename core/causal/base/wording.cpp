#include "core/causal/base/wording.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jitterscope::causal {
namespace {

struct Entry {
  std::string_view name; ///< whole name, without amount endings and " > 0"
  std::string_view words;
};

// In order of preference as the name of their family.
constexpr std::array<Entry, 56> kTable{{
    {"first_launch", "first launch of its configuration"},
    {"migration", "unified-memory migration during the launch"},
    {"page_fault", "page faults during the launch"},
    {"page_fault_count", "page faults during the launch"},
    {"window_migration", "unified-memory migration since the previous launch"},
    {"overlap_host_to_device", "host-to-device copies during the launch"},
    {"overlap_h2d", "host-to-device copies during the launch"},
    {"overlap_device_to_host", "device-to-host copies during the launch"},
    {"overlap_d2h", "device-to-host copies during the launch"},
    {"overlap_device_to_device", "device-to-device copies during the launch"},
    {"overlap_d2d", "device-to-device copies during the launch"},
    {"overlap_peer_to_peer", "peer-to-peer copies during the launch"},
    {"overlap_memset", "memory sets during the launch"},
    {"overlap_transfer", "copies during the launch"},
    {"overlap_copy", "copies during the launch"},
    {"memcpy_overlap", "copies during the launch"},
    {"linked_transfer", "memory operations since the previous launch"},
    {"linked_overlapped", "memory operations during the launch"},
    {"linked_exposed", "memory operations before the launch"},
    {"collective_wait", "waiting for other devices in a collective"},
    {"grid_x", "grid size"},
    {"grid_y", "grid size (y)"},
    {"grid_z", "grid size (z)"},
    {"blocks", "number of blocks"},
    {"threads", "number of threads"},
    {"block_x", "block size"},
    {"block_y", "block size (y)"},
    {"block_z", "block size (z)"},
    {"registers", "registers per thread"},
    {"static_shared_memory", "static shared memory"},
    {"dynamic_shared_memory", "dynamic shared memory"},
    {"shared_memory", "shared memory"},
    {"concurrency", "other kernels running at the same time"},
    {"queue_delay", "delay between the launch call and the start"},
    {"gap", "gap before the launch"},
    {"burst_position", "position in a series of launches"},
    {"call_site", "place in the program (different work)"},
    {"sm_clock", "SM clock"},
    {"gpc_clock", "GPC clock"},
    {"sys_clock", "system clock"},
    {"graphics_clock", "graphics clock"},
    {"gpu_clock", "GPU clock"},
    {"memory_clock", "memory clock"},
    {"mem_clock", "memory clock"},
    {"clock", "clock"},
    {"temperature", "temperature"},
    {"power", "power"},
    {"stream", "stream"},
    {"device", "device"},
    {"rank", "rank"},
    {"trace", "run"},
    {"graph_launch", "launch from a graph"},
    {"kernel_variability", "kernel variability"},
    {"memory_stall", "memory-stall variability"},
    {"memory_stall_variability", "memory-stall variability"},
    {"duration", "duration"},
}};

constexpr int kUnknown = static_cast<int>(kTable.size());

bool remove_ending(std::string_view& name, std::string_view ending) {
  if (name.size() <= ending.size() || !name.ends_with(ending)) return false;
  name.remove_suffix(ending.size());
  return true;
}

int position(std::string_view name) {
  const auto found =
      std::find_if(kTable.begin(), kTable.end(), [&](const Entry& e) { return e.name == name; });
  return found == kTable.end() ? kUnknown : static_cast<int>(found - kTable.begin());
}

/// Removes " (3 before)", also in front of " > 0", and returns "3"; empty without such an ending.
std::string_view remove_lag(std::string_view& feature) {
  const auto begin = feature.rfind(" (");
  const auto end = begin == feature.npos ? begin : feature.find(" before)", begin);
  if (end == feature.npos) return {};
  const auto rows = feature.substr(begin + 2, end - begin - 2);
  feature = feature.substr(0, begin);
  return rows;
}

/// Index in the table, without suffixes that only identify the measure of the feature.
int find(std::string_view feature) {
  remove_lag(feature);
  remove_ending(feature, " > 0");
  if (const int whole = position(feature); whole != kUnknown) return whole;
  for (const std::string_view ending : {"_ns", "_bytes", "_count", "_event", "_mhz", "_hz"})
    if (remove_ending(feature, ending)) break;
  remove_ending(feature, "_frequency");
  if (feature.starts_with("mean_")) feature.remove_prefix(5);
  return position(feature);
}

} // namespace

std::string words_for(std::string_view feature) {
  if (const auto rows = remove_lag(feature); !rows.empty())
    return fmt::format("{}, {} launch{} earlier", words_for(feature), rows, rows == "1" ? "" : "es");
  if (const int known = find(feature); known != kUnknown)
    return std::string(kTable[static_cast<std::size_t>(known)].words);
  const bool event = remove_ending(feature, " > 0");
  if (feature.starts_with("mean_")) feature.remove_prefix(5);
  std::string words(feature);
  std::replace(words.begin(), words.end(), '_', ' ');
  return event ? words + " above 0" : words;
}

std::string_view amount_in_words(std::string_view feature) {
  if (feature.ends_with(" > 0") || feature.ends_with("_event")) return "yes or no";
  if (feature.ends_with("_ns")) return "time";
  if (feature.ends_with("_bytes")) return "bytes";
  return feature.ends_with("_count") ? "number" : "";
}

int naming_priority(std::string_view feature) {
  return find(feature);
}

bool is_derived_quantity(std::string_view feature) {
  constexpr std::array<std::string_view, 12> words{"total", "avg",   "average",    "ratio",
                                                   "rate",  "per",   "pct",        "percent",
                                                   "ipc",   "bytes", "throughput", "sum"};
  for (std::size_t first = 0; first < feature.size();) {
    const std::size_t last = std::min(feature.find_first_of("_. ", first), feature.size());
    if (std::find(words.begin(), words.end(), feature.substr(first, last - first)) != words.end())
      return true;
    first = last + 1;
  }
  return false;
}

bool follows_from_earlier_work(std::string_view feature) {
  return feature.starts_with("queue_delay") || feature.starts_with("launch_delay");
}

bool counts_all_kinds(std::string_view feature) {
  return feature.starts_with("linked_") || feature.starts_with("overlap_transfer_bytes");
}

std::string grouped(std::int64_t count) {
  std::string digits = fmt::format("{}", count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string listed(std::vector<std::string> names) {
  if (names.empty()) return {};
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

namespace {

struct Scaled {
  double value = 0;
  const char* unit = "ns";
};

Scaled scaled_ns(double nanoseconds) {
  const double size = std::fabs(nanoseconds);
  if (size < 1e3) return {nanoseconds, "ns"};
  if (size < 1e6) return {nanoseconds / 1e3, "µs"};
  return size < 1e9 ? Scaled{nanoseconds / 1e6, "ms"} : Scaled{nanoseconds / 1e9, "s"};
}

} // namespace

std::string words_for_ns(double nanoseconds) {
  if (nanoseconds == 0) return "0 ns";
  const auto [value, unit] = scaled_ns(nanoseconds);
  return fmt::format("{:.{}f} {}", value, std::fabs(value) >= 9.95 ? 0 : 1, unit);
}

std::string value_in_words(double value, const std::string& unit, int digits) {
  if (unit == "ns") {
    const auto [size, of] = scaled_ns(std::fabs(value));
    return (value < 0 ? "−" : "") +
           (digits > 3 ? fmt::format("{:.{}g} {}", size, digits, of) : words_for_ns(std::fabs(value)));
  }
  if (unit == "Hz" || unit == "B") {
    constexpr std::array<const char*, 5> kDecimal = {"", "k", "M", "G", "T"},
                                         kBinary = {"", "Ki", "Mi", "Gi", "Ti"};
    const double step = unit == "B" ? 1024 : 1000;
    std::size_t prefix = 0;
    for (; prefix + 1 < kDecimal.size() && std::fabs(value) >= step; ++prefix) value /= step;
    return fmt::format("{:.{}g} {}{}", value, digits, (unit == "B" ? kBinary : kDecimal)[prefix], unit);
  }
  const auto number = std::fabs(value) >= 1000 && std::fabs(value) < 1e9
                          ? grouped(std::llround(value))
                          : fmt::format("{:.{}g}", value, digits);
  return unit.empty() ? number : number + " " + unit;
}

std::pair<std::string, std::string> values_in_words(double a, double b, const std::string& unit) {
  constexpr int kMaxDigits = 6;
  std::pair<std::string, std::string> words;
  for (int digits = 3; digits <= kMaxDigits && words.first == words.second; ++digits)
    words = {value_in_words(a, unit, digits), value_in_words(b, unit, digits)};
  return words;
}

} // namespace jitterscope::causal
