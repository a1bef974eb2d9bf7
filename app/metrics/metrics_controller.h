#pragma once

#include <QObject>
#include <QTimer>

#include "app/session/session_controller.h"
#include "core/efficiency/metrics/cfg/cfg_metrics.h"
#include "views/base/view_style.h"
#include "views/metrics/metrics_data.h"

class QMenu;

namespace jitterscope::views {
class MetricsWidget;
} // namespace jitterscope::views

namespace jitterscope::app {

class MetricEditor;

/// Supplies the metrics view: the visible metrics, their values in the visible range, and menu actions.
/// The time axis, the brush and their undo belong to the selection hub.
class MetricsController : public QObject {
  Q_OBJECT

public:
  MetricsController(SelectionHub& hub, SessionController& session, views::MetricsWidget* view,
                    QObject* parent = nullptr);

  void set_style(const views::ViewStyle& style);
  void add(const std::string& text);
  /// Removes a panel, which undo_remove() adds again at its place.
  void remove(int panel);
  void undo_remove();
  void set_level(int panel, const QString& level);
  /// Copies the scale of a panel; paste_scale applies the most recent copy to another panel.
  void copy_scale(int panel);
  void paste_scale(int panel);
  void set_scale(int panel, std::optional<views::MetricScale> scale);
  /// Adds the windows of a Paraver configuration, after a choice if they are many; unsupported ones are
  /// reported by problem().
  void add_cfg(const QString& path);
  /// Opens the editor on a panel; −1: on a new metric.
  void edit(int panel);
  MetricEditor* editor() { return editor_; }
  const views::MetricsWidget* view() const { return view_; }
  void fill_menu(QMenu* menu, int panel);
  /// Asks for the values of the visible range, if the view does not have them, even if it is hidden.
  void ask_if_stale();

  /// Content stored in a session.
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);

signals:
  /// Request to scroll a device's or thread's track into view.
  void track_requested(std::uint32_t track);
  void problem(const QString& text);
  void removed(const QString& title); ///< by the user
  void histogram_requested(const views::MetricPanel& metric);
  void values_changed();
  /// Request to add a metric as tracks of the timeline, at the level that its panel shows.
  void track_added(const std::string& text, const QString& level);
  /// Requests the metric as a column of launches.
  void column_requested(const QString& name, const std::string& text);
  void changed(); ///< the content of state() changed

private:
  void session_opened();
  void hub_changed(const SelectionState& now, const SelectionState& before);
  void outdate();
  void ask_panel(int panel);
  void fill_add_menu();
  void add_windows(const std::vector<efficiency::metrics::CfgMetric>& windows);
  void open_file();
  void open_cfg();
  void ask_scale_of(int panel);
  void move(int panel, int by);
  int place_of_panel(quint64 id) const;
  std::vector<views::MetricPanel> panels() const;
  void set_panels(std::vector<views::MetricPanel> panels, std::vector<quint64> ids);
  std::vector<std::string> default_metrics() const;
  bool has_gpu() const;
  void merge_menu(QMenu* menu, int panel);
  bool eventFilter(QObject* watched, QEvent* event) override;

  SelectionHub& hub_;
  SessionController& session_;
  views::MetricsWidget* view_;
  views::ViewStyle style_;
  MetricEditor* editor_ = nullptr; ///< child of the view, created when first needed
  std::vector<quint64> ids_;       ///< ids of the panels, in their order
  quint64 next_id_ = 1;
  std::optional<views::MetricScale> copied_;
  std::optional<std::pair<int, views::MetricPanel>> removed_; ///< last removed panel and its place
  bool stale_ = true; ///< true if the view does not show the values of the hub's range
  QTimer timer_;
};

} // namespace jitterscope::app
