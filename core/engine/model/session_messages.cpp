#include "core/engine/model/session_messages.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "core/model/network/network_model.h"

namespace jitterscope::engine {
namespace {

constexpr std::size_t kMessagesBetweenPolls = 8'192; // rows between two polls for a cancel

/// Kinds of table "messages".
enum Kind : std::uint8_t { kPointToPoint = 0, kCollective = 1, kTransmission = 4 };

std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Rank and node of the threads of a trace.
struct Places {
  std::vector<std::int32_t> rank;  ///< by resource; −1 unknown
  std::vector<std::uint32_t> host; ///< by resource: index of the host in the session
};

class Collector {
public:
  Collector(const analysis::Session& session, const RankPlacement& placement, const Job& job)
      : session_(session), placement_(placement), job_(job) {}

  Expected<SessionMessages> run() {
    for (const auto& trace : session_.traces()) add_places(trace.store);
    out_.ranks = static_cast<std::int64_t>(hosts_.size());
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
  };
  struct Part { ///< of a collective
    std::int32_t rank;
    std::int64_t start, end, bytes;
  };

  void add_places(const store::Store& store) {
    Places places;
    for (const auto& r : store.resources()) {
      std::int32_t rank = r.rank;
      std::uint32_t host = 0;
      if (r.kind == store::ResourceKind::Host)
        host = host_numbers_.emplace(r.name, static_cast<std::uint32_t>(host_numbers_.size())).first->second;
      else if (r.parent != kNone) {
        host = places.host[r.parent];
        if (r.kind != store::ResourceKind::Process) rank = places.rank[r.parent];
      }
      places.rank.push_back(rank), places.host.push_back(host);
      if (r.kind == store::ResourceKind::Process && rank >= 0) hosts_[rank] = host;
    }
    places_.push_back(std::move(places));
  }

  std::uint32_t node_of(std::int32_t rank) const {
    if (placement_.ranks_per_node > 0) return static_cast<std::uint32_t>(rank / placement_.ranks_per_node);
    const auto found = hosts_.find(rank);
    return found == hosts_.end() ? 0 : found->second;
  }

  Distance distance(std::int32_t a, std::int32_t b) const {
    if (node_of(a) != node_of(b)) return Distance::inter_node;
    const auto socket = placement_.ranks_per_socket;
    if (socket <= 0) return Distance::intra_socket;
    const auto local = [&](std::int32_t rank) {
      return placement_.ranks_per_node > 0 ? rank % placement_.ranks_per_node : std::int64_t{rank};
    };
    return local(a) / socket == local(b) / socket ? Distance::intra_socket : Distance::inter_socket;
  }

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
    const auto threads = session_.traces()[trace].store.column<std::uint32_t>("messages", "thread");
    return each_row(trace, [&](std::size_t row, std::int64_t start, std::int64_t end, std::uint8_t kind) {
      if (kind == kTransmission) return transmissions_ = true, void();
      if (const auto rank = places_[trace].rank[threads[row]]; rank >= 0)
        calls_[rank].push_back({start, end});
    });
  }

  /// Start of the receiver's call that contains a moment; the earliest time if there is none.
  std::int64_t ready(std::int32_t rank, std::int64_t at) const {
    const auto found = calls_.find(rank);
    if (found == calls_.end()) return INT64_MIN;
    const auto& calls = found->second;
    auto after = std::upper_bound(calls.begin(), calls.end(), at,
                                  [](std::int64_t time, const Call& call) { return time < call.start; });
    if (after == calls.begin()) return INT64_MIN;
    const auto& call = *std::prev(after);
    return at <= call.end ? call.start : INT64_MIN;
  }

  Expected<void> read(std::size_t trace) {
    const auto& store = session_.traces()[trace].store;
    const auto threads = store.column<std::uint32_t>("messages", "thread");
    const auto names = store.column<std::uint32_t>("messages", "name");
    const auto peers = store.column<std::uint32_t>("messages", "peer");
    const auto bytes = store.column<std::int64_t>("messages", "bytes");
    return each_row(trace, [&](std::size_t row, std::int64_t start, std::int64_t end, std::uint8_t kind) {
      const auto rank = places_[trace].rank[threads[row]];
      const bool point = kind == (transmissions_ ? kTransmission : kPointToPoint) && peers[row] != kNone;
      if (rank < 0 || (!point && kind != kCollective)) return;
      const std::string name(names[row] == kNone ? std::string_view() : store.string({names[row]}));
      if (kind == kCollective) {
        const bool barrier = lower(name).find("barrier") != std::string::npos;
        collectives_[name][rank].push_back({rank, start, end, barrier ? 0 : bytes[row]});
        return;
      }
      const auto to = static_cast<std::int32_t>(peers[row]);
      if (!transmissions_ && lower(name).find("send") == std::string::npos) return; // counted at its sender
      if (bytes[row] < 0) return ++out_.unknown_bytes, void();
      SessionMessage m;
      m.operation = kind == kTransmission || name.empty() ? std::string("point-to-point") : name;
      m.from = rank, m.to = to, m.node = node_of(rank), m.distance = distance(rank, to);
      m.bytes = bytes[row], m.start = start, m.end = end;
      if (transmissions_) {
        m.start = std::clamp(ready(to, end), start, end);
        m.waited = m.start - start;
      }
      out_.list.push_back(std::move(m));
    });
  }

  Distance farthest() const {
    Distance out = Distance::intra_socket;
    if (hosts_.empty()) return out;
    const auto first = hosts_.begin()->first;
    for (const auto& [rank, host] : hosts_) out = std::max(out, distance(first, rank));
    return out;
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
          m.from = rank, m.node = node_of(rank), m.distance = farthest();
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
    std::set<std::uint32_t> nodes;
    for (std::size_t i = 0; i < out_.list.size(); ++i)
      if (!out_.list[i].collective) classes[{out_.list[i].distance, out_.list[i].node}].push_back(i);
    for (const auto& [rank, host] : hosts_) nodes.insert(node_of(rank));
    out_.nodes = static_cast<std::int64_t>(nodes.size());
    for (const auto& [of, members] : classes) {
      std::vector<model::Flight> flights;
      for (const auto i : members) flights.push_back({out_.list[i].start, out_.list[i].end});
      const auto k = model::concurrency_of(flights);
      for (std::size_t i = 0; i < members.size(); ++i) out_.list[members[i]].concurrency = k[i];
    }
  }

  const analysis::Session& session_;
  const RankPlacement& placement_;
  const Job& job_;
  std::vector<Places> places_;
  std::map<std::string, std::uint32_t> host_numbers_;
  std::map<std::int32_t, std::uint32_t> hosts_; ///< by rank
  std::map<std::int32_t, std::vector<Call>> calls_;
  std::map<std::string, std::map<std::int32_t, std::vector<Part>>> collectives_;
  bool transmissions_ = false;
  SessionMessages out_;
};

} // namespace

std::optional<model::Collective> collective_kind(std::string_view name) {
  const auto text = lower(name);
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  if (has("allreduce")) return model::Collective::all_reduce;
  if (has("reduce_scatter") || has("reducescatter")) return model::Collective::reduce_scatter;
  if (has("allgather") || has("alltoall")) return model::Collective::all_gather;
  if (has("bcast") || has("broadcast") || has("reduce") || has("gather") || has("scatter") || has("barrier"))
    return model::Collective::broadcast;
  return std::nullopt;
}

Expected<SessionMessages> session_messages(const analysis::Session& session, const RankPlacement& placement,
                                           const Job& job) {
  if (session.launch_order()) return SessionMessages{};
  return Collector(session, placement, job).run();
}

} // namespace jitterscope::engine
