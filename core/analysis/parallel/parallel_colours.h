#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/parallel/parallel.h"

namespace jitterscope::analysis {

/// Rows with one colour: rows of a category, or rows with a value in [low, high), including `high` if
/// `closed`.
struct ColourPart {
  int category = -1; ///< index among the axis' categories; −1: a range of numbers
  double low = 0, high = 0;
  bool closed = true;
  std::int64_t rows = 0; ///< number of selected rows of the part
  bool holds(double value) const { return value >= low && (closed ? value <= high : value < high); }
};

/// Number of parts with a colour of their own; all other rows share one more colour.
inline constexpr std::size_t kMaxColours = 7;

/// Parts by which the selected rows of a counted column are coloured:
/// - categories: the most frequent ones;
/// - numbers: the given ranges if there are at least two, else single values if few cells hold any row, else
///   fifths of the rows.
/// Only parts of given ranges may be empty. Returns kMaxColours + 1 parts if these cover all rows.
std::vector<ColourPart> colour_parts(const ParallelAxis& counted,
                                     const std::vector<std::pair<double, double>>& ranges = {});

/// Filter expression that selects the launches of a part.
std::string filter_of(const ColourPart& part, const ParallelAxis& axis);

/// The selected rows that are in no class; classes must be disjoint.
ParallelClass rest_of(const ParallelCounts& counts);

} // namespace jitterscope::analysis
