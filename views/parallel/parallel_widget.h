#pragma once

#include <QImage>
#include <QPointF>
#include <QTimer>
#include <memory>

#include "views/base/raster_view.h"
#include "views/parallel/parallel_model.h"
#include "views/parallel/parallel_probe.h"

namespace jitterscope::views {

namespace parallel {
class DensityGround;
}

/// Parallel coordinates for any number of rows. Stores order, inversion and brushes; requests histograms.
class ParallelWidget : public RasterView {
  Q_OBJECT

public:
  static constexpr int kFarthest = 1'000'000'000; ///< number of steps that leads to the first or last row

  explicit ParallelWidget(QWidget* parent = nullptr);
  ~ParallelWidget() override;

  const ParallelModel& model() const { return model_; }
  const std::vector<ParallelLine>& lines() const { return lines_; }
  /// Rows at the pointer, or the row reached by keyboard; the nearest first.
  const std::vector<ParallelLine>& nearLines() const { return near_; }
  std::optional<Nanoseconds> cursorTime() const { return cursor_; }
  QSize sizeHint() const override { return {1000, 340}; }
  QSize minimumSizeHint() const override { return {320, 180}; }

public slots:
  void setData(jitterscope::views::ParallelData data);
  /// Resets the view for another session: order, directions, lines, brushes and data are cleared; emits
  /// no signal.
  void forget();
  /// Sets the brushes from the hub; emits no signal.
  void setBrushes(const jitterscope::views::AxisBrushes& brushes);
  void setOrder(const QStringList& keys);
  void setInverted(const QString& key, bool inverted);
  void setPinned(const QString& key);
  void setLogic(jitterscope::views::BrushLogic logic);
  void invertAxis(const QString& key); ///< inverts the axis, as a double click on its title does
  void clearBrushes(const QString& key);
  void setLines(std::vector<jitterscope::views::ParallelLine> lines);
  /// Answer to rowsRequested: the nearest rows, and the number of all near rows.
  void setNearRows(std::vector<jitterscope::views::ParallelLine> lines, quint64 near);
  /// Answer to rowStepRequested, shown in a card next to the focused axis.
  void setSteppedRow(jitterscope::views::ParallelLine line);
  /// Sets the cursor time of another view; emits no signal.
  void setCursorTime(std::optional<jitterscope::Nanoseconds> time);

signals:
  /// Emitted while dragging and at its end (`finished`).
  void brushesChanged(jitterscope::views::AxisBrushes brushes, bool finished);
  void axesReordered(QStringList keys);
  void axisInverted(QString key, bool inverted);
  /// Right button or menu key. `key`: that of the axis at the pointer; empty between axes.
  void menuRequested(QString key, QPoint global);
  /// Keyboard requests: pin or unpin an axis at the left; hide an axis; keep only the brushed rows, or
  /// exclude them.
  void axisPinRequested(QString key);
  void axisHideRequested(QString key);
  void keepRequested(bool exclude);
  /// Enter or double click on a brush: requests a dialog to type its bounds. `brush` −1: a new brush.
  void brushEntryRequested(QString key, int brush);
  /// Request for the rows whose lines pass near the pointer. Emitted with every move.
  void rowsRequested(jitterscope::views::ParallelProbe probe);
  /// The pointer left or started another action: the pending answer is no longer needed.
  void rowsAbandoned();
  /// Request for the adjacent row in this axis' order. `by`: 1 for the next larger value, −1 for the next
  /// smaller; ±kFarthest for the last or first row.
  void rowStepRequested(QString key, int by);
  /// Click or space bar on near rows; empty: a click away from any row.
  void rowsChosen(QList<qint64> rows);
  /// Time under the pointer on a time axis, else the start of the nearest row.
  void cursorMoved(std::optional<jitterscope::Nanoseconds> time);
  /// Some adjacent pair of this order has no histogram yet.
  void needHistogramsFor(QStringList keys);

protected:
  void styleChanged() override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void leaveEvent(QEvent* event) override;

private:
  enum class Drag { None, NewBrush, MoveBrush, LowEdge, HighEdge, Axis };
  void stale();
  void askForMissingPairs();
  void dragBrush(QPointF position);
  void hover(QPointF position);
  QString textAt(const ParallelHit& hit); ///< text of the hover card: axis, value, brush
  void probe(QPointF position);
  void forgetNear();
  void dropLateNear();
  void chooseNear();
  void showCardOfNear();
  void showCardOfStep();
  void reportCursor(std::optional<Nanoseconds> time);
  bool stepKey(int key, bool far);
  bool brushKey(QKeyEvent* event);
  bool axisKey(QKeyEvent* event);
  void focusAxis(int by);
  int rangeOfKeys() const;
  ValueRange firstRange() const;
  void nextRange(bool another);
  void endNudge();
  QRect cursorStrip(int position) const;
  void paintCursor(QPainter& painter) const;
  void invert(int position);
  void moveFocusedAxis(int by);

  ParallelModel model_;
  std::vector<ParallelLine> lines_, near_;
  quint64 nearCount_ = 0;
  std::optional<ParallelProbe> probe_; ///< probe of the last row request
  bool answered_ = false, clickWaits_ = false;
  QTimer late_;       ///< runs since the pointer left the rows that are drawn
  QString hoverBase_; ///< text of the card without the rows
  std::optional<Nanoseconds> cursor_, reported_;
  QImage density_;
  std::unique_ptr<parallel::DensityGround> ground_; ///< cached picture of all rows below the selected ones
  bool densityStale_ = true;
  Drag drag_ = Drag::None;
  int dragAxis_ = -1;
  int dragBrush_ = -1;
  double dragValue_ = 0;
  ValueRange dragRange_;
  QPointF pressed_;
  QPointF last_;
  int focusedAxis_ = 0;
  int keyBrush_ = 0;    ///< index of the range that the keys move
  bool nudged_ = false; ///< keys have moved a range since a modifier was pressed
};

} // namespace jitterscope::views
