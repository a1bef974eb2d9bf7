#pragma once

#include <QString>
#include <vector>

#include "core/analysis/parallel/parallel_colours.h"
#include "views/parallel/parallel_model.h"

namespace jitterscope::engine::answers {
struct ParallelClassAnswer;
}

namespace jitterscope::app {

inline constexpr int kMaxColours = static_cast<int>(analysis::kMaxColours);

/// Parts that colour the selected rows by an axis of a picture (analysis::colour_parts); for numbers, the
/// brushed ranges.
std::vector<analysis::ColourPart> colour_parts(const views::ParallelModel& model, int position,
                                               const views::AxisBrushes& brushes);

/// Label of a part: a category's name, a value or a range.
QString label_of(const analysis::ColourPart& part, const QString& category, const QString& unit);
/// Label of a class of the engine's answer; empty if the request itself contained its filter.
QString class_label(const engine::answers::ParallelClassAnswer& read);

/// Assigns a colour to every class: classes in `before` keep their colour, new classes take free colours, and
/// the class of the remaining rows has a colour reserved for it.
void choose_colours(std::vector<views::ParallelClass>& classes,
                    const std::vector<views::ParallelClass>& before = {});

} // namespace jitterscope::app
