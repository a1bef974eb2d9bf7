#pragma once

#include <QStringList>
#include <optional>
#include <vector>

#include "core/base/time.h"
#include "views/base/raster_view.h"
#include "views/base/ticks.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace jitterscope::views {

/// What each object does while a metric has the values of a bin.
struct MetricHistogram {
  QString title, unit, rangeText;
  QString shown, shownUnit; ///< what the colour of a cell shows, with its unit
  bool amounts = true;      ///< whether the colour shows amounts, of which a cell without time has 0
  Interval range;
  std::vector<double> edges; ///< ascending limits of the bins, one more than bins
  bool logarithmic = false;  ///< bins of equal ratio, all limits above 0
  bool whole = false;        ///< every bin has one whole number, its lower limit
  int bins = 0;
  QStringList objects;
  std::vector<std::uint32_t> numbers; ///< object numbers assigned by the application
  std::vector<int> ranks;             ///< rank of each object; −1: unknown
  std::vector<std::int64_t> time;     ///< [ns] by object, then by bin
  std::vector<double> values;         ///< what the colour shows; NaN: nothing
  std::vector<std::int64_t> outside;  ///< time of each object at values outside the bins [ns]

  bool showsTime() const { return amounts && shownUnit == "ns"; }
  bool empty() const { return bins == 0 || objects.isEmpty(); }
  double edge(int bin) const { return edges[static_cast<std::size_t>(bin)]; }
  /// Largest value that the bins can have.
  double maximum() const { return whole ? edges.back() - 1 : edges.back(); }
  /// "3", or "2 – 4 µs": the values of a bin.
  QString valuesOf(int bin) const;
  std::size_t place(int object, int bin) const {
    return static_cast<std::size_t>(object) * static_cast<std::size_t>(bins) + static_cast<std::size_t>(bin);
  }
  std::int64_t at(int object, int bin) const { return time[place(object, bin)]; }
};

/// Bins chosen by the user.
struct HistogramBins {
  int count = 0;                   ///< 0: one per whole number if all values are such and few, else 48
  std::optional<double> low, high; ///< nullopt: the lowest or highest value
  bool logarithmic = false;
  bool operator==(const HistogramBins&) const = default;
};

/// Two-dimensional histogram as in Paraver: a row per object, values to the right, time or another statistic
/// as colour. A click selects a cell; so do arrow keys and Enter.
class MetricHistogramWidget : public RasterView {
  Q_OBJECT

public:
  explicit MetricHistogramWidget(QWidget* parent = nullptr);
  const MetricHistogram& data() const { return data_; }
  void setData(MetricHistogram data);
  /// Removes the frame of the chosen cell: its moments are no longer selected.
  void clearChosen();
  bool hasChosen() const { return chosen_; }
  QSize sizeHint() const override { return {600, 240}; }
  QSize minimumSizeHint() const override { return {220, 90}; }
  /// Middle of a cell.
  QPointF pointOf(int object, int bin) const;

signals:
  void cellChosen(int object, int bin);

protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  struct Cell {
    int object = 0, bin = 0;
    bool operator==(const Cell&) const = default;
  };
  QRectF plot() const;
  std::optional<Cell> cellAt(QPointF at) const;
  QString textOf(const Cell& cell) const;
  QString totalsOf(int bin) const;
  void choose(const Cell& cell);

  MetricHistogram data_;
  std::optional<Cell> current_;
  bool chosen_ = false; ///< the moments of the current cell are selected
};

/// A histogram below the choice of its bins and of what its colour shows.
class MetricHistogramView : public QWidget {
  Q_OBJECT

public:
  explicit MetricHistogramView(QWidget* parent = nullptr);
  MetricHistogramWidget* plot() { return plot_; }
  QComboBox* statisticBox() { return statistic_; }
  QComboBox* dataBox() { return data_; } ///< the metric that the statistic is of
  QSpinBox* countBox() { return count_; }
  QLineEdit* lowField() { return low_; }
  QLineEdit* highField() { return high_; }
  QCheckBox* logarithmicBox() { return logarithmic_; }
  const HistogramBins& bins() const { return bins_; }
  void setBins(const HistogramBins& bins);
  /// Shows a histogram; the limits of its bins are the placeholders of automatic limits.
  void setData(MetricHistogram shown);
  void setViewStyle(const ViewStyle& style);
  /// Reason why the typed limits are not used; empty while they are valid.
  QString problem() const;

signals:
  void binsChosen();

private:
  void fillFields();
  void readFields();

  MetricHistogramWidget* plot_;
  QComboBox *statistic_, *data_;
  QSpinBox* count_;
  QLineEdit *low_, *high_;
  QCheckBox* logarithmic_;
  QLabel* problem_;
  HistogramBins bins_;
  QString unit_; ///< unit of the limits
};

namespace metrics {
/// Paints a histogram.
void paintHistogram(QPainter& painter, const QRectF& rect, const MetricHistogram& data,
                    const ViewStyle& style);
QRectF histogramPlot(const QRectF& rect, const MetricHistogram& data, const ViewStyle& style);
/// Rectangle of the colour bar, to the right of the plot; empty if there is no room.
QRectF histogramColourBar(const QRectF& rect, const MetricHistogram& data, const ViewStyle& style);
/// Ticks of the values: below the bins of whole numbers, at the limits of few bins, else at round values.
std::vector<Tick> histogramTicks(const MetricHistogram& data, double width, const ViewStyle& style);
} // namespace metrics

} // namespace jitterscope::views
