#pragma once

#include <QString>
#include <vector>

#include "app/selection_hub.h"
#include "views/parallel/parallel_model.h"

namespace jitterscope::app {

inline constexpr int kMostColours = 8;

/// Rows of one colour: those with a value of an axis (of categories: a number of a category) from `low` up to `high`,
/// `high` itself only where `closed`.
struct ColourPart {
  QString label;
  double low = 0, high = 0;
  bool closed = true;
  bool holds(double value) const { return value >= low && (closed ? value <= high : value < high); }
};

/// The most frequent categories of an axis; of a number the ranges of its brushes where there are several, else the
/// values where there are at most kMostColours bins with any, else fifths of the rows.
std::vector<ColourPart> colour_parts(const views::ParallelModel& model, int position, const views::AxisBrushes& brushes);

/// Launches of that colour, in the filter language. `codes`: the values of the categories.
QString filter_of(const ColourPart& part, const views::ParallelAxis& axis, const CategoryCodes& codes);

} // namespace jitterscope::app
