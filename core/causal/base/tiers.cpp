#include "core/causal/base/tiers.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <vector>

#include "core/causal/base/lists.h"

namespace jitterscope::causal {
namespace {

bool any_of(const std::vector<std::string>& words, std::span<const std::string_view> list) {
  return std::ranges::any_of(words, [&](const std::string& word) { return contains(list, word); });
}

constexpr std::string_view kVariability[]{"variability", "jitter", "variance", "deviation", "cv", "noise"};
constexpr std::string_view kDuration[]{"duration", "dur",  "runtime",    "elapsed",
                                       "latency",  "perf", "performance"};
/// The duration of something else ("neighbour kernel duration").
constexpr std::string_view kOthers[]{"neighbour", "neighbor",   "other",    "others", "peer",
                                     "colocated", "competitor", "corunner", "cross",  "background",
                                     "tenant",    "external",   "cotenant", "steal",  "dataloader",
                                     "loader",    "daemon"};
constexpr std::string_view kContext[]{
    "gap",         "queue",       "queued",     "delay",       "concurrency", "concurrent", "overlap",
    "overlapping", "overlapped",  "transfer",   "transfers",   "copy",        "copies",     "memcpy",
    "memset",      "migration",   "migrations", "fault",       "faults",      "window",     "linked",
    "burst",       "first",       "warm",       "warmup",      "clock",       "clocks",     "frequency",
    "freq",        "temperature", "temp",       "preceding",   "previous",    "eviction",   "repetition",
    "iteration",   "interrupt",   "interrupts", "processes",   "pause",       "pauses",     "throttle",
    "throttled",   "switch",      "switches",   "ecc",         "remap",       "remaps",     "replay",
    "replays",     "retry",       "retries",    "retransmits", "xid",         "jit",        "compiled",
    "recompiled",  "cold",        "autotune",   "autotuned",   "checkpoint",  "gc",         "preempted",
    "preemption",  "preemptions", "evicted",    "evictions",   "swapped",     "before",     "since",
    "iter",        "migrated"};
constexpr std::string_view kConfiguration[]{
    "grid", "block", "blocks", "registers", "register", "shared", "static", "dynamic", "threads", "thread",
    "warps", "configuration", "config", "wave", "launch", "regs",
    // The size of the work, which is chosen before the launch.
    "batch", "tokens", "token", "rows", "sequence", "length", "len", "lens", "size", "nnz", "nonzeros",
    "elements", "problem", "particles", "vertices", "atoms", "cells", "points", "dimension", "seq", "seqlen",
    "keys", "height", "width", "degree", "ids", "top", "topk", "lda", "ldb", "ldc", "ld", "ctas", "accum",
    "accumulation", "experts", "heads", "channels", "filters", "dataset", "model", "workload", "prompt",
    "input", "features", "iterations", "iters", "niter", "edges", "pixels", "rays", "queries", "candidates",
    "images", "documents", "triangles", "bodies", "bonds", "resolution", "dim", "dims",
    // How the work is done.
    "unroll", "tile", "tiles", "alignment", "aligned", "padding", "padded", "precision", "dtype", "layout",
    "algo", "algorithm", "variant", "backend", "implementation", "solver", "workers", "streams", "prefetch",
    "chunk", "chunks", "stages", "stride", "mask", "mode", "option", "optimizer", "fused", "fusion",
    "quantization", "persisting",
    // How many take part.
    "ranks", "nodes", "gpus", "devices", "nprocs", "procs", "mtu"};
/// A limit that is set, also of what is measured ("power_cap", "freq_limit").
constexpr std::string_view kLimits[]{"cap", "limit", "capped"};
/// Last words of names of what is set, of any kind of setting ("cuda_runtime_version", "wait_policy").
constexpr std::string_view kSettings[]{"version", "policy",    "mode",     "option",  "setting",
                                       "bias",    "algorithm", "strategy", "variant", "backend"};
/// Parts of the work, not of the hardware: "active_cells", "experts_max_load" are what there is to do.
constexpr std::string_view kPartsOfWork[]{"cells",    "particles", "vertices", "atoms",  "experts",  "tokens",
                                          "elements", "nonzeros",  "edges",    "rays",   "queries",  "pixels",
                                          "bodies",   "bonds",     "points",   "images", "triangles"};
constexpr std::string_view kToDo[]{"active", "load"};

constexpr std::string_view kEnvironment[]{
    "device", "rank", "stream", "gpu", "node", "host", "start", "timestamp", "context", "process", "pid",
    "trace", "tid", "run", "pod", "cc", "time",
    // What the machine was set to before the run.
    "driver", "version", "firmware", "compiler", "governor", "persistence", "mps", "mig", "numa",
    // When it happened.
    "epoch", "step", "index", "weekday", "day", "hour", "month"};
/// Bytes that are transferred or processed, which are chosen before the launch; all words of the name are of
/// this kind. Traffic that a counter measures has other words ("dram_bytes", "bytes_read").
constexpr std::string_view kBytes[]{"bytes", "nbytes", "mb", "mib", "kb", "kib", "gb", "gib"};
constexpr std::string_view kOfWork[]{
    "n",        "num",     "number",  "size",      "total",      "data",         "message", "msg",
    "transfer", "copy",    "payload", "file",      "input",      "buffer",       "sent",    "send",
    "count",    "working", "set",     "footprint", "compressed", "decompressed", "encoded", "packed"};
constexpr std::string_view kMatrix[]{"m", "n", "k"}; ///< sizes of a matrix product
constexpr std::string_view kCycles[]{"cycles", "cyc"};
/// Together with "cycles". Elapsed and busy cycles are found by other words. PAPI_TOT_CYC, PAPI_REF_CYC.
constexpr std::string_view kPassing[]{"active", "wave", "tot", "ref"};
/// Counters of cycles in which a unit was busy, idle or clocked: equivalent to the duration. GRBM_COUNT,
/// GRBM_GUI_ACTIVE: clock cycles of an AMD device during the launch.
constexpr std::string_view kBusy[]{"busy", "idle", "gate", "valid", "grbm", "unhalted"};
constexpr std::string_view kActivity[]{"inst",  "instructions", "sectors",  "hit",
                                       "bytes", "occupancy",    "executed", "traffic"};

/// Samples of a launch's warps while it runs: states and numbers of samples follow from its duration.
/// smsp__pcsamp_warps_issue_stalled_long_scoreboard, smsp__average_warps_issue_stalled_math_pipe_throttle….
constexpr std::string_view kSampledWarps[]{"stalled", "pcsamp"};
/// Measured while or after a launch runs, and possibly its consequence.
constexpr std::string_view kMeasured[]{"wait",    "waiting",     "achieved",    "energy", "power",
                                       "backlog", "utilization", "utilisation", "util",   "usage",
                                       "load",    "active",      "eligible",    "issued", "occupied"};
/// Values that a launch or what follows it determines, also if the rest of the name is of an earlier tier:
/// "next gap", "temperature after", "throttle stall".
constexpr std::string_view kAfterwards[]{
    "next", "after", "following", "subsequent", "remaining", "left",    "end",   "final",
    "rise", "stall", "stalls",    "deadline",   "finish",    "polling", "polls", "spins"};
constexpr std::string_view kTimeWords[]{"time", "times"};
constexpr std::string_view kOfProcessor[]{"cpu", "user", "system", "sys"};
/// Amounts per time, unless of a clock.
constexpr std::string_view kRates[]{"throughput", "bandwidth", "rate",  "speed", "goodput", "gbs", "gbps",
                                    "tflops",     "gflops",    "flops", "fps",   "qps",     "tps"};
/// Fractions that are called rates.
constexpr std::string_view kFractions[]{"hit", "hits", "miss", "misses", "error", "fault"};
/// What precedes a launch or overlaps it may be measured in units of time.
constexpr std::string_view kBefore[]{
    "gap",         "delay",     "transfer",   "transfers", "copy",      "copies",    "memcpy",
    "memset",      "migration", "migrations", "fault",     "faults",    "overlap",   "overlapped",
    "overlapping", "window",    "warm",       "warmup",    "preceding", "previous",  "before",
    "since",       "age",       "idle",       "pause",     "pauses",    "interrupt", "interrupts"};
constexpr std::string_view kTimeUnits[]{"ns", "us", "µs", "ms", "s", "sec", "seconds"};
constexpr std::string_view kSums[]{"sum", "avg", "mean", "min", "max", "total"};
/// Hardware blocks of AMD's devices, the prefixes of their counters' names: SPI_CSN_WINDOW_VALID,
/// TCC_EA_RDREQ.
constexpr std::string_view kBlocks[]{"sq",  "sqc", "spi", "ta",  "td", "tcp",  "tcc",  "tca",
                                     "gds", "cpc", "cpf", "cpg", "ea", "grbm", "tcpa", "gl"};

/// "dram__bytes_read.sum.per_second", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "ipc": divided by
/// the duration or by cycles, so that a longer launch has a lower value without any cause.
bool is_rate_in_time(std::string_view name) {
  for (const std::string_view part : {"per_second", "per second", "/s", "per_cycle", "per cycle", "/cycle",
                                      "sustained_elapsed", "sustained_active", "sustained_region"})
    if (name.find(part) != std::string_view::npos) return true;
  const auto words = words_of(name);
  return contains(words, "ipc");
}

/// "tokens_per_s", "ms_per_batch", "requests per joule".
bool is_per_time(const std::vector<std::string>& words) {
  constexpr std::string_view kUnits[]{"second", "minute", "cycle", "joule", "watt", "step"};
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "per" && (any_of({words[i + 1]}, kTimeUnits) || any_of({words[i + 1]}, kUnits) ||
                              (i > 0 && any_of({words[i - 1]}, kTimeUnits))))
      return true;
  return false;
}

/// "step_time", "host_cpu" in µs, "wall_clock": how long something takes that includes the launch or follows
/// from it. Not times at which something happens ("start_time").
bool is_length_of_time(const std::vector<std::string>& words, std::string_view unit) {
  constexpr std::string_view kTimes[]{"time", "times", "wall", "walltime", "duration", "dur"};
  constexpr std::string_view kMoments[]{"start", "begin", "timestamp", "arrival", "launch", "date"};
  const bool measured =
      any_of({std::string(unit)}, kTimeUnits) || (words.size() > 1 && any_of(words, kTimes));
  return measured && !any_of(words, kBefore) && !any_of(words, kMoments);
}

/// Whether the form of a name allows a consequence of the launch, so that its other words decide nothing.
bool may_follow(const std::vector<std::string>& words, std::string_view unit) {
  constexpr std::string_view kQueues[]{"queue", "queued"};
  constexpr std::string_view kLengths[]{"length", "depth", "size", "time"};
  constexpr std::string_view kClocks[]{"clock", "frequency", "freq"};
  const bool rate = any_of(words, kRates) && !any_of(words, kClocks) && !any_of(words, kFractions);
  return any_of(words, kAfterwards) || rate || is_per_time(words) || is_length_of_time(words, unit) ||
         (any_of(words, kQueues) && any_of(words, kLengths));
}

} // namespace

bool has_form_of_consequence(std::string_view name, std::string_view unit) {
  return may_follow(words_of(name), unit) || is_in_time_unit(name);
}

bool is_in_time_unit(std::string_view name) {
  const auto words = words_of(name);
  return words.size() > 1 && contains(kTimeUnits, words.back());
}

bool ends_with_unit(std::string_view name) {
  constexpr std::string_view kUnits[]{"kib", "mib", "gib", "kb",      "mb",   "gb",  "bytes",  "w",   "mw",
                                      "kw",  "j",   "mj",  "hz",      "khz",  "mhz", "ghz",    "rpm", "v",
                                      "mv",  "c",   "pct", "percent", "gbps", "gbs", "celsius"};
  const auto words = words_of(name);
  return is_in_time_unit(name) || (words.size() > 1 && contains(kUnits, words.back()));
}

bool says_outcome(std::string_view name) {
  constexpr std::string_view kOutcomes[]{"status", "state",   "result",  "outcome", "verdict",
                                         "error",  "errors",  "message", "reason",  "bottleneck",
                                         "bound",  "class",   "label",   "flag",    "log",
                                         "note",   "comment", "slow",    "fast",    "regime"};
  return any_of(words_of(name), kOutcomes);
}

bool is_of_others(std::string_view name) {
  return any_of(words_of(name), kOthers);
}

bool is_clock(std::string_view name) {
  constexpr std::string_view kClocks[]{"clock", "clocks", "frequency", "freq"};
  return any_of(words_of(name), kClocks);
}

bool is_device_state(std::string_view name) {
  constexpr std::string_view kStates[]{"temperature", "temp", "fan"};
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
  std::erase(words, std::string());
  return words;
}

std::optional<int> tier_by_name(std::string_view name, std::string_view unit) {
  const auto words = words_of(name);
  const auto tier = [](Tier t) { return static_cast<int>(t); };
  if (words.size() > 1 && contains(kSettings, words.back())) return tier(Tier::configuration);
  if (any_of(words, kVariability)) return tier(Tier::variability);
  const auto of_bytes = [](const std::string& word) { return contains(kBytes, word); };
  const bool bytes = unit == "B" || std::ranges::any_of(words, of_bytes);
  if (bytes && !words.empty() && std::ranges::all_of(words, [&](const std::string& word) {
        return of_bytes(word) || contains(kOfWork, word);
      }))
    return tier(Tier::configuration);
  if (name.size() == 1 && !words.empty() && contains(kMatrix, words.front()))
    return tier(Tier::configuration);
  if (any_of(words, kSampledWarps)) return tier(Tier::duration);
  if (any_of(words, kLimits)) return tier(Tier::configuration);
  if (any_of(words, kOthers)) // what others do, unless it lasts longer for the same reason
    return any_of(words, kDuration) || is_length_of_time(words, unit) ? std::nullopt
                                                                      : std::optional(tier(Tier::context));
  // Time of a thread on a processor: its duration, without the time off the core.
  if (any_of(words, kTimeWords) && any_of(words, kOfProcessor)) return tier(Tier::duration);
  const bool of_block = words.size() > 1 && contains(kBlocks, words.front());
  // A count of active cycles is the duration in another unit.
  const bool has_cycles = any_of(words, kCycles);
  const bool rate = is_rate_in_time(name);
  if (!of_block && !rate && may_follow(words, unit))
    return any_of(words, kDuration) ? std::optional(tier(Tier::duration)) : std::nullopt;
  if (!of_block && !has_cycles && any_of(words, kContext)) return tier(Tier::context);
  if (any_of(words, kDuration)) return tier(Tier::duration);
  if (any_of(words, kToDo) && any_of(words, kPartsOfWork)) return tier(Tier::configuration);
  if (any_of(words, kMeasured) && !has_cycles && !rate && !any_of(words, kBusy)) return std::nullopt;
  if (has_cycles && any_of(words, kPassing)) return tier(Tier::duration);
  const bool counts_cycles =
      of_block && words[1].starts_with("cycle") &&
      (words.size() == 2 || (words.size() == 3 && any_of({words.back()}, kSums))); // TCC_CYCLE_sum
  if (counts_cycles || rate || any_of(words, kBusy)) return tier(Tier::duration);
  if (has_cycles && !of_block) return std::nullopt;
  if (of_block || any_of(words, kActivity)) return tier(Tier::counters);
  if (any_of(words, kConfiguration)) return tier(Tier::configuration);
  if (any_of(words, kEnvironment)) return tier(Tier::environment);
  return std::nullopt;
}

int default_tier(std::string_view name, std::string_view unit) {
  return tier_by_name(name, unit).value_or(static_cast<int>(Tier::counters));
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
