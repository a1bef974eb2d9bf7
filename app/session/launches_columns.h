#pragma once

#include <QStringList>
#include <vector>

#include "views/table/launches_data.h"

namespace jitterscope::app {

class SessionController;

/// Columns of the launch table that this session has, and the default ones.
struct LaunchesColumns {
  std::vector<views::LaunchesColumn> all;
  QStringList shown;
};
LaunchesColumns launches_columns(const SessionController& session);

} // namespace jitterscope::app
