#pragma once

#include <QFont>
#include <vector>

#include "views/base/view_style.h"
#include "views/parallel/parallel_model.h"

namespace jitterscope::views::parallel {

/// Height of a line of an upright title that takes several.
inline constexpr double kTitleLine = 12;

/// A title in as few lines as its words take, at most three; what is left over stands in the last.
QStringList titleLines(const QString& title, const QFont& font, double width);

/// The letters of an upright title of several lines: bold where each of its words has room, as a whole word
/// says more than a bold half.
QFont titleFont(const QString& title, const ViewStyle& style, double width);

/// Which categories of an axis are named beside it, by tick, and in what letters.
struct CategoryNames {
  QFont font;
  double line = 0;         ///< height that a name takes
  std::vector<bool> named; ///< by tick, in the order of ParallelModel::ticks
  int count = 0;           ///< of them
};

/// All where they have room, in letters a little smaller at need; else those of most rows whose names stand
/// clear of each other. The bars at the axis and hovering tell the others.
CategoryNames categoryNames(const ParallelModel& model, int position, const ViewStyle& style);

/// How high the view must be, at its width, to name each category of this axis, in logical pixels.
double leastHeight(ParallelModel model, int position, const ViewStyle& style);

/// Second line of a title: "time, log"; of a crowded axis, which has no room for them beside it, its ends
/// too; "12 of 40 named" where names are left out.
QString subtitleOf(const ParallelModel& model, int position, const ViewStyle& style);

/// Whether what stands beside the ticks of an axis reaches no further than to the axis before it. Of the
/// first axis it always does: the room at the left is made for it.
bool labelsFit(const ParallelModel& model, int position, const ViewStyle& style);

/// Room that titles and labels need around the axes of this model, at its size and in these fonts. Titles
/// stand upright as long as each is seen whole; else all are turned, with letters down to 6 pt where axes
/// stand close.
ParallelFrame frameOf(ParallelModel model, const ViewStyle& style);

/// How wide the view must be, at its height, so that turned titles have their two lines beside each other, in
/// logical pixels; its own width where that is enough.
double leastWidth(ParallelModel model, const ViewStyle& style);

} // namespace jitterscope::views::parallel
