#pragma once

#include <cstdint>

#include "core/base/near_search.h"
#include "core/base/spill_vector.h"
#include "core/base/stop.h"

namespace jitterscope::import::nsys {

/// Lookup of the call that started a GPU activity: by process and correlation number, as each process counts
/// independently.
class CallIndex {
public:
  void reserve(std::size_t calls) { entries_.reserve(calls); }
  void add(std::uint32_t process, std::uint32_t correlation, std::int64_t start, std::uint32_t call_row) {
    entries_.push_back({std::uint64_t{process} << 32 | correlation, start, call_row});
  }
  /// Call once after the last add(); do not use the index if a stop was requested meanwhile.
  void finish(Stop& stop);

  struct Found {
    std::uint32_t call = 0xFFFFFFFFu; ///< row of Draft::calls, kNone when no call has the number
    bool ambiguous = false;           ///< several calls have this number
    std::int64_t call_start = 0;
  };
  /// Of several calls with the number: the latest that began before the activity, else the first.
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
