#include "core/reasons/rows/recent_memory.h"

#include <algorithm>
#include <limits>

namespace jitterscope::analysis {
namespace {

using store::TransferKind;

constexpr std::array kCopyKinds = {TransferKind::HostToDevice, TransferKind::DeviceToHost,
                                   TransferKind::DeviceToDevice, TransferKind::PeerToPeer,
                                   TransferKind::Memset};

bool ends_before(const store::Span& a, const store::Span& b) {
  return a.end < b.end;
}

std::size_t place_of(std::string_view column) {
  return static_cast<std::size_t>(
      std::find(RecentMemory::kColumns.begin(), RecentMemory::kColumns.end(), column) -
      RecentMemory::kColumns.begin());
}

} // namespace

RecentMemory::RecentMemory(const Session& session, const std::vector<std::vector<std::uint32_t>>& physical,
                           const std::vector<std::map<std::uint32_t, store::MemoryOperations>>& by_device,
                           Stop& stop)
    : session_(&session) {
  for (std::size_t t = 0; t < by_device.size(); ++t) {
    OfTrace& known = traces_.emplace_back();
    known.device = physical[t];
    for (const auto& [device, operations] : by_device[t]) {
      auto& [copies, migrations] = known.ends[device];
      for (const auto kind : kCopyKinds)
        for (const auto& span : operations.of(kind)) copies.push_back(span);
      for (const auto& span : operations.migrations()) migrations.push_back(span);
      for (auto* spans : {&copies, &migrations}) sort_stably(*spans, ends_before, stop);
      if (stop.requested()) return;
    }
  }
}

bool RecentMemory::provides(std::string_view column) const {
  const auto place = place_of(column);
  return place < kColumns.size() && std::any_of(traces_.begin(), traces_.end(), [&](const OfTrace& trace) {
           return std::any_of(trace.ends.begin(), trace.ends.end(),
                              [&](const auto& device) { return !device.second[place].empty(); });
         });
}

std::vector<double> RecentMemory::read(std::string_view column, const Segment& segment) const {
  const OfTrace& known = traces_[segment.trace];
  const Trace& trace = session_->traces()[segment.trace];
  const auto starts = trace.starts();
  const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
  const auto durations = trace.durations();
  std::vector<double> values(static_cast<std::size_t>(segment.rows()), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto row = static_cast<std::size_t>(segment.first) + i;
    const auto found = known.ends.find(known.device[streams[row]]);
    if (found == known.ends.end()) continue;
    const auto& spans = found->second[place_of(column)];
    const auto start = starts[row], end = start + std::max<std::int64_t>(durations[row], 0);
    const auto after =
        std::upper_bound(spans.begin(), spans.end(), start,
                         [](std::int64_t time, const store::Span& span) { return time < span.end; });
    const auto age = after != spans.begin() ? start - std::prev(after)->end : kWithin;
    // Spans of one kind rarely overlap: the next to end is the next to begin.
    if (age < kWithin)
      values[i] = static_cast<double>(kWithin - age);
    else if (after != spans.end() && after->begin < end)
      values[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return values;
}

} // namespace jitterscope::analysis
