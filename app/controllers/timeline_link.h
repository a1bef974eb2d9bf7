#pragma once

#include <QObject>
#include <QTimer>
#include <map>
#include <optional>

#include "app/session/selection_hub.h"
#include "app/session/session_controller.h"
#include "core/engine/messages/launch_answers.h"
#include "views/area/area_model.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {

/// Sends the timeline's requests to the engine and returns the answers: content, causes, colour
/// scales, marks, the flow of the selected launch and steps from it, the statistics of an area.
class TimelineLink : public QObject {
  Q_OBJECT

public:
  TimelineLink(views::TimelineWidget& timeline, SessionController& session, SelectionHub& hub,
               QObject* parent = nullptr);

  /// Tracks covered by the area's brush, as keys in the tree of tracks (TrackLayout::key);
  /// empty: all.
  std::vector<std::string> area_tracks() const;
  /// Restores these tracks for an area from a session. Tracks that no longer exist are ignored.
  void set_area_tracks(Interval range, const std::vector<std::string>& tracks);
  /// Requests the arrows of the selected launch.
  void show_flow();

signals:
  void area(const jitterscope::views::AreaData& data);
  void area_cleared();
  void area_waiting();
  /// Explains why a step was not possible.
  void remark(const QString& text);

private:
  void session_opened();
  void ask_merged(const views::MergedQuery& query);
  void ask_map(const views::MergedQuery& query);
  void offer_columns();
  void ask_causes();
  void ask_scale(const QString& column);
  void add_flag(Nanoseconds time);
  void event_clicked(std::uint32_t track, std::uint64_t row);
  void launch_changed(const SelectionState& now, const SelectionState& before);
  void bin_changed(const SelectionState& now, const SelectionState& before);
  void area_changed(const SelectionState& now, const SelectionState& before);
  void follow_area();
  void step(views::StepBy by, int direction);
  void choose_area(Interval range, const std::vector<std::uint32_t>& tracks);
  void ask_area_kernels(const std::vector<engine::answers::StreamsAnswer>& streams, views::AreaData data);
  void ask_running_through(engine::KernelsOptions options);
  void request_session_kernels();
  void show_area();
  QString area_words(const std::vector<std::uint32_t>& tracks) const;

  views::TimelineWidget& timeline_;
  SessionController& session_;
  SelectionHub& hub_;
  struct AskedArea {
    Interval range;
    QString filter;
  };

  views::AreaData area_;
  std::optional<AskedArea> asked_; ///< the area that area_ describes, or will describe
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::uint32_t>>
      drawn_over_; ///< tracks of earlier areas by begin and end of the area, for undo
  std::optional<views::MergedQuery> merged_, map_; ///< last requested merged tracks, and overview of tracks
  QTimer area_timer_, causes_timer_;
  std::optional<Interval> without_causes_;        ///< range for which the user cancelled the causes
  std::vector<views::KernelRow> session_kernels_; ///< kernels of the session, once requested
  int generation_ = 0;                            ///< counts areas: late answers to earlier ones are dropped
};

} // namespace jitterscope::app
