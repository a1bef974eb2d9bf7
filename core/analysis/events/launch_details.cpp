#include "core/analysis/events/launch_details.h"

#include <fmt/core.h>

namespace jitterscope::analysis {

Expected<LaunchDetails> launch_details(const Session& session, const LaunchColumns& columns,
                                       std::int64_t row) {
  const auto segments = session.segments(row, row + 1);
  if (segments.empty()) return failure(ErrorKind::BadUse, fmt::format("there is no launch {}", row));
  const Segment segment = segments.front();
  const Trace& trace = session.traces()[segment.trace];
  const auto at = static_cast<std::size_t>(segment.first);
  const auto& configuration = session.configurations()[trace.configuration[trace.configurations()[at]]];
  LaunchDetails details;
  details.trace = segment.trace;
  details.kernel = configuration.kernel;
  details.stream = trace.store.column<std::uint32_t>("launches", "stream")[at];
  details.start_ns = trace.starts()[at] + trace.shift_ns;
  if (trace.durations()[at] != store::kMissingDuration) details.duration_ns = trace.durations()[at];
  details.configuration_launches = configuration.launches;
  details.configuration_mean_ns = configuration.mean_ns();
  details.variant = configuration.variant;
  const auto call = trace.store.column<std::uint32_t>("launches", "call")[at];
  if (call != kNone) {
    const auto c = static_cast<std::size_t>(call);
    details.call = LaunchDetails::Call{
        .name = std::string(trace.store.string({trace.store.column<std::uint32_t>("calls", "name")[c]})),
        .thread = trace.store.column<std::uint32_t>("calls", "thread")[c],
        .start_ns = trace.store.starts("calls")[c] + trace.shift_ns,
        .duration_ns = trace.store.column<std::int64_t>("calls", "duration")[c]};
  }
  for (const auto& column : columns.list()) {
    if (column.fitted) continue; // reported separately
    auto& field = details.fields.emplace_back(EventField{column.name, column.unit, column.description});
    field.value = columns.read(column.name, segment).front();
    if (column.kind == ColumnKind::Text) field.text = columns.text(column.name, field.value);
  }
  return details;
}

} // namespace jitterscope::analysis
