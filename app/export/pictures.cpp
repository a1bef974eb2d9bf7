#include "app/export/pictures.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/controllers/causal/causal_group_list.h"
#include "app/controllers/causal/causal_knowledge.h"
#include "app/engine/decode_launches.h"
#include "app/engine/row_texts.h"
#include "app/export/efficiency_picture.h"
#include "app/export/metrics_picture.h"
#include "app/export/parallel_picture.h"
#include "app/export/timeline_picture.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_painter.h"
#include "views/causal/causal_layout.h"
#include "views/causal/causal_multiples.h"
#include "views/causal/causal_painter.h"
#include "views/distribution/distribution_painter.h"
#include "views/heatmap/heat_map_painter.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

/// Runs an operation and decodes its answer.
template <class Decode>
auto asked(BlockingEngine& engine, const std::string& operation, const json& options, const Job& job,
           Decode&& decode) -> decltype(decode(std::declval<const engine::Answer&>())) {
  auto answer = engine.run(operation, options, job);
  if (!answer) return forward(answer.error());
  return decode(*answer);
}

constexpr int kMinPixels = 340; ///< minimum height of graphs side by side

json with_all(json options) {
  options["all"] = true;
  return options;
}

json with_range(json options, const std::optional<Interval>& range) {
  if (range) options["intervals"] = {{range->begin.count, range->end.count}};
  return options;
}

Expected<Picture> bins_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  auto tracks = asked(engine, "tracks", json::object(), job, decode_tracks);
  if (!tracks) return forward(tracks.error());
  auto bins = asked(engine, "bins", with_all(with_range(request.options, request.range)), job,
                    [&](const engine::Answer& answer) { return decode_bins(answer, tracks->launch_span); });
  if (!bins) return forward(bins.error());
  auto model = std::make_shared<views::BinsModel>();
  model->setData(std::move(*bins));
  return Picture{views::PaintFunction([model, style = request.style](QPainter& painter, const QRectF& rect) {
                   views::bins::paint(painter, rect, *model, style);
                 }),
                 with_height(request.size, 420)};
}

/// Stated knowledge, to mark its edges; empty if it cannot be read, which the engine has already reported.
causal::Knowledge stated_in(const json& options) {
  const auto given = options.find("knowledge");
  if (given == options.end() || (given->is_string() && given->get<std::string>().empty())) return {};
  auto known = given->is_object() ? causal::parse_knowledge(given->dump())
                                  : causal::read_knowledge(given->get<std::string>());
  return known ? std::move(*known) : causal::Knowledge{};
}

Expected<Picture> causal_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  auto result = asked(engine, "causal", with_range(request.options, request.range), job, decode_causal);
  if (!result) return forward(result.error());
  auto graph = graph_of(*result);
  graph.remark = request.remark;
  mark_stated(graph, stated_in(request.options));
  const int height = views::causal::pictureHeight(request.size.width(), graph, request.style, 560);
  return Picture{views::PaintFunction([graph, style = request.style](QPainter& painter, const QRectF& rect) {
                   views::causal::paint(painter, rect, graph, style);
                 }),
                 with_height(request.size, height)};
}

Expected<std::vector<CausalGroupFilter>> groups_of(BlockingEngine& engine, const PictureRequest& request,
                                                   const json& question, const Job& job, QString& note) {
  if (request.per == "kernel") {
    auto kernels = asked(engine, "kernels", question, job,
                         [](const engine::Answer& answer) { return decode_kernels(answer, {}); });
    if (!kernels) return forward(kernels.error());
    auto groups = groups_of_kernels(*kernels);
    note = note_of_groups(groups, kernels->rows.size(), "kernels", "the largest variability");
    return groups;
  }
  const auto groups_by = [&](const std::string& column) -> Expected<std::vector<CausalGroupFilter>> {
    json options = question;
    options["axes"] = {column};
    auto answer = engine.run("parallel", options, job);
    if (!answer) return forward(answer.error());
    auto groups =
        groups_of_values(*answer, column, request.per, request.per == "run" ? request.runs : QStringList());
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
  const json question = with_range(request.options, request.range);
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
    auto result = asked(engine, "causal", question_of_group(question, group.filter), job, decode_causal);
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
  json options = with_range(request.options, request.range);
  if (!options.contains("log")) options["log"] = true;
  auto data = asked(engine, "distribution", options, job, [&](const engine::Answer& answer) {
    return decode_distribution(answer, words(answer.document.value("column", std::string())) +
                                           row_text(QString(" of launches")));
  });
  if (!data) return forward(data.error());
  return Picture{views::PaintFunction(
                     [data = std::move(*data), style = request.style](QPainter& painter, const QRectF& rect) {
                       views::distribution::paint(painter, rect, data, style);
                     }),
                 with_height(request.size, 400)};
}

Expected<Picture> heat_map_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  json options = with_range(request.options, request.range);
  if (request.range) {
    options["begin_ns"] = request.range->begin.count;
    options["end_ns"] = request.range->end.count;
  }
  const QSize size = with_height(request.size, 400);
  options["columns"] = std::clamp(size.width() / 3, 20, 1'000);
  options["rows"] = std::clamp(size.height() / 5, 10, 200);
  auto tracks = asked(engine, "tracks", json::object(), job, decode_tracks);
  if (!tracks) return forward(tracks.error());
  auto data = asked(engine, "heat_map", options, job, [&](const engine::Answer& answer) {
    return decode_heat_map(
        answer, words(answer.document.value("column", std::string())) + row_text(QString(" of launches")),
        tracks->axis);
  });
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
