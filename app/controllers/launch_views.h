#pragma once

#include <QObject>

#include "app/session/session_controller.h"
#include "views/table/launches_data.h"

namespace jitterscope::views {
class HeatMapWidget;
class LaunchesWidget;
} // namespace jitterscope::views

namespace jitterscope::app {

/// Feeds the table of launches and the heat map: asks the engine while they are seen, and turns what the user
/// does in them into changes of the hub.
class LaunchViews : public QObject {
  Q_OBJECT

public:
  LaunchViews(SelectionHub& hub, SessionController& session, views::LaunchesWidget* table,
              views::HeatMapWidget* map, QObject* parent = nullptr);

public slots:
  /// From the chosen launch to the launch of the same kernel on the next device: the other side of a
  /// collective.
  void go_to_partner();
  /// To the one of them that starts last: who the others wait for, and why. Without a launch chosen, to the
  /// worst collective of who comes last to most.
  void go_to_last();

public:
  /// Whether the heat map has values on a log scale.
  bool logarithmic_map() const { return log_; }
  /// Chooses the longest launch of a kernel and goes there.
  void choose_longest(std::uint32_t kernel);

signals:
  /// A launch was chosen here without asking for a zoom: to be brought in sight.
  void chosen(const jitterscope::app::LaunchChoice& launch);
  void told(const QString& text);      ///< a sentence for the status line
  void explained(const QString& text); ///< several, to be read in peace

private:
  void go_to(bool last);
  /// Says who comes last to the collective of a launch and why; without a row goes to the worst of all.
  void explain(std::optional<quint64> row);
  void session_opened();
  void selection_settled();
  void hub_changed(const SelectionState& now, const SelectionState& before);
  void ask_rows(qint64 first, qint64 count, const views::LaunchesOrder& order, const QStringList& columns,
                quint64 round);
  /// Where the chosen launch stands in the table.
  void locate();
  void choose(quint64 row, bool zoom);
  /// Of an answer of operation "partners" to the launch `own`: who starts last, and how long after the
  /// others.
  static QString last_to_start(const nlohmann::json& answer, const LaunchChoice& own);
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
