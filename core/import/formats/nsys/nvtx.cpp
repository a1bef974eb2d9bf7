#include <charconv>
#include <map>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/formats/nsys/session.h"
#include "core/import/text/text.h"

namespace jitterscope::import::nsys {
namespace {

using sqlite::Rows;
using store::Severity;

const std::string kNvtxTable = "NVTX_EVENTS";
const std::vector<std::string> kColumns = {"start",  "end",       "eventType", "text",
                                           "textId", "globalTid", "domainId"};
constexpr int kStartColumn = 0, kEndColumn = 1, kType = 2, kText = 3, kTextId = 4, kThread = 5, kDomain = 6;

// Event types of the profiler (ENUM_NSYS_EVENT_TYPE).
constexpr std::int64_t kCategory = 33, kMarkEvent = 34, kThreadName = 39, kPushPop = 59, kStartEnd = 60,
                       kDomainCreate = 75, kDomainDestroy = 76;

/// Domains by process and number. Ranges may come before the row with the name of their domain, so rows hold
/// a slot until all are read.
class Domains {
public:
  explicit Domains(store::StringTable& strings) : strings_(strings) {}

  std::uint32_t slot(std::uint32_t process, std::int64_t number) {
    if (process == last_process_ && number == last_number_ && last_slot_ != kNone) return last_slot_;
    const auto [place, added] =
        slots_.try_emplace({process, number}, static_cast<std::uint32_t>(names_.size()));
    if (added) names_.push_back(number == 0 ? strings_.intern("").value : kNone);
    last_process_ = process;
    last_number_ = number;
    return last_slot_ = place->second;
  }

  void name(std::uint32_t process, std::int64_t number, std::uint32_t text) {
    names_[slot(process, number)] = text;
  }

  /// Names by slot; domains without a name row are named by their number.
  SpillVector<std::uint32_t> finish() {
    for (const auto& [key, slot] : slots_)
      if (names_[slot] == kNone) names_[slot] = strings_.intern(fmt::format("domain {}", key.second)).value;
    return names_;
  }

private:
  store::StringTable& strings_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> slots_;
  SpillVector<std::uint32_t> names_;
  std::uint32_t last_process_ = 0, last_slot_ = kNone;
  std::int64_t last_number_ = 0;
};

std::uint32_t text_of(Session& session, const Rows& rows) {
  if (rows.is_text(kText)) return session.draft.strings.intern(clean_text(rows.text(kText))).value;
  if (const auto id = integer(rows, kTextId)) return session.name(*id, kNvtxTable);
  return session.draft.strings.intern("").value;
}

std::uint32_t process_of(Session& session, std::uint32_t thread) {
  return session.draft.resources[thread].parent;
}

// Older tools store the rank of an MPI process as the name of its main thread: "MPI Rank 3".
std::optional<std::int32_t> rank_in(std::string_view thread_name) {
  constexpr std::string_view kPrefix = "MPI Rank ";
  if (!thread_name.starts_with(kPrefix)) return {};
  std::int32_t rank = -1;
  const auto digits = thread_name.substr(kPrefix.size());
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  return result.ec == std::errc() && result.ptr == digits.data() + digits.size() && rank >= 0
             ? std::optional(rank)
             : std::nullopt;
}

void name_thread(Session& session, std::uint32_t thread, const std::string& text) {
  if (const auto rank = rank_in(text))
    session.draft.resources[process_of(session, thread)].rank = *rank;
  else
    session.draft.resources[thread].name = text;
}

void add_range(Session& session, const Rows& rows, Domains& domains, std::uint8_t kind) {
  auto times = session.times(rows, kStartColumn, kind == kMark ? kStartColumn : kEndColumn, kNvtxTable,
                             OpenEnd::StaysOpen);
  if (!times) return;
  const auto thread = session.thread(integer(rows, kThread));
  const auto name = text_of(session, rows);
  push_range(session.draft, *times, name,
             domains.slot(process_of(session, thread), integer(rows, kDomain).value_or(0)), thread, kind);
}

void read_row(Session& session, const Rows& rows, Domains& domains) {
  switch (const auto type = integer(rows, kType).value_or(-1)) {
  case kPushPop:
    return add_range(session, rows, domains, kPushPopRange);
  case kStartEnd:
    return add_range(session, rows, domains, kStartEndRange);
  case kMarkEvent:
    return add_range(session, rows, domains, kMark);
  case kDomainCreate: {
    const auto thread = session.thread(integer(rows, kThread));
    return domains.name(process_of(session, thread), integer(rows, kDomain).value_or(0),
                        text_of(session, rows));
  }
  case kThreadName:
    return name_thread(session, session.thread(integer(rows, kThread)),
                       session.draft.strings[StringId{text_of(session, rows)}]);
  case kCategory:
  case kDomainDestroy:
    return;
  default:
    session.issues.count(Severity::Drop, "other-nvtx-events", [&] {
      return fmt::format("{} has event type {}, which is neither a range, mark, name nor domain",
                         place_of(rows, kNvtxTable), type);
    });
  }
}

// Tools without MPI tables wrote MPI calls as ranges of a domain "MPI".
void add_messages_of_domain(Session& session, std::size_t first_range) {
  const auto& ranges = session.draft.ranges;
  const auto mpi = session.draft.strings.intern("MPI").value;
  for (auto row = first_range; row < ranges.start.size(); ++row) {
    if (ranges.domain[row] != mpi || ranges.kind[row] == kMark) continue;
    push_message(session.draft, {ranges.start[row], ranges.duration[row]},
                 message_kind(session.draft.strings[StringId{ranges.name[row]}]), -1, ranges.thread[row],
                 ranges.name[row]);
  }
}

} // namespace

Expected<void> read_nvtx(Session& session) {
  Domains domains(session.draft.strings);
  const auto first_range = session.draft.ranges.start.size();
  auto done =
      session.for_each(kNvtxTable, kColumns, [&](const Rows& rows) { read_row(session, rows, domains); });
  if (!done) return done;
  const auto names = domains.finish();
  auto& domain = session.draft.ranges.domain;
  for (auto row = first_range; row < domain.size(); ++row) domain[row] = names[domain[row]];
  if (!has_mpi_tables(session)) add_messages_of_domain(session, first_range);
  return {};
}

} // namespace jitterscope::import::nsys
