#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/engine/model/session_messages.h"

namespace jitterscope::engine {

/// Finds the messages that a call of MPI transfers.
class CallMessages {
public:
  /// `session` and `messages` must outlive this object.
  CallMessages(const analysis::Session& session, const SessionMessages& messages);

  /// Messages of a call, a row of table "messages": the sizes in the row itself, else the point-to-point
  /// messages that the rank of the call sends or completes during the call. Empty if neither is recorded.
  std::vector<SessionMessage> messages_of(std::size_t trace, std::size_t row) const;

private:
  /// By rank: time at which a message was sent or completed [ns, session axis], and its list index; sorted.
  using Moments = std::map<std::int32_t, std::vector<std::pair<std::int64_t, std::size_t>>>;

  const analysis::Session& session_;
  const SessionMessages& messages_;
  Moments sent_, received_;
};

} // namespace jitterscope::engine
