#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/efficiency/ratio.h"

namespace jitterscope::efficiency {

// The efficiency models of POP and TALP as arithmetic on times, all in ns. Factors have the names of these
// models: parallel efficiency, load balance … A factor is unknown if its divisor is 0.

/// Times of one device in a range of length T: K is the union of its kernels, C the union of its memory
/// operations. If collectives count as communication, kernels that communicate belong to C, not to K.
struct DeviceTime {
  std::int64_t useful = 0;        ///< |K|
  std::int64_t communication = 0; ///< |C \ K|: communication that no kernel hides
  std::int64_t hidden = 0;        ///< |C ∩ K|
  std::int64_t idle = 0;          ///< T − useful − communication
};

/// Times of one host thread in a range of length T = useful + mpi + offload + other.
struct HostTime {
  std::int64_t useful =
      0; ///< computation: state Running outside calls; without states, all except the other parts
  std::int64_t mpi = 0;     ///< inside MPI calls
  std::int64_t offload = 0; ///< inside calls of a GPU's runtime
  std::int64_t other =
      0; ///< none of the parts above: OpenMP, I/O, idle; 0 if no states of the thread are recorded
};

/// parallel = load_balance · communication · orchestration.
struct DeviceEfficiencies {
  Ratio parallel;      ///< Σ useful / (G · T)
  Ratio load_balance;  ///< Σ useful / (G · max useful)
  Ratio communication; ///< max useful / max (useful + communication)
  Ratio orchestration; ///< max (useful + communication) / T
};

/// parallel = mpi · offload · runtime, mpi = load_balance · communication. U, M, O and X are useful, mpi,
/// offload and other of HostTime.
struct HostEfficiencies {
  Ratio parallel;     ///< Σ useful / (n · T)
  Ratio mpi;          ///< Σ (T − M) / (n · T)
  Ratio load_balance; ///< Σ (T − M) / (n · max (T − M_p)), M_p: mean of M over the threads of process p
  Ratio communication; ///< max (T − M_p) / T
  Ratio offload;       ///< Σ (U + X) / Σ (U + X + O), X other: DLB's second model; U / (U + O) where X = 0
  Ratio runtime;       ///< Σ U / Σ (U + X): decreases with OpenMP, I/O and idle time
};

/// parallel = load_balance · communication, communication = serialisation · transfer. U: useful time of a
/// process. Programs with several threads per process (BasicAnalysis' hybrid model): the time outside MPI of
/// the master thread, so that the time of other runtimes is not attributed to MPI.
struct MpiEfficiencies {
  Ratio parallel;      ///< Σ U / (P · T)
  Ratio load_balance;  ///< Σ U / (P · max U)
  Ratio communication; ///< max U / T
  Ratio serialisation; ///< max U / T_ideal; unknown without the time on an ideal network
  Ratio transfer;      ///< T_ideal / T; unknown without T_ideal
};

/// `elapsed`: T, more than 0.
DeviceEfficiencies device_efficiencies(std::span<const DeviceTime> devices, std::int64_t elapsed);
/// `processes`: by host the number of its process, as in DLB, where a process waits as long as its threads do
/// on average; without it, each host is a process.
HostEfficiencies host_efficiencies(std::span<const HostTime> hosts, std::int64_t elapsed,
                                   std::span<const std::size_t> processes = {});
/// `useful`: U_i. `ideal`: elapsed time of a replay with zero latency and infinite bandwidth, as Dimemas
/// computes it.
MpiEfficiencies mpi_efficiencies(std::span<const std::int64_t> useful, std::int64_t elapsed,
                                 std::optional<std::int64_t> ideal = {});

/// Sums of one run for computing its scaling.
struct RunSums {
  std::int64_t elapsed = 0;                  ///< T [ns]
  std::int64_t processes = 0;                ///< P: number of host threads or devices in Σ U
  std::int64_t useful = 0;                   ///< Σ U [ns]
  std::int64_t instructions = 0, cycles = 0; ///< in useful time; 0 if unknown
};

/// A run relative to a reference run: computation = instructions · ipc · frequency.
struct Scaling {
  bool weak = false;
  Ratio computation;  ///< Σ U_ref / Σ U, weak: · P / P_ref
  Ratio instructions; ///< Ins_ref / Ins, weak: · P / P_ref
  Ratio ipc;          ///< IPC / IPC_ref, IPC = Ins / Cyc in useful time
  Ratio frequency;    ///< F / F_ref, F = Cyc / Σ U
  Ratio speedup;      ///< T_ref / T, weak: · P / P_ref
};
Scaling scaling(const RunSums& run, const RunSums& reference);
/// Detects weak scaling as BasicAnalysis does: at least two of three ratios to the reference exceed 0.9. They
/// are T_ref / T, and the instructions and the useful time per process, where the reference is the run with
/// fewer processes. Runs with equally many processes are strong scaling.
bool is_weak_scaling(const RunSums& run, const RunSums& reference);

} // namespace jitterscope::efficiency
