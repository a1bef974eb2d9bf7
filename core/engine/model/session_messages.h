#pragma once

#include "core/analysis/columns/columns.h"
#include "core/analysis/session/session.h"
#include "core/base/job.h"
#include "core/engine/model/message_list.h"

namespace jitterscope::engine {

/// Messages of all traces, sorted by start. Point-to-point: transmissions between threads if the trace
/// records them, else sends of known size and peer. A transmission begins when it is sent and the receiver is
/// in the call that completes it. Collectives: calls of known size. The calls of all ranks with the same name
/// and ordinal form one collective, which begins when its last rank has begun. Tables without times: the sums
/// of MPI operations in them (profile_messages.h). Errors: Cancelled.
Expected<SessionMessages> session_messages(const analysis::Session& session,
                                           const analysis::LaunchColumns& columns,
                                           const RankPlacement& placement, const Job& job);

} // namespace jitterscope::engine
