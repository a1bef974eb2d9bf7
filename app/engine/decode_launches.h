#pragma once

#include "core/base/error.h"
#include "core/engine/messages/messages.h"
#include "views/heatmap/heat_map_data.h"
#include "views/table/launches_data.h"

namespace jitterscope::app {

/// Converts answers of the operations "launches" and "heat_map" for the views. Errors: Engine. A null title:
/// the name of the column.
Expected<views::LaunchesPage> decode_launches(const engine::Answer& answer);
Expected<views::HeatMapData> decode_heat_map(const engine::Answer& answer, const QString& title,
                                             views::AxisUnit axis);

/// A column of the info document as the table of launches offers it.
views::LaunchesColumn launches_column(const nlohmann::json& column);

} // namespace jitterscope::app
