#pragma once

#include <QString>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/analysis/parallel/parallel_colours.h"
#include "views/parallel/parallel_model.h"

namespace jitterscope::app {

inline constexpr int kMostColours = static_cast<int>(analysis::kMostColours);

/// What colours the selected rows of an axis of a picture (analysis::colour_parts); of a number its brushes'
/// ranges.
std::vector<analysis::ColourPart> colour_parts(const views::ParallelModel& model, int position,
                                               const views::AxisBrushes& brushes);

/// A part in words: a category's name, a value or a range.
QString label_of(const analysis::ColourPart& part, const QString& category, const QString& unit);
/// The same of a class of the engine's answer; empty where the question named its filter itself.
QString class_label(const nlohmann::json& item);

/// Gives every class a colour: those that `before` had keep theirs, the others take what is free, the rest
/// the one of its own.
void choose_colours(std::vector<views::ParallelClass>& classes,
                    const std::vector<views::ParallelClass>& before = {});

} // namespace jitterscope::app
