#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/parallel/parallel.h"

namespace jitterscope::analysis {

/// Rows of one colour: those of a category, or with a value from `low` up to `high`, `high` itself only where
/// `closed`.
struct ColourPart {
  int category = -1; ///< place among the axis' categories; −1: a range of numbers
  double low = 0, high = 0;
  bool closed = true;
  std::int64_t rows = 0; ///< selected ones
  bool holds(double value) const { return value >= low && (closed ? value <= high : value < high); }
};

/// So many parts have colours of their own. The rows of all others share one more.
inline constexpr std::size_t kMostColours = 7;

/// What colours the selected rows of a counted column: its most frequent categories; of numbers the given
/// ranges, where there are at least two, else single values, where few cells hold any row, else fifths of the
/// rows. No part is empty but the given ones. One part more than kMostColours where nothing is left over
/// then.
std::vector<ColourPart> colour_parts(const ParallelAxis& counted,
                                     const std::vector<std::pair<double, double>>& ranges = {});

/// The launches of a part in the filter language.
std::string filter_of(const ColourPart& part, const ParallelAxis& axis);

/// The selected rows that are in no class; classes must not meet.
ParallelClass rest_of(const ParallelCounts& counts);

} // namespace jitterscope::analysis
