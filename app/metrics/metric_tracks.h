#pragma once

#include <QObject>
#include <map>

#include "app/session/questions.h"
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

  /// Adds the objects of a level; `level` empty: the metric's own.
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
  struct Metric {
    std::string text;
    QString level;
    bool operator<(const Metric& other) const {
      return std::tie(text, level) < std::tie(other.text, other.level);
    }
    bool operator==(const Metric&) const = default;
  };
  struct Track {
    Metric metric;
    std::uint32_t object = 0;
    views::TimelineTrack shown;
    double minimum = 0, maximum = 0; ///< range over the whole run
    Interval window;                 ///< window of `content`
    int columns = 0;
    views::TrackContent content;
  };
  void added(const Metric& metric, const engine::Answer& answer);
  void show_tracks();
  void ask(const views::TimelineQuery& query);
  void apply(const std::vector<std::uint32_t>& ids, const views::TimelineQuery& query,
             const engine::Answer& answer);
  void merge();

  views::TimelineWidget& timeline_;
  SessionController& session_;
  std::map<std::uint32_t, Track> tracks_; ///< by track number
  std::uint32_t next_ = kFirstMetricTrack;
};

} // namespace jitterscope::app
