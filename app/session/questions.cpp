#include "app/session/questions.h"

#include <algorithm>

#include "app/engine/column_titles.h"
#include "app/engine/decode_launches.h"
#include "core/engine/messages/selection.h"
#include "views/base/text.h"

namespace jitterscope::app {

using nlohmann::json;

std::vector<std::uint32_t> without_metrics(const std::vector<std::uint32_t>& tracks) {
  auto known = tracks;
  std::erase_if(known, [](std::uint32_t track) { return track >= kFirstMetricTrack; });
  return known;
}

std::vector<std::string> texts_of(const QStringList& list) {
  std::vector<std::string> texts;
  for (const auto& each : list) texts.push_back(each.toStdString());
  return texts;
}

engine::TimelineOptions timeline_question(const views::TimelineQuery& query,
                                          const engine::SelectionOptions& selection) {
  return with_selection(engine::TimelineOptions{.begin_ns = query.window.begin.count,
                                                .end_ns = query.window.end.count,
                                                .columns = std::clamp(query.columns, 1, 20'000),
                                                .tracks = without_metrics(query.tracks),
                                                .value = query.value.toStdString()},
                        selection);
}

namespace {

engine::MergedRowOptions row_of(const std::vector<std::uint32_t>& tracks) {
  engine::MergedRowOptions row;
  for (std::size_t first = 0; first < tracks.size();) {
    std::size_t last = first + 1;
    const std::int64_t step =
        last < tracks.size() ? std::int64_t{tracks[last]} - std::int64_t{tracks[first]} : std::int64_t{0};
    while (step > 0 && last < tracks.size() &&
           std::int64_t{tracks[last]} - std::int64_t{tracks[last - 1]} == step)
      ++last;
    row.runs.emplace_back(tracks[first], std::max<std::int64_t>(step, 1),
                          static_cast<std::int64_t>(last - first));
    first = last;
  }
  return row;
}

} // namespace

engine::MergedTimelineOptions merged_question(const views::MergedQuery& query,
                                              const engine::SelectionOptions& selection) {
  engine::MergedTimelineOptions options{.begin_ns = query.window.begin.count,
                                        .end_ns = query.window.end.count,
                                        .columns = std::clamp(query.columns, 1, 20'000),
                                        .merging = views::word(query.merging).toStdString(),
                                        .value = query.value.toStdString()};
  for (const auto& block : query.blocks)
    for (const auto& tracks : block.rows) options.rows.push_back(row_of(without_metrics(tracks)));
  return with_selection(std::move(options), selection);
}

engine::LaunchesOptions launches_question(qint64 first, qint64 count, const views::LaunchesOrder& order,
                                          const QStringList& columns,
                                          const engine::SelectionOptions& selection) {
  return with_selection(engine::LaunchesOptions{.sort = order.column.toStdString(),
                                                .descending = order.descending,
                                                .first = first,
                                                .count = count,
                                                .columns = texts_of(columns)},
                        selection);
}

engine::ContrastOptions contrast_question(const engine::SelectionOptions& selection,
                                          const std::string& against) {
  return with_selection(engine::ContrastOptions{.against = against}, selection);
}

Expected<engine::ChooseColumnsOptions> columns_question(const json& chosen) {
  engine::ChooseColumnsOptions options;
  try {
    for (const auto& metric : chosen.value("metrics", json::array()))
      options.metrics.push_back(
          {.name = metric.at("name").get<std::string>(), .text = metric.at("text").get<std::string>()});
    const auto efficiencies = chosen.value("efficiencies", json());
    if (!efficiencies.is_object()) return options;
    auto& columns = *(options.efficiencies = std::make_unique<engine::ColumnEfficienciesOptions>());
    if (efficiencies.contains("width_ns")) columns.width_ns = efficiencies.at("width_ns").get<std::int64_t>();
    columns.step = efficiencies.value("step", std::string());
    columns.collectives_as = efficiencies.value("collectives_as", std::string());
    columns.ranks = efficiencies.value("ranks", columns.ranks);
    columns.devices = efficiencies.value("devices", columns.devices);
  } catch (const json::exception& problem) {
    return failure(ErrorKind::BadUse, std::string("the chosen columns are not valid: ") + problem.what());
  }
  return options;
}

WiderQuestion about_all_launches(const QString& why) {
  return {{},
          views::Text::tr(
              "The selection alone does not show why durations vary: %1. This answer is about all launches.")
              .arg(why)};
}

WiderQuestion about_kernels(const engine::answers::KernelsAnswer& selected, const std::string& where,
                            const QString& why) {
  QStringList numbers;
  for (const auto& kernel : selected.kernels) numbers << QString::number(kernel.kernel);
  if (numbers.isEmpty()) return about_all_launches(why);
  const auto of_kernels = "kernel in (" + numbers.join(", ").toStdString() + ")";
  const auto remark =
      where.empty()
          ? views::Text::tr("The selection alone does not show why durations vary: %1. This answer is "
                            "about all launches of the selected kernels.")
          : views::Text::tr("The selection alone does not show why durations vary: %1. This answer is "
                            "about all launches of the selected kernels that meet the filter, at any "
                            "time.");
  return {engine::SelectionOptions{.where = where.empty() ? of_kernels : "(" + where + ") and " + of_kernels},
          remark.arg(why)};
}

QString title_of_column(const std::string& column) {
  QString title = words(column);
  if (!title.isEmpty()) title[0] = title[0].toUpper();
  return title;
}

} // namespace jitterscope::app
