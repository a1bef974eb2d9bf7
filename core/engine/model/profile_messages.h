#pragma once

#include "core/analysis/columns/columns.h"
#include "core/analysis/session/session.h"
#include "core/base/job.h"
#include "core/engine/model/message_list.h"

namespace jitterscope::engine {

/// True if the rows of the session are sums over calls of functions (column row_kind), not launches.
bool is_profile(const analysis::Session& session, const analysis::LaunchColumns& columns);

/// Messages of tables without times that record the MPI operation of a row: columns mpi_operation, calls,
/// duration (sum over the calls), messages and message_bytes (number and mean size), message_receiver (rows
/// of messages to one rank). Each entry of the list represents all messages of an operation of a thread, with
/// their mean size and the mean time of a call. Empty without these columns. Errors: Cancelled.
Expected<SessionMessages> profile_messages(const analysis::Session& session,
                                           const analysis::LaunchColumns& columns,
                                           const RankPlacement& placement, const Job& job);

} // namespace jitterscope::engine
