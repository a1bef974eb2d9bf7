#include "app/metrics/metric_tracks.h"

#include <algorithm>
#include <set>

#include "core/engine/messages/metric_options.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

} // namespace

MetricTracks::MetricTracks(views::TimelineWidget& timeline, SessionController& session, QObject* parent)
    : QObject(parent), timeline_(timeline), session_(session) {
  connect(&timeline, &views::TimelineWidget::contentRequested, this, &MetricTracks::ask);
  connect(&session, &SessionController::timeline, this, &MetricTracks::merge);
  connect(&timeline, &views::TimelineWidget::mergedRequested, this,
          [this](const views::MergedQuery& query) { ask_merged(rows_, query, "merged metric tracks "); });
  connect(&timeline, &views::TimelineWidget::mapRequested, this,
          [this](const views::MergedQuery& query) { ask_merged(map_, query, "metrics of the overview "); });
  connect(&timeline, &views::TimelineWidget::mergedArrived, this, &MetricTracks::show_merged);
  connect(&timeline, &views::TimelineWidget::mapArrived, this, &MetricTracks::show_map);
}

void MetricTracks::add(const std::string& text, const QString& level) {
  const MetricOfTracks metric{text, level.toStdString()};
  if (std::ranges::any_of(tracks_, [&](const auto& track) { return track.second.of.metric == metric; }))
    return emit problem(tr("The timeline already shows this metric."));
  session_.request({metric.question(), "metric tracks " + text + metric.level}, tr("Metric"),
                   [this, metric](const Expected<engine::Answer>& received) {
                     const auto answer = received.and_then(engine::table_of<engine::answers::MetricAnswer>);
                     if (answer) return added(metric, *answer);
                     if (answer.error().kind != ErrorKind::Cancelled)
                       emit problem(QString::fromStdString(describe(answer.error())));
                   });
}

void MetricTracks::added(const MetricOfTracks& metric, const engine::answers::MetricAnswer& answer) {
  std::set<std::uint32_t> taken;
  for (const auto& [id, track] : tracks_) taken.insert(track.of.shown.metric.value_or(0));
  std::uint32_t number = 0;
  while (taken.contains(number)) ++number;
  for (auto& track : tracks_of(metric, answer, next_, number)) {
    next_ = track.shown.id + 1;
    tracks_[track.shown.id].of = std::move(track);
  }
  if (const auto objects = answer.of ? answer.of->objects.size() : 0; objects > kMaxMetricObjects)
    emit problem(
        tr("Only the first %1 of %2 objects are shown as tracks. The view Metrics shows all of them.")
            .arg(kMaxMetricObjects)
            .arg(objects));
  show_tracks();
  emit changed();
}

void MetricTracks::remove_all() {
  if (tracks_.empty()) return;
  tracks_.clear();
  show_tracks();
  emit changed();
}

void MetricTracks::show_tracks() {
  std::vector<views::TimelineTrack> shown;
  for (const auto& [id, track] : tracks_) shown.push_back(track.of.shown);
  rows_ = map_ = {};
  timeline_.replaceTracks(with_metrics(shown, session_.tracks().tracks));
}

void MetricTracks::request(const std::vector<std::uint32_t>& ids, Interval window, int columns,
                           const std::string& channel, const std::function<void(Contents)>& use) {
  if (!session_.has_session()) return;
  std::map<MetricOfTracks, std::vector<MetricTrack>> requested;
  for (const auto id : ids)
    if (const auto track = tracks_.find(id); track != tracks_.end())
      requested[track->second.of.metric].push_back(track->second.of);
  for (const auto& [metric, tracks] : requested) {
    std::vector<std::uint32_t> objects;
    for (const auto& track : tracks) objects.push_back(track.object);
    session_.request({metric.question(window, columns, objects), channel + metric.text + metric.level},
                     tr("Metric"),
                     [this, tracks = tracks, columns, use](const Expected<engine::Answer>& received) {
                       const auto answer = received.and_then(engine::table_of<engine::answers::MetricAnswer>);
                       if (answer) return use(contents_of(tracks, *answer, columns));
                       if (answer.error().kind != ErrorKind::Cancelled)
                         emit problem(QString::fromStdString(describe(answer.error())));
                     });
  }
}

void MetricTracks::ask(const views::TimelineQuery& query) {
  request(query.tracks, query.window, query.columns, "metric tracks ", [this, query](Contents contents) {
    for (auto& content : contents) {
      const auto found = tracks_.find(content.trackId);
      if (found == tracks_.end()) continue;
      found->second.window = query.window;
      found->second.columns = query.columns;
      found->second.content = std::move(content);
    }
    merge();
  });
}

void MetricTracks::ask_merged(Merged& merged, const views::MergedQuery& query, const std::string& channel) {
  merged = {query, {}};
  request(metrics_in(query), query.window, query.columns, channel, [this, &merged, query](Contents contents) {
    if (merged.query != query) return; // answer to an earlier question
    for (auto& content : contents) merged.ready[content.trackId] = std::move(content);
    show_merged();
    show_map();
  });
}

// Answers about metrics and about the trace arrive in any order.
void MetricTracks::show_merged() {
  if (rows_.ready.empty() || timeline_.model().merged().query != rows_.query) return;
  auto cells = timeline_.model().merged();
  add_metrics(cells, rows_.ready);
  if (cells.shares != timeline_.model().merged().shares) timeline_.setMerged(std::move(cells));
}

void MetricTracks::show_map() {
  if (map_.ready.empty() || timeline_.model().map().query != map_.query) return;
  auto cells = timeline_.model().map();
  add_metrics(cells, map_.ready);
  if (cells.shares != timeline_.model().map().shares) timeline_.setMap(std::move(cells));
}

// Answers about metrics and about the trace arrive in any order; only content of the same window is
// combined.
void MetricTracks::merge() {
  const auto& now = timeline_.model().data();
  const auto fits = [&](const Track& track) {
    return track.columns == now.columns && track.window == now.window && !track.content.counter.empty();
  };
  if (now.columns == 0 ||
      std::ranges::none_of(tracks_, [&](const auto& track) { return fits(track.second); }))
    return;
  auto data = now;
  std::erase_if(data.tracks,
                [](const views::TrackContent& content) { return content.trackId >= kFirstMetricTrack; });
  for (const auto& [id, track] : tracks_)
    if (fits(track)) data.tracks.push_back(track.content);
  timeline_.setData(std::move(data));
}

json MetricTracks::state() const {
  json list = json::array();
  const MetricOfTracks* last = nullptr;
  for (const auto& [id, track] : tracks_) {
    if (last && *last == track.of.metric) continue;
    last = &track.of.metric;
    list.push_back({{"text", last->text}, {"level", last->level}});
  }
  return list;
}

void MetricTracks::restore(const json& state) {
  tracks_.clear();
  for (const auto& item : state)
    add(item.at("text").get<std::string>(), QString::fromStdString(item.value("level", std::string())));
}

} // namespace jitterscope::app
