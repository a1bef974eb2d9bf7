#include "app/session/questions.h"

#include <algorithm>

#include "app/engine/column_titles.h"
#include "app/engine/decode_launches.h"
#include "views/base/text.h"

namespace jitterscope::app {

using nlohmann::json;

std::vector<std::uint32_t> without_metrics(const std::vector<std::uint32_t>& tracks) {
  auto known = tracks;
  std::erase_if(known, [](std::uint32_t track) { return track >= kFirstMetricTrack; });
  return known;
}

json timeline_question(const views::TimelineQuery& query) {
  return {{"begin_ns", query.window.begin.count},
          {"end_ns", query.window.end.count},
          {"columns", std::clamp(query.columns, 1, 20'000)},
          {"tracks", without_metrics(query.tracks)},
          {"value", query.value.toStdString()}};
}

namespace {

json runs_of(const std::vector<std::uint32_t>& tracks) {
  json runs = json::array();
  for (std::size_t first = 0; first < tracks.size();) {
    std::size_t last = first + 1;
    const std::int64_t step =
        last < tracks.size() ? std::int64_t{tracks[last]} - std::int64_t{tracks[first]} : std::int64_t{0};
    while (step > 0 && last < tracks.size() &&
           std::int64_t{tracks[last]} - std::int64_t{tracks[last - 1]} == step)
      ++last;
    runs.push_back({tracks[first], std::max<std::int64_t>(step, 1), last - first});
    first = last;
  }
  return runs;
}

} // namespace

json merged_question(const views::MergedQuery& query) {
  json rows = json::array();
  for (const auto& block : query.blocks)
    for (const auto& tracks : block.rows) rows.push_back(runs_of(without_metrics(tracks)));
  return {{"begin_ns", query.window.begin.count},
          {"end_ns", query.window.end.count},
          {"columns", std::clamp(query.columns, 1, 20'000)},
          {"rows", std::move(rows)},
          {"merging", views::word(query.merging).toStdString()},
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

json contrast_question(const json& selection, const std::string& against) {
  json question = json::object();
  for (const char* key : {"where", "intervals"})
    if (selection.contains(key)) question[key] = selection.at(key);
  if (!against.empty()) question["against"] = against;
  return question;
}

WiderQuestion about_all_launches(const QString& why) {
  return {json::object(),
          views::Text::tr(
              "The selection alone does not show why durations vary: %1. This answer is about all launches.")
              .arg(why)};
}

WiderQuestion about_kernels(const json& kernels, const QString& why) {
  QStringList numbers;
  for (const auto& kernel : kernels.at("kernels"))
    numbers << QString::number(kernel.at("kernel").get<std::uint32_t>());
  if (numbers.isEmpty()) return about_all_launches(why);
  return {
      {{"where", ("kernel in (" + numbers.join(", ") + ")").toStdString()}},
      views::Text::tr("The selection alone does not show why durations vary: %1. This answer is about all "
                      "launches of the selected kernels.")
          .arg(why)};
}

QString title_of_column(const std::string& column) {
  QString title = words(column);
  if (!title.isEmpty()) title[0] = title[0].toUpper();
  return title;
}

} // namespace jitterscope::app
