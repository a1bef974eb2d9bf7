#pragma once

#include <nlohmann/json.hpp>

#include "core/efficiency/counters.h"
#include "core/efficiency/efficiency.h"
#include "core/efficiency/kernel_time.h"
#include "core/efficiency/steps.h"

namespace jitterscope::efficiency {

/// Factors as {device: {parallel, …}, host: {…}, mpi: {…}}; a factor is null if the trace does not determine
/// it.
nlohmann::json to_json(const Factors& factors);

/// {range_ns: {begin, end}, range_given, range_requested_ns: only if the requested range exceeds the recorded
/// time, recorded_range_ns: of all activity of the rows, hosts_outside: {active_ns, active_recorded_ns,
/// mpi_ns, mpi_recorded_ns}: time of host threads in calls and state Running outside the range, and all of
/// it, elapsed_ns, collectives_as, device, host, mpi, hybrid: null or {parallel,
/// load_balance, communication, inner: {parallel, load_balance, communication}}, late_processes: null or
/// {late, all, latest_ns}: processes whose first record is later than 1 % of the range, and the latest of
/// these after its beginning, recorded: {mpi, offload, states, collectives}, import_notes: [entries of the
/// import report about missing or renumbered processes], devices: [{name, run, rank, device, trace, resource,
/// useful_ns, communication_ns, hidden_communication_ns, idle_ns}], hosts:
/// [{name, run, rank, trace, resource, useful_ns, mpi_ns, offload_ns, other_ns}], rows_left_out, losses:
/// [{factor, lost_in_mpi: only time in MPI calls counts, parent, value, cost_ns, place}]}; place is null or
/// {on: "device" | "host", index, name, other, other_name, begin_ns, end_ns, lost_ns, lost_inside_ns}: index
/// and other (null: none) are indices into devices or hosts. Of more than `max_rows` devices or hosts, those
/// with the largest losses are listed, and those to which a place refers; rows_left_out: number of the
/// others.
nlohmann::json to_json(const Activity& activity, const analysis::Session& session, const Result& result,
                       std::size_t max_rows = SIZE_MAX);

/// The efficiencies of each part: [{begin_ns, end_ns, device, host, mpi}].
nlohmann::json parts_json(const Result& result);
/// The efficiencies of the rows of each rank: [{rank, devices, threads, device, host, mpi}] with the numbers
/// of devices and threads, sorted by rank; rows of unknown rank form one entry.
nlohmann::json ranks_json(const Activity& activity, const Result& result);
/// The efficiencies of each device alone: [{name, rank, number, device, host, mpi}].
nlohmann::json device_factors_json(const Activity& activity, const Result& result);

/// Sums for comparison with another run: {elapsed_ns, range_ns, range_given, collectives_as, hosts:
/// {threads, processes, useful_ns, instructions, cycles, threads_without_counters}, devices: {devices,
/// processes, useful_ns}, kernels:
/// [{name, collective, launches, duration_ns}]}; processes: of the host threads, or with one of the devices.
nlohmann::json sums_json(const Activity& activity, const analysis::Session& session, const Result& result,
                         const UsefulCounters& counters, const std::vector<KernelTime>& kernels);
/// Comparison with a reference run: {hosts: {scaling, computation, instructions, ipc, frequency, global,
/// speedup, ipc_here, ipc_reference, frequency_here_ghz, frequency_reference_ghz}, devices: {scaling,
/// computation, global, speedup}, kernels: [{name, computation, duration_ns, reference_ns}],
/// kernels_computation}; kernels that ran in both, the longest first. Errors: BadUse when `reference` has no
/// such sums, or counts collectives differently.
Expected<nlohmann::json> scaling_json(const Result& result, const nlohmann::json& sums,
                                      const nlohmann::json& reference);

} // namespace jitterscope::efficiency
