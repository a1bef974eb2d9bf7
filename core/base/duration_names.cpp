#include "core/base/duration_names.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace jitterscope {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kUnits[]{"ns",     "us",      "ms",   "s",    "sec", "secs",
                                    "second", "seconds", "nsec", "usec", "msec"};
constexpr std::string_view kTimes[]{"time", "duration", "latency", "runtime", "elapsed", "dur", "walltime"};
/// Words behind these say how many values one value combines.
constexpr std::string_view kCombined[]{"sum", "avg", "average", "mean", "median", "raw", "value"};
constexpr std::string_view kOfRow[]{"step",      "steps",     "iter",     "iteration", "batch",   "epoch",
                                    "wall",      "train",     "training", "kernel",    "gpu",     "device",
                                    "exec",      "execution", "run",      "task",      "request", "op",
                                    "operation", "per",       "perf",     "clock",     "solve",   "time"};
/// Not the duration of a row's work.
constexpr std::string_view kOther[]{
    "wait",  "waiting",   "idle",     "gap",     "queue",    "queued", "queueing", "delay",
    "since", "age",       "interval", "start",   "begin",    "end",    "stop",     "finish",
    "stamp", "timestamp", "launch",   "arrival", "timeout",  "period", "before",   "after",
    "until", "overlap",   "overhead", "limit",   "sampling", "uptime", "up",       "total",
    "std",   "stddev",    "min",      "max",     "p"};

bool any_of(const std::vector<std::string>& words, Words list) {
  return std::ranges::any_of(words,
                             [&](const auto& word) { return std::ranges::find(list, word) != list.end(); });
}

bool is_one_of(const std::string& word, Words list) {
  return std::ranges::find(list, word) != list.end();
}

} // namespace

DurationName duration_name(std::vector<std::string> words) {
  const bool in_unit = !words.empty() && is_one_of(words.back(), kUnits);
  if (in_unit) words.pop_back();
  while (words.size() > 1 && is_one_of(words.back(), kCombined)) words.pop_back();
  if (words == std::vector<std::string>{"total", "time"}) return DurationName::of_part;
  if (words.empty() || any_of(words, kOther)) return DurationName::none;
  if (!in_unit && words == std::vector<std::string>{"time"}) return DurationName::none; // or a point in time
  const bool of_row = std::ranges::all_of(
      words, [](const auto& word) { return is_one_of(word, kOfRow) || is_one_of(word, kTimes); });
  // "time_per_iteration", "elapsed_step"
  const bool time = is_one_of(words.back(), kTimes) || is_one_of(words.front(), kTimes);
  if (time) return of_row ? DurationName::of_row : DurationName::of_part;
  return !in_unit ? DurationName::none : of_row ? DurationName::of_row : DurationName::length;
}

std::size_t duration_among(const std::vector<DurationName>& names) {
  const auto best = std::ranges::max_element(names);
  if (best == names.end() || *best == DurationName::none) return names.size();
  if (*best != DurationName::of_row && std::ranges::count(names, *best) > 1) return names.size();
  return static_cast<std::size_t>(best - names.begin());
}

} // namespace jitterscope
