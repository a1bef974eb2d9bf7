#pragma once

#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "views/table/launches_data.h"
#include "views/timeline/timeline_data.h"

namespace jitterscope::app {

/// Options of the engine's operations as views ask them, beside "where" and "intervals" of what is selected.
nlohmann::json timeline_question(const views::TimelineQuery& query);
nlohmann::json launches_question(qint64 first, qint64 count, const views::LaunchesOrder& order,
                                 const QStringList& columns);

/// "kernel_variability" → "Kernel variability".
QString title_of_column(const std::string& column);

} // namespace jitterscope::app
