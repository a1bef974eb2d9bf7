#pragma once

#include <QStringList>
#include <vector>

#include "views/table/launches_data.h"

namespace jitterscope::app {

class SessionController;

/// What a table of launches can show of this session, and what it shows at first.
struct LaunchesColumns {
  std::vector<views::LaunchesColumn> all;
  QStringList shown;
};
LaunchesColumns launches_columns(const SessionController& session);

} // namespace jitterscope::app
