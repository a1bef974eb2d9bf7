#pragma once

#include <cstdint>

#include "core/base/near_search.h"
#include "core/base/spill_vector.h"
#include "core/base/stop.h"

namespace jitterscope::import::nsys {

/// Which call asked for a GPU activity: by process and correlation number, since every process counts for
/// itself.
class CallIndex {
public:
  void reserve(std::size_t calls) { entries_.reserve(calls); }
  void add(std::uint32_t process, std::uint32_t correlation, std::int64_t start, std::uint32_t call_row) {
    entries_.push_back({std::uint64_t{process} << 32 | correlation, start, call_row});
  }
  /// Call once after the last add(); not to be asked when a stop is wanted afterwards.
  void finish(Stop& stop);

  struct Found {
    std::uint32_t call = 0xFFFFFFFFu; ///< row of calls, kNone when there is none
    bool ambiguous = false;           ///< several calls carry this number
    std::int64_t call_start = 0;
  };
  /// Among calls of the same number the latest that was entered before the activity began, else the first.
  Found find(std::uint32_t process, std::uint32_t correlation, std::int64_t activity_start) const;

private:
  struct Entry {
    std::uint64_t key;
    std::int64_t start;
    std::uint32_t row;
  };
  SpillVector<Entry> entries_;
  NearSearch near_;
};

} // namespace jitterscope::import::nsys
