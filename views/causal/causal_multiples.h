#pragma once

#include <QString>
#include <vector>

#include "views/base/raster_view.h"
#include "views/causal/causal_data.h"
#include "views/causal/causal_layout.h"

namespace jitterscope::views {

/// One of several graphs that stand side by side.
struct CausalGroup {
  QString title; ///< "vecadd", "rank 3"
  CausalGraph graph;
  QString message; ///< said instead of a graph: waiting, or too few rows
};

/// An edge whose sign is + in some groups and − in others.
struct CausalFlip {
  QString from, to; ///< labels
  QString fromKey, toKey;
  int positive = 0; ///< groups
  int negative = 0;
};

/// Several graphs over the same places: what is at one place in one of them is at the same in all.
class CausalMultiplesModel {
public:
  void setGroups(std::vector<CausalGroup> groups, const CausalMeasure& measure);
  const std::vector<CausalGroup>& groups() const { return groups_; }
  const std::vector<CausalFlip>& flips() const { return flips_; }
  /// All nodes and edges of all groups, laid out once.
  const CausalGraph& joined() const { return joined_; }
  /// What is not among the groups, said below them; stays until another is set.
  void setNote(const QString& note) { note_ = note; }
  const QString& note() const { return note_; }
  const CausalLayout& layout() const { return layout_; }
  /// The group's graph as edges and nodes of the joined one; indices into joined(), −1 where it lacks them.
  const CausalEdge* edgeOf(std::size_t group, int joinedEdge) const;
  bool hasNode(std::size_t group, int joinedNode) const;
  bool flips(int joinedEdge) const;
  /// Places of the panels in a rectangle: as many beside each other as make the graphs largest.
  std::vector<QRectF> panels(const QRectF& rect) const;
  /// Height at which the texts in panels of this width can be read.
  double readableHeight(double width) const;

private:
  void forgetLonely();
  double scaleAt(double width, double height, int columns) const; ///< of the graphs

  std::vector<CausalGroup> groups_;
  std::vector<CausalFlip> flips_;
  CausalGraph joined_;
  QString note_;
  CausalLayout layout_;
};

namespace causal {
/// All panels, their titles, and what flips sign in words: for the screen and for export.
/// Where the mark of a sign that flips (18 by 18) covers neither a label nor a node, where there is such a
/// place on the edge.
QPointF flipMarkPlace(const PlacedEdge& edge, const CausalLayout& layout);
void paintMultiples(QPainter& painter, const QRectF& rect, const CausalMultiplesModel& model,
                    const ViewStyle& style, int focused = -1);
} // namespace causal

/// Small multiples of the causal graph. Arrows go through the panels, Enter or a click activates one.
class CausalMultiples : public RasterView {
  Q_OBJECT

public:
  explicit CausalMultiples(QWidget* parent = nullptr);

  void setGroups(std::vector<CausalGroup> groups);
  void setNote(const QString& note) { model_.setNote(note); } ///< see CausalMultiplesModel::setNote

  const CausalMultiplesModel& model() const { return model_; }
  QSize sizeHint() const override { return {640, 420}; }

signals:
  void groupActivated(int index);
  void focusMoved(const QRect& panel); ///< by keys: whoever scrolls brings it in sight

protected:
  void styleChanged() override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

private:
  int panelAt(QPointF place) const;
  void stretch(); ///< as high as it takes to be read; it stands in a scroll area

  CausalMultiplesModel model_;
  int focused_ = 0;
};

} // namespace jitterscope::views
