#include "core/causal/base/tiers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace jitterscope::causal {
namespace {

template <std::size_t N>
bool any_of(const std::vector<std::string>& words, const std::array<std::string_view, N>& list) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  });
}

constexpr std::array<std::string_view, 6> kVariability{"variability", "jitter", "variance",
                                                       "deviation",   "cv",     "noise"};
constexpr std::array<std::string_view, 6> kDuration{"duration", "runtime", "elapsed",
                                                    "latency",  "perf",    "performance"};
constexpr std::array<std::string_view, 44> kContext{
    "gap",         "queue",       "queued",     "delay",      "concurrency", "concurrent", "overlap",
    "overlapping", "overlapped",  "transfer",   "transfers",  "copy",        "copies",     "memcpy",
    "memset",      "migration",   "migrations", "fault",      "faults",      "window",     "linked",
    "burst",       "first",       "warm",       "warmup",     "clock",       "clocks",     "frequency",
    "freq",        "temperature", "temp",       "preceding",  "previous",    "eviction",   "repetition",
    "iteration",   "iterations",  "interrupt",  "interrupts", "processes",   "pause",      "pauses",
    "throttle",    "throttled"};
constexpr std::array<std::string_view, 33> kConfiguration{
    "grid", "block", "blocks", "registers", "register", "shared", "static", "dynamic", "threads", "thread",
    "warps", "configuration", "config", "wave", "launch", "regs",
    // The size of the work, which is chosen before the launch.
    "batch", "tokens", "token", "rows", "sequence", "length", "size", "nnz", "nonzeros", "elements",
    "problem", "particles", "vertices", "atoms", "cells", "points", "dimension"};
constexpr std::array<std::string_view, 17> kEnvironment{
    "device",  "rank", "stream", "gpu", "node", "host", "start", "timestamp", "context",
    "process", "pid",  "trace",  "tid", "run",  "pod",  "cc",    "time"};
/// Together with "cycles". Elapsed and busy cycles are found by other words.
constexpr std::array<std::string_view, 2> kPassing{"active", "wave"};
/// Counters of cycles in which a unit was busy, idle or clocked: equivalent to the duration. GRBM_COUNT,
/// GRBM_GUI_ACTIVE: clock cycles of an AMD device during the launch.
constexpr std::array<std::string_view, 5> kBusy{"busy", "idle", "gate", "valid", "grbm"};
constexpr std::array<std::string_view, 10> kActivity{"inst",    "instructions", "sectors",   "hit",
                                                     "bytes",   "cycles",       "occupancy", "executed",
                                                     "traffic", "throughput"};

/// Samples of a launch's warps while it runs: states and numbers of samples follow from its duration.
/// smsp__pcsamp_warps_issue_stalled_long_scoreboard, smsp__average_warps_issue_stalled_math_pipe_throttle….
constexpr std::array<std::string_view, 2> kSampledWarps{"stalled", "pcsamp"};
/// Measured while or after a launch runs, and possibly its consequence.
constexpr std::array<std::string_view, 9> kMeasured{"wait",   "waiting", "stall",   "stalls",     "achieved",
                                                    "energy", "power",   "backlog", "utilization"};
constexpr std::array<std::string_view, 6> kSums{"sum", "avg", "mean", "min", "max", "total"};
/// Hardware blocks of AMD's devices, the prefixes of their counters' names: SPI_CSN_WINDOW_VALID,
/// TCC_EA_RDREQ.
constexpr std::array<std::string_view, 16> kBlocks{"sq",  "sqc", "spi", "ta",  "td", "tcp",  "tcc",  "tca",
                                                   "gds", "cpc", "cpf", "cpg", "ea", "grbm", "tcpa", "gl"};

/// "dram__bytes_read.sum.per_second", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "ipc": divided by
/// the duration or by cycles, so that a longer launch has a lower value without any cause.
bool is_rate_in_time(std::string_view name) {
  for (const std::string_view part : {"per_second", "per second", "/s", "per_cycle", "per cycle", "/cycle",
                                      "sustained_elapsed", "sustained_active", "sustained_region"})
    if (name.find(part) != std::string_view::npos) return true;
  const auto words = words_of(name);
  return std::find(words.begin(), words.end(), "ipc") != words.end();
}

} // namespace

bool is_clock(std::string_view name) {
  constexpr std::array<std::string_view, 2> kClocks{"clock", "frequency"};
  return any_of(words_of(name), kClocks);
}

bool is_device_state(std::string_view name) {
  constexpr std::array<std::string_view, 3> kStates{"temperature", "temp", "fan"};
  return is_clock(name) || any_of(words_of(name), kStates);
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  char before = '_';
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    const bool new_word = std::isupper(u) && (std::islower(static_cast<unsigned char>(before)) != 0);
    if (!std::isalnum(u) || new_word) words.emplace_back();
    if (std::isalpha(u)) words.back() += static_cast<char>(std::tolower(u));
    before = c;
  }
  words.erase(std::remove(words.begin(), words.end(), std::string()), words.end());
  return words;
}

std::optional<int> tier_by_name(std::string_view name) {
  const auto words = words_of(name);
  const auto tier = [](Tier t) { return static_cast<int>(t); };
  if (any_of(words, kVariability)) return tier(Tier::variability);
  if (any_of(words, kSampledWarps)) return tier(Tier::duration);
  const bool of_block =
      words.size() > 1 && std::find(kBlocks.begin(), kBlocks.end(), words.front()) != kBlocks.end();
  if (!of_block && any_of(words, kContext)) return tier(Tier::context);
  if (any_of(words, kDuration)) return tier(Tier::duration);
  if (any_of(words, kMeasured)) return std::nullopt;
  // A count of active cycles is the duration in another unit.
  const bool has_cycles = std::find(words.begin(), words.end(), "cycles") != words.end();
  if (has_cycles && any_of(words, kPassing)) return tier(Tier::duration);
  const bool counts_cycles =
      of_block && words[1].starts_with("cycle") &&
      (words.size() == 2 || (words.size() == 3 && any_of({words.back()}, kSums))); // TCC_CYCLE_sum
  if (counts_cycles || is_rate_in_time(name) || any_of(words, kBusy)) return tier(Tier::duration);
  if (of_block || any_of(words, kActivity)) return tier(Tier::counters);
  if (any_of(words, kConfiguration)) return tier(Tier::configuration);
  if (any_of(words, kEnvironment)) return tier(Tier::environment);
  return std::nullopt;
}

int default_tier(std::string_view name) {
  return tier_by_name(name).value_or(static_cast<int>(Tier::counters));
}

std::string family_of(std::string_view name) {
  for (const std::string_view ending : {"_ns", "_bytes", "_count", "_event"})
    if (name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending)
      return std::string(name.substr(0, name.size() - ending.size()));
  return std::string(name);
}

std::string cause_of(std::string_view name) {
  constexpr std::string_view event = " > 0";
  if (name.ends_with(event)) name.remove_suffix(event.size());
  const auto family = family_of(name);
  if (family == "page_fault" || family == "window_migration") return "migration";
  return family.starts_with("linked_") ? "linked" : family;
}

} // namespace jitterscope::causal
