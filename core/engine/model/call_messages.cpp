#include "core/engine/model/call_messages.h"

#include <algorithm>

namespace jitterscope::engine {
namespace {

/// Rank of a thread's process; −1 if unknown.
std::int32_t rank_of(const store::Store& store, std::uint32_t thread) {
  for (auto r = thread; r != kNone; r = store.resources()[r].parent)
    if (store.resources()[r].rank >= 0) return store.resources()[r].rank;
  return -1;
}

} // namespace

CallMessages::CallMessages(const analysis::Session& session, const SessionMessages& messages)
    : session_(session), messages_(messages) {
  const auto& list = messages.list;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].collective) continue;
    sent_[list[i].from].emplace_back(list[i].start - list[i].waited, i);
    received_[list[i].to].emplace_back(list[i].end, i);
  }
  for (auto* moments : {&sent_, &received_})
    for (auto& [rank, of] : *moments) std::sort(of.begin(), of.end());
}

std::vector<SessionMessage> CallMessages::messages_of(std::size_t trace, std::size_t row) const {
  const auto& store = session_.traces()[trace].store;
  const auto kind = store.column<std::uint8_t>("messages", "kind")[row];
  const auto peer = store.column<std::uint32_t>("messages", "peer")[row];
  SessionMessage own;
  own.bytes = store.column<std::int64_t>("messages", "bytes")[row];
  if (kind == 1)
    own.collective = collective_kind(store.string({store.column<std::uint32_t>("messages", "name")[row]}));
  else if (const auto name = store.column<std::uint32_t>("messages", "name")[row]; name != kNone)
    own.nonblocking = is_nonblocking_send(store.string({name}));
  if (own.bytes >= 0 && (own.collective || (kind == 0 && peer != kNone))) {
    own.distance = messages_.nodes > 1 ? Distance::inter_node : Distance::intra_socket;
    return {own};
  }
  const auto begin = store.starts("messages")[row] + session_.traces()[trace].shift_ns;
  const auto end = begin + store.column<std::int64_t>("messages", "duration")[row];
  const auto rank = rank_of(store, store.column<std::uint32_t>("messages", "thread")[row]);
  std::vector<SessionMessage> moved;
  for (const auto* moments : {&sent_, &received_}) {
    const auto of = moments->find(rank);
    if (of == moments->end()) continue;
    for (auto at = std::lower_bound(of->second.begin(), of->second.end(), std::pair{begin, std::size_t{0}});
         at != of->second.end() && at->first <= end; ++at)
      moved.push_back(messages_.list[at->second]);
  }
  return moved;
}

} // namespace jitterscope::engine
