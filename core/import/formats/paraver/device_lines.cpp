#include <algorithm>
#include <tuple>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/formats/paraver/trace.h"
#include "core/import/records/events.h"

namespace jitterscope::import::paraver {
namespace {

using store::Severity;
using store::TransferKind;

/// The place of an event, for lookup by time.
struct Placed {
  std::uint32_t where = 0;
  std::int64_t start = 0;
  std::uint32_t row = 0;
  auto operator<=>(const Placed&) const = default;
};

SpillVector<Placed> placed(const auto& where, const auto& start, std::size_t from) {
  SpillVector<Placed> rows;
  for (auto row = from; row < start.size(); ++row)
    rows.push_back({where[row], start[row], static_cast<std::uint32_t>(row)});
  std::sort(rows.begin(), rows.end());
  return rows;
}

// The last row that began at or before `time`, kNone when there is none.
std::uint32_t last_by(const SpillVector<Placed>& rows, std::uint32_t where, std::int64_t time) {
  const auto after = std::upper_bound(rows.begin(), rows.end(), Placed{where, time, kNone});
  return after == rows.begin() || (after - 1)->where != where ? kNone : (after - 1)->row;
}

} // namespace

// An event that begins together with the state of a copy gives the kind, size and correlation of the copy.
void Trace::size_copies() {
  const auto before = [](const SizedCopy& a, const SizedCopy& b) {
    return std::pair(a.stream, a.time) < std::pair(b.stream, b.time);
  };
  std::sort(sized_copies_.begin(), sized_copies_.end(), [](const SizedCopy& a, const SizedCopy& b) {
    return std::tie(a.stream, a.time, a.order) < std::tie(b.stream, b.time, b.order);
  });
  auto& t = draft_.transfers;
  std::pair<std::uint32_t, std::int64_t> last{kNone, 0};
  std::ptrdiff_t same = 0; // copies of one stream that begin together are in the order of their states
  for (const auto row : unsized_) {
    const std::pair key(t.stream[row], t.start[row]);
    same = key == last ? same + 1 : 0;
    last = key;
    const auto [first, end] = std::equal_range(sized_copies_.begin(), sized_copies_.end(),
                                               SizedCopy{key.first, key.second}, before);
    if (same >= end - first) continue;
    const auto& copy = *(first + same);
    t.kind[row] = static_cast<std::uint8_t>(copy.kind);
    t.correlation[row] = copy.parameters.correlation;
    if (copy.parameters.bytes >= 0 && copy.parameters.bytes <= kMaxOperationBytes)
      t.bytes[row] = copy.parameters.bytes;
  }
}

// Extrae records a line from the call on the host to the kernel or copy on the stream, and in the reverse
// direction for copies to the host. The line identifies the call, and the direction and size of copies.
void Trace::add_device_lines() {
  if (lines_.empty()) return;
  const auto launches = placed(draft_.launches.stream, draft_.launches.start, before_.launches);
  const auto transfers = placed(draft_.transfers.stream, draft_.transfers.start, before_.transfers);
  const auto calls = placed(draft_.calls.thread, draft_.calls.start, before_.calls);
  for (const auto& line : lines_) {
    const auto call = line.from_device ? kNone : last_by(calls, line.thread, line.host_time);
    const auto launch = last_by(launches, line.stream, line.time);
    const auto& l = draft_.launches;
    if (launch != kNone && line.time <= l.start[launch] + l.duration[launch]) {
      if (call != kNone && l.call[launch] == kNone) draft_.launches.call[launch] = call;
      continue;
    }
    const auto transfer = last_by(transfers, line.stream, line.time);
    auto& t = draft_.transfers;
    if (transfer == kNone || line.time > t.start[transfer] + t.duration[transfer]) continue;
    if (call != kNone && t.call[transfer] == kNone) t.call[transfer] = call;
    if (line.bytes <= 0 || t.bytes[transfer] != store::kUnknownBytes) continue;
    t.bytes[transfer] = line.bytes;
    t.kind[transfer] =
        static_cast<std::uint8_t>(line.from_device ? TransferKind::DeviceToHost : TransferKind::HostToDevice);
  }
}

void Trace::doubt_unsized() {
  for (const auto row : unsized_)
    if (draft_.transfers.bytes[row] == store::kUnknownBytes)
      issues.count(Severity::Doubt, "missing-bytes", [&] {
        return fmt::format("the memory operation at {} ns has neither direction nor size: both are unknown",
                           draft_.transfers.start[row]);
      });
}

} // namespace jitterscope::import::paraver
