#pragma once

#include <QObject>
#include <functional>
#include <map>

#include "app/metrics/metric_content.h"
#include "app/session/session_controller.h"

namespace jitterscope::views {
class TimelineWidget;
}

namespace jitterscope::app {

/// Metrics as tracks of the timeline, one per object: requests their values for the pixel columns of
/// the window, and adds them to the timeline's content.
class MetricTracks : public QObject {
  Q_OBJECT

public:
  MetricTracks(views::TimelineWidget& timeline, SessionController& session, QObject* parent = nullptr);

  /// Adds a track for each object of a level; an empty `level` is the metric's own.
  void add(const std::string& text, const QString& level);
  void remove_all();
  bool empty() const { return tracks_.empty(); }

  /// Content stored in a session.
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);

signals:
  void problem(const QString& text);
  void changed();

private:
  struct Track {
    MetricTrack of;
    Interval window; ///< window that `content` covers
    int columns = 0;
    views::TrackContent content;
  };
  /// Metrics in rows of pixels that tracks share, or in the overview of all tracks.
  struct Merged {
    views::MergedQuery query;                           ///< the last query
    std::map<std::uint32_t, views::TrackContent> ready; ///< content for the query
  };
  using Contents = std::vector<views::TrackContent>;
  /// Requests the content of tracks in a window; `use` is called for each metric with the content of its
  /// tracks.
  void request(const std::vector<std::uint32_t>& ids, Interval window, int columns,
               const std::string& channel, const std::function<void(Contents)>& use);
  void added(const MetricOfTracks& metric, const engine::answers::MetricAnswer& answer);
  void show_tracks();
  void ask(const views::TimelineQuery& query);
  void merge();
  void ask_merged(Merged& merged, const views::MergedQuery& query, const std::string& channel);
  /// Adds the metrics to the rows that the timeline shows.
  void show_merged();
  void show_map();

  views::TimelineWidget& timeline_;
  SessionController& session_;
  std::map<std::uint32_t, Track> tracks_; ///< by track number
  std::uint32_t next_ = kFirstMetricTrack;
  Merged rows_, map_;
};

} // namespace jitterscope::app
