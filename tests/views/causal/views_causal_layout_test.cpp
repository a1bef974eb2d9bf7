// Positions of the nodes, lines and labels of a causal graph, also between refits.

#include <QSet>
#include <QTest>
#include <algorithm>
#include <clocale>
#include <cmath>
#include <map>

#include "tests/views/causal/causal_scene.h"
#include "views/causal/causal_layout.h"

using namespace jitterscope;
using namespace jitterscope::views;

class CausalLayoutTest : public QObject {
  Q_OBJECT

private slots:
  void tiersAreInOrderAndTheTargetLast();
  void targetOfAnEarlyTierStillIsLast();
  void nodesDoNotOverlap();
  void layoutIsTheSameEachTime();
  void layoutDoesNotDependOnTheLocale();
  void everyEdgeIsPlacedBetweenItsNodes();
  void arrowsAtTheTargetAreSeparate();
  void hundredNodesAreLaidOut();
  void nodesStayBetweenRefits();
  void lanesStayApartAfterAGraphWithFewerOfThem();
  void longNamesTakeTwoLinesAndNoTwoAreEqual();
  void linesOfALaneKeepClearOfLabelsAfterARefit();
  void aLaneOfManyNodesHasSeveralColumns();
  void denseGraphsShowTheEdgesThatLeadToTheTarget();
  void keptPlacesLeaveNoLabelsOnEachOther();
  void labelsLeaveArrowHeadsFree();
  void labelsLeaveDrawnHeadsFree();
  void labelsWithoutRoomCoverTheLeast();
};

void CausalLayoutTest::tiersAreInOrderAndTheTargetLast() {
  const CausalGraph graph = sample::causal();
  const CausalLayout layout = laidOut(graph);
  QCOMPARE(layout.nodes.size(), graph.nodes.size());
  std::map<int, double> xOfTier;
  for (const PlacedNode& node : layout.nodes) {
    const CausalNode& n = graph.nodes[static_cast<std::size_t>(node.node)];
    const int rank = n.role == NodeRole::Target ? 99 : n.tier;
    if (xOfTier.count(rank) > 0) {
      QVERIFY(std::abs(xOfTier[rank] - node.rect.center().x()) < 1.5);
    } else {
      xOfTier[rank] = node.rect.center().x();
    }
  }
  double before = -1;
  for (const auto& [rank, x] : xOfTier) {
    QVERIFY2(x > before + 20, qPrintable(QString("tier %1").arg(rank)));
    before = x;
  }
}

void CausalLayoutTest::targetOfAnEarlyTierStillIsLast() {
  CausalGraph graph = sample::causal();
  graph.nodes.back().tier = 1;
  const CausalLayout layout = laidOut(graph);
  for (const PlacedNode& node : layout.nodes) {
    if (node.node != 8) QVERIFY(node.rect.right() < layout.nodes[8].rect.left());
  }
}

void CausalLayoutTest::nodesDoNotOverlap() {
  const CausalLayout layout = laidOut(sample::causal());
  for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) QVERIFY(!layout.nodes[i].rect.intersects(layout.nodes[j].rect));
    QVERIFY(QRectF(QPointF(0, 0), layout.size).contains(layout.nodes[i].rect));
  }
}

void CausalLayoutTest::layoutIsTheSameEachTime() {
  const CausalLayout a = laidOut(sample::causal());
  const CausalLayout b = laidOut(sample::causal());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) QCOMPARE(a.nodes[i].rect, b.nodes[i].rect);
}

void CausalLayoutTest::layoutDoesNotDependOnTheLocale() {
  const CausalLayout a = laidOut(sample::causal());
  const char* set = nullptr;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"}) {
    if (set == nullptr) set = std::setlocale(LC_NUMERIC, name);
  }
  if (set == nullptr) QSKIP("no locale with a decimal comma is installed");
  const CausalLayout b = laidOut(sample::causal());
  std::setlocale(LC_NUMERIC, "C");
  QCOMPARE(a.size, b.size);
}

void CausalLayoutTest::everyEdgeIsPlacedBetweenItsNodes() {
  const CausalGraph graph = sample::causal();
  const CausalLayout layout = laidOut(graph);
  QCOMPARE(layout.edges.size(), graph.edges.size());
  for (const PlacedEdge& edge : layout.edges) {
    const CausalEdge& e = graph.edges[static_cast<std::size_t>(edge.edge)];
    const auto near = [](const QRectF& rect, QPointF p) {
      return rect.adjusted(-14, -14, 14, 14).contains(p);
    };
    QVERIFY(near(layout.nodes[static_cast<std::size_t>(e.from)].rect, edge.line.first()));
    QVERIFY(near(layout.nodes[static_cast<std::size_t>(e.to)].rect, edge.line.last()));
  }
}

void CausalLayoutTest::arrowsAtTheTargetAreSeparate() {
  const CausalGraph graph = sample::causal();
  const CausalLayout layout = laidOut(graph);
  std::vector<double> ends;
  for (const PlacedEdge& edge : layout.edges) {
    if (graph.edges[static_cast<std::size_t>(edge.edge)].to != 8) continue;
    QVERIFY(std::abs(edge.line.last().x() - layout.nodes[8].rect.left()) < 0.01);
    ends.push_back(edge.line.last().y());
  }
  std::sort(ends.begin(), ends.end());
  for (std::size_t i = 1; i < ends.size(); ++i) QVERIFY(ends[i] - ends[i - 1] > 12);
}

void CausalLayoutTest::hundredNodesAreLaidOut() {
  CausalGraph graph;
  for (int i = 0; i < 100; ++i)
    graph.nodes.push_back({i, QString("feature %1").arg(i), i % 5, NodeRole::Feature, 1, {}});
  graph.nodes.push_back({100, "target", 5, NodeRole::Target, 1, {}});
  for (int i = 0; i < 100; ++i)
    graph.edges.push_back({i, i % 5 == 4 || i > 94 ? 100 : i + 1, true, 1, 1, 0, 2, {}, 1, -1, 10, {}});
  const CausalLayout layout = laidOut(graph);
  QCOMPARE(layout.nodes.size(), std::size_t{101});
  QCOMPARE(layout.edges.size(), std::size_t{100});
}

void CausalLayoutTest::nodesStayBetweenRefits() {
  CausalGraph graph = sample::causal();
  for (CausalNode& node : graph.nodes) node.key = QString("column %1").arg(node.id);
  const auto first = laidOut(graph);
  LayoutMemory memory;
  memory.keep(graph, first);
  // Other edges, one node removed, one added: common nodes keep their positions.
  CausalGraph next = graph;
  next.edges = {graph.edges[1], graph.edges[0]};
  const int gone = 3;
  next.nodes.erase(next.nodes.begin() + gone);
  CausalNode come = graph.nodes[2];
  come.id = 99;
  come.key = "new";
  next.nodes.push_back(come);
  next.edges.push_back({99, 8, true, 1, 1, 0, 2, {}, 0.9, 50, 10, {}});
  const auto settled = layoutCausal(next, causalMeasure(ViewStyle::light()), memory);
  QVERIFY(settled.has_value());
  for (const PlacedNode& placed : settled->nodes) {
    const CausalNode& node = next.nodes[static_cast<std::size_t>(placed.node)];
    for (const PlacedNode& old : first.nodes)
      if (graph.nodes[static_cast<std::size_t>(old.node)].key == node.key)
        QVERIFY2((old.rect.center() - placed.rect.center()).manhattanLength() < 1.5, qPrintable(node.key));
  }
  for (std::size_t i = 0; i < settled->nodes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) QVERIFY(!settled->nodes[i].rect.intersects(settled->nodes[j].rect));
  for (const PlacedEdge& edge : settled->edges) {
    const CausalEdge& e = next.edges[static_cast<std::size_t>(edge.edge)];
    for (const PlacedNode& placed : settled->nodes) {
      const QRectF near = placed.rect.adjusted(-14, -14, 14, 14);
      const int id = next.nodes[static_cast<std::size_t>(placed.node)].id;
      if (id == e.from) QVERIFY(near.contains(edge.line.first()));
      if (id == e.to) QVERIFY(near.contains(edge.line.last()));
    }
  }
}

// A graph of other launches has fewer lanes in other positions: back at the first graph, none may overlap
// another.
void CausalLayoutTest::lanesStayApartAfterAGraphWithFewerOfThem() {
  CausalGraph graph = sample::causal();
  for (CausalNode& node : graph.nodes) node.key = QString("column %1").arg(node.id);
  LayoutMemory memory;
  memory.keep(graph, laidOut(graph));
  CausalGraph fewer = graph;
  fewer.edges.clear();
  std::erase_if(fewer.nodes,
                [](const CausalNode& node) { return node.role != NodeRole::Target && node.tier != 2; });
  memory.keep(fewer, laidOut(fewer)); // as after a lane became wider
  const auto back = layoutCausal(graph, causalMeasure(ViewStyle::light()), memory);
  QVERIFY(back.has_value());
  auto tiers = back->tiers;
  QVERIFY(tiers.size() > 2);
  std::sort(tiers.begin(), tiers.end(),
            [](const PlacedTier& a, const PlacedTier& b) { return a.rank < b.rank; });
  for (std::size_t i = 1; i < tiers.size(); ++i)
    QVERIFY2(tiers[i - 1].column.right() <= tiers[i].column.left(), qPrintable(tiers[i].name));
}

void CausalLayoutTest::longNamesTakeTwoLinesAndNoTwoAreEqual() {
  CausalGraph graph = sample::causal();
  graph.nodes[0].label =
      "unified-memory migrations of the device during the launch and before it, bytes of them";
  graph.nodes[1].label =
      "unified-memory migrations of the device during the launch and before it, times of them";
  graph.nodes[2].label = "memory operations before launch";
  const ViewStyle style = ViewStyle::light();
  const auto lines = nodeLines(graph, style);
  QCOMPARE(lines[2].size(), 2);
  QCOMPARE(lines[2].join(' '), graph.nodes[2].label); // the complete label
  QSet<QString> shown;
  for (const auto& each : lines) shown.insert(each.join(' '));
  QCOMPARE(static_cast<std::size_t>(shown.size()), graph.nodes.size());
  const CausalLayout layout = laidOut(graph);
  const CausalScene scene = buildScene(graph, layout, style);
  int texts = 0;
  for (const SceneText& text : scene.texts) {
    if (text.node != 2) continue;
    ++texts;
    QVERIFY(layout.nodes[2].rect.contains(text.rect.center()));
    QVERIFY(layout.nodes[2].rect.height() > layout.nodes.back().rect.height() ||
            text.rect.height() < layout.nodes[2].rect.height());
  }
  QCOMPARE(texts, 2);
}

void CausalLayoutTest::linesOfALaneKeepClearOfLabelsAfterARefit() {
  CausalGraph graph = oneLane(4);
  const auto edge = [](int from, int to, double percent) {
    return CausalEdge{from, to, true, 1, 1, 0, 2, {}, 1, percent, 10, {}};
  };
  for (int i = 0; i < 4; ++i) graph.edges.push_back(edge(i, 9, 10 + i));
  LayoutMemory memory;
  memory.keep(graph, laidOut(graph));
  for (auto& [key, centre] : memory.centres)
    centre.ry() += key == "f0" ? 40 : 0; // a position kept from earlier graphs
  graph.edges.push_back(edge(0, 3, -1)); // new: across the whole lane
  graph.edges.push_back(edge(1, 2, -1));
  const auto settled = layoutCausal(graph, causalMeasure(ViewStyle::light()), memory);
  QVERIFY(settled.has_value());
  for (const PlacedEdge& inside : settled->edges) {
    if (inside.edge < 4) continue;
    for (const PlacedEdge& labelled : settled->edges) {
      if (labelled.labelSize.isEmpty()) continue;
      const QRectF box(labelled.label.x() - labelled.labelSize.width() / 2,
                       labelled.label.y() - labelled.labelSize.height() / 2, labelled.labelSize.width(),
                       labelled.labelSize.height());
      QVERIFY2(!crosses(inside.line, box),
               qPrintable(QString("edge %1 over the label of %2").arg(inside.edge).arg(labelled.edge)));
    }
    double right = 0;
    for (const PlacedNode& node : settled->nodes)
      if (node.node < 4) right = std::max(right, node.rect.center().x());
    for (const QPointF& point : inside.line) QVERIFY(point.x() < right); // on the side away from the target
  }
}

void CausalLayoutTest::aLaneOfManyNodesHasSeveralColumns() {
  const CausalGraph graph = dense();
  const CausalLayout layout = laidOut(graph);
  QVERIFY2(layout.size.height() < 0.9 * layout.size.width(),
           qPrintable(QString("%1 by %2").arg(layout.size.width()).arg(layout.size.height())));
  QCOMPARE(layout.tiers.size(), std::size_t{2});
  double nearest = 0; // middle of the column next to the target
  for (const PlacedNode& node : layout.nodes) {
    for (const PlacedNode& other : layout.nodes)
      QVERIFY(&node == &other || !node.rect.intersects(other.rect));
    const auto& lane = node.node == 30 ? layout.tiers[1] : layout.tiers[0];
    QVERIFY(lane.column.contains(node.rect));
    if (node.node != 30) nearest = std::max(nearest, node.rect.center().x());
  }
  QVERIFY(!layout.tiers[0].column.intersects(layout.tiers[1].column));
  for (int i = 0; i < 5; ++i)
    QVERIFY2(std::abs(layout.nodes[static_cast<std::size_t>(i)].rect.center().x() - nearest) < 1.5,
             "a node with an edge to the target is next to it");
}

void CausalLayoutTest::denseGraphsShowTheEdgesThatLeadToTheTarget() {
  CausalGraph graph = dense();
  graph.edges[5].stated = true; // from 5 to 3, the least stable edge
  const auto hidden = weakerEdges(graph);
  std::map<int, int> shown; // number of visible edges towards the target, by node
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    if (!hidden[e]) ++shown[graph.edges[e].from];
    QVERIFY(!hidden[e] || (graph.edges[e].to != 30 && !graph.edges[e].stated));
  }
  for (int i = 0; i < 30; ++i) QVERIFY2(shown[i] >= 1, qPrintable(QString::number(i)));
  QVERIFY(std::count(hidden.begin(), hidden.end(), true) >= 40);
  const auto few = weakerEdges(sample::causal());
  QVERIFY(std::none_of(few.begin(), few.end(), [](bool each) { return each; }));
  // A selected node shows all of its edges; hidden edges are not hit.
  const CausalLayout layout = laidOut(graph);
  const auto lines = [&](CausalHit chosen) {
    return buildScene(graph, layout, ViewStyle::light(), chosen).lines.size();
  };
  QVERIFY(lines({20, -1}) > lines({}));
  for (const PlacedEdge& edge : layout.edges) {
    QCOMPARE(edge.hidden, hidden[static_cast<std::size_t>(edge.edge)]);
    if (edge.hidden) QVERIFY(hitTest(layout, edge.line[edge.line.size() / 2], 0.01).edge != edge.edge);
  }
}

// The next graph has the same nodes and more labels: lanes in their old positions have no room for them.
void CausalLayoutTest::keptPlacesLeaveNoLabelsOnEachOther() {
  CausalGraph graph = oneLane(6);
  for (int i = 0; i < 6; ++i) graph.edges.push_back({i, 9, true, 1, 1, 0, 2, {}, 1, -1, 10, {}}); // no labels
  LayoutMemory memory;
  memory.keep(graph, laidOut(graph));
  for (CausalEdge& edge : graph.edges) edge.percent = 99;
  for (auto& [rank, lane] : memory.lanes) // the minimum distance of lanes
    if (rank > 5)
      lane.first = memory.lanes.begin()->second.first + memory.lanes.begin()->second.second + lane.second;
  for (auto& [key, centre] : memory.centres) centre.ry() *= 0.9;
  const auto next = layoutCausal(graph, causalMeasure(ViewStyle::light()), memory);
  QVERIFY(next.has_value());
  QCOMPARE(collisions(*next), 0);
  for (const PlacedEdge& edge : next->edges)
    for (const PlacedEdge& other : next->edges)
      QVERIFY(&edge == &other || !boxOf(edge).intersects(boxOf(other)));
}

void CausalLayoutTest::labelsLeaveArrowHeadsFree() {
  CausalLayout layout;
  layout.nodes = {{0, QRectF(0, 0, 60, 30)}, {1, QRectF(150, 0, 60, 30)}};
  PlacedEdge edge;
  edge.line = QPolygonF({{60, 15}, {105, 15}, {150, 15}});
  edge.labelSize = QSizeF(44, 16);
  edge.label = QPointF(127, 15); // clear of both nodes, over the head
  layout.edges = {edge};
  spreadLabels(layout);
  QCOMPARE(collisions(layout), 0);
}

// As drawn: the heads of strong edges are longer, and a piece of the line is in front of them.
void CausalLayoutTest::labelsLeaveDrawnHeadsFree() {
  const ViewStyle style = ViewStyle::light();
  const auto measure = causalMeasure(style);
  for (const double percent : {8.0, 55.0, 97.0}) {
    CausalEdge of{0, 1, true, 1, 1, 0, 2, {}, 1, percent, 10, {}};
    CausalLayout layout;
    PlacedEdge edge;
    edge.labelSize = measure.edgeLabel(of);
    const double tip = 60 + edge.labelSize.width() + 31; // a label in the middle would nearly touch the head
    layout.nodes = {{0, QRectF(0, 0, 60, 30)}, {1, QRectF(tip, 0, 60, 30)}};
    edge.label = QPointF((60 + tip) / 2, 15);
    edge.line = QPolygonF({{60, 15}, edge.label, {tip, 15}});
    layout.edges = {edge};
    spreadLabels(layout);
    const QRectF head =
        arrowHead(of, {tip, 15}, {1, 0}, style.positive, style.background).outline.boundingRect();
    const QRectF label = boxOf(layout.edges.front());
    QVERIFY2(label.right() < head.left() - 3 && label.left() >= 60,
             qPrintable(QString("%1: %2 … %3, head at %4")
                            .arg(percent)
                            .arg(label.left())
                            .arg(label.right())
                            .arg(head.left())));
  }
}

// If all places are taken, the label covers as little as possible, and preferably no head.
void CausalLayoutTest::labelsWithoutRoomCoverTheLeast() {
  CausalLayout layout;
  layout.nodes = {{0, QRectF(0, 0, 60, 30)}, {1, QRectF(110, 0, 60, 30)}};
  PlacedEdge edge;
  edge.line = QPolygonF({{60, 15}, {85, 15}, {110, 15}});
  edge.labelSize = QSizeF(44, 16);
  edge.label = QPointF(100, 15); // over the head and a node
  layout.edges = {edge};
  spreadLabels(layout);
  QCOMPARE(collisions(layout), 1);
}

QTEST_MAIN(CausalLayoutTest)
#include "views_causal_layout_test.moc"
