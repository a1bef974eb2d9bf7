#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/lanes/coverage.h"
#include "core/store/tiles/range_blocks.h"

namespace jitterscope::analysis {

/// The same aggregates as Coverage, computed several times faster, for events that never overlap: at most one
/// of them reaches into any bin, and the covered time is the sum of their lengths. One object can process
/// several rows of bins, one after the other.
class LaneSums {
public:
  /// Names of events must be below `names`, or kNone.
  void allow(std::size_t names);

  /// Bin i is [borders[i], borders[i + 1]); borders ascend. The span must live until finish().
  void start(std::span<const std::int64_t> borders);
  /// Add events sorted by start time. Of an event that begins before `from_bin`, only the rest counts, as
  /// open in that bin.
  void add(std::span<const store::Event> events);
  void add_open(const store::Event& event, std::size_t from_bin);
  /// Uses precomputed sums for a bin; events added later begin after it.
  void give(std::size_t bin, const BinSum& sum);
  /// Returns all bins; valid until the next start().
  std::span<const BinSum> finish();

private:
  struct Name {
    std::uint64_t time = 0;
    std::uint64_t bin = 0; ///< bin of the last event of this name, counted through all rows of bins, from 1
  };

  void put(BinSum& sum, std::uint64_t number, std::uint32_t name, std::uint64_t time);
  void spread(std::size_t bin, const store::Event& event);

  std::vector<Name> names_; ///< by name; the last entry is for kNone
  std::span<const std::int64_t> borders_;
  std::vector<BinSum> bins_;
  std::vector<std::uint8_t> given_;
  std::size_t at_ = 0;
  std::uint64_t first_bin_ = 1;
};

} // namespace jitterscope::analysis
