#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Names for the numbers that Extrae writes, for traces without a .pcf and for exports.
namespace jitterscope::prv {

/// Names of MPI calls by the values of events of MPI (Extrae 4, MPI_EventEncoding.h), without "MPI_"; the
/// name of 0, the end of a call, is empty.
std::span<const std::string_view> mpi_calls();
/// "MPI_Send" for 1; empty if unknown.
std::string mpi_call(std::int64_t value);
/// 1 for "MPI_Send".
std::optional<std::int64_t> value_of_mpi_call(std::string_view name);
/// Event type of a call of MPI; empty if Extrae does not record it.
std::optional<std::int64_t> type_of_mpi_call(std::string_view name);

/// Name of a counter by its event type: "PAPI_TOT_INS" for 42000050 (numbers of PAPI's presets,
/// papiStdEventDefs.h), "Soft page faults" for 45000006 (members of rusage); empty if unknown.
std::string counter_name(std::int64_t type);

} // namespace jitterscope::prv
