#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/analysis/bins/bin_values.h"

namespace jitterscope::analysis {

/// What kept bins, or kept groups of one bin, are made of: the parts are numbered from 0. Its memory is used
/// again and again: one for each thread.
class BinContents {
public:
  explicit BinContents(const BinQuestion& question);

  /// Of the selected launches of some rows.
  struct Part {
    std::int64_t last_end_ns = std::numeric_limits<std::int64_t>::min();
    double largest = -std::numeric_limits<double>::infinity();
    std::int64_t top_launch = -1; ///< the first with the largest value
  };
  struct KernelSum {
    std::uint32_t part = 0, kernel = 0;
    double sum = 0;
  };
  struct Piece {
    std::vector<Part> parts;
    std::vector<KernelSum> sums; ///< by part and kernel
  };

  /// At most this many parts are asked for at once, so that memory stays bounded.
  std::size_t most_parts() const;

  /// `parts` are parts of the bin to which the rows belong. Launches are looked at in the order of the rows.
  Piece read(std::span<const Segment> segments, std::span<const KeptBin> parts);

  /// Joins the pieces of a bin in their order.
  static void finish(std::span<const Piece> pieces, std::span<KeptBin> parts);

private:
  void add(const Segment& segment, Piece& piece);
  /// Rows without a value have none.
  void add_value(Piece& piece, std::uint32_t part, std::uint32_t kernel, double value, std::int64_t launch);

  const BinQuestion& question_;
  std::vector<std::vector<std::uint32_t>> kernels_; ///< per trace and configuration
  std::vector<std::uint32_t> part_of_group_;        ///< kNone for no part
  std::vector<double> sums_;                        ///< by part and kernel; 0 between calls
  std::vector<std::uint8_t> seen_;                  ///< whether a sum is of any launch; 0 between calls
  std::vector<std::uint32_t> touched_;              ///< places in sums_
  std::vector<double> values_, numbers_buffer_;
  std::vector<std::int64_t> durations_;
  std::vector<std::uint32_t> numbers_, configurations_;
  std::vector<std::uint8_t> mask_;
  RowFilter::Buffers buffers_;
};

} // namespace jitterscope::analysis
