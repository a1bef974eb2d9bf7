#include "core/causal/base/wording.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/causal/base/lists.h"
#include "core/columns/column_spec.h"

namespace jitterscope::causal {
namespace {

int unknown() {
  return static_cast<int>(column_words().size());
}

bool remove_ending(std::string_view& name, std::string_view ending) {
  if (name.size() <= ending.size() || !name.ends_with(ending)) return false;
  name.remove_suffix(ending.size());
  return true;
}

int position(std::string_view name) {
  const auto table = column_words();
  const auto found = std::ranges::find_if(
      table, [&](const ColumnWords& of) { return of.column == name && !of.words.empty(); });
  return found == table.end() ? unknown() : static_cast<int>(found - table.begin());
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
  if (const int whole = position(feature); whole != unknown()) return whole;
  for (const std::string_view ending : {"_ns", "_bytes", "_count", "_event", "_mhz", "_hz"})
    if (remove_ending(feature, ending)) break;
  remove_ending(feature, "_frequency");
  if (feature.starts_with("mean_")) feature.remove_prefix(5);
  return position(feature);
}

/// `kind`: words or title; where the table has no title, its words.
std::string words_for(std::string_view feature, std::string_view ColumnWords::*kind) {
  if (const auto rows = remove_lag(feature); !rows.empty())
    return fmt::format("{}, {} launch{} earlier", words_for(feature, kind), rows, rows == "1" ? "" : "es");
  if (const int known = find(feature); known != unknown()) {
    const auto& of = column_words()[known];
    return std::string((of.*kind).empty() ? of.words : of.*kind);
  }
  const bool event = remove_ending(feature, " > 0");
  const auto column = feature.substr(0, feature.find(' ')); // of a value of a category: "node_name n7"
  if (const int known = position(column); column.size() < feature.size() && known != unknown())
    return std::string(column_words()[known].words) + std::string(feature.substr(column.size()));
  if (feature.starts_with("mean_")) feature.remove_prefix(5);
  constexpr std::string_view renamed = "recorded_"; // by the import of a table
  if (column == "recorded_rank" || column == "recorded_device" || column == "recorded_stream")
    feature.remove_prefix(renamed.size());
  std::string words(feature);
  std::replace(words.begin(),
               words.begin() + static_cast<std::ptrdiff_t>(std::min(feature.find(' '), feature.size())), '_',
               ' '); // a value of a category stays as it is
  return event ? words + " above 0" : words;
}

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

/// Rates above typical are 0 for half of the bursts, but for noise.
double without_noise(double value, const std::string& unit) {
  constexpr double kNoise = 0.005;
  return unit.starts_with("per") && unit.find("1,000") != unit.npos && std::fabs(value) < kNoise ? 0 : value;
}

} // namespace

std::string words_for(std::string_view feature) {
  return words_for(feature, &ColumnWords::words);
}

std::string short_words_for(std::string_view feature) {
  return words_for(feature, &ColumnWords::title);
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
  constexpr std::string_view words[]{"total", "avg",     "average", "ratio", "rate",       "per",
                                     "pct",   "percent", "ipc",     "bytes", "throughput", "sum"};
  for (std::size_t first = 0; first < feature.size();) {
    const std::size_t last = std::min(feature.find_first_of("_. ", first), feature.size());
    if (contains(words, feature.substr(first, last - first))) return true;
    first = last + 1;
  }
  return false;
}

bool named_before(std::string_view a, std::string_view b) {
  const auto key = [](std::string_view name) {
    return std::tuple(naming_priority(name), is_derived_quantity(name), name);
  };
  return key(a) < key(b);
}

bool follows_from_earlier_work(std::string_view feature) {
  return feature.starts_with("queue_delay") || feature.starts_with("launch_delay");
}

bool only_lengthens(std::string_view feature) {
  return feature.starts_with("overlap_") || feature.starts_with("concurrency") ||
         feature.starts_with("migration_") || feature.starts_with("window_migration") ||
         feature.starts_with("page_fault");
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

std::size_t shorten(std::vector<std::string>& names, std::size_t maximum) {
  const std::size_t all = names.size();
  names.resize(std::min(all, maximum));
  return all - names.size();
}

std::string words_for_ns(double nanoseconds) {
  if (nanoseconds == 0) return "0 ns";
  const auto [value, unit] = scaled_ns(nanoseconds);
  return fmt::format("{:.{}f} {}", value, std::fabs(value) >= 9.95 ? 0 : 1, unit);
}

std::string value_in_words(double value, const std::string& unit, int digits) {
  value = without_noise(value, unit);
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
  // Some sources describe what is counted in place of a unit: "Total cycles".
  const bool is_unit = !unit.empty() && unit.find(' ') == std::string::npos;
  return is_unit ? number + " " + unit : number;
}

std::string share_in_words(double percent) {
  constexpr int kMaxDecimals = 3;
  if (percent > 0 && percent < 0.001) return "< 0.001 %";
  if (percent > 99.999 && percent < 100) return "> 99.999 %";
  if (percent < 10) return fmt::format("{:.2g} %", percent);
  std::string number;
  for (int decimals = 0; decimals <= kMaxDecimals; ++decimals) {
    number = fmt::format("{:.{}f}", percent, decimals);
    if (percent >= 100 || !number.starts_with("100")) break;
  }
  return number + " %";
}

std::string share_with_interval(double percent, double low, double high, int digits, std::string_view name) {
  const auto rounded = [digits](double value) { return fmt::format("{:.{}f}", value, digits); };
  const auto share = rounded(percent), from = rounded(low), to = rounded(high);
  if (from == share && to == share) return fmt::format("{} %", share);
  return fmt::format("{} % ({}{}–{} %)", share, name, from, to);
}

std::pair<std::string, std::string> values_in_words(double a, double b, const std::string& unit) {
  a = without_noise(a, unit), b = without_noise(b, unit);
  constexpr int kMaxDigits = 6;
  std::pair<std::string, std::string> words;
  for (int digits = 3; digits <= kMaxDigits && words.first == words.second; ++digits)
    words = {value_in_words(a, unit, digits), value_in_words(b, unit, digits)};
  return words;
}

} // namespace jitterscope::causal
