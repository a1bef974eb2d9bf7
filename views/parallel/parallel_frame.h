#pragma once

#include <QFont>
#include <vector>

#include "views/base/view_style.h"
#include "views/parallel/parallel_model.h"

namespace jitterscope::views::parallel {

/// Line height of an upright title with several lines.
inline constexpr double kTitleLine = 12;

/// Breaks a title into as few lines as its words need, at most three; the last takes the remaining text.
QStringList titleLines(const QString& title, const QFont& font, double width);

/// Font of an upright multi-line title: bold only if each word fits in bold, because a whole word
/// is more informative than a truncated bold one.
QFont titleFont(const QString& title, const ViewStyle& style, double width);

/// The labelled categories of an axis, by tick, and their font.
struct CategoryNames {
  QFont font;
  double line = 0;         ///< height of one name
  std::vector<bool> named; ///< true for each tick with a label, in the order of ParallelModel::ticks
  int count = 0;           ///< number of named categories
};

/// Names all categories if they fit, in a slightly smaller font if needed; else those with the most rows
/// whose names do not overlap. The bars at the axis and hovering identify the others.
CategoryNames categoryNames(const ParallelModel& model, int position, const ViewStyle& style);

/// Minimum height of the view, at its width, to label each category of this axis, in logical pixels.
double minHeight(ParallelModel model, int position, const ViewStyle& style);

/// Second line of a title: "time, log"; for a crowded axis without room for end labels, also its ends;
/// "12 of 40 named" if names are left out.
QString subtitleOf(const ParallelModel& model, int position, const ViewStyle& style);

/// True if the tick labels of an axis do not reach the previous axis. Always true for the first axis: the
/// margin at the left is sized for it.
bool labelsFit(const ParallelModel& model, int position, const ViewStyle& style);

/// Margins for titles and labels around the axes of this model, at its size and in these fonts. Titles
/// are upright if each fits completely; else all are turned, with a font size down to 6 pt where axes
/// are close together.
ParallelFrame frameOf(ParallelModel model, const ViewStyle& style);

/// Minimum width of the view, at its height, for turned titles to have their two lines next to each other, in
/// logical pixels; the current width if that is enough.
double minWidth(ParallelModel model, const ViewStyle& style);

} // namespace jitterscope::views::parallel
