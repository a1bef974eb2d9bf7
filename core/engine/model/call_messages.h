#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/engine/model/session_messages.h"

namespace jitterscope::engine {

/// Which messages a call of MPI moves.
class CallMessages {
public:
  /// Both must outlive this.
  CallMessages(const analysis::Session& session, const SessionMessages& messages);

  /// Of a call, a row of table "messages": what it states itself, else the point-to-point messages that its
  /// rank sends or completes in it. Empty where neither is recorded.
  std::vector<SessionMessage> messages_of(std::size_t trace, std::size_t row) const;

private:
  /// By rank: when a message was sent or completed [ns, session axis], and its place in the list; sorted.
  using Moments = std::map<std::int32_t, std::vector<std::pair<std::int64_t, std::size_t>>>;

  const analysis::Session& session_;
  const SessionMessages& messages_;
  Moments sent_, received_;
};

} // namespace jitterscope::engine
