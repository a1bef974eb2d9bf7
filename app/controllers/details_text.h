#pragma once

#include <QString>
#include <optional>

#include <nlohmann/json.hpp>

#include "app/session/selection_hub.h"
#include "views/parallel/parallel_data.h"
#include "views/timeline/timeline_model.h"

namespace jitterscope::app {

/// Texts about one launch, from the "launch" document: lines "name\tvalue" as hover cards show them; `whole`
/// with all columns that say something.
QString launch_card(const nlohmann::json& launch, bool whole = false);
/// One line for the status bar.
QString launch_summary(const nlohmann::json& launch);
/// The launch as it is chosen in all views.
LaunchChoice choice_of(const nlohmann::json& launch);
/// The launch as a line in parallel coordinates; values of category columns become numbers of categories.
views::ParallelLine launch_line(const nlohmann::json& launch, const CategoryCodes& codes);

/// The name of a column as it is shown, and its value with its unit; from an entry of "fields".
QString field_label(const nlohmann::json& field);
QString field_text(const nlohmann::json& field);

/// What the timeline itself knows of a copy, call or range.
QString event_text(const views::TimelineModel& model, std::uint32_t track, std::uint64_t row);

} // namespace jitterscope::app
