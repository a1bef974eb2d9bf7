#include "core/paraver/extrae_names.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include <fmt/core.h>

#include "core/paraver/event_types.h"

namespace jitterscope::prv {
namespace {

// clang-format off
constexpr std::string_view kMpiCalls[] = {
    "", "Send", "Recv", "Isend", "Irecv", "Wait", "Waitall", "Bcast", "Barrier", "Reduce", "Allreduce",
    "Alltoall", "Alltoallv", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv",
    "Comm_rank", "Comm_size", "Comm_create", "Comm_dup", "Comm_split", "Comm_group", "Comm_free",
    "Comm_remote_group", "Comm_remote_size", "Comm_test_inter", "Comm_compare", "Scan", "Init", "Finalize",
    "Bsend", "Ssend", "Rsend", "Ibsend", "Issend", "Irsend", "Test", "Cancel", "Sendrecv",
    "Sendrecv_replace", "Cart_create", "Cart_shift", "Cart_coords", "Cart_get", "Cart_map", "Cart_rank",
    "Cart_sub", "Cartdim_get", "Dims_create", "Graph_get", "Graph_map", "Graph_create", "Graph_neighbors",
    "Graphdims_get", "Graph_neighbors_count", "Topo_test", "Waitany", "Waitsome", "Probe", "Iprobe",
    "Win_create", "Win_free", "Put", "Get", "Accumulate", "Win_fence", "Win_start", "Win_complete",
    "Win_post", "Win_wait", "Win_test", "Win_lock", "Win_unlock", "Pack", "Unpack", "Op_create", "Op_free",
    "Reduce_scatter", "Attr_delete", "Attr_get", "Attr_put", "Group_difference", "Group_excl", "Group_free",
    "Group_incl", "Group_intersection", "Group_rank", "Group_range_excl", "Group_range_incl", "Group_size",
    "Group_translate_ranks", "Group_union", "Group_compare", "Intercomm_create", "Intercomm_merge",
    "Keyval_free", "Keyval_create", "Abort", "Error_class", "Errhandler_create", "Errhandler_free",
    "Errhandler_get", "Error_string", "Errhandler_set", "Get_processor_name", "Initialized", "Wtick",
    "Wtime", "Address", "Bsend_init", "Buffer_attach", "Buffer_detach", "Request_free", "Recv_init",
    "Send_init", "Get_count", "Get_elements", "Pack_size", "Rsend_init", "Ssend_init", "Start", "Startall",
    "Testall", "Testany", "Test_cancelled", "Testsome", "Type_commit", "Type_contiguous", "Type_extent",
    "Type_free", "Type_hindexed", "Type_hvector", "Type_indexed", "Type_lb", "Type_size", "Type_struct",
    "Type_ub", "Type_vector", "File_open", "File_close", "File_read", "File_read_all", "File_write",
    "File_write_all", "File_read_at", "File_read_at_all", "File_write_at", "File_write_at_all",
    "Comm_spawn", "Comm_spawn_multiple", "Request_get_status", "Ireduce", "Iallreduce", "Ibarrier",
    "Ibcast", "Ialltoall", "Ialltoallv", "Iallgather", "Iallgatherv", "Igather", "Igatherv", "Iscatter",
    "Iscatterv", "Ireduce_scatter", "Iscan", "Reduce_scatter_block", "Ireduce_scatter_block", "Alltoallw",
    "Ialltoallw", "Get_accumulate"};

constexpr std::string_view kPapiPresets[] = {
    "L1_DCM", "L1_ICM", "L2_DCM", "L2_ICM", "L3_DCM", "L3_ICM", "L1_TCM", "L2_TCM", "L3_TCM", "CA_SNP",
    "CA_SHR", "CA_CLN", "CA_INV", "CA_ITV", "L3_LDM", "L3_STM", "BRU_IDL", "FXU_IDL", "FPU_IDL", "LSU_IDL",
    "TLB_DM", "TLB_IM", "TLB_TL", "L1_LDM", "L1_STM", "L2_LDM", "L2_STM", "BTAC_M", "PRF_DM", "L3_DCH",
    "TLB_SD", "CSR_FAL", "CSR_SUC", "CSR_TOT", "MEM_SCY", "MEM_RCY", "MEM_WCY", "STL_ICY", "FUL_ICY",
    "STL_CCY", "FUL_CCY", "HW_INT", "BR_UCN", "BR_CN", "BR_TKN", "BR_NTK", "BR_MSP", "BR_PRC", "FMA_INS",
    "TOT_IIS", "TOT_INS", "INT_INS", "FP_INS", "LD_INS", "SR_INS", "BR_INS", "VEC_INS", "RES_STL",
    "FP_STAL", "TOT_CYC", "LST_INS", "SYC_INS", "L1_DCH", "L2_DCH", "L1_DCA", "L2_DCA", "L3_DCA", "L1_DCR",
    "L2_DCR", "L3_DCR", "L1_DCW", "L2_DCW", "L3_DCW", "L1_ICH", "L2_ICH", "L3_ICH", "L1_ICA", "L2_ICA",
    "L3_ICA", "L1_ICR", "L2_ICR", "L3_ICR", "L1_ICW", "L2_ICW", "L3_ICW", "L1_TCH", "L2_TCH", "L3_TCH",
    "L1_TCA", "L2_TCA", "L3_TCA", "L1_TCR", "L2_TCR", "L3_TCR", "L1_TCW", "L2_TCW", "L3_TCW", "FML_INS",
    "FAD_INS", "FDV_INS", "FSQ_INS", "FNV_INS", "FP_OPS", "SP_OPS", "DP_OPS", "VEC_SP", "VEC_DP", "REF_CYC"};
// clang-format on
constexpr std::string_view kPrefix = "MPI_";
constexpr std::int64_t kFirstOneSided = 63, kLastOneSided = 75, kGetAccumulate = 172, kFirstIo = 141,
                       kLastIo = 150; ///< values of MPI calls

/// Members of rusage, in the order of getrusage(2), in the words of Extrae.
constexpr std::array<std::string_view, 16> kResourceUsage{"User time used",
                                                          "System time used",
                                                          "Maximum resident set size",
                                                          "Integral shared memory size",
                                                          "Integral unshared data size",
                                                          "Integral unshared stack size",
                                                          "Soft page faults",
                                                          "Hard page faults",
                                                          "Swaps",
                                                          "Block input operations",
                                                          "Block output operations",
                                                          "IPC messages sent",
                                                          "IPC messages received",
                                                          "Signals received",
                                                          "Voluntary context switches",
                                                          "Involuntary context switches"};

} // namespace

std::span<const std::string_view> mpi_calls() {
  return kMpiCalls;
}

std::string mpi_call(std::int64_t value) {
  const bool known = value > 0 && value < static_cast<std::int64_t>(mpi_calls().size());
  return known ? fmt::format("{}{}", kPrefix, mpi_calls()[static_cast<std::size_t>(value)]) : std::string();
}

std::optional<std::int64_t> value_of_mpi_call(std::string_view name) {
  if (!name.starts_with(kPrefix) || name == kPrefix) return std::nullopt;
  const auto calls = mpi_calls();
  const auto found = std::ranges::find(calls, name.substr(kPrefix.size()));
  return found == calls.end() ? std::nullopt : std::optional<std::int64_t>(found - calls.begin());
}

std::optional<std::int64_t> type_of_mpi_call(std::string_view name) {
  const auto known = value_of_mpi_call(name);
  if (!known) return std::nullopt;
  const auto value = *known;
  const auto is_any = [&](std::initializer_list<std::int64_t> values) {
    return std::ranges::find(values, value) != values.end();
  };
  if (is_within(value, kFirstOneSided, kLastOneSided) || value == kGetAccumulate) return kMpiOneSided;
  if (is_within(value, kFirstIo, kLastIo)) return kMpiIo;
  if (is_within(value, 7, 18) || is_within(value, 154, 171) || is_any({30, 80})) return kMpiCollective;
  if (is_within(value, 1, 6) || is_within(value, 33, 38) || is_within(value, 40, 42) ||
      is_within(value, 59, 62) || is_any({112, 116, 117, 121, 122}))
    return kMpiPointToPoint; // not the calls of MPI_Test and MPI_Start
  return kMpiOther;
}

std::string counter_name(std::int64_t type) {
  const auto preset = type - kFirstPreset, usage = type - kFirstResourceUsage;
  if (is_within(preset, 0, std::ssize(kPapiPresets) - 1)) return fmt::format("PAPI_{}", kPapiPresets[preset]);
  return is_within(usage, 0, std::ssize(kResourceUsage) - 1)
             ? std::string(kResourceUsage[static_cast<std::size_t>(usage)])
             : std::string();
}

} // namespace jitterscope::prv
