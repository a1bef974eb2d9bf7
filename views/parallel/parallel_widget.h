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

/// Parallel coordinates of any number of rows. Keeps order, inversion and brushes; asks for histograms.
class ParallelWidget : public RasterView {
  Q_OBJECT

public:
  static constexpr int kFarthest = 1'000'000'000;

  explicit ParallelWidget(QWidget* parent = nullptr);
  ~ParallelWidget() override;

  const ParallelModel& model() const { return model_; }
  const std::vector<ParallelLine>& lines() const { return lines_; }
  /// Rows at the pointer, or the one stepped to by key; the nearest first.
  const std::vector<ParallelLine>& nearLines() const { return near_; }
  std::optional<Nanoseconds> cursorTime() const { return cursor_; }
  QSize sizeHint() const override { return {1000, 340}; }
  QSize minimumSizeHint() const override { return {320, 180}; }

public slots:
  void setData(jitterscope::views::ParallelData data);
  /// Another session: order, directions, lines and brushes of the one before are gone with its data; emits
  /// nothing.
  void forget();
  /// From the hub; emits nothing.
  void setBrushes(jitterscope::views::AxisBrushes brushes);
  void setOrder(const QStringList& keys);
  void setInverted(const QString& key, bool inverted);
  void setPinned(const QString& key);
  void setLogic(jitterscope::views::BrushLogic logic);
  void invertAxis(const QString& key); ///< as by double click
  void clearBrushes(const QString& key);
  void setLines(std::vector<jitterscope::views::ParallelLine> lines);
  /// The answer to rowsWanted: the nearest rows, and how many are near in all.
  void setNearRows(std::vector<jitterscope::views::ParallelLine> lines, quint64 near);
  /// The answer to rowStepWanted; a card beside the focused axis tells of it.
  void setSteppedRow(jitterscope::views::ParallelLine line);
  /// The moment that the pointer stands on in another view; emits nothing.
  void setCursorTime(std::optional<jitterscope::Nanoseconds> time);

signals:
  /// While dragging and at its end (`finished`).
  void brushesChanged(jitterscope::views::AxisBrushes brushes, bool finished);
  void axesReordered(QStringList keys);
  void axisInverted(QString key, bool inverted);
  /// Right button or menu key; `key` of the axis under it, empty between axes.
  void menuRequested(QString key, QPoint global);
  /// By keys: an axis is to stand at the left, or no longer; to be hidden; the brushed rows to be kept, or
  /// all others.
  void axisPinWanted(QString key);
  void axisHideWanted(QString key);
  void keepWanted(bool exclude);
  /// Enter or double click on a brush: its numbers are to be typed. `brush` −1: a new one.
  void brushEntryRequested(QString key, int brush);
  /// The pointer is here: which rows' lines pass near it? Comes with every move.
  void rowsWanted(jitterscope::views::ParallelProbe probe);
  /// The pointer left, or does something else: no answer is waited for.
  void rowsUnwanted();
  /// The rows next in order of this axis; 1: the next larger value, −1: the next smaller; ±kFarthest: the
  /// last ones.
  void rowStepWanted(QString key, int by);
  /// A click or the space bar on near rows; none: a click beside them.
  void rowsChosen(QList<qint64> rows);
  /// The moment under the pointer on an axis of time, else the start of the nearest row.
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
  QString textAt(const ParallelHit& hit); ///< of the hover card: axis, value, brush
  void probe(QPointF position);
  void forgetNear();
  void dropLateNear();
  void chooseNear();
  void showCardOfNear();
  void showCardOfStep();
  void tellCursor(std::optional<Nanoseconds> time);
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
  std::optional<ParallelProbe> probe_; ///< that rows were asked for
  bool answered_ = false, clickWaits_ = false;
  QTimer late_;       ///< since the pointer left the rows that are drawn
  QString hoverBase_; ///< the card without the rows
  std::optional<Nanoseconds> cursor_, told_;
  QImage density_;
  std::unique_ptr<parallel::DensityGround> ground_; ///< all rows below the selected ones
  bool densityStale_ = true;
  Drag drag_ = Drag::None;
  int dragAxis_ = -1;
  int dragBrush_ = -1;
  double dragValue_ = 0;
  ValueRange dragRange_;
  QPointF pressed_;
  QPointF last_;
  int focusedAxis_ = 0;
  int keyBrush_ = 0;    ///< which range of it the keys move
  bool nudged_ = false; ///< while a modifier is held
};

} // namespace jitterscope::views
