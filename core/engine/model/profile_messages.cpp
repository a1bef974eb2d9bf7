#include "core/engine/model/profile_messages.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/engine/model/rank_places.h"

namespace jitterscope::engine {
namespace {

constexpr std::int64_t kRowsAtOnce = 8'192; // rows read at once, between two polls for cancellation
constexpr double kMaxCount = 1e15, kMaxBytes = 1e15, kMaxNanoseconds = 1e18;

/// What an operation does with messages.
enum class Role { send, receive, collective, other };

Role role_of(std::string_view operation) {
  const auto text = lower_case(operation);
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  if (has("reduce_local")) return Role::other;
  if (collective_kind(operation) || has("scan")) return Role::collective;
  if (has("send") || text.starts_with("mpi_start")) return Role::send;
  if ((has("recv") && !has("irecv")) || has("wait") || has("mpi_test") || has("sync")) return Role::receive;
  return Role::other;
}

/// Collectives of which a profile records the share of one rank.
bool records_share(model::Collective collective) {
  return collective == model::Collective::all_gather || collective == model::Collective::reduce_scatter;
}

double positive(double value, double maximum) {
  return value > 0 ? std::min(value, maximum) : 0;
}

std::int64_t whole(double value) {
  return std::llround(positive(value, kMaxNanoseconds));
}

/// Sums of an operation of a thread over its rows.
struct Sum {
  double calls = 0, time_ns = 0, messages = 0, bytes = 0; ///< bytes of all messages
};

struct Thread {
  std::int32_t rank = -1;
  double other_ns = 0;
  std::map<std::string, Sum> operations;
  std::map<std::int32_t, Sum> receivers; ///< messages by the rank that receives them
};

class Reader {
public:
  Reader(const analysis::Session& session, const analysis::LaunchColumns& columns,
         const RankPlacement& placement, const Job& job)
      : session_(session), columns_(columns), job_(job), places_(placement) {}

  Expected<SessionMessages> run() {
    for (std::size_t t = 0; t < session_.traces().size(); ++t)
      if (auto done = read(t); !done) return forward(done.error());
    out_.ranks = places_.ranks(), out_.nodes = places_.nodes();
    for (const auto& [place, thread] : threads_)
      if (!thread.operations.empty() && thread.rank >= 0) add(thread);
    if (!out_.profile.empty()) state_assumptions();
    return std::move(out_);
  }

private:
  // Values of a column of the rows; NaN where the session has no such column.
  std::vector<double> values(const char* name, const analysis::Segment& rows) const {
    const auto* column = columns_.find(name);
    return column ? columns_.read(column->name, rows)
                  : std::vector<double>(static_cast<std::size_t>(rows.rows()), kUnknownQuantity);
  }

  Expected<void> read(std::size_t t) {
    const auto& trace = session_.traces()[t];
    const auto ranks = places_.add(trace.store);
    const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
    const auto operations = columns_.texts("mpi_operation");
    for (std::int64_t first = 0; first < trace.launches(); first += kRowsAtOnce) {
      if (job_.cancelled()) return Job::cancelled_error();
      const analysis::Segment rows{t, first, std::min(first + kRowsAtOnce, trace.launches())};
      const auto operation = values("mpi_operation", rows), calls = values("calls", rows),
                 duration = values("duration", rows), messages = values("messages", rows),
                 bytes = values("message_bytes", rows), receiver = values("message_receiver", rows);
      for (std::size_t i = 0; i < operation.size(); ++i) {
        const auto stream = streams[static_cast<std::size_t>(first) + i];
        auto& thread = threads_[{t, stream}];
        thread.rank = ranks[stream];
        const auto add = [&](Sum& sum) {
          const double count = positive(messages[i], kMaxCount);
          sum.calls += positive(calls[i], kMaxCount), sum.time_ns += positive(duration[i], kMaxNanoseconds);
          sum.messages += count, sum.bytes += count * positive(bytes[i], kMaxBytes);
        };
        if (operation[i] >= 0)
          add(thread.operations[operations[static_cast<std::size_t>(operation[i])]]);
        else if (receiver[i] >= 0 && receiver[i] <= INT32_MAX)
          add(thread.receivers[static_cast<std::int32_t>(receiver[i])]);
        else
          thread.other_ns += positive(duration[i], kMaxNanoseconds);
      }
    }
    return {};
  }

  void add(const Thread& thread) {
    ThreadSum out;
    out.rank = thread.rank, out.computation_ns = thread.other_ns;
    for (const auto& [name, sum] : thread.operations) {
      auto& operation = out.operations[name];
      operation.calls = sum.calls, operation.time_ns = sum.time_ns;
      const auto role = role_of(name);
      operation.transfers = role != Role::other;
      if (role == Role::collective)
        add_collective(thread, name, sum, operation);
      else if (role == Role::send)
        add_sends(thread, name, sum, operation);
      else if (role == Role::receive && sum.messages > 0)
        operation.messages.push_back(message(thread, name, sum, sum.messages));
    }
    out_.profile.push_back(std::move(out));
  }

  /// `messages`: number of messages that the entry represents, with the mean size and mean time of `sum`.
  SessionMessage message(const Thread& thread, const std::string& name, const Sum& sum, double messages) {
    SessionMessage m;
    m.operation = name, m.from = thread.rank, m.node = places_.node_of(thread.rank);
    m.distance = places_.farthest(), m.count = std::max<std::int64_t>(whole(messages), 1);
    m.bytes = sum.messages > 0 ? whole(sum.bytes / sum.messages) : 0;
    m.end = whole(sum.time_ns / std::max(sum.calls, 1.0));
    return m;
  }

  void add_collective(const Thread& thread, const std::string& name, const Sum& sum, OperationSum& to) {
    const auto kind = collective_kind(name);
    const bool barrier = lower_case(name).find("barrier") != std::string::npos;
    if (!kind || (!(sum.messages > 0) && !barrier)) {
      out_.unknown_bytes += whole(sum.calls);
      return;
    }
    auto m = message(thread, name, sum, sum.calls);
    m.collective = *kind;
    if (records_share(*kind)) {
      m.bytes = whole(static_cast<double>(m.bytes) * static_cast<double>(places_.ranks()));
      shares_ = true;
    }
    collectives_ = true;
    to.messages.push_back(m);
    out_.list.push_back(std::move(m));
  }

  // The receivers are recorded for all sends of a thread together: each send operation gets a part of them in
  // proportion to its number of messages.
  void add_sends(const Thread& thread, const std::string& name, const Sum& sum, OperationSum& to) {
    if (!(sum.messages > 0)) {
      out_.unknown_bytes += whole(sum.calls);
      return;
    }
    double all = 0;
    for (const auto& [operation, other] : thread.operations)
      if (role_of(operation) == Role::send) all += other.messages;
    std::vector<SessionMessage> messages;
    for (const auto& [receiver, sent] : thread.receivers) {
      if (!(sent.messages > 0)) continue;
      auto m = message(thread, name, sum, sent.messages * sum.messages / all);
      m.bytes = whole(sent.bytes / sent.messages);
      m.to = receiver, m.distance = places_.distance(thread.rank, receiver);
      messages.push_back(std::move(m));
    }
    if (messages.empty()) {
      messages.push_back(message(thread, name, sum, sum.messages));
      unknown_receivers_ = true;
    }
    for (auto& m : messages) {
      m.nonblocking = is_nonblocking_send(name);
      to.messages.push_back(m);
      out_.list.push_back(std::move(m));
    }
  }

  void state_assumptions() {
    auto& out = out_.assumptions;
    out.push_back(
        "The file has sums, not individual messages: each message of an operation is predicted with the "
        "mean size, and with k = 1.");
    out.push_back("Measured times are means of calls and include the time in which a call waits.");
    if (collectives_)
      out.push_back(places_.ranks() > 1
                        ? fmt::format("Every collective is assumed to involve all {} ranks.", places_.ranks())
                        : std::string("The session has only one rank, so the predicted time of its "
                                      "collectives is 0. Open the profiles of all ranks."));
    if (shares_)
      out.push_back("The size of an all-gather, all-to-all or reduce-scatter is the recorded size of one "
                    "rank, multiplied by the number of ranks.");
    if (unknown_receivers_)
      out.push_back(
          fmt::format("The receivers of messages are not recorded: they are assumed to be {}.",
                      places_.farthest() == Distance::inter_node ? "on another node" : "on the same node"));
  }

  const analysis::Session& session_;
  const analysis::LaunchColumns& columns_;
  const Job& job_;
  RankPlaces places_;
  std::map<std::pair<std::size_t, std::uint32_t>, Thread> threads_; ///< threads by trace and stream
  bool collectives_ = false, shares_ = false, unknown_receivers_ = false;
  SessionMessages out_;
};

} // namespace

bool is_profile(const analysis::Session& session, const analysis::LaunchColumns& columns) {
  const auto* kinds = columns.find("row_kind");
  return session.launch_order() && kinds && kinds->kind == ColumnKind::Text;
}

Expected<SessionMessages> profile_messages(const analysis::Session& session,
                                           const analysis::LaunchColumns& columns,
                                           const RankPlacement& placement, const Job& job) {
  const auto* operations = columns.find("mpi_operation");
  if (!operations || operations->kind != ColumnKind::Text) return SessionMessages{};
  return Reader(session, columns, placement, job).run();
}

} // namespace jitterscope::engine
