#pragma once

#include <QObject>
#include <QTimer>

#include "app/metrics/histogram_cells.h"
#include "app/session/session_controller.h"
#include "views/metrics/metrics_data.h"

namespace jitterscope::views {
struct MetricHistogram;
class MetricHistogramView;
class MetricHistogramWidget;
class MetricsWidget;
} // namespace jitterscope::views

namespace jitterscope::app {

/// Supplies the histogram of one metric of the metrics view, and selects the moments of its cells.
class HistogramController : public QObject {
  Q_OBJECT

public:
  HistogramController(SelectionHub& hub, SessionController& session, const views::MetricsWidget* metrics,
                      views::MetricHistogramView* view, QObject* parent = nullptr);

  void show(const views::MetricPanel& metric);
  /// Takes account of new values in the metrics view.
  void values_changed();

  /// Metric, bins and colour, as stored in a session.
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);

signals:
  void requested();     ///< request to show the view
  void values_needed(); ///< the default metric depends on the values of the metrics view
  void problem(const QString& text);
  void changed(); ///< the content of state() changed

private:
  void session_opened();
  void forget_limits();
  void hub_changed(const SelectionState& now, const SelectionState& before);
  void update_if_visible();
  /// Requests the cells of the brushed range, else of the visible one.
  void ask();
  void fill_choices();
  /// Without a choice of the user: the metric of metrics::histogramPanel(). True if it changed.
  bool choose_default();
  void show_cells(const engine::answers::MetricHistogramAnswer& answer, const CellStatisticSpec& shown,
                  bool brushed);
  void choose_cell(int object, int bin);
  void select_moments(const engine::answers::MetricAnswer& answer, const views::MetricHistogram& data,
                      int object, int bin);
  bool eventFilter(QObject* watched, QEvent* event) override;

  SelectionHub& hub_;
  SessionController& session_;
  const views::MetricsWidget* metrics_;
  views::MetricHistogramView* view_;
  views::MetricHistogramWidget* plot_;
  views::MetricPanel metric_;
  bool chosen_ = false; ///< by the user or a session, or because its values vary
  QString of_moments_;  ///< cause of the moments selected by a cell
  QTimer timer_;
};

} // namespace jitterscope::app
