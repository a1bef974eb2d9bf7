#include "core/import/records/units.h"

#include <algorithm>
#include <utility>

#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import {
namespace {

struct Known {
  std::string_view spellings; // in lower case, separated by '|'
  std::string_view base;
  double factor;
};

// Where lower and upper case have different meanings (b and B, m and M) the spelling here is the common one.
constexpr Known kTimes[] = {
    {"ns|nsec|nsecs|nsecond|nseconds|nanosecond|nanoseconds|nanosec", "ns", 1},
    {"us|usec|usecs|usecond|useconds|microsecond|microseconds|microsec|\xC2\xB5s|\xCE\xBCs", "ns", 1e3},
    {"ms|msec|msecs|msecond|mseconds|millisecond|milliseconds|millisec", "ns", 1e6},
    {"s|sec|secs|second|seconds", "ns", 1e9},
    {"minute|minutes", "ns", 60e9},
    {"h|hour|hours", "ns", 3600e9},
    {"ps|psecond", "ns", 1e-3},
};
constexpr Known kOthers[] = {
    {"%|percent|pct", "%", 1},
    {"w|watt|watts", "W", 1},
    {"mw|milliwatt", "W", 1e-3},
    {"kw", "W", 1e3},
    {"j|joule|joules", "J", 1},
    {"mj", "J", 1e-3},
    {"kj", "J", 1e3},
    {"uj", "J", 1e-6},
    {"v|volt", "V", 1},
    {"mv", "V", 1e-3},
    {"c|\xC2\xB0"
     "c|celsius",
     "C", 1},
    {"count|#", "", 1},
};

// Things that are counted, with or without a prefix.
constexpr std::string_view kCounted[] = {
    "inst", "cycle", "request",   "sector",   "thread", "warp",        "block", "op",
    "flop", "event", "wavefront", "register", "tag",    "transaction", "query", "bank_conflict"};

// Words in brackets that are not units.
constexpr std::string_view kNoUnits = "min|max|avg|mean|med|median|std|stddev|total|sum|count|x|y|z";

// Names after which one letter ("duration_s"), or a unit without separator ("durationNs"), is taken
// as a unit.
constexpr std::string_view kNamesOfTimes =
    "duration|dur|time|runtime|walltime|elapsed|latency|start|begin|end|stop|timestamp";

// Checks the last word: "kernel_duration", "kernelDuration".
bool names_a_time(std::string_view title) {
  auto begin = title.size();
  while (begin > 0 && title[begin - 1] != '_' && title[begin - 1] != ' ' && title[begin - 1] != '.') {
    --begin;
    if (title[begin] >= 'A' && title[begin] <= 'Z') break;
  }
  for (const auto from :
       {begin, title.find_last_of("_ .") + 1}) // "KERNEL_TIME"; without a separator, npos + 1 = 0
    if (is_listed(lower(title.substr(from)), kNamesOfTimes)) return true;
  return false;
}

// "durationNs", "kernelTimeUs".
TitledUnit split_joined_unit(std::string_view title) {
  for (const std::string_view unit : {"Ns", "Us", "Ms", "Sec"})
    if (title.size() > unit.size() && title.ends_with(unit) &&
        names_a_time(title.substr(0, title.size() - unit.size())))
      return {title.substr(0, title.size() - unit.size()), title.substr(title.size() - unit.size())};
  return {title, {}};
}

template <std::size_t N>
std::optional<Unit> find(const Known (&units)[N], std::string_view spelling) {
  for (const auto& known : units)
    if (is_listed(spelling, known.spellings)) return Unit{std::string(known.base), known.factor};
  return {};
}

std::optional<double> prefix_factor(char prefix, bool binary) {
  constexpr std::string_view kPrefixes = "kmgtp";
  const auto power = kPrefixes.find(prefix);
  if (power == std::string_view::npos) return {};
  double factor = 1;
  for (std::size_t i = 0; i <= power; ++i) factor *= binary ? 1024.0 : 1000.0;
  return factor;
}

// A prefix before one of the words: "kbyte", "gib", "mhz".
std::optional<double> prefixed(std::string_view text, std::initializer_list<std::string_view> words,
                               bool binary) {
  for (const auto word : words) {
    if (text == word && !binary) return 1.0;
    if (text.size() > word.size() && text.ends_with(word)) {
      auto prefix = text.substr(0, text.size() - word.size());
      if (binary != (prefix.size() == 2 && prefix[1] == 'i')) continue;
      if (binary) prefix.remove_suffix(1);
      if (prefix.size() != 1) continue;
      if (const auto factor = prefix_factor(prefix[0], binary)) return factor;
    }
  }
  return {};
}

// One side of a fraction.
std::optional<Unit> simple(std::string_view spelling) {
  const auto text = lower(spelling);
  if (auto time = find(kTimes, text)) return time;
  if (auto other = find(kOthers, text)) return other;
  if (const auto factor = prefixed(text, {"bytes", "byte", "b"}, false)) return Unit{"B", *factor};
  if (const auto factor = prefixed(text, {"bytes", "byte", "b"}, true)) return Unit{"B", *factor};
  if (const auto factor = prefixed(text, {"bits", "bit"}, false)) return Unit{"B", *factor / 8};
  if (const auto factor = prefixed(text, {"hz", "hertz"}, false)) return Unit{"Hz", *factor};
  for (const auto word : kCounted)
    if (const auto factor = prefixed(text, {word}, false)) return Unit{std::string(word), *factor};
  return {};
}

/// What is counted per second: "Gb" is bits there ("Gb/s", "Gbps"), and bytes in any other case.
std::optional<Unit> of_rate(std::string_view spelling) {
  auto unit = simple(spelling);
  constexpr std::string_view kPrefixesOfBits = "MGTP";
  if (unit && spelling.size() == 2 && spelling[1] == 'b' &&
      kPrefixesOfBits.find(spelling[0]) != std::string_view::npos)
    unit->factor /= 8;
  return unit;
}

Unit fraction(std::string_view above, std::string_view below) {
  const auto known_below = simple(below);
  const auto known_above = known_below && known_below->base == "ns" ? of_rate(above) : simple(above);
  Unit unit = known_above.value_or(Unit{std::string(above), 1});
  if (!known_below) {
    unit.base += "/" + std::string(below);
    return unit;
  }
  if (known_below->base == "ns") { // rates are per second
    unit.factor = unit.factor * 1e9 / known_below->factor;
    unit.base = unit.base == "cycle" ? "Hz" : unit.base + "/s";
    return unit;
  }
  unit.factor /= known_below->factor;
  unit.base += "/" + known_below->base;
  return unit;
}

// "power_w", "gpu_temp_c", "energy_uj": a unit of the quantity that the name states.
bool fits_quantity(std::string_view name, std::string_view spelling) {
  static constexpr std::pair<std::string_view, std::string_view> kQuantities[] = {
      {"power", "W"}, {"energy", "J"}, {"temp", "C"}, {"volt", "V"}};
  const auto unit = find(kOthers, lower(spelling));
  const auto text = lower(name);
  return unit && std::any_of(std::begin(kQuantities), std::end(kQuantities), [&](const auto& quantity) {
           return unit->base == quantity.second && text.find(quantity.first) != std::string::npos;
         });
}

} // namespace

Unit normalised_unit(std::string_view spelling) {
  spelling = trimmed(spelling);
  if (const auto slash = spelling.find('/'); slash != std::string_view::npos && slash > 0)
    return fraction(trimmed(spelling.substr(0, slash)), trimmed(spelling.substr(slash + 1)));
  for (const std::string_view per : {"ps", "PS"}) // "MBps"
    if (spelling.size() > 3 && spelling.ends_with(per))
      if (const auto above = of_rate(spelling.substr(0, spelling.size() - per.size()));
          above && above->base == "B")
        return {"B/s", above->factor};
  if (lower(spelling).find('%') != std::string::npos) return {"%", 1}; // "Throughput %"
  return simple(spelling).value_or(Unit{std::string(spelling), 1});
}

std::optional<std::int64_t> nanoseconds_in(std::string_view spelling) {
  const auto time = find(kTimes, lower(trimmed(spelling)));
  if (!time || time->factor < 1) return {};
  return static_cast<std::int64_t>(time->factor);
}

TitledUnit split_unit(std::string_view title) {
  title = trimmed(title);
  for (const auto& [open, close] : {std::pair('(', ')'), std::pair('[', ']')}) {
    if (title.empty() || title.back() != close) continue;
    const auto at = title.rfind(open);
    if (at == std::string_view::npos || at == 0) continue;
    const auto unit = trimmed(title.substr(at + 1, title.size() - at - 2));
    if (is_listed(lower(unit), kNoUnits)) break;
    return {trimmed(title.substr(0, at)), unit};
  }
  const auto at = title.find_last_of("_ .");
  if (at == std::string_view::npos || at == 0 || at + 1 == title.size()) return split_joined_unit(title);
  const auto unit = title.substr(at + 1), before = title.substr(0, at);
  if (before.size() > 3 && lower(before.substr(before.size() - 3)) == "per" &&
      std::string_view("_ .").find(before[before.size() - 4]) != std::string_view::npos)
    return {title, {}}; // "bytes_per_second" is not a time
  // One letter is more often an index than a unit.
  if ((unit == "s" && names_a_time(before)) || fits_quantity(before, unit)) return {before, unit};
  if (unit.size() < 2 ||
      !(nanoseconds_in(unit) || unit == "bytes" || unit == "hz" || unit == "mhz" || unit == "MHz" ||
        unit == "pct" || unit == "percent" || unit == "KB" || unit == "MB" || unit == "GB"))
    return split_joined_unit(title);
  return {title.substr(0, at), unit};
}

} // namespace jitterscope::import
