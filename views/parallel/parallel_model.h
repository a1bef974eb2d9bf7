#pragma once

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QSet>
#include <QSizeF>
#include <optional>
#include <utility>

#include "views/base/ticks.h"
#include "views/parallel/parallel_data.h"

namespace jitterscope::views {

enum class ParallelArea { None, Title, Axis, Between };

struct ParallelHit {
  ParallelArea area = ParallelArea::None;
  int axis = -1;        ///< position in order()
  double value = 0;     ///< value at the point, in the axis' unit
  int brush = -1;       ///< index of the brush under the point
  int edge = 0;         ///< −1 lower, +1 upper end of that brush, 0 inside
  bool missing = false; ///< true in the region of missing values
};

/// Margins around the axes for their titles and for labels at the left, computed by parallel::frameOf.
struct ParallelFrame {
  bool turned = false;  ///< titles are slanted to the right because they would not fit next to each other
  double angle = 1;     ///< angle of slanted titles to the horizontal [rad]
  bool oneLine = false; ///< slanted titles have their second line after the first, on one line
  int titlePixels = 0;  ///< font size of slanted titles [px]
  double longest = 0;   ///< length of the longest slanted title along the text
  double top = 46;      ///< margin above the axes
  double left = 0;      ///< margin at the left; 0: estimated from the letters of the first axis' names
  double right = 64;
  bool operator==(const ParallelFrame&) const = default;
};

/// Axes in display order, brushes and the arithmetic between values and pixels, without a screen.
class ParallelModel {
public:
  void setData(ParallelData data);
  const ParallelData& data() const { return data_; }
  /// Resets to the initial state, except for the size.
  void forget();
  bool empty() const { return data_.axes.empty(); }

  const QStringList& order() const { return order_; }
  void setOrder(const QStringList& order); ///< unknown keys are left out, missing ones appended
  void moveAxis(int from, int to);
  /// Pins this axis to the left; empty: none.
  void setPinned(const QString& key);
  const QString& pinned() const { return pinned_; }
  bool inverted(const QString& key) const { return inverted_.contains(key); }
  void setInverted(const QString& key, bool inverted);

  const AxisBrushes& brushes() const { return brushes_; }
  void setBrushes(const AxisBrushes& brushes);
  /// Adds a range, merging those it overlaps; returns the index of the result.
  int addBrush(const QString& key, ValueRange range);
  void replaceBrush(const QString& key, int index, ValueRange range);
  void clearBrushes(const QString& key);
  bool missingBrushed(const QString& key) const;
  void brushMissing(const QString& key, bool on);
  const BrushLogic& logic() const { return logic_; }
  void setLogic(BrushLogic logic) { logic_ = logic; }
  bool passes(const QString& key, double value) const;

  const ParallelAxis& axis(int position) const;
  int position(const QString& key) const;
  const PairHistogram* pair(int leftPosition) const;

  void setSize(QSizeF size);
  QSizeF size() const { return size_; }
  QRectF plotRect() const;
  /// Part of the plot that contains values; the region of missing values is below it if any axis has some.
  QRectF valueRect() const;
  bool showsMissing() const;
  double axisX(int position) const;
  QRectF titleRect(int position) const;
  /// Hit area of a title: its rectangle, or a parallelogram if titles are slanted.
  QPolygonF titleShape(int position) const;
  void setFrame(const ParallelFrame& frame) { frame_ = frame; }
  const ParallelFrame& frame() const { return frame_; }
  /// Position in the axis' scale: 0 at the minimum … 1 at the maximum.
  static double fraction(const ParallelAxis& axis, double value);
  static double valueAt(const ParallelAxis& axis, double fraction);
  /// True if the axis shows the value: a category with rows, or a number between the ends of the axis.
  bool shows(int position, double value) const;
  double yAt(int position, double value) const;
  double valueAtY(int position, double y) const;
  /// Y coordinates of both ends of a bin.
  std::pair<double, double> binSpan(int position, int bin) const;
  /// Value below which this share of the rows is, to within one bin; NaN without rows.
  double quantile(int position, double share) const;
  /// Bin of the histogram that contains the quantile, as exact bounds. NaN without rows.
  ValueRange quantileBin(int position, double share) const;
  ParallelHit hitTest(QPointF point) const;
  /// Position that a title dropped at x would get.
  int dropPosition(double x) const;
  std::vector<Tick> ticks(int position) const;
  double selectedShare() const;
  /// True if some rows are drawn as selected over all others in grey.
  bool selects() const { return !brushes_.empty() || data_.selectedRows < data_.rows; }
  /// Reserves room below the axes for this number of legend rows.
  void setLegendRows(int rows) { legendRows_ = rows; }
  int legendRows() const { return legendRows_; }
  /// "1,234 of 5,678 launches selected (21.7 %)" and the like.
  QString countText() const;
  /// Number of rows in one range of an axis' brush, from the histogram: to within one bin at both ends.
  QString brushText(int position, int brush) const;

private:
  void settle(); ///< sets the margin for names at the left

  double leftSide_ = 64; ///< margin at the left, estimated from the number of letters
  ParallelFrame frame_;
  int legendRows_ = 0;
  ParallelData data_;
  QStringList order_;
  QSet<QString> inverted_;
  AxisBrushes brushes_;
  BrushLogic logic_;
  QString pinned_;
  QSizeF size_{800, 320};
};

} // namespace jitterscope::views
