#include "app/export/timeline_picture.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>

#include "app/export/recorded_part.h"
#include "app/session/questions.h"
#include "core/engine/messages/metric_options.h"
#include "views/base/format.h"
#include "views/timeline/timeline_model.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_parts.h"

namespace jitterscope::app {
namespace {

constexpr int kMaxColumns = 20'000; ///< of one request to the engine

Expected<std::vector<MetricTrack>> metric_tracks(BlockingEngine& engine, const PictureRequest& request,
                                                 const Job& job) {
  std::vector<MetricTrack> all;
  std::uint32_t number = 0;
  for (const auto& metric : request.metric_tracks) {
    auto answer =
        engine.run(metric.question(), job).and_then(engine::table_of<engine::answers::MetricAnswer>);
    if (!answer) return forward(answer.error());
    const auto first = kFirstMetricTrack + static_cast<std::uint32_t>(all.size());
    for (auto& track : tracks_of(metric, *answer, first, number)) all.push_back(std::move(track));
    ++number;
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
    auto answer = engine.run(metric.question(window, columns, objects), job)
                      .and_then(engine::table_of<engine::answers::MetricAnswer>);
    if (!answer) return forward(answer.error());
    for (auto& content : contents_of(of_metric, *answer, columns)) contents.push_back(std::move(content));
  }
  return contents;
}

/// Pixels per logical pixel of the height of rows that tracks share: those of the picture, within the
/// engine's limits.
double merged_scale(const views::TimelineModel& paper, double scale, int columns) {
  constexpr double kMaxRows = 19'000, kMaxPixels = 6e7;
  const double height = std::max(paper.lanesRect().height(), 1.0);
  return std::min({scale, kMaxRows / height, kMaxPixels / (height * columns)});
}

/// Requests the content of the picture and fills the model.
class TimelinePicture {
public:
  TimelinePicture(BlockingEngine& engine, const PictureRequest& request, const Job& job)
      : engine_(engine), request_(request), job_(job) {}

  Expected<Picture> made() {
    if (auto done = read_tracks(); !done) return forward(done.error());
    if (request_.timeline) {
      arrange(*request_.timeline);
      if (auto done = add_causes(); !done) return forward(done.error());
    }
    if (auto done = choose_colour(); !done) return forward(done.error());
    const QSize size = place();
    if (auto done = add_content(); !done) return forward(done.error());
    if (auto done = add_merged(); !done) return forward(done.error());
    if (auto done = add_overview(); !done) return forward(done.error());
    return Picture{
        views::PaintFunction([model = model_, style = request_.style](QPainter& painter, const QRectF& rect) {
          views::timeline::paint(painter, rect, *model, style);
        }),
        size};
  }

private:
  template <class Decode>
  auto asked(const engine::Request& request, Decode&& decode)
      -> decltype(decode(std::declval<const engine::Answer&>())) {
    auto answer = engine_.run(request, job_);
    if (!answer) return forward(answer.error());
    return decode(*answer);
  }

  Expected<void> read_tracks() {
    auto tracks = asked(engine::TracksOptions(), decode_tracks);
    if (!tracks) return forward(tracks.error());
    auto metrics = metric_tracks(engine_, request_, job_);
    if (!metrics) return forward(metrics.error());
    metrics_ = std::move(*metrics);
    std::vector<views::TimelineTrack> shown;
    for (const auto& track : metrics_) shown.push_back(track.shown);
    model_->setTracks(with_metrics(shown, tracks->tracks));
    model_->axis = tracks->axis;
    const auto names = std::make_shared<QStringList>(tracks->names);
    model_->names = [names](std::uint32_t id) { return names->value(static_cast<int>(id)); };
    launch_span_ = tracks->launch_span;
    return choose_window(tracks->span);
  }

  /// The visible time: the part of the requested range that was recorded, at least as long as in the window.
  Expected<void> choose_window(Interval span) {
    const bool time = model_->axis == views::AxisUnit::Time;
    Interval window = request_.range.value_or(launch_span_.empty() ? span : launch_span_);
    if (request_.range) {
      auto part = recorded_part(*request_.range, span, model_->axis);
      if (!part) return forward(part.error());
      window = *part;
    }
    model_->viewport.setSpan(span, time ? views::Viewport::kShortest : views::Viewport::kMinLaunches);
    model_->viewport.setWindow(window);
    window_ = model_->viewport.window();
    return {};
  }

  void arrange(const SessionTimeline& session) {
    if (const auto& state = session.state) {
      model_->arrange([&](views::TrackLayout& layout) { layout.setArrangement(state->tracks); });
      model_->setHeights(state->heights);
      model_->colour = state->colour;
      model_->flags = state->flags;
      model_->ranges = state->ranges;
    }
    model_->brush = session.brush;
    model_->selectedBin = session.bin;
    const auto& layout = model_->layout();
    for (std::size_t track = 0; session.brush && track < layout.tracks().size(); ++track)
      if (std::ranges::find(session.brush_tracks, layout.key(static_cast<int>(track)).toStdString()) !=
          session.brush_tracks.end())
        model_->brushTracks.push_back(layout.tracks()[track].id);
    if (!session.launch || model_->trackIndex(session.launch->track) < 0) return;
    model_->selectedTrack = session.launch->track;
    model_->selectedRow = session.launch->row;
    model_->selectedInterval = session.launch->interval;
  }

  Expected<void> choose_colour() {
    const auto& by = request_.colour_by;
    if (by.isEmpty()) return {};
    if (const auto own = views::colourByWord(by)) {
      model_->colour = {};
      model_->colour.by = *own;
      return {};
    }
    auto colour = asked(colour_scale_question(by),
                        [&](const engine::Answer& answer) { return decode_colour_scale(answer, by); });
    if (!colour) return forward(colour.error());
    model_->colour = std::move(*colour);
    return {};
  }

  /// The strip of causes; without one, as in the window, if the trace has no durations to explain.
  Expected<void> add_causes() {
    if (model_->axis != views::AxisUnit::Time) return {};
    constexpr std::int64_t kMaxCauses = 2'000;
    const auto columns = std::min({static_cast<std::int64_t>(request_.size.width() * request_.scale),
                                   kMaxCauses, window_.length().count});
    if (columns < 1) return {};
    auto causes = asked(engine::CausesAlongOptions{.begin_ns = window_.begin.count,
                                                   .end_ns = window_.end.count,
                                                   .columns = columns},
                        decode_causes_along);
    if (!causes && causes.error().kind != ErrorKind::BadInput) return forward(causes.error());
    if (causes) model_->setWhy(std::move(*causes));
    return {};
  }

  /// Size of the picture. Tracks share rows of pixels if they do not fit into the maximum height or, if the
  /// request names a merging, into the requested height.
  QSize place() {
    const int width = request_.size.width();
    model_->setSize({static_cast<double>(width), 1000.0});
    const QSize size(width, request_.size.height() > 0
                                ? request_.size.height()
                                : std::clamp(static_cast<int>(std::ceil(views::timeline::paperHeight(
                                                 *model_, width, request_.style))),
                                             120, static_cast<int>(views::timeline::kMaxPaperHeight)));
    model_->setSize(size);
    const double available = request_.merging ? size.height() : views::timeline::kMaxPaperHeight;
    if (views::timeline::totalHeight(*model_, width, request_.style) > available)
      model_->setHeights({true, 1, request_.merging.value_or(model_->heights().merging), false});
    columns_ =
        std::min(views::timeline::paperColumns(*model_, size, request_.style, request_.scale), kMaxColumns);
    return size;
  }

  Expected<void> add_content() {
    views::TimelineData data;
    data.window = window_;
    data.columns = columns_;
    const auto requested = model_->requestedTracks(1e6);
    if (!requested.empty()) { // empty if all groups are folded
      auto content =
          asked(timeline_question({window_, columns_, requested, model_->colour.value()}, request_.selection),
                decode_timeline);
      if (!content) return forward(content.error());
      data = std::move(*content);
      auto of_metrics = metric_contents(engine_, metrics_, requested, data.window, data.columns, job_);
      if (!of_metrics) return forward(of_metrics.error());
      std::ranges::move(*of_metrics, std::back_inserter(data.tracks));
    }
    model_->setData(std::move(data));
    return {};
  }

  Expected<void> add_merged() {
    views::TimelineModel paper = *model_;
    views::timeline::layOutForPaper(paper, model_->size(), request_.style);
    auto query = paper.mergedQuery(merged_scale(paper, request_.scale, columns_));
    if (query.blocks.empty()) return {};
    query.window = window_;
    query.columns = columns_;
    auto cells = asked(merged_question(query, request_.selection),
                       [&](const engine::Answer& answer) { return decode_merged(answer, query); });
    if (!cells) return forward(cells.error());
    auto contents = metric_contents(engine_, metrics_, metrics_in(query), query.window, query.columns, job_);
    if (!contents) return forward(contents.error());
    std::map<std::uint32_t, views::TrackContent> of_tracks;
    for (auto& content : *contents) of_tracks.emplace(content.trackId, std::move(content));
    add_metrics(*cells, of_tracks);
    model_->setMerged(std::move(*cells));
    return {};
  }

  Expected<void> add_overview() {
    // One column per logical pixel, as in the window: the strip shows the maximum of the columns in a pixel.
    const auto columns = std::clamp<std::int64_t>(std::llround(columns_ / request_.scale), 10, kMaxColumns);
    auto overview = asked(engine::OverviewOptions{.columns = columns}, decode_overview);
    if (!overview) return forward(overview.error());
    auto options = request_.bins;
    options.where = request_.selection.where; // not its intervals: the marks are those of the whole run
    options.all = true;
    auto bins =
        asked(options, [&](const engine::Answer& answer) { return decode_bins(answer, launch_span_); });
    if (!bins) return forward(bins.error());
    overview->bins = marks_of(*bins);
    model_->setOverview(std::move(*overview));
    return {};
  }

  BlockingEngine& engine_;
  const PictureRequest& request_;
  const Job& job_;
  const std::shared_ptr<views::TimelineModel> model_ = std::make_shared<views::TimelineModel>();
  std::vector<MetricTrack> metrics_;
  Interval window_, launch_span_;
  int columns_ = 1;
};

} // namespace

Expected<Picture> timeline_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  return TimelinePicture(engine, request, job).made();
}

} // namespace jitterscope::app
