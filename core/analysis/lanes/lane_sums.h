#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/lanes/coverage.h"
#include "core/store/tracks/range_blocks.h"

namespace jitterscope::analysis {

/// What Coverage says, several times as quickly, of events that never overlap: at most one of them reaches
/// into any bin, and what they cover is the sum of their lengths. One object serves any number of rows of
/// bins, one after the other.
class LaneSums {
public:
  /// Names of events are below `names`, or kNone.
  void allow(std::size_t names);

  /// Bin i is [borders[i], borders[i + 1]); borders ascend. The span must live until finish().
  void start(std::span<const std::int64_t> borders);
  /// Events come by begin. Of one that begins before `from` only what lies behind that counts, as open there.
  void add(std::span<const store::Event> events);
  void add_open(const store::Event& event, std::size_t from_bin);
  /// Takes the sums of a bin as given; events that are added later begin behind it.
  void give(std::size_t bin, const BinSum& sum);
  /// The bins, all of them; valid until the next start().
  std::span<const BinSum> finish();

private:
  struct Name {
    std::uint64_t time = 0;
    std::uint64_t bin = 0; ///< in which it was met last, counted through all rows of bins, from 1
  };

  void put(BinSum& sum, std::uint64_t number, std::uint32_t name, std::uint64_t time);
  void spread(std::size_t bin, const store::Event& event);

  std::vector<Name> names_; ///< the last one stands for kNone
  std::span<const std::int64_t> borders_;
  std::vector<BinSum> bins_;
  std::vector<std::uint8_t> given_;
  std::size_t at_ = 0;
  std::uint64_t first_bin_ = 1;
};

} // namespace jitterscope::analysis
