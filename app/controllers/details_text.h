#pragma once

#include <QString>
#include <optional>

#include "app/session/selection_hub.h"
#include "core/engine/messages/launch_answers.h"
#include "views/parallel/parallel_data.h"
#include "views/timeline/timeline_model.h"

namespace jitterscope::app {

/// Hover card text of a launch: lines "name\tvalue"; with `all_columns`, the name
/// is not shortened and the number of columns is not limited. Columns that are 0 or missing are omitted.
QString launch_card(const engine::answers::LaunchAnswer& launch, bool all_columns = false);
/// One-line summary for the status bar.
QString launch_summary(const engine::answers::LaunchAnswer& launch);
/// The launch as a selection for all views.
LaunchChoice choice_of(const engine::answers::LaunchAnswer& launch);
/// The launch as a line in parallel coordinates; values of category columns become category numbers.
views::ParallelLine launch_line(const engine::answers::LaunchAnswer& launch, const CategoryCodes& codes);

/// Display name of a column, and its value with its unit.
QString field_label(const engine::answers::FieldAnswer& field);
QString field_text(const engine::answers::FieldAnswer& field);

/// Text about a copy, call or range from the timeline's own data.
QString event_text(const views::TimelineModel& model, std::uint32_t track, std::uint64_t row);

} // namespace jitterscope::app
