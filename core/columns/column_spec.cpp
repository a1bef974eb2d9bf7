#include "core/columns/column_spec.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace jitterscope {
namespace {

using enum ColumnKind;

constexpr ColumnSpec kDerived[] = {
    {"start", "ns", "start of the launch on the session's time axis", Number, 0},
    {"duration", "ns", "end minus start", Number, 4, ColumnNeeds::durations},
    {"end", "ns", "end of the launch on the session's time axis", Number, 4, ColumnNeeds::times},
    {"name", "", "kernel, full signature", Text, 1},
    {"short_name", "", "kernel without template arguments and parameters", Text, 1},
    {"kernel", "", "number of the kernel in this session", Category, 1},
    {"configuration", "",
     "number of the configuration (kernel, grid, block, shared memory, registers) in this session", Category,
     1},
    {"grid_x", "", "number of blocks in x", Number, 1, ColumnNeeds::nothing, CausalUse::numeric},
    {"grid_y", "", "number of blocks in y", Number, 1, ColumnNeeds::nothing, CausalUse::numeric},
    {"grid_z", "", "number of blocks in z", Number, 1, ColumnNeeds::nothing, CausalUse::numeric},
    {"block_x", "", "number of threads of a block in x", Number, 1, ColumnNeeds::nothing, CausalUse::numeric},
    {"block_y", "", "number of threads of a block in y", Number, 1, ColumnNeeds::nothing, CausalUse::numeric},
    {"block_z", "", "number of threads of a block in z", Number, 1, ColumnNeeds::nothing, CausalUse::numeric},
    {"blocks", "", "number of blocks: product of the grid dimensions", Number, 1},
    {"threads_per_block", "", "number of threads of a block: product of its dimensions", Number, 1},
    {"static_shared_memory", "B", "static shared memory of a block", Number, 1, ColumnNeeds::nothing,
     CausalUse::numeric},
    {"dynamic_shared_memory", "B", "dynamic shared memory of a block, requested at launch", Number, 1,
     ColumnNeeds::nothing, CausalUse::numeric},
    {"registers", "", "registers per thread", Number, 1, ColumnNeeds::nothing, CausalUse::numeric},
    {"stream", "", "stream number inside its process and device", Category, 0, ColumnNeeds::times},
    {"device", "", "device number", Category, 0},
    {"rank", "", "rank of the process", Category, 0},
    {"process", "", "process id", Category, 0},
    {"trace", "", "number of the trace in the session", Category, 0},
    {"range", "", "innermost named range around the launch call", Text, 0, ColumnNeeds::times},
    {"row", "", "number of the launch in the session: trace after trace, each in order of start", Number, 0},
    {"copy_kind", "",
     "kind of memory operation that covers more of the time from the end of the previous launch on the "
     "stream "
     "to the end of the launch than any other kind; \"none\" without memory operations",
     Text, 2, ColumnNeeds::times},
    {"first_launch", "", "1 for the first launch of its configuration on its device", Number, 2,
     ColumnNeeds::nothing, CausalUse::event},
    {"graph_launch", "", "1 if launched as part of a graph", Number, 1, ColumnNeeds::times, CausalUse::event},
    {"kernel_variability", "ns",
     "|duration - mean duration of its configuration|; missing when the configuration ran once", Number, 5,
     ColumnNeeds::durations},
    {"relative_variability", "", "kernel_variability divided by the mean duration of the configuration",
     Number, 5, ColumnNeeds::durations},
    {"memory_stall", "ns",
     "|duration - length of the union of linked memory operations|; missing without linked memory operations",
     Number, 5, ColumnNeeds::times}};

// Columns that are computed at import and stored; tier 2.
constexpr ColumnSpec kComputed[] = {
    {"gap_ns", "ns",
     "Time from the latest end of earlier launches on the stream to the start of the launch, 0 when they "
     "overlap"},
    {"queue_delay_ns", "ns",
     "Start of the launch minus return of its launch call; negative when it started before the return"},
    {"concurrency", "",
     "Number of other kernels running on the device, time-weighted mean over the execution of the launch"},
    {"overlap_host_to_device_ns", "ns",
     "Time of the execution that overlaps host-to-device copies on the device"},
    {"overlap_device_to_host_ns", "ns",
     "Time of the execution that overlaps device-to-host copies on the device"},
    {"overlap_device_to_device_ns", "ns",
     "Time of the execution that overlaps device-to-device copies on the device"},
    {"overlap_peer_to_peer_ns", "ns",
     "Time of the execution that overlaps peer-to-peer copies on the device"},
    {"overlap_memset_ns", "ns", "Time of the execution that overlaps memsets on the device"},
    {"overlap_transfer_bytes", "B",
     "Bytes of the copies that overlap the execution, in proportion to the overlapping part of each; missing "
     "where the size of a copy is unknown"},
    {"migration_ns", "ns", "Time of the execution that overlaps unified-memory migrations on the device"},
    {"migration_bytes", "B", "Bytes of the migrations that overlap the execution"},
    {"migration_count", "", "Number of migrations that overlap the execution"},
    {"page_fault_count", "",
     "Number of migrations that overlap the execution and were caused by page faults"},
    {"window_migration_ns", "ns",
     "Time of the feeding window (end of the previous launch to end of the launch) that migrations cover"},
    {"linked_transfer_ns", "ns",
     "Length of the union of all memory operations that overlap the feeding window (end of the previous "
     "launch "
     "to end of the launch)"},
    {"linked_transfer_count", "",
     "Number of memory operations that overlap the feeding window (end of the previous launch to end of the "
     "launch)"},
    {"linked_kind", "",
     "Kind of memory operation that covers most of the feeding window (end of the previous launch to end of "
     "the "
     "launch)"},
    {"linked_overlapped_ns", "ns", "Time of the linked memory operations inside the execution"},
    {"linked_exposed_ns", "ns", "Time of the linked memory operations outside the execution"},
    {"burst_position", "", "Number of launches on the stream since the last gap of more than 10 µs"}};

// Columns of sessions that have the required data: the model of durations, collectives, call sites, several
// GPUs.
constexpr ColumnSpec kOfSession[] = {
    {"excess_ns", "ns",
     "duration minus the median over launches of the same configuration and call site; for collectives, the "
     "median excludes waiting for other devices",
     Number, 4},
    {"excess_clock_ns", "ns", "part of the excess that clocks account for", Number, 4},
    {"excess_copies_ns", "ns", "part of the excess that copies during the launch account for", Number, 4},
    {"excess_migrations_ns", "ns", "part of the excess that unified-memory migrations account for", Number,
     4},
    {"excess_other_kernels_ns", "ns",
     "part of the excess that other kernels running at the same time account for", Number, 4},
    {"excess_place_ns", "ns", "part of the excess that the device, rank, stream or run accounts for", Number,
     4},
    {"excess_waiting_ns", "ns", "part of the excess that is waiting for other devices in a collective",
     Number, 4},
    {"excess_first_launch_ns", "ns",
     "part of the excess that being the first launch of its configuration accounts for", Number, 4},
    {"excess_other_ns", "ns", "part of the excess that other recorded causes account for", Number, 4},
    {"excess_unexplained_ns", "ns", "part of the excess that nothing recorded explains", Number, 4},
    {"different_work_ns", "ns", "median of the call site minus the median of the configuration", Number, 4},
    {"collective_wait_ns", "ns",
     "kernels that communicate: time from the start of the launch until the last device has started the same "
     "collective"},
    {"call_site", "",
     "call site: the ranges around the call or the launches before and after it on its stream; only where "
     "durations of a configuration depend on it",
     Text, 1},
    {"device_name", "", "name of the device", Text, 0},
    {"node_name", "", "name of the node", Text, 0}};

// Columns of table "launches" that are not listed, and words of the filter language.
constexpr std::string_view kReserved[] = {"call", "correlation", "flags", "variant",
                                          "and",  "or",          "not",   "in"};

constexpr ColumnWords kWords[] = {
    {"first_launch", "first launch of its configuration", "first launch"},
    {"migration", "unified-memory migration during the launch", "migration during launch"},
    {"page_fault", "page faults during the launch", "page faults"},
    {"page_fault_count", "page faults during the launch", ""},
    {"window_migration", "unified-memory migration since the previous launch",
     "migration since previous launch"},
    {"overlap_host_to_device", "host-to-device copies during the launch", "host-to-device copies"},
    {"overlap_h2d", "host-to-device copies during the launch", ""},
    {"overlap_device_to_host", "device-to-host copies during the launch", "device-to-host copies"},
    {"overlap_d2h", "device-to-host copies during the launch", ""},
    {"overlap_device_to_device", "device-to-device copies during the launch", "device-to-device copies"},
    {"overlap_d2d", "device-to-device copies during the launch", ""},
    {"overlap_peer_to_peer", "peer-to-peer copies during the launch", "peer-to-peer copies"},
    {"overlap_memset", "memsets during the launch", "memsets"},
    {"overlap_transfer", "copies during the launch", "copies during launch"},
    {"overlap_copy", "copies during the launch", ""},
    {"recent_copy", "copies shortly before the launch", "copies before launch"},
    {"recent_idle", "idle time of the stream shortly before the launch", "idle time before launch"},
    {"recent_migration", "unified-memory migration shortly before the launch", "migration before launch"},
    {"memcpy_overlap", "copies during the launch", ""},
    {"linked_transfer", "memory operations since the previous launch", "memory operations"},
    {"linked_overlapped", "memory operations during the launch", "memory operations during launch"},
    {"linked_exposed", "memory operations outside the launch's execution",
     "memory operations outside execution"},
    {"collective_wait", "waiting for other devices in a collective", ""},
    {"grid_x", "grid size (x)", "grid x"},
    {"grid_y", "grid size (y)", "grid y"},
    {"grid_z", "grid size (z)", "grid z"},
    {"blocks", "number of blocks", "blocks"},
    {"threads", "number of threads", "threads"},
    {"block_x", "block size (x)", "block x"},
    {"block_y", "block size (y)", "block y"},
    {"block_z", "block size (z)", "block z"},
    {"registers", "registers per thread", "registers"},
    {"static_shared_memory", "static shared memory", ""},
    {"dynamic_shared_memory", "dynamic shared memory", ""},
    {"shared_memory", "shared memory", ""},
    {"concurrency", "other kernels running at the same time", "concurrent kernels"},
    {"queue_delay", "delay between the launch call and the start", "queue delay"},
    {"gap", "gap before the launch", "gap before launch"},
    {"burst_position", "position in a series of launches", "position in series"},
    {"call_site", "call site", ""},
    {"papi_tot_ins", "number of instructions", "instructions"},
    {"ipc", "instructions per cycle", ""},
    {"frequency_ghz", "clock of the core", "core clock"},
    {"off_core", "time off the core", ""},
    {"papi_l1_dcm", "L1 data-cache misses", ""},
    {"papi_l1_tcm", "L1 cache misses", ""},
    {"papi_l2_dcm", "L2 data-cache misses", ""},
    {"papi_l2_tcm", "L2 cache misses", ""},
    {"papi_l3_dcm", "L3 data-cache misses", ""},
    {"papi_l3_tcm", "L3 cache misses", ""},
    {"papi_tlb_dm", "data TLB misses", ""},
    {"papi_br_msp", "branch mispredictions", ""},
    {"papi_br_ins", "branch instructions", ""},
    {"papi_ld_ins", "load instructions", ""},
    {"papi_sr_ins", "store instructions", ""},
    {"papi_lst_ins", "load and store instructions", ""},
    {"papi_fp_ins", "floating-point instructions", ""},
    {"papi_fp_ops", "floating-point operations", ""},
    {"papi_dp_ops", "double-precision operations", ""},
    {"papi_sp_ops", "single-precision operations", ""},
    {"papi_vec_ins", "vector instructions", ""},
    {"papi_res_stl", "cycles stalled on a resource", "stalled cycles"},
    {"sm_clock", "SM clock", ""},
    {"gpc_clock", "GPC clock", ""},
    {"sys_clock", "system clock", ""},
    {"graphics_clock", "graphics clock", ""},
    {"gpu_clock", "GPU clock", ""},
    {"memory_clock", "memory clock", ""},
    {"mem_clock", "memory clock", ""},
    {"clock", "clock", ""},
    {"temperature", "temperature", ""},
    {"power", "power", ""},
    {"stream", "stream", ""},
    {"device", "device", ""},
    {"rank", "rank", ""},
    {"node_name", "node", ""},
    {"trace", "run", ""},
    {"graph_launch", "launch from a graph", "graph launch"},
    {"kernel_variability", "kernel variability", ""},
    {"memory_stall", "memory-stall variability", "memory-stall variability"},
    {"memory_stall_variability", "memory-stall variability", ""},
    {"duration", "duration", ""},
    {"predicted_duration", "duration predicted by the performance model", "predicted duration"},
    {"model_residual", "duration that the performance model does not explain", ""},
    {"short_name", "", "kernel"},
    {"excess_clock", "", "excess due to clocks"},
    {"excess_copies", "", "excess due to copies"},
    {"excess_migrations", "", "excess due to migrations"},
    {"excess_other_kernels", "", "excess due to other kernels"},
    {"excess_place", "", "excess due to device, rank, stream or run"},
    {"excess_waiting", "", "excess due to waiting in collectives"},
    {"excess_first_launch", "", "excess due to first launches"},
    {"excess_other", "", "excess due to other causes"},
    {"excess_unexplained", "", "unexplained excess"}};

const ColumnSpec* found_in(std::span<const ColumnSpec> list, std::string_view name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& spec) { return spec.name == name; });
  return found == list.end() ? nullptr : &*found;
}

const ColumnSpec* find_spec(std::string_view name) {
  for (const std::span<const ColumnSpec> list :
       {std::span<const ColumnSpec>(kDerived), std::span<const ColumnSpec>(kComputed),
        std::span<const ColumnSpec>(kOfSession)})
    if (const auto* spec = found_in(list, name)) return spec;
  return nullptr;
}

} // namespace

std::span<const ColumnSpec> derived_columns() {
  return kDerived;
}

const ColumnSpec& column_spec(std::string_view name) {
  const auto* spec = find_spec(name);
  assert(spec);
  return *spec;
}

bool is_reserved_column(std::string_view name) {
  return find_spec(name) ||
         std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
}

std::span<const ColumnWords> column_words() {
  return kWords;
}

} // namespace jitterscope
