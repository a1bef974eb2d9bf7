#pragma once

#include <QPointF>
#include <QRectF>
#include <QStringList>
#include <vector>

#include "views/base/ticks.h"
#include "views/evidence/evidence_data.h"

namespace jitterscope::views {

/// Geometry and texts of the evidence view, without a screen. Lengths in logical pixels.
class EvidenceModel {
public:
  void setData(EvidenceData data);
  const EvidenceData& data() const { return data_; }
  bool empty() const { return data_.empty(); }
  /// True: the other causes are held at their means; false: values as measured.
  void setPartial(bool partial) { partial_ = partial; }
  bool partial() const { return partial_; }
  const EvidenceScatter& scatter() const { return partial_ ? data_.partial : data_.measured; }

  /// Number of text lines above the plots; call before setRect.
  void setHeaderLines(int lines) { headerLines_ = lines; }
  void setRect(const QRectF& rect);
  QRectF rect() const { return rect_; }
  QRectF scatterRect() const { return scatterRect_; }     ///< plot area of the scatter
  QRectF histogramRect() const { return histogramRect_; } ///< plot area

  QPointF place(double x, double y) const; ///< position of a value pair in the scatter
  QPointF valueAt(QPointF place) const;
  double histogramX(double value) const;
  double histogramY(double share) const;
  double greatestShare() const; ///< largest share of one side's rows in one bin
  double shareWith(std::size_t bin) const;
  double shareWithout(std::size_t bin) const;
  std::uint32_t densest() const;

  static std::vector<Tick> ticks(const EvidenceAxis& axis, int maximum);
  int pointAt(QPointF place, double tolerance = 6) const; ///< index of the nearest point; −1: none
  int binAt(double x) const;                              ///< bin of the histogram at x; −1: none
  /// "+21 µs per event (95 % interval 18 µs to 24 µs)"
  QString slopeText() const;
  QStringList headlines() const;
  QString withText() const;
  QString withoutText() const;
  QString sideName(bool with) const; ///< "with it", "above 3.2 µs" …
  QString cellText(QPointF place) const;
  QString pointText(int point) const;
  QString binText(int bin) const;

private:
  EvidenceData data_;
  bool partial_ = true;
  int headerLines_ = 3;
  QRectF rect_, scatterRect_, histogramRect_;
};

} // namespace jitterscope::views
