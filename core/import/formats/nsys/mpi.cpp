#include <algorithm>
#include <array>

#include "core/import/formats/nsys/session.h"

namespace jitterscope::import::nsys {
namespace {

using sqlite::Rows;

/// A table of MPI calls and the column with the peer.
struct MessageTable {
  const char* name;
  const char* peer;
  std::uint8_t kind;
};
constexpr std::array kTables = {MessageTable{"MPI_P2P_EVENTS", "remoteRank", kPointToPoint},
                                MessageTable{"MPI_COLLECTIVES_EVENTS", "rootRank", kCollective},
                                MessageTable{"MPI_START_WAIT_EVENTS", "remoteRank", kWait},
                                MessageTable{"MPI_OTHER_EVENTS", "remoteRank", kOtherMessage}};

// Ranks and tags; MPI's "any" and "none" are negative and become kNone.
std::uint32_t small_or_none(const Rows& rows, int column) {
  const auto value = integer(rows, column).value_or(-1);
  return value >= 0 && value < kNone ? static_cast<std::uint32_t>(value) : kNone;
}

Expected<void> read_messages(Session& session, const MessageTable& table) {
  const std::string name = table.name;
  return session.for_each(
      name, {"start", "end", "globalTid", "textId", table.peer, "size", "tag"}, [&](const Rows& rows) {
        const auto times = session.times(rows, 0, 1, name, OpenEnd::StaysOpen);
        if (!times) return;
        const auto text = integer(rows, 3);
        const auto bytes = integer(rows, 5).value_or(-1);
        const auto thread = session.thread(integer(rows, 2));
        push_message(session.draft, *times, table.kind, std::max<std::int64_t>(bytes, -1), thread,
                     text ? session.name(*text, name) : session.draft.strings.intern("").value,
                     small_or_none(rows, 4), small_or_none(rows, 6));
      });
}

Expected<void> read_ranks(Session& session) {
  return session.for_each("MPI_RANKS", {"globalTid", "rank"}, [&](const Rows& rows) {
    const auto thread = integer(rows, 0);
    const auto rank = integer(rows, 1);
    if (!thread || !rank || *rank < 0 || *rank > 0x7FFFFFFF) return;
    const auto process = session.draft.resources[session.thread(thread)].parent;
    session.draft.resources[process].rank = static_cast<std::int32_t>(*rank);
  });
}

} // namespace

bool has_mpi_tables(Session& session) {
  return std::any_of(kTables.begin(), kTables.end(),
                     [&](const MessageTable& table) { return session.db.has_rows(table.name); });
}

std::uint8_t message_kind(std::string_view function) {
  const auto names = [&](std::string_view part) { return function.find(part) != std::string_view::npos; };
  static constexpr std::array kWaits = {"Wait", "Test", "Start", "Probe", "probe"};
  static constexpr std::array kCollectives = {"Barrier", "barrier", "cast",     "educe",     "ather",
                                              "catter",  "lltoall", "MPI_Scan", "MPI_Iscan", "xscan"};
  static constexpr std::array kMessages = {"end", "ecv"}; // MPI_Send, MPI_Irecv, MPI_Sendrecv …
  if (std::any_of(kCollectives.begin(), kCollectives.end(), names)) return kCollective;
  if (std::any_of(kWaits.begin(), kWaits.end(), names)) return kWait;
  return std::any_of(kMessages.begin(), kMessages.end(), names) ? kPointToPoint : kOtherMessage;
}

Expected<void> read_mpi(Session& session) {
  for (const auto& table : kTables)
    if (auto done = read_messages(session, table); !done) return done;
  return read_ranks(session);
}

} // namespace jitterscope::import::nsys
