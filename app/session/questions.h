#pragma once

#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "views/table/launches_data.h"
#include "views/timeline/timeline_data.h"

namespace jitterscope::app {

class SessionController;

/// Options of the engine's operations as views ask them, beside "where" and "intervals" of what is selected.
nlohmann::json timeline_question(const views::TimelineQuery& query);
nlohmann::json launches_question(qint64 first, qint64 count, const views::LaunchesOrder& order,
                                 const QStringList& columns);

/// What a table of launches can show of this session, and what it shows at first.
struct LaunchesColumns {
  std::vector<views::LaunchesColumn> all;
  QStringList shown;
};
LaunchesColumns launches_columns(const SessionController& session);

/// "kernel_variability" → "Kernel variability".
QString title_of_column(const std::string& column);

} // namespace jitterscope::app
