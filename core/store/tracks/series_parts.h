#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/spill_memory.h"
#include "core/base/spill_vector.h"
#include "core/store/tracks/event_rows.h"
#include "core/store/tracks/series_kind.h"

namespace jitterscope::store {

/// Range of a group's rows in "series_rows", or in the event table itself when they are in order there.
struct Part {
  std::size_t first = 0, last = 0;
  bool in_order = false;
  std::size_t size() const { return last - first; }
};

/// Distributes the rows of event tables over series. The rows of all parts are in one list, "series_rows".
class SeriesParts {
public:
  /// `stop` is polled before each pass over all rows. `rows`: number of rows to reserve memory for when the
  /// first list is made.
  SeriesParts(std::function<bool()> stop, std::size_t rows) : stop_(std::move(stop)), expected_(rows) {}

  /// Groups the rows by key and keeps their order; rows with key kNone are dropped. A key that has all rows
  /// needs no list.
  template <class Key>
  std::vector<Part> group(std::size_t rows, std::size_t keys, Key&& key_of) {
    std::vector<Part> parts(keys);
    if (stop_()) return parts;
    for (std::size_t row = 0; row < rows; ++row) {
      SpillMemory::relieve_at(row);
      if (const auto key = key_of(row); key < keys) ++parts[key].last;
    }
    for (auto& part : parts)
      if (rows > 0 && part.last == rows) {
        part.in_order = true;
        return parts;
      }
    auto at = rows_.size();
    for (auto& part : parts) {
      part.first = std::exchange(at, at + part.last);
      part.last = part.first;
    }
    grow(at);
    if (stop_()) return parts;
    for (std::size_t row = 0; row < rows; ++row) {
      SpillMemory::relieve_at(row);
      if (const auto key = key_of(row); key < keys)
        rows_[parts[key].last++] = static_cast<std::uint32_t>(row);
    }
    return parts;
  }

  std::uint32_t row_of(const Part& part, std::size_t i) const {
    return part.in_order ? static_cast<std::uint32_t>(part.first + i) : rows_[part.first + i];
  }

  /// Splits a part by the level of its rows; the rows of a level keep their order. If all rows have the same
  /// level, the part is returned unchanged.
  std::vector<Part> split(const Part& part, const SpillVector<std::uint8_t>& levels);

  /// Lanes of the launches of one stream, of which some may overlap (concurrent kernels of a hardware queue);
  /// empty if one lane is enough. Each launch is in the first free lane; while kMaxLanes are in use, in the
  /// lane that becomes free first. `event_at(i)`: the event of the part's row i.
  template <class EventAt>
  SpillVector<std::uint8_t> lanes(const Part& part, EventAt&& event_at) const;

  /// A row of the event table by its index in "series_rows".
  std::uint32_t row(std::size_t at) const { return rows_[at]; }
  SpillVector<std::uint32_t> take_rows() { return std::move(rows_); }

private:
  void grow(std::size_t size);

  std::function<bool()> stop_;
  std::size_t expected_;
  SpillVector<std::uint32_t> rows_;
};

template <class EventAt>
SpillVector<std::uint8_t> SeriesParts::lanes(const Part& part, EventAt&& event_at) const {
  SpillVector<std::int64_t> free_at;
  SpillVector<std::uint8_t> levels;
  levels.reserve(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) {
    SpillMemory::relieve_at(i);
    const Event event = event_at(i);
    auto lane =
        std::find_if(free_at.begin(), free_at.end(), [&](std::int64_t end) { return end <= event.begin; });
    if (lane == free_at.end() && free_at.size() < kMaxLanes) lane = free_at.insert(lane, event.begin);
    if (lane == free_at.end()) lane = std::min_element(free_at.begin(), free_at.end());
    *lane = std::max(*lane, event.end);
    levels.push_back(static_cast<std::uint8_t>(lane - free_at.begin()));
  }
  if (free_at.size() < 2) levels.clear();
  return levels;
}

} // namespace jitterscope::store
