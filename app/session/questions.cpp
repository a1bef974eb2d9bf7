#include "app/session/questions.h"

#include <algorithm>

#include "app/engine/decode_launches.h"
#include "app/metrics/metric_tracks.h"
#include "app/session/session_controller.h"

namespace jitterscope::app {

using nlohmann::json;

json timeline_question(const views::TimelineQuery& query) {
  return {{"begin_ns", query.window.begin.count},
          {"end_ns", query.window.end.count},
          {"columns", std::clamp(query.columns, 1, 20'000)},
          {"tracks", without_metrics(query.tracks)},
          {"value", query.value.toStdString()}};
}

json launches_question(qint64 first, qint64 count, const views::LaunchesOrder& order,
                       const QStringList& columns) {
  json names = json::array();
  for (const auto& column : columns) names.push_back(column.toStdString());
  return {{"sort", order.column.toStdString()},
          {"descending", order.descending},
          {"first", first},
          {"count", count},
          {"columns", std::move(names)}};
}

LaunchesColumns launches_columns(const SessionController& session) {
  static const QStringList kUsual = {"start",
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
  constexpr int kMostShown = 12;
  LaunchesColumns columns;
  for (const auto& column : session.info().value("columns", json::array())) {
    auto made = launches_column(column);
    if (kUsual.contains(made.name) && !column.value("constant", false)) columns.shown << made.name;
    columns.all.push_back(std::move(made));
  }
  std::sort(columns.shown.begin(), columns.shown.end(),
            [](const QString& a, const QString& b) { return kUsual.indexOf(a) < kUsual.indexOf(b); });
  for (const auto& recorded : session.recorded_columns())
    if (const auto name = QString::fromStdString(recorded);
        columns.shown.size() < kMostShown && !columns.shown.contains(name))
      columns.shown << name;
  return columns;
}

QString title_of_column(const std::string& column) {
  QString title = words(column);
  if (!title.isEmpty()) title[0] = title[0].toUpper();
  return title;
}

} // namespace jitterscope::app
