#pragma once

#include <QString>
#include <vector>

#include "views/base/raster_view.h"
#include "views/causal/causal_data.h"
#include "views/causal/causal_layout.h"

namespace jitterscope::views {

/// One of several graphs shown side by side.
struct CausalGroup {
  QString title; ///< "vecadd", "rank 3"
  CausalGraph graph;
  QString message; ///< shown instead of a graph: waiting, or too few rows
};

/// An edge whose sign is + in some groups and − in others.
struct CausalFlip {
  QString from, to; ///< node labels
  QString fromKey, toKey;
  int positive = 0; ///< numbers of groups in which the edge has each sign
  int negative = 0;
};

/// Several graphs in one shared layout: a node or edge has the same place in every graph.
class CausalMultiplesModel {
public:
  void setGroups(std::vector<CausalGroup> groups, const CausalMeasure& measure);
  const std::vector<CausalGroup>& groups() const { return groups_; }
  const std::vector<CausalFlip>& flips() const { return flips_; }
  /// Union of the nodes and edges of all groups, laid out once.
  const CausalGraph& joined() const { return joined_; }
  /// Note below the groups about groups that are not shown; stays until replaced.
  void setNote(const QString& note) { note_ = note; }
  const QString& note() const { return note_; }
  const CausalLayout& layout() const { return layout_; }
  /// The group's edge or node for an edge or node of joined(); null or false where the group lacks it.
  const CausalEdge* edgeOf(std::size_t group, int joinedEdge) const;
  bool hasNode(std::size_t group, int joinedNode) const;
  bool flips(int joinedEdge) const;
  /// Rectangles of the panels: the number of columns is chosen to make the graphs as large as possible.
  std::vector<QRectF> panels(const QRectF& rect) const;
  /// Minimum height at which the texts in panels of this width are readable.
  double readableHeight(double width) const;

private:
  void forgetLonely();
  double scaleAt(double width, double height, int columns) const; ///< scale of the graphs

  std::vector<CausalGroup> groups_;
  std::vector<CausalFlip> flips_;
  CausalGraph joined_;
  QString note_;
  CausalLayout layout_;
};

namespace causal {
/// paintMultiples draws all panels with titles and a summary of sign changes, for screen and export.
/// flipMarkPlace returns the place of the 18 × 18 mark of a sign change; it covers neither a label nor a node
/// where the edge has room.
QPointF flipMarkPlace(const PlacedEdge& edge, const CausalLayout& layout);
void paintMultiples(QPainter& painter, const QRectF& rect, const CausalMultiplesModel& model,
                    const ViewStyle& style, int focused = -1);
} // namespace causal

/// Small multiples of the causal graph. Arrow keys move between the panels, Enter or a click activates one.
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
  void focusMoved(const QRect& panel); ///< focus moved by keyboard: the scroll area should show the panel

protected:
  void styleChanged() override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

private:
  int panelAt(QPointF place) const;
  void stretch(); ///< sets the minimum height for readable text; the widget is inside a scroll area

  CausalMultiplesModel model_;
  int focused_ = 0;
};

} // namespace jitterscope::views
