#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/spill_vector.h"
#include "core/store/tiles/range_blocks.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::store {

/// The tables whose rows are events on tracks.
enum class EventTable : std::uint8_t { Launches, Transfers, Calls, Ranges, Messages };
inline constexpr const char* kEventTables[] = {"launches", "transfers", "calls", "ranges", "messages"};

/// Times are clamped to ± this value, so that no sum of two times overflows: larger ones occur only in
/// damaged files.
inline constexpr std::int64_t kFarthestTime = std::int64_t{1} << 61;

/// An event as stored; `length` < 0 counts as 0.
inline Event event_of(std::int64_t start, std::int64_t length, std::uint32_t name) {
  const auto begin = std::clamp(start, -kFarthestTime, kFarthestTime);
  return {begin, begin + std::clamp<std::int64_t>(length, 0, kFarthestTime), name};
}

/// The events of one table of an import.
class EventRows {
public:
  EventRows(const TraceData& data, EventTable table);
  std::size_t rows() const { return starts_->size(); }
  std::int64_t begin(std::size_t row) const {
    return std::clamp((*starts_)[row], -kFarthestTime, kFarthestTime);
  }
  Event at(std::size_t row) const {
    return event_of((*starts_)[row], places_ ? 1 : (*durations_)[row], name(row));
  }

private:
  std::uint32_t name(std::size_t row) const {
    if (kinds_) return (*kinds_)[row];
    const auto number = (*numbers_)[row];
    return kernels_.empty() ? number : number < kernels_.size() ? kernels_[number] : kNone;
  }

  const SpillVector<std::int64_t>* starts_;
  const SpillVector<std::int64_t>* durations_;
  const SpillVector<std::uint8_t>* kinds_ = nullptr;
  const SpillVector<std::uint32_t>* numbers_ = nullptr;
  SpillVector<std::uint32_t> kernels_; ///< of launches: kernel of each configuration
  bool places_ = false;
};

} // namespace jitterscope::store
