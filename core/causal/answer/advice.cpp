#include "core/causal/answer/advice.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/causal/base/lists.h"
#include "core/causal/base/tiers.h"

namespace jitterscope::causal {
namespace {

/// A remedy for causes whose names start with one of `begins` or contain one of `contains`. `rocm`: commands
/// on AMD GPUs; if empty, `command` is used.
struct Remedy {
  std::initializer_list<std::string_view> begins;
  const char* text;
  const char* command;
  const char* source;
  const char* rocm = "";
  std::initializer_list<std::string_view> contains = {};
};

// Page faults are those of unified memory; kHostRemedies has those of the host. The first match is used, so
// the clock of a device gets the remedy for clocks, not the one for devices.
const std::array<Remedy, 8> kRemedies{{
    {{"migration", "window_migration", "page_fault_count"},
     "Prefetch managed memory before the launch, or set its preferred location; use device memory for data "
     "that only the GPU accesses.",
     "cudaMemPrefetchAsync, cudaMemAdvise",
     "CUDA C++ Programming Guide, Unified Memory Programming, Performance Tuning",
     "hipMemPrefetchAsync, hipMemAdvise"},
    {{"temperature", "power"},
     "Check whether power or temperature limits the clock, and lock the clock when you compare runs.",
     "nvidia-smi -q -d PERFORMANCE; nvidia-smi --lock-gpu-clocks=MIN,MAX",
     "nvidia-smi(1), GPU clocks event reasons; rocm-smi, performance determinism",
     "rocm-smi --showclocks; rocm-smi --setperfdeterminism MHZ",
     {"clock", "temperature", "frequency"}},
    {{"overlap_", "linked_", "recent_copy", "memcpy_overlap"},
     "Move these copies to a time when the kernel does not run, or copy less; use pinned memory and a "
     "separate stream.",
     "cudaHostAlloc, cudaMemcpyAsync",
     "CUDA C++ Best Practices Guide, Asynchronous and Overlapping Transfers with Computation",
     "hipHostMalloc, hipMemcpyAsync"},
    {{"gap", "burst_position", "recent_idle"},
     "Shorten the gaps: capture the sequence of launches as a graph, or merge short kernels.",
     "cudaStreamBeginCapture, cudaGraphLaunch",
     "CUDA C++ Programming Guide, CUDA Graphs",
     "hipStreamBeginCapture, hipGraphLaunch"},
    {{"first_launch"},
     "Launch each kernel once before you measure, or leave first launches out with the filter `not "
     "first_launch`.",
     "CUDA_MODULE_LOADING=EAGER",
     "CUDA C++ Programming Guide, Lazy Loading"},
    {{"concurrency"},
     "Run fewer kernels at the same time, or give the stream of this kernel a higher priority.",
     "cudaStreamCreateWithPriority",
     "CUDA C++ Programming Guide, Stream Priorities",
     "hipStreamCreateWithPriority"},
    {{"collective_wait"},
     "Find the device that arrives last and shorten its work before the collective.",
     "jitterscope info FILES",
     "jitterscope help collectives"},
    {{"device", "gpu", "node", "host", "rank", "cabinet", "uuid"},
     "Compare clocks, power limit, temperature and ECC errors of this device with those of others, and check "
     "which rank uses which GPU and cores.",
     "nvidia-smi -q; nvidia-smi topo -m; mpirun --report-bindings",
     "nvidia-smi(1); Open MPI, mpirun(1)",
     "rocm-smi -a; rocm-smi --showtopo; mpirun --report-bindings"},
}};

// Remedies for causes that act on threads of the host.
const std::array<Remedy, 9> kHostRemedies{{
    {{"page_faults", "minor_faults", "major_faults", "soft_page_faults", "hard_page_faults"},
     "Touch memory once before you measure, reuse buffers instead of allocating them again, or use huge "
     "pages.",
     "perf stat -e minor-faults,major-faults",
     "perf-stat(1); Linux kernel, Transparent Hugepage Support"},
    {{"off_core", "voluntary_context", "involuntary_context"},
     "Find what else runs on the core: other processes, interrupts, page faults. Bind ranks to cores, and "
     "leave a core to the operating system.",
     "perf sched record; perf stat -e context-switches,page-faults",
     "perf-sched(1); perf-stat(1)"},
    {{"papi_tot_ins", "papi_fp", "papi_dp", "papi_sp", "papi_vec"},
     "Find out why these bursts do more work: another input, a finer part of the domain, another path "
     "through the code, or a loop that waits.",
     "perf record -g; perf report --sort symbol",
     "perf-record(1)"},
    {{"papi_l", "papi_tlb"},
     "Check which ranks share a cache or a memory controller and what they do at this time, and where their "
     "memory is.",
     "mpirun --report-bindings; numastat -p PID; perf stat -e cache-misses",
     "Open MPI, mpirun(1); numastat(8)"},
    {{"papi_br", "branch"},
     "Find the branches that depend on the data, and sort the data, or replace branches by arithmetic.",
     "perf record -e branch-misses; perf annotate",
     "perf-record(1)"},
    {{"ipc"},
     "Record counters of caches, memory and branches: instructions are executed more slowly, and the "
     "recorded counters do not show why. Check where the memory of these ranks is.",
     "papi_avail; numastat -p PID",
     "PAPI, papi_avail(1); numastat(8)"},
    {{"frequency_ghz", "power"},
     "Set a fixed frequency of the cores when you compare runs, and check whether power or temperature "
     "limits it.",
     "cpupower frequency-set --governor performance; turbostat",
     "cpupower-frequency-set(1); turbostat(8)",
     "",
     {"clock", "temperature", "frequency"}},
    {{"gap", "burst_position", "recent_idle"},
     "Examine what the thread does before these rows: messages, I/O and waiting leave caches cold.",
     "perf trace -s -p PID",
     "perf-trace(1)"},
    {{"device", "node", "host", "rank", "process", "stream", "cabinet"},
     "Compare the work, the frequency and the memory placement of this rank with the others, and check which "
     "cores each rank uses.",
     "mpirun --report-bindings; numastat -p PID",
     "Open MPI, mpirun(1); numastat(8)"},
}};

bool of_host(Tool tool) {
  return tool == Tool::extrae || tool == Tool::score_p || tool == Tool::other_of_host;
}

bool fits(const Remedy& remedy, std::string_view name) {
  return std::ranges::any_of(remedy.begins, [&](auto begin) { return name.starts_with(begin); }) ||
         std::ranges::any_of(remedy.contains, [&](auto part) { return name.find(part) != name.npos; });
}

constexpr const char* kNsys = "Nsight Systems User Guide, CLI profile command options";
constexpr const char* kExtrae = "Extrae documentation, XML configuration file";
constexpr const char* kScoreP = "Score-P User Manual, Appendix, Measurement Configuration";
constexpr const char* kClockLog =
    "nvidia-smi --query-gpu=timestamp,index,clocks.sm,power.draw,temperature.gpu "
    "--format=csv -lms 10 > clocks.csv; jitterscope TRACE clocks.csv";
constexpr const char* kLog = "nvidia-smi(1), --query-gpu; jitterscope help formats";
constexpr const char* kNcu = "Nsight Compute CLI, command line options";

constexpr const char* kRocprof = "ROCprofiler-SDK, Using rocprofv3";

/// Data to record next with a tool, unless the trace already has it.
struct Recording {
  Tool tool;
  bool Recorded::*recorded; ///< null: advised in any case
  const char* what;
  const char* option;
  const char* source;
};

constexpr Recording kRecordings[] = {
    {Tool::nsight_systems, &Recorded::clocks, "GPU clocks", "nsys profile --gpu-metrics-devices=all", kNsys},
    {Tool::nsight_systems, &Recorded::migrations, "page faults of unified memory",
     "nsys profile --cuda-um-gpu-page-faults=true --cuda-um-cpu-page-faults=true", kNsys},
    {Tool::nsight_systems, nullptr, "other processes on the same device", "nsys profile --gpuctxsw=true",
     kNsys},
    {Tool::nsight_systems, &Recorded::counters, "hardware counters of individual launches", "ncu --set full",
     kNcu},
    {Tool::nsight_compute, nullptr, "launches at the clocks of a normal run", "ncu --clock-control none",
     kNcu},
    {Tool::nsight_compute, nullptr, "a trace of the same program",
     "nsys profile --trace=cuda,nvtx --gpu-metrics-devices=all", kNsys},
    {Tool::rocm, &Recorded::counters, "hardware counters of individual launches",
     "rocprofv3 --pmc SQ_WAVES --kernel-trace", kRocprof},
    {Tool::rocm, &Recorded::migrations, "memory copies", "rocprofv3 --sys-trace", kRocprof},
    {Tool::rocm, &Recorded::clocks, "a run with fixed clocks, for comparison",
     "rocm-smi --setperfdeterminism MHZ", "rocm-smi, performance determinism"},
    {Tool::pytorch, &Recorded::clocks, "GPU clocks next to the trace", kClockLog, kLog},
    {Tool::pytorch, nullptr, "shapes of operators",
     "torch.profiler.profile(record_shapes=True, with_stack=True)", "PyTorch, torch.profiler"},
    {Tool::extrae, &Recorded::counters, "hardware counters of the threads",
     "<counters enabled=\"yes\"> in extrae.xml", kExtrae},
    {Tool::extrae, nullptr, "sampled call stacks", "<sampling enabled=\"yes\"> in extrae.xml", kExtrae},
    {Tool::score_p, &Recorded::counters, "hardware counters",
     "SCOREP_METRIC_PAPI=PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L3_TCM", kScoreP},
    {Tool::score_p, nullptr, "page faults and context switches", "SCOREP_METRIC_RUSAGE=ru_minflt,ru_nivcsw",
     kScoreP},
    {Tool::other_of_host, &Recorded::counters, "hardware counters of the threads",
     "perf stat -e instructions,cycles,cache-misses -p PID", "perf-stat(1)"},
    {Tool::other_of_host, nullptr, "other processes on the same cores", "perf sched record", "perf-sched(1)"},
    {Tool::other, &Recorded::clocks, "GPU clocks", kClockLog, kLog},
    {Tool::other, &Recorded::migrations, "unified-memory traffic", "", ""},
    {Tool::other, nullptr, "other processes on the same device", "", ""},
    {Tool::other, &Recorded::counters, "hardware counters of individual launches", "", ""},
};

} // namespace

Tool tool_of(std::string_view format) {
  const auto has = [&](std::string_view part) { return format.find(part) != format.npos; };
  if (has("Nsight Systems") || has("nsys")) return Tool::nsight_systems;
  if (has("Nsight Compute")) return Tool::nsight_compute;
  if (has("roc") || has("ROC") || has("Omniperf")) return Tool::rocm;
  return has("PyTorch") || has("Kineto") ? Tool::pytorch : Tool::other;
}

Tool host_tool_of(std::string_view format) {
  if (format.find("Paraver") != format.npos) return Tool::extrae;
  return format.find("OTF2") != format.npos ? Tool::score_p : Tool::other_of_host;
}

std::optional<Advice> advice_for(std::string_view feature, Tool tool) {
  std::string_view name = feature;
  if (name.starts_with("mean_")) name.remove_prefix(5);
  const auto fit = [&](const Remedy& r) { return fits(r, name); };
  // Page faults of the host also occur in tables of launches.
  const bool faults = fits(kHostRemedies.front(), name);
  const std::span<const Remedy> remedies =
      of_host(tool) || faults ? std::span<const Remedy>(kHostRemedies) : std::span<const Remedy>(kRemedies);
  const auto found = std::ranges::find_if(remedies, fit);
  if (found == remedies.end()) return std::nullopt;
  const bool rocm = tool == Tool::rocm && *found->rocm;
  return Advice{Advice::Kind::remedy, std::string(feature), found->text, rocm ? found->rocm : found->command,
                found->source};
}

void Recorded::add(std::string_view column, int tier) {
  clocks = clocks || column.find("clock") != column.npos;
  migrations = migrations || column.starts_with("migration");
  counters = counters || tier == static_cast<int>(Tier::counters) || column.starts_with("papi_");
}

Recorded recorded_in(const CausalResult& result) {
  Recorded recorded;
  for (const auto& f : result.features) recorded.add(f.name, f.tier);
  return recorded;
}

std::vector<Advice> recording_advice(Tool tool, const Recorded& recorded) {
  std::vector<Advice> advice;
  for (const Recording& r : kRecordings) {
    const bool known = r.recorded != nullptr && recorded.*r.recorded;
    if (r.tool == tool && !known) advice.push_back({Advice::Kind::record, {}, r.what, r.option, r.source});
  }
  return advice;
}

std::vector<Advice> advice_on(const CausalResult& result, Tool tool) {
  std::vector<Advice> advice;
  bool cause = false;
  for (const Contribution& c : result.contributions) {
    if (c.role != Role::cause) continue;
    cause = true;
    const auto remedy = advice_for(c.feature, tool);
    const bool known = remedy && contains(advice, remedy->text, &Advice::text);
    if (remedy && !known) advice.push_back(*remedy);
  }
  const bool of_launches = result.target == "kernel_variability";
  return cause || !of_launches ? advice : recording_advice(tool, recorded_in(result));
}

std::vector<std::string> in_words(const std::vector<Advice>& advice) {
  std::vector<std::string> lines, records;
  for (const Advice& a : advice) {
    const auto command = a.command.empty() ? std::string() : fmt::format(" ({})", a.command);
    if (a.kind == Advice::Kind::record)
      records.push_back(a.text + command);
    else
      lines.push_back(
          fmt::format("Advice: {}{}.", std::string_view(a.text).substr(0, a.text.size() - 1), command));
  }
  if (!records.empty())
    lines.push_back(fmt::format("Advice: to learn more, record {}.", fmt::join(records, ", ")));
  return lines;
}

} // namespace jitterscope::causal
