#include "app/export/pictures.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "app/controllers/causal/causal_group_list.h"
#include "app/controllers/causal/causal_knowledge.h"
#include "app/engine/decode_launches.h"
#include "app/engine/row_texts.h"
#include "app/export/parallel_picture.h"
#include "app/session/questions.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_painter.h"
#include "views/causal/causal_layout.h"
#include "views/causal/causal_multiples.h"
#include "views/causal/causal_painter.h"
#include "views/distribution/distribution_painter.h"
#include "views/heatmap/heat_map_painter.h"
#include "views/timeline/timeline_model.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_parts.h"

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

QSize with_height(QSize size, int height) {
  return {size.width(), size.height() > 0 ? size.height() : height};
}

json with_all(json options) {
  options["all"] = true;
  return options;
}

json with_range(json options, const std::optional<Interval>& range) {
  if (range) options["intervals"] = {{range->begin.count, range->end.count}};
  return options;
}

Expected<std::vector<MetricTrack>> metric_tracks(BlockingEngine& engine, const PictureRequest& request,
                                                 const Job& job) {
  std::vector<MetricTrack> all;
  for (const auto& metric : request.metric_tracks) {
    auto answer = engine.run("metric", metric.question(), job);
    if (!answer) return forward(answer.error());
    const auto first = kFirstMetricTrack + static_cast<std::uint32_t>(all.size());
    for (auto& track : tracks_of(metric, *answer, first)) all.push_back(std::move(track));
  }
  return all;
}

/// Content of those metric tracks whose numbers are among `ids`.
Expected<std::vector<views::TrackContent>> metric_contents(BlockingEngine& engine,
                                                           const std::vector<MetricTrack>& tracks,
                                                           const std::vector<std::uint32_t>& ids,
                                                           Interval window, int columns, const Job& job) {
  std::vector<views::TrackContent> contents;
  for (auto track = tracks.begin(); track != tracks.end();) {
    std::vector<MetricTrack> of_metric;
    std::vector<std::uint32_t> objects;
    const auto metric = track->metric;
    for (; track != tracks.end() && track->metric == metric; ++track) {
      if (std::ranges::find(ids, track->shown.id) == ids.end()) continue;
      of_metric.push_back(*track);
      objects.push_back(track->object);
    }
    if (objects.empty()) continue;
    auto answer = engine.run("metric", metric.question(window, columns, objects), job);
    if (!answer) return forward(answer.error());
    for (auto& content : contents_of(of_metric, *answer, columns)) contents.push_back(std::move(content));
  }
  return contents;
}

Expected<void> add_merged(BlockingEngine& engine, const PictureRequest& request, Interval window,
                          const std::vector<MetricTrack>& metrics, views::TimelineModel& model,
                          const Job& job) {
  views::TimelineModel paper = model;
  views::timeline::layOutForPaper(paper, model.size(), request.style);
  paper.viewport.setSpan({window.begin, std::max(window.end, window.begin + Nanoseconds{1})}, Nanoseconds{1});
  const auto query = paper.mergedQuery(1);
  if (query.blocks.empty()) return {};
  json options = request.options;
  options.update(merged_question(query));
  auto cells = asked(engine, "merged_timeline", options, job,
                     [&](const engine::Answer& answer) { return decode_merged(answer, query); });
  if (!cells) return forward(cells.error());
  auto contents = metric_contents(engine, metrics, metrics_in(query), query.window, query.columns, job);
  if (!contents) return forward(contents.error());
  std::map<std::uint32_t, views::TrackContent> of_tracks;
  for (auto& content : *contents) of_tracks.emplace(content.trackId, std::move(content));
  add_metrics(*cells, of_tracks);
  model.setMerged(std::move(*cells));
  return {};
}

Expected<Picture> timeline_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  auto tracks = asked(engine, "tracks", json::object(), job, decode_tracks);
  if (!tracks) return forward(tracks.error());
  const auto metrics = metric_tracks(engine, request, job);
  if (!metrics) return forward(metrics.error());
  std::vector<views::TimelineTrack> shown;
  for (const auto& track : *metrics) shown.push_back(track.shown);
  auto model = std::make_shared<views::TimelineModel>();
  model->setTracks(with_metrics(shown, tracks->tracks));
  model->axis = tracks->axis;
  const auto names = std::make_shared<QStringList>(tracks->names);
  model->names = [names](std::uint32_t id) { return names->value(static_cast<int>(id)); };
  const Interval window =
      request.range.value_or(tracks->launch_span.empty() ? tracks->span : tracks->launch_span);
  model->setSize({static_cast<double>(request.size.width()), 1000.0});
  const QSize size(request.size.width(),
                   request.size.height() > 0
                       ? request.size.height()
                       : std::clamp(static_cast<int>(std::ceil(views::timeline::paperHeight(
                                        *model, request.size.width(), request.style))),
                                    120, static_cast<int>(views::timeline::kMaxPaperHeight)));
  model->setSize(size);
  // Tracks share rows of pixels if they do not fit into the maximum height or, if the request names a
  // merging, into the requested height.
  const double available = request.merging ? size.height() : views::timeline::kMaxPaperHeight;
  if (views::timeline::totalHeight(*model, request.size.width(), request.style) > available)
    model->setHeights({true, 1, request.merging.value_or(views::Merging::Dominant), false});
  const int columns = std::max(static_cast<int>(model->lanesRect().width()), 10);
  json options = request.options;
  options["begin_ns"] = window.begin.count;
  options["end_ns"] = std::max(window.end.count, window.begin.count + 1);
  options["columns"] = columns;
  views::TimelineData data;
  data.window.begin = window.begin;
  data.columns = columns;
  data.window.end = std::max(window.end, window.begin + Nanoseconds{1});
  if (const auto requested = model->requestedTracks(1e6);
      !requested.empty()) { // empty if all groups are folded
    options["tracks"] = without_metrics(requested);
    auto content = asked(engine, "timeline", options, job, decode_timeline);
    if (!content) return forward(content.error());
    data = std::move(*content);
    auto of_metrics = metric_contents(engine, *metrics, requested, data.window, data.columns, job);
    if (!of_metrics) return forward(of_metrics.error());
    std::ranges::move(*of_metrics, std::back_inserter(data.tracks));
  }
  if (auto done = add_merged(engine, request, window, *metrics, *model, job); !done)
    return forward(done.error());
  auto overview = asked(engine, "overview", {{"columns", columns}}, job, decode_overview);
  if (!overview) return forward(overview.error());
  auto bins = asked(engine, "bins", with_all(request.options), job,
                    [&](const engine::Answer& answer) { return decode_bins(answer, tracks->launch_span); });
  if (!bins) return forward(bins.error());
  overview->bins = marks_of(*bins);
  model->viewport.setSpan(tracks->span, tracks->axis == views::AxisUnit::Time
                                            ? views::Viewport::kShortest
                                            : views::Viewport::kMinLaunches);
  model->viewport.setWindow(data.window);
  model->setOverview(std::move(*overview));
  model->setData(std::move(data));
  return Picture{views::PaintFunction([model, style = request.style](QPainter& painter, const QRectF& rect) {
                   views::timeline::paint(painter, rect, *model, style);
                 }),
                 size};
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

} // namespace

Expected<Picture> picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  if (request.view == "timeline") return timeline_picture(engine, request, job);
  if (request.view == "bins") return bins_picture(engine, request, job);
  if (request.view == "causal" && !request.per.isEmpty()) return causal_groups_picture(engine, request, job);
  if (request.view == "causal") return causal_picture(engine, request, job);
  if (request.view == "parallel") return parallel_picture(engine, request, job);
  if (request.view == "distribution") return distribution_picture(engine, request, job);
  if (request.view == "heat-map") return heat_map_picture(engine, request, job);
  return failure(ErrorKind::BadUse, "there is no view \"" + request.view.toStdString() + "\"", {}, "--view",
                 "Views: timeline, bins, causal, parallel, distribution, heat-map.");
}

} // namespace jitterscope::app
