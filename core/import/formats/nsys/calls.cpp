#include <algorithm>
#include <tuple>

#include <fmt/core.h>

#include "core/import/formats/nsys/session.h"
#include "core/import/records/call_index.h"
#include "core/import/text/text.h"

namespace jitterscope::import::nsys {
namespace {

using store::Severity;

const std::string kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::int64_t kRuntimeApi = 0, kDriverApi = 1;

// "cudaLaunchKernel_v7000" is cudaLaunchKernel as of CUDA 7.0: the profiler's suffix, not part of the
// function's name. A single digit ("cuMemcpyHtoD_v2") belongs to the driver's own name.
std::string_view without_version(std::string_view name) {
  const auto digits = name.find_last_not_of("0123456789") + 1;
  const bool versioned = name.size() - digits >= 4 && digits >= 3 && name.substr(digits - 2, 2) == "_v";
  return versioned ? name.substr(0, digits - 2) : name;
}

// Names without their suffix, interned once per name id: calls repeat a few names a million times.
class CallNames {
public:
  explicit CallNames(Session& session) : session_(session) {}

  std::uint32_t operator()(std::int64_t id) {
    if (id == last_id_ && last_ != kNone) return last_;
    const auto [place, added] = interned_.try_emplace(id, 0);
    if (added) place->second = intern(id);
    last_id_ = id;
    return last_ = place->second;
  }

private:
  std::uint32_t intern(std::int64_t id) {
    if (!session_.names.has(id)) return session_.name(id, kTable);
    const auto text = session_.names.text(id);
    const auto name = without_version(text);
    if (name.size() != text.size())
      session_.issues.count(Severity::Info, "api-version-suffix", [&] {
        return fmt::format("functions are shown without the profiler's version suffix: {} as {}",
                           clean_text(text), clean_text(name));
      });
    return session_.draft.strings.intern(clean_text(name)).value;
  }

  Session& session_;
  std::unordered_map<std::int64_t, std::uint32_t> interned_;
  std::int64_t last_id_ = 0;
  std::uint32_t last_ = kNone;
};

} // namespace

void CallIndex::finish(Stop& stop) {
  const auto before = [](const Entry& a, const Entry& b) {
    return std::tie(a.key, a.start, a.row) < std::tie(b.key, b.start, b.row);
  };
  if (!std::is_sorted(entries_.begin(), entries_.end(), before)) sort_stably(entries_, before, stop);
}

CallIndex::Found CallIndex::find(std::uint32_t process, std::uint32_t correlation,
                                 std::int64_t activity_start) const {
  const std::uint64_t key = std::uint64_t{process} << 32 | correlation;
  const auto by_key = [](const Entry& entry, std::uint64_t k) { return entry.key < k; };
  const auto before = near_(entries_.size(), [&](std::size_t i) { return entries_[i].key < key; });
  const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(before);
  if (correlation == 0 || first == entries_.end() || first->key != key) return {};
  const auto end = first + 1 == entries_.end() || (first + 1)->key != key
                       ? first + 1
                       : std::lower_bound(first, entries_.end(), key + 1, by_key);
  const auto later =
      std::partition_point(first, end, [&](const Entry& e) { return e.start <= activity_start; });
  const auto chosen = later == first ? first : later - 1;
  return {chosen->row, end - first > 1, chosen->start};
}

Expected<void> read_calls(Session& session, CallIndex& index) {
  CallNames names(session);
  const auto& calls = session.draft.calls;
  session.draft.reserve_calls(calls.start.size() + session.rows_to_reserve(kTable));
  index.reserve(session.rows_to_reserve(kTable));
  auto done = session.for_each(
      kTable, {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"},
      [&](const sqlite::Rows& rows) {
        const auto event_class = integer(rows, 2).value_or(kRuntimeApi);
        if (event_class != kRuntimeApi && event_class != kDriverApi) {
          session.issues.count(Severity::Drop, "back-trace-duplicates", [&] {
            return fmt::format(
                "{} has event class {}: events of this class repeat calls that are already recorded",
                place_of(rows, kTable), event_class);
          });
          return;
        }
        const auto times = session.times(rows, 0, 1, kTable, OpenEnd::StaysOpen);
        if (!times) return;
        const auto thread = session.thread(integer(rows, 3));
        const auto correlation = low_bits(integer(rows, 4).value_or(0));
        index.add(session.draft.resources[thread].parent, correlation, times->start,
                  static_cast<std::uint32_t>(calls.start.size()));
        push_call(session.draft, *times, names(integer(rows, 5).value_or(-1)), thread, correlation,
                  low_bits(integer(rows, 6).value_or(0)));
        session.last_event = std::max(session.last_event, times->start + times->duration);
      });
  if (!done) return done;
  Stop stop(session.progress.job);
  index.finish(stop);
  if (stop.requested()) return Job::cancelled_error();
  return {};
}

} // namespace jitterscope::import::nsys
