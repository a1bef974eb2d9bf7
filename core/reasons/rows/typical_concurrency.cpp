#include "core/reasons/rows/typical_concurrency.h"

#include <algorithm>
#include <limits>

namespace jitterscope::analysis {

TypicalConcurrency::TypicalConcurrency(const Session& session,
                                       const std::vector<std::vector<std::uint32_t>>& physical, Stop& stop)
    : session_(&session) {
  if (session.launches() > kMaxLaunches) return;
  for (std::size_t t = 0; t < session.traces().size(); ++t) {
    const Trace& trace = session.traces()[t];
    const auto starts = trace.starts();
    const auto durations = trace.durations();
    const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
    std::map<std::uint32_t, std::size_t>
        launches; // by device; reserved, because growing by doubling copies too long
    for (std::size_t row = 0; row < starts.size() && !stop.at(row); ++row)
      ++launches[physical[t][streams[row]]];
    std::map<std::uint32_t, std::vector<store::Span>> spans;
    for (const auto& [device, count] : launches) spans[device].reserve(count);
    for (std::size_t row = 0; row < starts.size() && !stop.at(row); ++row)
      spans[physical[t][streams[row]]].push_back(
          {starts[row], starts[row] + std::max<std::int64_t>(durations[row], 0), 0});
    OfTrace& known = traces_.emplace_back();
    known.device = physical[t];
    for (const auto& [device, of_device] : spans) known.kernels.emplace(device, store::Load(of_device, stop));
    if (stop.requested()) {
      traces_.clear();
      return;
    }
  }
}

std::vector<double> TypicalConcurrency::read(const Segment& segment,
                                             const std::vector<std::int64_t>& typical) const {
  std::vector<double> values(static_cast<std::size_t>(segment.rows()),
                             std::numeric_limits<double>::quiet_NaN());
  const Trace& trace = session_->traces()[segment.trace];
  const OfTrace& known = traces_[segment.trace];
  const auto starts = trace.starts();
  const auto durations = trace.durations();
  const auto configurations = trace.configurations();
  const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto row = static_cast<std::size_t>(segment.first) + i;
    const auto own = std::max<std::int64_t>(durations[row], 0),
               of_configuration = typical[trace.configuration[configurations[row]]];
    const auto length = of_configuration >= 0 ? std::min(own, of_configuration) : own;
    if (length <= 0) continue;
    const auto others =
        known.kernels.at(known.device[streams[row]]).within(starts[row], starts[row] + length) - length;
    values[i] = static_cast<double>(others) / static_cast<double>(length);
  }
  return values;
}

std::vector<double> TypicalConcurrency::within_gaps(const Segment& segment,
                                                    const std::vector<double>& gaps) const {
  std::vector<double> values(gaps.size(), 0.0);
  const Trace& trace = session_->traces()[segment.trace];
  const OfTrace& known = traces_[segment.trace];
  const auto starts = trace.starts();
  const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const auto row = static_cast<std::size_t>(segment.first) + i;
    const auto device = known.device[streams[row]];
    if (!(gaps[i] >= 1) || device == kNone) continue; // bursts of threads share no device
    const auto ran =
        known.kernels.at(device).within(starts[row] - static_cast<std::int64_t>(gaps[i]), starts[row]);
    values[i] = std::min(static_cast<double>(ran), gaps[i]);
  }
  return values;
}

} // namespace jitterscope::analysis
