#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/analysis/bins/bin_values.h"

namespace jitterscope::analysis {

/// Computes the contents of kept bins, or of the kept groups of one bin; both are called parts and numbered
/// from 0. Reuses its memory between calls: use one object per thread.
class BinContents {
public:
  explicit BinContents(const BinQuestion& question);

  /// Contents of one part, over the selected launches of some rows.
  struct Part {
    std::int64_t last_end_ns = std::numeric_limits<std::int64_t>::min();
    double largest = -std::numeric_limits<double>::infinity();
    std::int64_t top_launch = -1; ///< session row of the first launch with the largest value
  };
  struct KernelSum {
    std::uint32_t part = 0, kernel = 0;
    double sum = 0;
  };
  struct Piece {
    std::vector<Part> parts;
    std::vector<KernelSum> sums; ///< sums of the metric, sorted by part, then by kernel
  };

  /// Maximum number of parts in one call of read(), so that memory stays bounded.
  std::size_t max_parts() const;

  /// `parts` are the parts of the bin that contains the rows. Launches are read in row order.
  Piece read(std::span<const Segment> segments, std::span<const KeptBin> parts);

  /// Merges the pieces of a bin in their order.
  static void finish(std::span<const Piece> pieces, std::span<KeptBin> parts);

private:
  void add(const Segment& segment, Piece& piece);
  /// Precondition: the row has a value.
  void add_value(Piece& piece, std::uint32_t part, std::uint32_t kernel, double value, std::int64_t launch);

  const BinQuestion& question_;
  std::vector<std::vector<std::uint32_t>> kernels_; ///< per trace and configuration: session kernel
  std::vector<std::uint32_t> part_of_group_;        ///< by group: its part, kNone if the group is not kept
  std::vector<double> sums_;           ///< by part and kernel: sum of the metric; 0 between calls
  std::vector<std::uint8_t> seen_;     ///< by part and kernel: whether a launch was added; 0 between calls
  std::vector<std::uint32_t> touched_; ///< indices of the elements of sums_ in use
  std::vector<double> values_, numbers_buffer_;
  std::vector<std::int64_t> durations_;
  std::vector<std::uint32_t> numbers_, configurations_;
  std::vector<std::uint8_t> mask_;
  RowFilter::Buffers buffers_;
};

} // namespace jitterscope::analysis
