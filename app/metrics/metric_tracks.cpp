#include "app/metrics/metric_tracks.h"

#include <algorithm>
#include <cmath>

#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxObjects = 256; // maximum per metric

views::CounterColumn column_of(double minimum, double average, double maximum) {
  if (std::isnan(average)) return {};
  return {static_cast<float>(minimum), static_cast<float>(average), static_cast<float>(maximum), true};
}

} // namespace

MetricTracks::MetricTracks(views::TimelineWidget& timeline, SessionController& session, QObject* parent)
    : QObject(parent), timeline_(timeline), session_(session) {
  connect(&timeline, &views::TimelineWidget::contentRequested, this, &MetricTracks::ask);
  connect(&session, &SessionController::timeline, this, &MetricTracks::merge);
}

void MetricTracks::add(const std::string& text, const QString& level) {
  const Metric metric{text, level};
  if (std::ranges::any_of(tracks_, [&](const auto& track) { return track.second.metric == metric; }))
    return emit problem(tr("The timeline already shows this metric."));
  json options = {{"text", text}, {"columns", 1}, {"channel", "metric tracks " + text + level.toStdString()}};
  if (!level.isEmpty()) options["level"] = level.toStdString();
  session_.request("metric", std::move(options), tr("Metric"),
                   [this, metric](Expected<engine::Answer> answer) {
                     if (answer) return added(metric, *answer);
                     if (answer.error().kind != ErrorKind::Cancelled)
                       emit problem(QString::fromStdString(describe(answer.error())));
                   });
}

void MetricTracks::added(const Metric& metric, const engine::Answer& answer) {
  const auto& d = answer.document;
  const auto& objects = d.at("objects");
  const auto &minimum = answer.get<double>("minimum"), &maximum = answer.get<double>("maximum");
  const auto title = QString::fromStdString(d.at("title").get<std::string>());
  for (std::size_t i = 0; i < std::min({objects.size(), kMaxObjects, minimum.size(), maximum.size()}); ++i) {
    Track track;
    track.metric = metric;
    track.object = objects[i].at("index").get<std::uint32_t>();
    track.minimum = std::min(minimum[i], 0.0);
    track.maximum = maximum[i];
    auto& shown = track.shown;
    shown.id = next_++;
    shown.kind = views::TrackKind::Counter;
    const auto name = QString::fromStdString(objects[i].at("name").get<std::string>());
    shown.label =
        (title.isEmpty() ? tr("metric") : title) + (name == "application" ? QString() : " · " + name);
    shown.details = shown.label + tr("\nmetric per ") +
                    QString::fromStdString(d.at("level").get<std::string>()) + "\n" +
                    QString::fromStdString(d.at("help").get<std::string>());
    shown.unit = QString::fromStdString(d.at("unit").get<std::string>());
    tracks_.emplace(shown.id, std::move(track));
  }
  if (objects.size() > kMaxObjects)
    emit problem(tr("The first %1 of %2 objects are tracks. The view Metrics shows all.")
                     .arg(kMaxObjects)
                     .arg(objects.size()));
  show_tracks();
  emit changed();
}

void MetricTracks::remove_all() {
  if (tracks_.empty()) return;
  tracks_.clear();
  show_tracks();
  emit changed();
}

// Metrics are above the tracks of the trace.
void MetricTracks::show_tracks() {
  std::vector<views::TimelineTrack> all;
  for (const auto& [id, track] : tracks_) all.push_back(track.shown);
  const auto count = static_cast<int>(all.size());
  for (auto track : session_.tracks().tracks) {
    if (track.parent >= 0) track.parent += count;
    all.push_back(std::move(track));
  }
  timeline_.replaceTracks(std::move(all));
}

void MetricTracks::ask(const views::TimelineQuery& query) {
  std::map<Metric, std::vector<std::uint32_t>> requested;
  for (const auto id : query.tracks)
    if (const auto track = tracks_.find(id); track != tracks_.end())
      requested[track->second.metric].push_back(id);
  for (const auto& [metric, ids] : requested) {
    std::vector<std::uint32_t> objects;
    for (const auto id : ids) objects.push_back(tracks_.at(id).object);
    json options = {{"text", metric.text},
                    {"range", {query.window.begin.count, query.window.end.count}},
                    {"columns", std::clamp(query.columns, 1, 20'000)},
                    {"objects", objects},
                    {"channel", "metric tracks " + metric.text + metric.level.toStdString()}};
    if (!metric.level.isEmpty()) options["level"] = metric.level.toStdString();
    session_.request("metric", std::move(options), tr("Metric"),
                     [this, ids = ids, query](Expected<engine::Answer> answer) {
                       if (answer) return apply(ids, query, *answer);
                       if (answer.error().kind != ErrorKind::Cancelled)
                         emit problem(QString::fromStdString(describe(answer.error())));
                     });
  }
}

void MetricTracks::apply(const std::vector<std::uint32_t>& ids, const views::TimelineQuery& query,
                         const engine::Answer& answer) {
  const auto &average = answer.get<double>("average"), &minimum = answer.get<double>("minimum"),
             &maximum = answer.get<double>("maximum");
  const auto columns = static_cast<std::size_t>(std::clamp(query.columns, 1, 20'000));
  if (average.size() != ids.size() * columns || minimum.size() != average.size() ||
      maximum.size() != average.size())
    return;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto found = tracks_.find(ids[i]);
    if (found == tracks_.end()) continue;
    auto& track = found->second;
    track.window = query.window;
    track.columns = query.columns;
    track.content = {};
    track.content.trackId = ids[i];
    track.content.counterMinimum = track.minimum;
    track.content.counterMaximum = track.maximum > track.minimum ? track.maximum : track.minimum + 1;
    for (std::size_t c = i * columns; c < (i + 1) * columns; ++c)
      track.content.counter.push_back(column_of(minimum[c], average[c], maximum[c]));
  }
  merge();
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
  const Metric* last = nullptr;
  for (const auto& [id, track] : tracks_) {
    if (last && *last == track.metric) continue;
    last = &track.metric;
    list.push_back({{"text", track.metric.text}, {"level", track.metric.level.toStdString()}});
  }
  return list;
}

void MetricTracks::restore(const json& state) {
  tracks_.clear();
  for (const auto& item : state)
    add(item.at("text").get<std::string>(), QString::fromStdString(item.value("level", std::string())));
}

} // namespace jitterscope::app
