#include "core/base/time.h"

namespace jitterscope {

std::string exact_time(std::int64_t ns) {
  struct Unit {
    const char* name;
    std::int64_t length;
    int digits;
  };
  if (ns == 0) return "0s";
  // Below this limit, a number of seconds that is read as a double and multiplied gives the same ns.
  constexpr std::int64_t kExactBelow = std::int64_t{1} << 50;
  for (const auto& unit : {Unit{"s", 1'000'000'000, 9}, Unit{"ms", 1'000'000, 6}, Unit{"us", 1'000, 3}}) {
    if (ns < unit.length || ns > kExactBelow) continue; // times below 0 are rare: in ns
    auto text = std::to_string(ns % unit.length);
    text.insert(0, static_cast<std::size_t>(unit.digits) - text.size(), '0');
    text.erase(text.find_last_not_of('0') + 1);
    return std::to_string(ns / unit.length) + (text.empty() ? "" : "." + text) + unit.name;
  }
  return std::to_string(ns) + "ns";
}

std::string exact_range(const Interval& range) {
  return exact_time(range.begin.count) + " to " + exact_time(range.end.count);
}

} // namespace jitterscope
