#include "app/session/launches_columns.h"

#include <algorithm>

#include "app/engine/decode_launches.h"
#include "app/session/session_controller.h"

namespace jitterscope::app {

using nlohmann::json;

LaunchesColumns launches_columns(const SessionController& session) {
  static const QStringList kDefaultColumns = {"start",
                                              "short_name",
                                              "duration",
                                              "kernel_variability",
                                              "relative_variability",
                                              "stream",
                                              "device",
                                              "rank",
                                              "blocks",
                                              "threads_per_block",
                                              "gap_ns",
                                              "queue_delay_ns"};
  constexpr int kMaxShown = 12;
  LaunchesColumns columns;
  for (const auto& column : session.info().value("columns", json::array())) {
    auto made = launches_column(column);
    if (kDefaultColumns.contains(made.name) && !column.value("constant", false)) columns.shown << made.name;
    columns.all.push_back(std::move(made));
  }
  std::sort(columns.shown.begin(), columns.shown.end(), [](const QString& a, const QString& b) {
    return kDefaultColumns.indexOf(a) < kDefaultColumns.indexOf(b);
  });
  for (const auto& recorded : session.recorded_columns())
    if (const auto name = QString::fromStdString(recorded);
        columns.shown.size() < kMaxShown && !columns.shown.contains(name))
      columns.shown << name;
  return columns;
}

} // namespace jitterscope::app
