#include "core/engine/model/session_messages.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "core/engine/model/profile_messages.h"
#include "core/engine/model/rank_places.h"
#include "core/model/network/network_model.h"
#include "core/store/trace/event_kinds.h"

namespace jitterscope::engine {
namespace {

constexpr std::size_t kMessagesBetweenPolls = 8'192; // rows between two polls for cancellation

using store::kCollective, store::kPointToPoint, store::kTransmission;

class Collector {
public:
  Collector(const analysis::Session& session, const RankPlacement& placement, const Job& job)
      : session_(session), job_(job), places_(placement) {}

  Expected<SessionMessages> run() {
    for (const auto& trace : session_.traces()) ranks_.push_back(places_.add(trace.store));
    out_.ranks = places_.ranks(), out_.nodes = places_.nodes();
    for (std::size_t t = 0; t < session_.traces().size(); ++t)
      if (auto done = index_calls(t); !done) return forward(done.error());
    for (std::size_t t = 0; t < session_.traces().size(); ++t)
      if (auto done = read(t); !done) return forward(done.error());
    add_collectives();
    finish();
    return std::move(out_);
  }

private:
  struct Call {
    std::int64_t start, end;
    bool nonblocking; ///< a non-blocking send
  };
  struct Part { ///< one rank's part of a collective
    std::int32_t rank;
    std::int64_t start, end, bytes;
  };

  template <class Use>
  Expected<void> each_row(std::size_t trace, Use&& use) {
    const auto& store = session_.traces()[trace].store;
    const auto shift = session_.traces()[trace].shift_ns;
    const auto starts = store.starts("messages");
    const auto durations = store.column<std::int64_t>("messages", "duration");
    const auto kinds = store.column<std::uint8_t>("messages", "kind");
    for (std::size_t row = 0; row < starts.size(); ++row) {
      if (row % kMessagesBetweenPolls == 0 && job_.cancelled()) return Job::cancelled_error();
      use(row, starts[row] + shift, starts[row] + durations[row] + shift, kinds[row]);
    }
    return {};
  }

  // Calls of each rank, sorted by start, in which its messages are completed.
  Expected<void> index_calls(std::size_t trace) {
    const auto& store = session_.traces()[trace].store;
    const auto threads = store.column<std::uint32_t>("messages", "thread");
    const auto names = store.column<std::uint32_t>("messages", "name");
    return each_row(trace, [&](std::size_t row, std::int64_t start, std::int64_t end, std::uint8_t kind) {
      if (kind == kTransmission) return transmissions_ = true, void();
      if (const auto rank = ranks_[trace][threads[row]]; rank >= 0)
        calls_[rank].push_back({start, end, names[row] != kNone && nonblocking_name(trace, names[row])});
    });
  }

  bool nonblocking_name(std::size_t trace, std::uint32_t name) {
    const auto [known, added] = nonblocking_.try_emplace({trace, name}, false);
    if (added) known->second = is_nonblocking_send(session_.traces()[trace].store.string({name}));
    return known->second;
  }

  /// The call of a rank that contains a moment, null if there is none.
  const Call* call_at(std::int32_t rank, std::int64_t at) const {
    const auto found = calls_.find(rank);
    if (found == calls_.end()) return nullptr;
    const auto& calls = found->second;
    auto after = std::upper_bound(calls.begin(), calls.end(), at,
                                  [](std::int64_t time, const Call& call) { return time < call.start; });
    if (after == calls.begin()) return nullptr;
    const auto& call = *std::prev(after);
    return at <= call.end ? &call : nullptr;
  }

  /// Start of the receiver's call that contains a moment; the earliest time if there is none.
  std::int64_t ready(std::int32_t rank, std::int64_t at) const {
    const auto* call = call_at(rank, at);
    return call ? call->start : INT64_MIN;
  }

  Expected<void> read(std::size_t trace) {
    const auto& store = session_.traces()[trace].store;
    const auto threads = store.column<std::uint32_t>("messages", "thread");
    const auto names = store.column<std::uint32_t>("messages", "name");
    const auto peers = store.column<std::uint32_t>("messages", "peer");
    const auto bytes = store.column<std::int64_t>("messages", "bytes");
    return each_row(trace, [&](std::size_t row, std::int64_t start, std::int64_t end, std::uint8_t kind) {
      const auto rank = ranks_[trace][threads[row]];
      const bool point = kind == (transmissions_ ? kTransmission : kPointToPoint) && peers[row] != kNone;
      if (rank < 0 || (!point && kind != kCollective)) return;
      const std::string name(names[row] == kNone ? std::string_view() : store.string({names[row]}));
      if (kind == kCollective) {
        const bool barrier = lower_case(name).find("barrier") != std::string::npos;
        collectives_[name][rank].push_back({rank, start, end, barrier ? 0 : bytes[row]});
        return;
      }
      const auto to = static_cast<std::int32_t>(peers[row]);
      if (!transmissions_ && lower_case(name).find("send") == std::string::npos)
        return; // counted at its sender
      if (bytes[row] < 0) return ++out_.unknown_bytes, void();
      SessionMessage m;
      m.operation = kind == kTransmission || name.empty() ? std::string("point-to-point") : name;
      m.from = rank, m.to = to, m.node = places_.node_of(rank);
      m.distance = places_.distance(rank, to), m.nonblocking = is_nonblocking_send(name);
      m.bytes = bytes[row], m.start = start, m.end = end;
      if (transmissions_) {
        const auto* sending = call_at(rank, start);
        m.nonblocking = m.nonblocking || (sending && sending->nonblocking);
        m.start = std::clamp(ready(to, end), start, end);
        m.waited = m.start - start;
      }
      out_.list.push_back(std::move(m));
    });
  }

  void add_collectives() {
    for (const auto& [name, by_rank] : collectives_) {
      const auto kind = collective_kind(name);
      if (!kind) continue;
      std::size_t calls = 0;
      bool same = by_rank.size() > 1;
      for (const auto& [rank, parts] : by_rank) {
        if (calls > 0 && parts.size() != calls) same = false; // sub-communicators: participants are unknown
        calls = std::max(calls, parts.size());
      }
      for (const auto& [rank, parts] : by_rank)
        for (std::size_t i = 0; i < parts.size(); ++i) {
          const auto& part = parts[i];
          if (part.bytes < 0) {
            ++out_.unknown_bytes;
            continue;
          }
          std::int64_t last = part.start;
          if (same)
            for (const auto& [other, of_other] : by_rank) last = std::max(last, of_other[i].start);
          SessionMessage m;
          m.operation = name, m.collective = *kind;
          m.from = rank, m.node = places_.node_of(rank), m.distance = places_.farthest();
          m.bytes = part.bytes, m.end = part.end;
          m.start = std::clamp(last, part.start, part.end);
          m.waited = m.start - part.start;
          out_.list.push_back(std::move(m));
        }
    }
  }

  // Sorts the messages and sets the concurrency of point-to-point messages of each class and node.
  void finish() {
    std::stable_sort(out_.list.begin(), out_.list.end(), [](const auto& a, const auto& b) {
      return std::tie(a.start, a.from, a.to) < std::tie(b.start, b.from, b.to);
    });
    std::map<std::pair<Distance, std::uint32_t>, std::vector<std::size_t>> classes;
    for (std::size_t i = 0; i < out_.list.size(); ++i)
      if (!out_.list[i].collective) classes[{out_.list[i].distance, out_.list[i].node}].push_back(i);
    for (const auto& [of, members] : classes) {
      std::vector<model::Flight> flights;
      for (const auto i : members) flights.push_back({out_.list[i].start, out_.list[i].end});
      const auto k = model::concurrency_of(flights);
      for (std::size_t i = 0; i < members.size(); ++i) out_.list[members[i]].concurrency = k[i];
    }
  }

  const analysis::Session& session_;
  const Job& job_;
  RankPlaces places_;
  std::vector<std::vector<std::int32_t>> ranks_;                      ///< rank by trace and resource
  std::map<std::pair<std::size_t, std::uint32_t>, bool> nonblocking_; ///< by trace and name
  std::map<std::int32_t, std::vector<Call>> calls_;
  std::map<std::string, std::map<std::int32_t, std::vector<Part>>> collectives_;
  bool transmissions_ = false;
  SessionMessages out_;
};

} // namespace

Expected<SessionMessages> session_messages(const analysis::Session& session,
                                           const analysis::LaunchColumns& columns,
                                           const RankPlacement& placement, const Job& job) {
  if (session.launch_order()) return profile_messages(session, columns, placement, job);
  return Collector(session, placement, job).run();
}

} // namespace jitterscope::engine
