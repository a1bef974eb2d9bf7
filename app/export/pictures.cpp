#include "app/export/pictures.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "app/controllers/causal/causal_group_list.h"
#include "app/controllers/causal/causal_knowledge.h"
#include "app/engine/decode_launches.h"
#include "app/engine/row_texts.h"
#include "app/export/efficiency_picture.h"
#include "app/export/metrics_picture.h"
#include "app/export/parallel_picture.h"
#include "app/export/timeline_picture.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/selection.h"
#include "core/engine/messages/statistics_answers.h"
#include "core/engine/messages/table_options.h"
#include "core/engine/messages/timeline_options.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_painter.h"
#include "views/causal/causal_layout.h"
#include "views/causal/causal_multiples.h"
#include "views/causal/causal_painter.h"
#include "views/distribution/distribution_painter.h"
#include "views/heatmap/heat_map_painter.h"

namespace jitterscope::app {
namespace {

/// Runs an operation and decodes its answer.
template <class Decode>
auto asked(BlockingEngine& engine, const engine::Request& request, const Job& job, Decode&& decode)
    -> decltype(decode(std::declval<const engine::Answer&>())) {
  auto answer = engine.run(request, job);
  if (!answer) return forward(answer.error());
  return decode(*answer);
}

constexpr int kMinPixels = 340; ///< minimum height of graphs side by side

/// The options about the launches of the picture.
template <class Options>
Options of_picture(Options options, const PictureRequest& request) {
  auto of = with_selection(std::move(options), request.selection);
  if (request.range) of.intervals = {*request.range};
  return of;
}

/// Reasons of the kept bins; none if there is nothing to compare them with.
Expected<std::vector<std::pair<std::uint32_t, views::BinReason>>> reasons_of(BlockingEngine& engine,
                                                                             const PictureRequest& request,
                                                                             const views::BinsData& bins,
                                                                             const Job& job) {
  constexpr std::size_t kMost = 200;
  if (bins.axis != views::AxisUnit::Time) return {};
  auto question = with_selection(engine::ReasonsOptions(), request.selection);
  std::vector<std::uint32_t> asked;
  for (const auto& bin : bins.bins) {
    if (!bin.kept || asked.size() == kMost) continue;
    question.moments.push_back({bin.start, bin.start + bins.width});
    asked.push_back(bin.index);
  }
  if (asked.empty()) return {};
  const auto answer = engine.run(question, job);
  if (answer) return decode_reasons(*answer, asked);
  if (answer.error().kind == ErrorKind::BadInput || answer.error().kind == ErrorKind::BadUse) return {};
  return forward(answer.error());
}

Expected<Picture> bins_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  auto tracks = asked(engine, engine::TracksOptions(), job, decode_tracks);
  if (!tracks) return forward(tracks.error());
  auto question = of_picture(request.bins, request);
  question.all = true;
  auto bins = asked(engine, question, job,
                    [&](const engine::Answer& answer) { return decode_bins(answer, tracks->launch_span); });
  if (!bins) return forward(bins.error());
  auto reasons = reasons_of(engine, request, *bins, job);
  if (!reasons) return forward(reasons.error());
  auto model = std::make_shared<views::BinsModel>();
  model->setData(std::move(*bins));
  model->setReasons(*reasons);
  constexpr int kMaxHeight = 1'200;
  const int needed = views::bins::pictureHeight(request.size.width(), *model, request.style);
  Picture made{views::PaintFunction([model, style = request.style](QPainter& painter, const QRectF& rect) {
                 views::bins::paint(painter, rect, *model, style);
               }),
               with_height(request.size, std::min(needed, kMaxHeight))};
  made.left_out = shown_at(needed, made.size);
  return made;
}

/// Stated knowledge, to mark its edges; empty if it cannot be read, which the engine has already reported.
causal::Knowledge stated_in(const engine::CausalOptions& question) {
  if (question.knowledge.empty() && question.knowledge_file.empty()) return {};
  auto known = question.knowledge.empty() ? causal::read_knowledge(question.knowledge_file)
                                          : causal::parse_knowledge(question.knowledge);
  return known ? std::move(*known) : causal::Knowledge{};
}

engine::CausalOptions causal_question(const PictureRequest& request) {
  auto question = request.causal;
  if (request.range) question.intervals = {*request.range};
  return question;
}

Expected<Picture> causal_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  auto result = asked(engine, causal_question(request), job, decode_causal);
  if (!result) return forward(result.error());
  auto graph = graph_of(*result);
  graph.remark = request.remark;
  mark_stated(graph, stated_in(request.causal));
  const int height = views::causal::pictureHeight(request.size.width(), graph, request.style, 560);
  Picture made{views::PaintFunction([graph, style = request.style](QPainter& painter, const QRectF& rect) {
                 views::causal::paint(painter, rect, graph, style);
               }),
               with_height(request.size, height)};
  if (request.size.width() <= views::causal::kPanelFrom)
    made.left_out =
        QString("the sentences and shares of the answer are left out; a width of more than %1 px shows them")
            .arg(views::causal::kPanelFrom);
  return made;
}

Expected<std::vector<CausalGroupFilter>> groups_of(BlockingEngine& engine, const PictureRequest& request,
                                                   const engine::CausalOptions& question, const Job& job,
                                                   QString& note) {
  const auto rows = selection_in(question);
  if (request.per == "kernel") {
    auto kernels = asked(engine, with_selection(engine::KernelsOptions(), rows), job,
                         engine::table_of<engine::answers::KernelsAnswer>);
    if (!kernels) return forward(kernels.error());
    auto groups = groups_of_kernels(kernels_data(*kernels));
    note = note_of_groups(groups, kernels->kernels.size(), "kernels", "the largest variability");
    return groups;
  }
  const auto groups_by = [&](const std::string& column) -> Expected<std::vector<CausalGroupFilter>> {
    const auto answer = asked(
        engine,
        with_selection(engine::ParallelOptions{.axes = {column}, .within = request.coordinates.within}, rows),
        job, engine::table_of<engine::answers::ParallelAnswer>);
    if (!answer) return forward(answer.error());
    auto groups = groups_of_values(*answer, request.per, request.per == "run" ? request.runs : QStringList());
    note =
        note_of_groups(groups, values_of(*answer), request.per + "s", row_text(QString("the most launches")));
    return groups;
  };
  if (request.per != "run") return groups_by("rank");
  auto stores = groups_by("trace");
  if (!stores || stores->size() > 1) return stores;
  auto files = groups_by("run"); // for files imported into one store; stores of one file have no column "run"
  return files ? std::move(files) : std::move(stores);
}

// All launches first, then each group; a group without an answer shows a message in its place.
Expected<Picture> causal_groups_picture(BlockingEngine& engine, const PictureRequest& request,
                                        const Job& job) {
  const auto question = causal_question(request);
  QString note;
  auto groups = groups_of(engine, request, question, job, note);
  if (!groups) return forward(groups.error());
  if (groups->size() < 2)
    return failure(ErrorKind::BadInput,
                   "grouping by " + request.per.toStdString() +
                       " gives fewer than two groups, so there is nothing to compare",
                   {}, {},
                   request.per == "run" ? "Name several files, or a folder of them: each is a run."
                                        : row_text("Omit --per for one graph of all launches."));
  groups->insert(groups->begin(), CausalGroupFilter{row_text(QString("All launches together")), {}});
  std::vector<views::CausalGroup> shown;
  for (const auto& group : *groups) {
    auto result = asked(engine, question_of_group(question, group.filter), job, decode_causal);
    if (!result && result.error().kind != ErrorKind::BadInput) return forward(result.error());
    shown.push_back(
        result ? views::CausalGroup{group.title, graph_of(*result), {}}
               : views::CausalGroup{group.title, {}, QString::fromStdString(result.error().message)});
  }
  auto model = std::make_shared<views::CausalMultiplesModel>();
  model->setGroups(std::move(shown), views::causalMeasure(request.style));
  model->setNote(note);
  return Picture{
      views::PaintFunction([model, style = request.style](QPainter& painter, const QRectF& rect) {
        views::causal::paintMultiples(painter, rect, *model, style);
      }),
      with_height(request.size, std::max(kMinPixels, static_cast<int>(std::ceil(
                                                         model->readableHeight(request.size.width())))))};
}

Expected<Picture> distribution_picture(BlockingEngine& engine, const PictureRequest& request,
                                       const Job& job) {
  auto options = of_picture(request.distribution, request);
  options.column = request.column;
  const auto decode = [](const engine::Answer& answer) { return decode_distribution(answer, {}); };
  auto data = asked(engine, options, job, decode);
  if (data && data->outside > 0 && !request.scale_chosen) { // an axis that shows all values
    options.log = false;
    data = asked(engine, options, job, decode);
  }
  if (!data) return forward(data.error());
  data->title += row_text(QString(" of launches"));
  data->logHeights = request.log_heights;
  data->groupedBy = words(options.group_by);
  return Picture{views::PaintFunction(
                     [data = std::move(*data), style = request.style](QPainter& painter, const QRectF& rect) {
                       views::distribution::paint(painter, rect, data, style);
                     }),
                 with_height(request.size, 400)};
}

/// Whether most launches are in the lowest tenth of the rows.
bool is_crowded(const views::HeatMapData& data) {
  constexpr double kMost = 0.9;
  const auto lowest = static_cast<std::ptrdiff_t>(data.rows() / 10) * data.columns;
  const auto sum = std::accumulate(data.counts.begin(), data.counts.begin() + lowest, std::uint64_t{0});
  return static_cast<double>(sum) > kMost * static_cast<double>(data.n);
}

Expected<Picture> heat_map_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  const QSize size = with_height(request.size, 400);
  auto options = of_picture(engine::HeatMapOptions{.column = request.column,
                                                   .columns = std::clamp(size.width() / 3, 20, 1'000),
                                                   .rows = std::clamp(size.height() / 5, 10, 200),
                                                   .log = request.log_heat_map},
                            request);
  if (request.range) set_range(options, *request.range);
  auto tracks = asked(engine, engine::TracksOptions(), job, decode_tracks);
  if (!tracks) return forward(tracks.error());
  const auto ask = [&] {
    return asked(engine, options, job, [&](const engine::Answer& answer) {
      return decode_heat_map(answer, {}, tracks->axis).map([](views::HeatMapData map) {
        map.title += row_text(QString(" of launches"));
        return map;
      });
    });
  };
  auto data = ask();
  if (data && !request.scale_chosen && is_crowded(*data)) {
    options.log = true;
    auto on_log = ask();
    if (!on_log) return forward(on_log.error());
    if (on_log->outside == 0) data = std::move(on_log);
  }
  if (!data) return forward(data.error());
  return Picture{views::PaintFunction(
                     [data = std::move(*data), style = request.style](QPainter& painter, const QRectF& rect) {
                       views::heat_map::paint(painter, rect, data, style);
                     }),
                 size};
}

Expected<Picture> any_causal_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  return request.per.isEmpty() ? causal_picture(engine, request, job)
                               : causal_groups_picture(engine, request, job);
}

struct NamedPicture {
  const char* view;
  Expected<Picture> (*make)(BlockingEngine& engine, const PictureRequest& request, const Job& job);
};
constexpr NamedPicture kPictures[] = {{"timeline", timeline_picture},         {"bins", bins_picture},
                                      {"causal", any_causal_picture},         {"parallel", parallel_picture},
                                      {"distribution", distribution_picture}, {"heat-map", heat_map_picture},
                                      {"efficiencies", efficiency_picture},   {"metrics", metrics_picture},
                                      {"histogram", histogram_picture}};

} // namespace

QStringList picture_views() {
  QStringList views;
  for (const auto& each : kPictures) views << each.view;
  return views;
}

Expected<Picture> picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  for (const auto& each : kPictures)
    if (request.view == each.view) return each.make(engine, request, job);
  return failure(ErrorKind::BadUse, "there is no view \"" + request.view.toStdString() + "\"", {}, "--view",
                 "Views: " + picture_views().join(", ").toStdString() + ".");
}

} // namespace jitterscope::app
