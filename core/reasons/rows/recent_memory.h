#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/base/stop.h"
#include "core/store/columns/memory_activity.h"

namespace jitterscope::analysis {

/// Memory operations that ended shortly before launches: they leave caches and translation buffers cold, so
/// that launches after them take longer without overlapping them.
///
/// Columns recent_copy_ns (copies and memsets) and recent_migration_ns, by launch: kWithin minus the time
/// from the end of the latest such operation on the device to the start of the launch, if that is less than
/// kWithin. Else missing if such an operation overlaps the launch (the columns of overlap and migrations
/// measure what it does); else 0.
class RecentMemory {
public:
  static constexpr std::int64_t kWithin = 500'000; ///< maximum age of an operation, ns
  static constexpr std::array<std::string_view, 2> kColumns = {"recent_copy_ns", "recent_migration_ns"};

  RecentMemory() = default;
  /// `physical`: device of every resource, by trace. Unusable if a stop is requested.
  RecentMemory(const Session& session, const std::vector<std::vector<std::uint32_t>>& physical,
               const std::vector<std::map<std::uint32_t, store::MemoryOperations>>& by_device, Stop& stop);

  /// Whether the column is known and the session has such operations.
  bool provides(std::string_view column) const;
  /// Values of a column for the rows of one trace. Thread-safe.
  std::vector<double> read(std::string_view column, const Segment& segment) const;

private:
  using Spans = std::vector<store::Span>; ///< spans of operations, sorted by end
  struct OfTrace {
    std::vector<std::uint32_t> device; ///< device of every resource
    std::map<std::uint32_t, std::array<Spans, kColumns.size()>> ends;
  };
  const Session* session_ = nullptr;
  std::vector<OfTrace> traces_;
};

} // namespace jitterscope::analysis
