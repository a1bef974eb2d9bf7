#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "views/table/launches_data.h"
#include "views/timeline/merged_data.h"
#include "views/timeline/timeline_data.h"

namespace jitterscope::app {

/// First track number of metrics; the engine's own tracks have smaller numbers.
inline constexpr std::uint32_t kFirstMetricTrack = 1u << 31;
/// The tracks of a query without metrics, which are not in the engine's timeline.
std::vector<std::uint32_t> without_metrics(const std::vector<std::uint32_t>& tracks);

/// Options of the engine's operations, in addition to the "where" and "intervals" of the selection.
nlohmann::json timeline_question(const views::TimelineQuery& query);
/// The rows are runs of track numbers: [first, step, count].
nlohmann::json merged_question(const views::MergedQuery& query);
nlohmann::json launches_question(qint64 first, qint64 count, const views::LaunchesOrder& order,
                                 const QStringList& columns);

/// "kernel_variability" → "Kernel variability".
QString title_of_column(const std::string& column);

} // namespace jitterscope::app
