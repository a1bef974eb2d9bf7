#include "core/analysis/timeline/message_lines.h"

#include <algorithm>
#include <set>

#include "core/store/trace/event_kinds.h"

namespace jitterscope::analysis {
namespace {

/// Messages sent by a thread, and the track on which their lines begin.
struct Sender {
  const store::Series* series = nullptr;
  std::size_t trace = 0;
  std::uint32_t track = kNone;
  std::size_t first = 0, last = 0; ///< range of messages sent in the window
};

// A thread can have two tracks: its messages count once.
std::vector<Sender> senders_of(const Session& session, const Tracks& tracks,
                               const std::vector<std::uint32_t>& requested, Interval window) {
  std::vector<Sender> senders;
  std::set<const store::Series*> known;
  for (const auto id : requested) {
    const auto& track = tracks.list()[id];
    if (track.kind != TrackKind::MpiCalls && track.kind != TrackKind::Messages) continue;
    if (!tracks.levels(id).front()) continue; // damaged store
    const auto thread = tracks.levels(id).front()->resource;
    const auto* series = tracks.transmissions(track.trace, thread);
    if (!series || !known.insert(series).second) continue;
    const auto shift = session.traces()[track.trace].shift_ns;
    Sender sender{series, track.trace, tracks.track_of_messages(track.trace, thread), 0, 0};
    sender.first = series->position_of(window.begin.count - shift);
    sender.last = std::max(series->position_of(window.end.count - shift), sender.first);
    senders.push_back(sender);
  }
  return senders;
}

} // namespace

MessageLines message_lines(const Session& session, const Tracks& tracks,
                           const std::vector<std::uint32_t>& requested, Interval window,
                           std::int64_t maximum) {
  MessageLines found;
  const auto senders = senders_of(session, tracks, requested, window);
  for (const auto& sender : senders) found.count += static_cast<std::int64_t>(sender.last - sender.first);
  if (found.count > maximum) return found;
  for (const auto& sender : senders) {
    const Trace& trace = session.traces()[sender.trace];
    const auto peers = trace.store.column<std::uint32_t>("messages", "peer");
    const auto bytes = trace.store.column<std::int64_t>("messages", "bytes");
    const auto* threads = trace.store.table("messages").find(store::kPeerThread);
    const auto add = [&](std::size_t position, const store::Event& event) {
      const auto row = sender.series->row(position);
      const auto to = tracks.track_of_rank(sender.trace, static_cast<std::int64_t>(peers[row]),
                                           threads ? store::Values<std::uint32_t>(*threads)[row] : 0);
      if (to != kNone)
        found.lines.push_back(
            {sender.track, to, event.begin + trace.shift_ns, event.end + trace.shift_ns, bytes[row]});
      return static_cast<std::int64_t>(found.lines.size()) < 2 * maximum; // limits messages in transit
    };
    sender.series->reaching(0, sender.first, window.begin.count - trace.shift_ns, add);
    for (auto position = sender.first; position < sender.last; ++position)
      add(position, sender.series->at(position));
  }
  return found;
}

} // namespace jitterscope::analysis
