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
  double value = 0;     ///< in the axis' unit
  int brush = -1;       ///< index of the brush under the point
  int edge = 0;         ///< −1 lower, +1 upper end of that brush, 0 inside
  bool missing = false; ///< on the place of missing values
};

/// Room around the axes for their titles and for labels at the left; parallel::frameOf finds it by the fonts.
struct ParallelFrame {
  bool turned = false;  ///< titles lean to the right, where they would not fit beside each other
  double angle = 1;     ///< of turned titles, from the horizontal [rad]
  bool oneLine = false; ///< turned titles have their second line behind the first one
  int titlePixels = 0;  ///< font of turned titles
  double longest = 0;   ///< of turned titles, along the text
  double top = 46;      ///< above the axes
  double left = 0;      ///< 0: as wide as the names of the first axis are by the number of their letters
  double right = 64;
  bool operator==(const ParallelFrame&) const = default;
};

/// Axes in display order, brushes and the arithmetic between values and pixels, without a screen.
class ParallelModel {
public:
  void setData(ParallelData data);
  const ParallelData& data() const { return data_; }
  /// As made, but for its size.
  void forget();
  bool empty() const { return data_.axes.empty(); }

  const QStringList& order() const { return order_; }
  void setOrder(const QStringList& order); ///< unknown keys are left out, missing ones appended
  void moveAxis(int from, int to);
  /// This axis stays at the left; empty: none.
  void setPinned(const QString& key);
  const QString& pinned() const { return pinned_; }
  bool inverted(const QString& key) const { return inverted_.contains(key); }
  void setInverted(const QString& key, bool inverted);

  const AxisBrushes& brushes() const { return brushes_; }
  void setBrushes(AxisBrushes brushes);
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
  /// The part of it in which values stand; below it the place of missing values, where any axis misses some.
  QRectF valueRect() const;
  bool showsMissing() const;
  double axisX(int position) const;
  QRectF titleRect(int position) const;
  /// Where a title can be taken: its rectangle, or the slanted stripe of a turned one.
  QPolygonF titleShape(int position) const;
  void setFrame(const ParallelFrame& frame) { frame_ = frame; }
  const ParallelFrame& frame() const { return frame_; }
  /// 0 at the minimum … 1 at the maximum in the axis' scale.
  static double fraction(const ParallelAxis& axis, double value);
  static double valueAt(const ParallelAxis& axis, double fraction);
  double yAt(int position, double value) const;
  double valueAtY(int position, double y) const;
  /// Y of both ends of a bin.
  std::pair<double, double> binSpan(int position, int bin) const;
  /// Value below which a share of the rows lies, to within a bin; NaN without rows.
  double quantile(int position, double share) const;
  /// The bin of the histogram that holds it: what is known of it for sure. NaN without rows.
  ValueRange quantileBin(int position, double share) const;
  ParallelHit hitTest(QPointF point) const;
  /// The position a title dropped at x would take.
  int dropPosition(double x) const;
  std::vector<Tick> ticks(int position) const;
  double selectedShare() const;
  /// Whether some rows stand out as selected, over all others in grey.
  bool selects() const { return !brushes_.empty() || data_.selectedRows < data_.rows; }
  /// Room below for so many rows of a legend.
  void setLegendRows(int rows) { legendRows_ = rows; }
  int legendRows() const { return legendRows_; }
  /// "1,234 of 5,678 launches selected (21.7 %)" and the like.
  QString countText() const;
  /// Rows with one range of an axis' brush, from the histogram: to within a bin at both ends.
  QString brushText(int position, int brush) const;

private:
  void settle(); ///< room for names at the left

  double leftSide_ = 64; ///< by the number of letters
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
