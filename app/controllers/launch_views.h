#pragma once

#include <QObject>

#include "app/session/session_controller.h"
#include "core/engine/messages/table_answers.h"
#include "views/table/launches_data.h"

namespace jitterscope::views {
class HeatMapWidget;
class LaunchesWidget;
} // namespace jitterscope::views

namespace jitterscope::engine {
struct HeatMapOptions;
} // namespace jitterscope::engine

namespace jitterscope::app {

/// Restricts the time axis of a request for a heat map to the selected times, with a margin of an eighth at
/// both ends, inside `span`; without selected times the axis is that of the whole session.
void show_selected_times(engine::HeatMapOptions& options, const Interval& span);

/// Supplies the launch table and the heat map: sends requests while they are visible, and applies user
/// actions in them to the hub.
class LaunchViews : public QObject {
  Q_OBJECT

public:
  LaunchViews(SelectionHub& hub, SessionController& session, views::LaunchesWidget* table,
              views::HeatMapWidget* map, QObject* parent = nullptr);

public slots:
  /// Goes from the selected launch to the launch of the same kernel on the next device: the other side of a
  /// collective.
  void go_to_partner();
  /// Goes to the launch of the collective that starts last, and explains the wait. Without a selected launch,
  /// goes to the device for which the others wait longest in total, at the collective at which that device is
  /// latest.
  void go_to_last();

public:
  /// Whether the heat map has values on a log scale.
  bool logarithmic_map() const { return log_; }
  void set_logarithmic_map(bool on);
  /// Selects the longest launch of a kernel and goes there.
  void choose_longest(std::uint32_t kernel);

signals:
  /// A launch was selected in the table or heat map without a zoom: the timeline should scroll to it.
  void chosen(const jitterscope::app::LaunchChoice& launch);
  void reported(const QString& text);  ///< one sentence for the status bar
  void explained(const QString& text); ///< several sentences, for a message that stays

private:
  void go_to(bool last);
  /// Explains which launch is last in its collective and why; without a row, also goes there, as go_to_last()
  /// does without a selected launch.
  void explain(std::optional<quint64> row);
  void session_opened();
  void selection_settled();
  void hub_changed(const SelectionState& now, const SelectionState& before);
  void ask_rows(qint64 first, qint64 count, const views::LaunchesOrder& order, const QStringList& columns,
                quint64 round);
  /// Finds the table row of the selected launch.
  void locate();
  void choose(quint64 row, bool zoom);
  /// From an answer of the operation "partners" for the launch `own`: which launch starts last, and its delay
  /// after the others.
  static QString last_to_start(const engine::answers::PartnersAnswer& answer, const LaunchChoice& own);
  void ask_map();
  bool eventFilter(QObject* watched, QEvent* event) override;

  SelectionHub& hub_;
  SessionController& session_;
  views::LaunchesWidget* table_;
  views::HeatMapWidget* map_;
  bool log_ = true;
  bool map_stale_ = true;
  QTimer map_timer_;
};

} // namespace jitterscope::app
