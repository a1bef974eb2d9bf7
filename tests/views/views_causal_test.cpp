#include <QApplication>
#include <QContextMenuEvent>
#include <QPainter>
#include <QSet>
#include <QSignalSpy>
#include <QSplitter>
#include <QTest>
#include <algorithm>
#include <clocale>
#include <cmath>
#include <map>

#include "tests/views/mouse.h"
#include "tests/views/sample_data.h"
#include "views/base/export.h"
#include "views/causal/causal_canvas.h"
#include "views/causal/causal_multiples.h"
#include "views/causal/causal_painter.h"
#include "views/causal/causal_settle.h"
#include "views/causal/causal_widget.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

CausalLayout laidOut(const CausalGraph& graph) {
  const auto layout = layoutCausal(graph, causalMeasure(ViewStyle::light()));
  return layout ? *layout : CausalLayout{};
}

int edgeIndex(const CausalGraph& graph, int from, int to) {
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    if (graph.edges[i].from == from && graph.edges[i].to == to) return static_cast<int>(i);
  }
  return -1;
}

const PlacedEdge& placed(const CausalLayout& layout, int edge) {
  for (const PlacedEdge& p : layout.edges) {
    if (p.edge == edge) return p;
  }
  return layout.edges.front();
}

struct Scene {
  CausalWidget widget;
  CausalGraph graph = sample::causal();

  Scene() {
    widget.resize(1200, 560);
    widget.show();
    widget.setGraph(graph);
    QTest::qWait(1);
  }
  QPoint node(int index) {
    return widget.canvas()
        ->placement()
        .map(widget.canvas()->layout().nodes[static_cast<std::size_t>(index)].rect.center())
        .toPoint();
  }
  QPoint edge(int from, int to) {
    const PlacedEdge& p = placed(widget.canvas()->layout(), edgeIndex(graph, from, to));
    return widget.canvas()->placement().map(p.line[p.line.size() / 2]).toPoint();
  }
};

// A target with many columns of one tier: five lead to it, the others to each other, every one to several.
CausalGraph dense(int count = 30) {
  CausalGraph graph;
  for (int i = 0; i < count; ++i) {
    CausalNode node{i, QString("hardware counter number %1").arg(i), 3, NodeRole::Feature, 1, {}};
    node.key = QString("column %1").arg(i);
    graph.nodes.push_back(node);
  }
  graph.nodes.push_back({count, "duration", 5, NodeRole::Target, 1, {}});
  for (int i = 0; i < 5; ++i) graph.edges.push_back({i, count, true, 1, 1, 0, 2, {}, 0.9, 10.0 + i, 10, {}});
  for (int i = 5; i < count; ++i)
    for (int k = 1; k <= 3; ++k) graph.edges.push_back({i, i - k - 1, true, 1, 1, 0, 2, {}, 0.2 * k, -1, 10, {}});
  return graph;
}

QRectF boxOf(const PlacedEdge& edge) {
  return {edge.label.x() - edge.labelSize.width() / 2, edge.label.y() - edge.labelSize.height() / 2, edge.labelSize.width(), edge.labelSize.height()};
}

} // namespace

class CausalTest : public QObject {
  Q_OBJECT

private slots:
  void tiersStandInOrderAndTheTargetLast();
  void targetOfAnEarlyTierStillStandsLast();
  void nodesDoNotOverlap();
  void layoutIsTheSameEachTime();
  void layoutDoesNotDependOnTheLocale();
  void everyEdgeIsPlacedBetweenItsNodes();
  void arrowsAtTheTargetStandApart();
  void unstableEdgesAreDashed();
  void signsDifferInColourAndShape();
  void strongerContributionsAreWider();
  void wordsSayEffectIntervalStabilityAndN();
  void anOpenSignIsExplainedByWhatMadeItOpen();
  void marksOfFlipsCoverNoLabel();
  void aGroupWhoseEdgesAreLeftOutSaysSo();
  void clickOnAnEdgeSelectsIt();
  void clickOnANodeSelectsIt();
  void clickBesideClears();
  void keysGoThroughTheEdges();
  void keysZoomAndMove();
  void graphAndWordsShareAHighPlaceAtAnySize();
  void hoverExplains();
  void selectionFromOutsideIsSilent();
  void nothingFoundIsSaidInWords();
  void hundredNodesAreLaidOut();
  void nodesStayBetweenRefits();
  void lanesStayApartAfterAGraphWithFewerOfThem();
  void familiesOpenAndClose();
  void hoverTellsWhatOtherMethodsSay();
  void statedEdgesLookStated();
  void enterAsksForTheEvidence();
  void menuIsAskedForByMouseAndKey();
  void keysGoThroughTheNodes();
  void groupsSharePlacesAndMarkFlips();
  void longNamesTakeTwoLinesAndNoTwoAreEqual();
  void linesOfALaneKeepClearOfLabelsAfterARefit();
  void anExportStandsAsTheScreenDoes();
  void theLegendTellsTheRingOfStatedEdges();
  void sharesOfNothingHaveNoSign();
  void aGroupWithoutResultSaysSo();
  void aLaneOfManyNodesHasSeveralColumns();
  void denseGraphsShowTheEdgesThatLeadToTheTarget();
  void aLargeGraphIsShownReadablyWithItsTarget();
  void keptPlacesLeaveNoLabelsOnEachOther();
  void labelsLeaveArrowHeadsFree();
  void aGraphShownBeforeStandsAsItDid();
  void theLegendTellsHollowHeadsAndHiddenEdges();
};

void CausalTest::tiersStandInOrderAndTheTargetLast() {
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

void CausalTest::targetOfAnEarlyTierStillStandsLast() {
  CausalGraph graph = sample::causal();
  graph.nodes.back().tier = 1;
  const CausalLayout layout = laidOut(graph);
  for (const PlacedNode& node : layout.nodes) {
    if (node.node != 8) QVERIFY(node.rect.right() < layout.nodes[8].rect.left());
  }
}

void CausalTest::nodesDoNotOverlap() {
  const CausalLayout layout = laidOut(sample::causal());
  for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) QVERIFY(!layout.nodes[i].rect.intersects(layout.nodes[j].rect));
    QVERIFY(QRectF(QPointF(0, 0), layout.size).contains(layout.nodes[i].rect));
  }
}

void CausalTest::layoutIsTheSameEachTime() {
  const CausalLayout a = laidOut(sample::causal());
  const CausalLayout b = laidOut(sample::causal());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) QCOMPARE(a.nodes[i].rect, b.nodes[i].rect);
}

void CausalTest::layoutDoesNotDependOnTheLocale() {
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

void CausalTest::everyEdgeIsPlacedBetweenItsNodes() {
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

void CausalTest::arrowsAtTheTargetStandApart() {
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

void CausalTest::unstableEdgesAreDashed() {
  CausalGraph graph;
  graph.nodes = {{0, "a", 0, NodeRole::Feature, 1, {}}, {1, "b", 5, NodeRole::Target, 1, {}}};
  graph.edges = {{0, 1, true, 1, 1, 0, 2, {}, 0.9, 50, 10, {}}};
  const CausalLayout layout = laidOut(graph);
  QCOMPARE(buildScene(graph, layout, ViewStyle::light()).lines.size(), std::size_t{1});
  graph.edges[0].stability = 0.49;
  QVERIFY(buildScene(graph, layout, ViewStyle::light()).lines.size() > 3);
  const auto pieces = dashes(QPolygonF({{0, 0}, {50, 0}, {100, 0}}), 10, 5);
  QCOMPARE(pieces.size(), std::size_t{7});
  for (const QPolygonF& piece : pieces) QVERIFY(piece.boundingRect().width() <= 10.001);
}

void CausalTest::signsDifferInColourAndShape() {
  const ViewStyle style = ViewStyle::paper();
  CausalEdge positive;
  positive.sign = 1;
  positive.percent = 20;
  CausalEdge negative = positive;
  negative.sign = -1;
  QCOMPARE(edgeColour(positive, style), QColor(Qt::black));
  QVERIFY(edgeColour(negative, style).red() > 150 && edgeColour(negative, style).green() < 80);
  const SceneShape triangle = arrowHead(positive, {0, 0}, {1, 0}, Qt::black, Qt::white);
  const SceneShape bar = arrowHead(negative, {0, 0}, {1, 0}, Qt::red, Qt::white);
  QCOMPARE(triangle.outline.size(), 4);
  QCOMPARE(bar.outline.size(), 5);
  QVERIFY(edgeColour(positive, ViewStyle::dark()).lightness() > 200);
  QVERIFY(edgeLabel(positive).startsWith("+"));
  QVERIFY(edgeLabel(negative).startsWith("−"));
}

void CausalTest::strongerContributionsAreWider() {
  CausalEdge edge;
  double before = 0;
  for (const double percent : {-1.0, 2.0, 10.0, 50.0, 100.0}) {
    edge.percent = percent;
    QVERIFY(edgeWidth(edge) > before);
    before = edgeWidth(edge);
  }
  QVERIFY(before <= 6.01);
}

void CausalTest::wordsSayEffectIntervalStabilityAndN() {
  const CausalGraph graph = sample::causal();
  const QString text = edgeDetails(graph, graph.edges[0]);
  for (const char* part : {"migration → kernel variability", "21.3 µs", "19.1 µs", "23.9 µs", "62.1 %",
                           "100 %", "84,213", "Each launch"}) {
    QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(text));
  }
}

void CausalTest::anOpenSignIsExplainedByWhatMadeItOpen() {
  CausalGraph graph = sample::causal();
  CausalEdge& edge = graph.edges[0];
  edge.sign = 0;
  edge.low = -3, edge.high = 2;
  QVERIFY(edgeDetails(graph, edge).contains("the interval includes 0"));
  edge.low = -3, edge.high = -2;
  const QString text = edgeDetails(graph, edge);
  QVERIFY(text.contains("Grey") && text.contains("not certain"));
  QVERIFY2(!text.contains("includes 0"), qPrintable(text));
}

void CausalTest::marksOfFlipsCoverNoLabel() {
  CausalLayout layout;
  PlacedEdge edge;
  for (int x = 0; x <= 30; ++x) edge.line << QPointF(10 * x, 50);
  edge.labelSize = QSizeF(44, 14);
  const auto mark = [&] {
    const QPointF c = causal::flipMarkPlace(edge, layout);
    return QRectF(c.x() - 9, c.y() - 9, 18, 18);
  };
  for (int at = 20; at <= 280; at += 20) {
    edge.label = QPointF(at, 50);
    layout.edges = {edge};
    QVERIFY2(!mark().intersects(QRectF(at - 22, 43, 44, 14)), qPrintable(QString("label at %1").arg(at)));
  }
  layout.nodes.push_back({0, QRectF(60, 30, 80, 40)}); // on its way past another node
  QVERIFY(!mark().intersects(layout.nodes[0].rect));
}

void CausalTest::aGroupWhoseEdgesAreLeftOutSaysSo() {
  const ViewStyle style = ViewStyle::light();
  CausalGraph all = dense();
  for (CausalNode& node : all.nodes) node.key = QString("column %1").arg(node.id);
  const auto hidden = weakerEdges(all);
  const auto at = static_cast<std::size_t>(std::find(hidden.begin(), hidden.end(), true) - hidden.begin());
  QVERIFY(at < hidden.size());
  CausalGraph weak = all;
  weak.edges = {all.edges[at]};
  weak.nothingFound = "Nothing recorded explains it";
  const auto ink = [&](const CausalGraph& group) {
    CausalMultiplesModel model;
    model.setGroups({{"all", all, {}}, {"one", group, {}}}, causalMeasure(style));
    return renderImage({1000, 500}, 1, [&](QPainter& painter, const QRectF& rect) { causal::paintMultiples(painter, rect, model, style); });
  };
  CausalGraph said = weak;
  said.nothingFound = "Else";
  QVERIFY2(ink(weak) != ink(said), "the words stand where no edge is drawn");
  CausalGraph shown = weak;
  shown.edges = {all.edges[static_cast<std::size_t>(std::find(hidden.begin(), hidden.end(), false) - hidden.begin())]};
  said.edges = shown.edges;
  QCOMPARE(ink(shown), ink(said));
}

void CausalTest::clickOnAnEdgeSelectsIt() {
  Scene scene;
  QSignalSpy edge(&scene.widget, &CausalWidget::edgeSelected);
  QTest::mouseClick(scene.widget.canvas(), Qt::LeftButton, {}, scene.edge(5, 8));
  QCOMPARE(edge.count(), 1);
  QCOMPARE(edge.first().at(0).toInt(), 5);
  QCOMPARE(edge.first().at(1).toInt(), 8);
}

void CausalTest::clickOnANodeSelectsIt() {
  Scene scene;
  QSignalSpy node(&scene.widget, &CausalWidget::nodeSelected);
  QTest::mouseClick(scene.widget.canvas(), Qt::LeftButton, {}, scene.node(3));
  QCOMPARE(node.count(), 1);
  QCOMPARE(node.first().at(0).toInt(), 3);
}

void CausalTest::clickBesideClears() {
  Scene scene;
  QSignalSpy cleared(&scene.widget, &CausalWidget::selectionCleared);
  QTest::mouseClick(scene.widget.canvas(), Qt::LeftButton, {}, {4, 4});
  QCOMPARE(cleared.count(), 1);
}

void CausalTest::keysGoThroughTheEdges() {
  Scene scene;
  QSignalSpy edge(&scene.widget, &CausalWidget::edgeSelected);
  auto* canvas = scene.widget.canvas();
  QTest::keyClick(canvas, Qt::Key_Down);
  QCOMPARE(edge.last().at(0).toInt(), 2); // the strongest: migration
  QTest::keyClick(canvas, Qt::Key_Down);
  QCOMPARE(edge.last().at(0).toInt(), 5); // then the clock
  QTest::keyClick(canvas, Qt::Key_Up);
  QCOMPARE(edge.last().at(0).toInt(), 2);
}

void CausalTest::keysZoomAndMove() {
  Scene scene;
  auto* canvas = scene.widget.canvas();
  QTest::keyClick(canvas, Qt::Key_Down); // the edge that it zooms at
  QTest::keyClick(canvas, Qt::Key_0);
  const QImage whole = canvas->grab().toImage();
  const auto& edges = canvas->layout().edges;
  const auto chosen = std::find_if(edges.begin(), edges.end(), [&](const PlacedEdge& edge) { return edge.edge == canvas->selected().edge; });
  QVERIFY(chosen != edges.end());
  const auto label = [&] { return canvas->placement().map(chosen->label); };
  const auto near = [](QPointF a, QPointF b) { return std::abs(a.x() - b.x()) < 0.01 && std::abs(a.y() - b.y()) < 0.01; };
  const QPointF stays = label();
  const double scale = canvas->placement().m11();
  QTest::keyClick(canvas, Qt::Key_Plus);
  QTest::keyClick(canvas, Qt::Key_Plus);
  QVERIFY(canvas->grab().toImage() != whole);
  QCOMPARE(canvas->placement().m11() / scale, 1.2 * 1.2);
  QVERIFY(near(label(), stays)); // the chosen edge keeps its place
  QTest::keyClick(canvas, Qt::Key_Minus);
  QCOMPARE(canvas->placement().m11() / scale, 1.2);
  QVERIFY(near(label(), stays));
  // Arrows move the view: what lies to the right comes from there.
  for (const auto& [key, by] : {std::pair{Qt::Key_Right, QPointF(-40, 0)}, {Qt::Key_Left, QPointF(40, 0)}, {Qt::Key_Down, QPointF(0, -40)}, {Qt::Key_Up, QPointF(0, 40)}}) {
    const QPointF before = label();
    QTest::keyClick(canvas, key, Qt::ShiftModifier);
    QVERIFY2(near(label(), before + by), qPrintable(QString::number(int(key))));
  }
  QTest::keyClick(canvas, Qt::Key_Right, Qt::ShiftModifier);
  QTest::keyClick(canvas, Qt::Key_0);
  QVERIFY(near(label(), stays));
  QVERIFY(canvas->grab().toImage() == whole);
}

void CausalTest::graphAndWordsShareAHighPlaceAtAnySize() {
  Scene scene;
  for (const int height : {700, 420, 1000}) {
    scene.widget.resize(400, height);
    QTest::qWait(1);
    QVERIFY2(std::abs(scene.widget.canvas()->height() - height / 2) < 12, qPrintable(QString::number(scene.widget.canvas()->height())));
  }
  // Also with the first graph after a message alone, and in a place of another size since.
  CausalWidget first;
  first.resize(400, 900);
  first.show();
  first.setGraph({});
  QTest::qWait(1);
  first.resize(400, 500);
  first.setGraph(scene.graph);
  QTest::qWait(1);
  QVERIFY2(std::abs(first.canvas()->height() - 250) < 12, qPrintable(QString::number(first.canvas()->height())));
  // Beside each other in a wide place, with one width for the words; where the user put the border it stays.
  for (const int width : {1200, 900}) {
    scene.widget.resize(width, 560);
    QTest::qWait(1);
    QVERIFY2(std::abs(width - scene.widget.canvas()->width() - 340) < 12, qPrintable(QString::number(scene.widget.canvas()->width())));
  }
  auto* splitter = scene.widget.findChild<QSplitter*>();
  emit splitter->splitterMoved(500, 1);
  splitter->setSizes({500, 400});
  scene.widget.setGraph(scene.graph); // as after every answer
  QTest::qWait(1);
  QVERIFY2(std::abs(scene.widget.canvas()->width() - 500) < 12, qPrintable(QString::number(scene.widget.canvas()->width())));
}

void CausalTest::hoverExplains() {
  Scene scene;
  mouse::move(scene.widget.canvas(), scene.edge(2, 8));
  QVERIFY(scene.widget.canvas()->hoverText().contains("62.1 %"));
  mouse::move(scene.widget.canvas(), scene.node(3));
  QVERIFY(scene.widget.canvas()->hoverText().contains("2 columns"));
  mouse::move(scene.widget.canvas(), {3, 3});
  QVERIFY(scene.widget.canvas()->hoverText().isEmpty());
}

void CausalTest::selectionFromOutsideIsSilent() {
  Scene scene;
  QSignalSpy edge(&scene.widget, &CausalWidget::edgeSelected);
  scene.widget.setSelectedEdge(7, 8);
  QCOMPARE(edge.count(), 0);
  QCOMPARE(scene.widget.canvas()->selected().edge, edgeIndex(scene.graph, 7, 8));
}

void CausalTest::nothingFoundIsSaidInWords() {
  CausalWidget widget;
  widget.resize(800, 400);
  widget.show();
  widget.setGraph(sample::causalNothing());
  QVERIFY(widget.canvas()->message().startsWith("Nothing recorded here explains"));
  const QImage picture = renderImage({600, 300}, 1, [](QPainter& p, const QRectF& r) {
    causal::paint(p, r, sample::causalNothing(), ViewStyle::light());
  });
  int dark = 0;
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) dark += qGray(picture.pixel(x, y)) < 140 ? 1 : 0;
  }
  QVERIFY(dark > 200);
}

void CausalTest::hundredNodesAreLaidOut() {
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

void CausalTest::nodesStayBetweenRefits() {
  CausalGraph graph = sample::causal();
  for (CausalNode& node : graph.nodes) node.key = QString("column %1").arg(node.id);
  const auto first = laidOut(graph);
  LayoutMemory memory;
  memory.keep(graph, first);
  // Other edges, one node gone, one come: what both have in common stands where it stood.
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
    for (std::size_t j = 0; j < i; ++j)
      QVERIFY(!settled->nodes[i].rect.intersects(settled->nodes[j].rect));
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

// A graph of other launches has fewer lanes, which stand elsewhere: back at the first one, none may lie over another.
void CausalTest::lanesStayApartAfterAGraphWithFewerOfThem() {
  CausalGraph graph = sample::causal();
  for (CausalNode& node : graph.nodes) node.key = QString("column %1").arg(node.id);
  LayoutMemory memory;
  memory.keep(graph, laidOut(graph));
  CausalGraph fewer = graph;
  fewer.edges.clear();
  std::erase_if(fewer.nodes, [](const CausalNode& node) { return node.role != NodeRole::Target && node.tier != 2; });
  memory.keep(fewer, laidOut(fewer)); // as where a lane has become wider
  const auto back = layoutCausal(graph, causalMeasure(ViewStyle::light()), memory);
  QVERIFY(back.has_value());
  auto tiers = back->tiers;
  QVERIFY(tiers.size() > 2);
  std::sort(tiers.begin(), tiers.end(), [](const PlacedTier& a, const PlacedTier& b) { return a.rank < b.rank; });
  for (std::size_t i = 1; i < tiers.size(); ++i) QVERIFY2(tiers[i - 1].column.right() <= tiers[i].column.left(), qPrintable(tiers[i].name));
}

void CausalTest::familiesOpenAndClose() {
  Scene scene;
  CausalGraph graph = sample::causal();
  const auto family = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                   [](const CausalNode& n) { return n.role == NodeRole::Family; });
  QVERIFY(family != graph.nodes.end());
  family->key = "family";
  family->memberNames = {"first member", "second member"};
  const int id = family->id;
  const int index = static_cast<int>(family - graph.nodes.begin());
  scene.widget.setGraph(graph);
  const auto height = [&] {
    return scene.widget.canvas()->layout().nodes[static_cast<std::size_t>(index)].rect.height();
  };
  const double closed = height();
  QTest::mouseDClick(scene.widget.canvas(), Qt::LeftButton, {}, scene.node(index));
  QVERIFY(height() > closed + 25);
  const auto texts = buildScene(scene.widget.graph(), scene.widget.canvas()->layout(), ViewStyle::light()).texts;
  QVERIFY(std::any_of(texts.begin(), texts.end(), [](const SceneText& t) { return t.text == "second member"; }));
  scene.widget.setGraph(graph); // a refit keeps it open
  QVERIFY(height() > closed + 25);
  scene.widget.toggleFamily(id);
  QCOMPARE(height(), closed);
}

void CausalTest::hoverTellsWhatOtherMethodsSay() {
  CausalGraph graph = sample::causal();
  graph.method = "BOSS, within";
  graph.edges[0].opinions = {{"PC", "the same", true}, {"GES", "no edge", false}};
  graph.edges[0].test = "block bootstrap, 200 replicates";
  const QString text = edgeDetails(graph, graph.edges[0]);
  QVERIFY2(text.contains("2 of 3 see it so (BOSS, PC); GES: no edge"), qPrintable(text));
  QVERIFY(text.contains("block bootstrap, 200 replicates"));
}

void CausalTest::statedEdgesLookStated() {
  CausalGraph graph = sample::causal();
  const auto plain = buildScene(graph, laidOut(graph), ViewStyle::light());
  graph.edges[0].stated = true;
  const auto stated = buildScene(graph, laidOut(graph), ViewStyle::light());
  QCOMPARE(stated.shapes.size(), plain.shapes.size() + 1);
  QVERIFY(edgeDetails(graph, graph.edges[0]).contains("You stated"));
}

void CausalTest::enterAsksForTheEvidence() {
  Scene scene;
  QSignalSpy evidence(&scene.widget, &CausalWidget::evidenceRequested);
  QTest::keyClick(scene.widget.canvas(), Qt::Key_Down);
  QVERIFY(scene.widget.canvas()->hoverText().contains("62.1 %")); // the keyboard gets the card too
  QTest::keyClick(scene.widget.canvas(), Qt::Key_Return);
  QCOMPARE(evidence.count(), 1);
  QCOMPARE(evidence.first().at(0).toInt(), 2);
  QTest::mouseDClick(scene.widget.canvas(), Qt::LeftButton, {}, scene.edge(5, 8));
  QCOMPARE(evidence.last().at(0).toInt(), 5);
}

void CausalTest::menuIsAskedForByMouseAndKey() {
  Scene scene;
  QSignalSpy menu(&scene.widget, &CausalWidget::menuRequested);
  QContextMenuEvent byMouse(QContextMenuEvent::Mouse, scene.node(3), scene.widget.canvas()->mapToGlobal(scene.node(3)));
  QApplication::sendEvent(scene.widget.canvas(), &byMouse);
  QCOMPARE(menu.last().at(0).toInt(), 3);
  QTest::keyClick(scene.widget.canvas(), Qt::Key_Down);
  QContextMenuEvent byKey(QContextMenuEvent::Keyboard, QPoint(), QPoint());
  QApplication::sendEvent(scene.widget.canvas(), &byKey);
  QCOMPARE(menu.last().at(0).toInt(), -1);
  QCOMPARE(menu.last().at(1).toInt(), 2);
  QCOMPARE(menu.last().at(2).toInt(), 8);
}

void CausalTest::keysGoThroughTheNodes() {
  Scene scene;
  QSignalSpy node(&scene.widget, &CausalWidget::nodeSelected);
  for (int i = 0; i < 20; ++i) QTest::keyClick(scene.widget.canvas(), Qt::Key_Right);
  QCOMPARE(node.last().at(0).toInt(), 8); // the target is the last
  QTest::keyClick(scene.widget.canvas(), Qt::Key_Left);
  QVERIFY(node.last().at(0).toInt() != 8);
}

void CausalTest::longNamesTakeTwoLinesAndNoTwoAreEqual() {
  CausalGraph graph = sample::causal();
  graph.nodes[0].label = "unified-memory migrations of the device during the launch and before it, bytes of them";
  graph.nodes[1].label = "unified-memory migrations of the device during the launch and before it, times of them";
  graph.nodes[2].label = "memory operations before launch";
  const ViewStyle style = ViewStyle::light();
  const auto lines = nodeLines(graph, style);
  QCOMPARE(lines[2].size(), 2);
  QCOMPARE(lines[2].join(' '), graph.nodes[2].label); // whole
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
    QVERIFY(layout.nodes[2].rect.height() > layout.nodes.back().rect.height() || text.rect.height() < layout.nodes[2].rect.height());
  }
  QCOMPARE(texts, 2);
}

void CausalTest::linesOfALaneKeepClearOfLabelsAfterARefit() {
  CausalGraph graph;
  for (int i = 0; i < 4; ++i) {
    CausalNode node{i, QString("feature %1").arg(i), 2, NodeRole::Feature, 1, {}};
    node.key = QString("f%1").arg(i);
    graph.nodes.push_back(node);
  }
  CausalNode target{9, "target", 5, NodeRole::Target, 1, {}};
  target.key = "target";
  graph.nodes.push_back(target);
  const auto edge = [](int from, int to, double percent) { return CausalEdge{from, to, true, 1, 1, 0, 2, {}, 1, percent, 10, {}}; };
  for (int i = 0; i < 4; ++i) graph.edges.push_back(edge(i, 9, 10 + i));
  LayoutMemory memory;
  memory.keep(graph, laidOut(graph));
  for (auto& [key, centre] : memory.centres) centre.ry() += key == "f0" ? 40 : 0; // as a person would find it after some refits
  graph.edges.push_back(edge(0, 3, -1)); // new: over the whole lane
  graph.edges.push_back(edge(1, 2, -1));
  const auto settled = layoutCausal(graph, causalMeasure(ViewStyle::light()), memory);
  QVERIFY(settled.has_value());
  for (const PlacedEdge& inside : settled->edges) {
    if (inside.edge < 4) continue;
    for (const PlacedEdge& labelled : settled->edges) {
      if (labelled.labelSize.isEmpty()) continue;
      const QRectF box(labelled.label.x() - labelled.labelSize.width() / 2, labelled.label.y() - labelled.labelSize.height() / 2,
                       labelled.labelSize.width(), labelled.labelSize.height());
      QVERIFY2(!crosses(inside.line, box), qPrintable(QString("edge %1 over the label of %2").arg(inside.edge).arg(labelled.edge)));
    }
    double right = 0;
    for (const PlacedNode& node : settled->nodes)
      if (node.node < 4) right = std::max(right, node.rect.center().x());
    for (const QPointF& point : inside.line) QVERIFY(point.x() < right); // on the side away from the target
  }
}

void CausalTest::anExportStandsAsTheScreenDoes() {
  const CausalGraph graph = sample::causal();
  CausalLayout moved = laidOut(graph);
  std::swap(moved.nodes[0].rect, moved.nodes[1].rect);
  const ViewStyle style = ViewStyle::light();
  const auto drawn = [&](const CausalLayout* layout) {
    return renderImage({600, 400}, 1, [&](QPainter& painter, const QRectF& rect) { causal::paint(painter, rect, graph, style, layout); });
  };
  const CausalLayout own = laidOut(graph);
  QVERIFY(drawn(nullptr) == drawn(&own));
  QVERIFY(drawn(&moved) != drawn(&own));
}

void CausalTest::theLegendTellsTheRingOfStatedEdges() {
  CausalGraph graph = sample::causal();
  const ViewStyle style = ViewStyle::light();
  const auto legend = [&] {
    return renderImage({900, 80}, 1, [&](QPainter& painter, const QRectF& rect) { causal::paintLegend(painter, rect, style, graph); });
  };
  const QImage plain = legend();
  const double height = causal::legendHeight(500, style, graph);
  graph.edges[0].stated = true;
  QVERIFY(legend() != plain);
  QVERIFY(causal::legendHeight(500, style, graph) >= height);
}

void CausalTest::sharesOfNothingHaveNoSign() {
  CausalEdge edge = sample::causal().edges[0];
  for (const double percent : {0.0, 0.01, 0.04}) {
    edge.percent = percent;
    for (const int sign : {-1, 1}) {
      edge.sign = sign;
      QVERIFY2(!edgeLabel(edge).contains("−") && !edgeLabel(edge).contains("+"), qPrintable(edgeLabel(edge)));
    }
  }
  edge.percent = 0.04;
  QCOMPARE(edgeLabel(edge), QString());
  edge.percent = 0.07;
  QCOMPARE(edgeLabel(edge), QString("+0.1 %"));
}

void CausalTest::aGroupWithoutResultSaysSo() {
  const ViewStyle style = ViewStyle::light();
  CausalGraph nothing; // neither edges nor words
  nothing.n = 50;
  const auto drawn = [&](const QString& note) {
    CausalMultiplesModel model;
    model.setGroups({{"all", sample::causal(), {}}, {"quiet", nothing, {}}}, causalMeasure(style));
    model.setNote(note);
    return std::pair(renderImage({900, 400}, 1, [&](QPainter& painter, const QRectF& rect) { causal::paintMultiples(painter, rect, model, style); }),
                     model.panels({0, 0, 900, 400})[1].toRect());
  };
  const auto [image, panel] = drawn({});
  int ink = 0;
  for (int y = panel.top() + 60; y < panel.bottom() - 20; ++y)
    for (int x = panel.left() + 20; x < panel.right() - 20; ++x) ink += qGray(image.pixel(x, y)) < 150;
  QVERIFY2(ink > 50, qPrintable(QString::number(ink)));
  QVERIFY(drawn("6 of 8 ranks are drawn, those with most launches").first != image);
}

void CausalTest::groupsSharePlacesAndMarkFlips() {
  CausalGraph first = sample::causal();
  for (CausalNode& node : first.nodes) node.key = QString("column %1").arg(node.id);
  CausalGraph second = first;
  std::reverse(second.nodes.begin(), second.nodes.end()); // other ids, other order, the same columns
  for (std::size_t i = 0; i < second.nodes.size(); ++i) second.nodes[i].id = static_cast<int>(100 + i);
  const auto idOf = [&](int old) {
    for (const CausalNode& node : second.nodes)
      if (node.key == QString("column %1").arg(old)) return node.id;
    return -1;
  };
  for (CausalEdge& edge : second.edges) edge.from = idOf(edge.from), edge.to = idOf(edge.to);
  QVERIFY(first.edges[0].sign != 0);
  second.edges[0].sign = -first.edges[0].sign;
  CausalMultiples view;
  view.resize(900, 500);
  view.show();
  view.setGroups({{"all", first, {}}, {"rank 0", second, {}}, {"rank 1", {}, "too few rows"}});
  const CausalMultiplesModel& model = view.model();
  QCOMPARE(model.joined().nodes.size(), first.nodes.size());
  QCOMPARE(model.joined().edges.size(), first.edges.size());
  QCOMPARE(model.flips().size(), std::size_t{1});
  QCOMPARE(model.flips().front().positive + model.flips().front().negative, 2);
  for (std::size_t e = 0; e < model.joined().edges.size(); ++e) {
    QVERIFY(model.edgeOf(0, static_cast<int>(e)) != nullptr);
    QVERIFY(model.edgeOf(1, static_cast<int>(e)) != nullptr);
    QVERIFY(model.edgeOf(2, static_cast<int>(e)) == nullptr);
  }
  const auto panels = model.panels(view.rect());
  QCOMPARE(panels.size(), std::size_t{3});
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < i; ++k) QVERIFY(!panels[i].adjusted(1, 1, -1, -1).intersects(panels[k].adjusted(1, 1, -1, -1)));
  QSignalSpy activated(&view, &CausalMultiples::groupActivated);
  QTest::mouseClick(&view, Qt::LeftButton, {}, panels[1].center().toPoint());
  QCOMPARE(activated.last().at(0).toInt(), 1);
  QTest::keyClick(&view, Qt::Key_Right);
  QTest::keyClick(&view, Qt::Key_Return);
  QCOMPARE(activated.last().at(0).toInt(), 1);
  QVERIFY(!view.grab().isNull());
}

void CausalTest::aLaneOfManyNodesHasSeveralColumns() {
  const CausalGraph graph = dense();
  const CausalLayout layout = laidOut(graph);
  QVERIFY2(layout.size.height() < 0.9 * layout.size.width(), qPrintable(QString("%1 by %2").arg(layout.size.width()).arg(layout.size.height())));
  QCOMPARE(layout.tiers.size(), std::size_t{2});
  double nearest = 0; // middle of the column beside the target
  for (const PlacedNode& node : layout.nodes) {
    for (const PlacedNode& other : layout.nodes) QVERIFY(&node == &other || !node.rect.intersects(other.rect));
    const auto& lane = node.node == 30 ? layout.tiers[1] : layout.tiers[0];
    QVERIFY(lane.column.contains(node.rect));
    if (node.node != 30) nearest = std::max(nearest, node.rect.center().x());
  }
  QVERIFY(!layout.tiers[0].column.intersects(layout.tiers[1].column));
  for (int i = 0; i < 5; ++i) QVERIFY2(std::abs(layout.nodes[static_cast<std::size_t>(i)].rect.center().x() - nearest) < 1.5, "what leads to the target stands beside it");
}

void CausalTest::denseGraphsShowTheEdgesThatLeadToTheTarget() {
  CausalGraph graph = dense();
  graph.edges[5].stated = true; // from 5 to 3, the least stable one
  const auto hidden = weakerEdges(graph);
  std::map<int, int> shown; // by node: its edges towards the target
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    if (!hidden[e]) ++shown[graph.edges[e].from];
    QVERIFY(!hidden[e] || (graph.edges[e].to != 30 && !graph.edges[e].stated));
  }
  for (int i = 0; i < 30; ++i) QVERIFY2(shown[i] >= 1, qPrintable(QString::number(i)));
  QVERIFY(std::count(hidden.begin(), hidden.end(), true) >= 40);
  const auto few = weakerEdges(sample::causal());
  QVERIFY(std::none_of(few.begin(), few.end(), [](bool each) { return each; }));
  // A chosen node shows all of its edges; what is hidden is not hit.
  const CausalLayout layout = laidOut(graph);
  const auto lines = [&](CausalHit chosen) { return buildScene(graph, layout, ViewStyle::light(), chosen).lines.size(); };
  QVERIFY(lines({20, -1}) > lines({}));
  for (const PlacedEdge& edge : layout.edges) {
    QCOMPARE(edge.hidden, hidden[static_cast<std::size_t>(edge.edge)]);
    if (edge.hidden) QVERIFY(hitTest(layout, edge.line[edge.line.size() / 2], 0.01).edge != edge.edge);
  }
}

void CausalTest::aLargeGraphIsShownReadablyWithItsTarget() {
  CausalWidget widget;
  widget.resize(400, 800);
  widget.show();
  widget.setGraph(dense());
  QTest::qWait(1);
  auto* canvas = widget.canvas();
  const auto target = [&] { return canvas->placement().mapRect(canvas->layout().nodes.back().rect); };
  QVERIFY2(canvas->placement().m11() > kReadableScale - 0.001, qPrintable(QString::number(canvas->placement().m11())));
  QVERIFY(QRectF(canvas->rect()).contains(target()));
  widget.resize(420, 600); // as long as nobody moved it
  QTest::qWait(1);
  QVERIFY(canvas->placement().m11() > kReadableScale - 0.001 && QRectF(canvas->rect()).contains(target()));
  QTest::keyClick(canvas, Qt::Key_0);
  QVERIFY(QRectF(canvas->rect()).contains(canvas->placement().mapRect(QRectF(QPointF(0, 0), canvas->layout().size))));
  widget.resize(400, 800);
  QTest::qWait(1);
  QVERIFY2(canvas->placement().m11() < kReadableScale, "what the user chose stays");
}

// The next graph has the same nodes and more labels: lanes that stand as they did have no room for them.
void CausalTest::keptPlacesLeaveNoLabelsOnEachOther() {
  CausalGraph graph;
  for (int i = 0; i < 6; ++i) {
    CausalNode node{i, QString("feature %1").arg(i), 2, NodeRole::Feature, 1, {}};
    node.key = QString("f%1").arg(i);
    graph.nodes.push_back(node);
  }
  CausalNode target{9, "target", 5, NodeRole::Target, 1, {}};
  target.key = "target";
  graph.nodes.push_back(target);
  for (int i = 0; i < 6; ++i) graph.edges.push_back({i, 9, true, 1, 1, 0, 2, {}, 1, -1, 10, {}}); // no labels
  LayoutMemory memory;
  memory.keep(graph, laidOut(graph));
  for (CausalEdge& edge : graph.edges) edge.percent = 99;
  for (auto& [rank, lane] : memory.lanes) // as close as lanes come
    if (rank > 5) lane.first = memory.lanes.begin()->second.first + memory.lanes.begin()->second.second + lane.second;
  for (auto& [key, centre] : memory.centres) centre.ry() *= 0.9;
  const auto next = layoutCausal(graph, causalMeasure(ViewStyle::light()), memory);
  QVERIFY(next.has_value());
  QCOMPARE(collisions(*next), 0);
  for (const PlacedEdge& edge : next->edges)
    for (const PlacedEdge& other : next->edges) QVERIFY(&edge == &other || !boxOf(edge).intersects(boxOf(other)));
}

void CausalTest::labelsLeaveArrowHeadsFree() {
  CausalLayout layout;
  layout.nodes = {{0, QRectF(0, 0, 60, 30)}, {1, QRectF(150, 0, 60, 30)}};
  PlacedEdge edge;
  edge.line = QPolygonF({{60, 15}, {105, 15}, {150, 15}});
  edge.labelSize = QSizeF(44, 16);
  edge.label = QPointF(127, 15); // off both nodes, over the head
  layout.edges = {edge};
  spreadLabels(layout);
  QCOMPARE(collisions(layout), 0);
}

void CausalTest::aGraphShownBeforeStandsAsItDid() {
  Scene scene;
  CausalGraph first = sample::causal();
  for (CausalNode& node : first.nodes) node.key = QString("column %1").arg(node.id);
  scene.widget.setGraph(first);
  const CausalLayout before = scene.widget.canvas()->layout();
  CausalGraph other = first; // another answer: edges gone, a node gone, as for a few chosen launches
  other.nodes.erase(other.nodes.begin() + 3);
  std::erase_if(other.edges, [](const CausalEdge& edge) { return edge.from == 3 || edge.to == 3; });
  for (CausalNode& node : other.nodes) node.label += " of the device before the launch";
  scene.widget.setGraph(other);
  scene.widget.setGraph(first); // undone
  const CausalLayout& after = scene.widget.canvas()->layout();
  QCOMPARE(after.nodes.size(), before.nodes.size());
  for (std::size_t i = 0; i < before.nodes.size(); ++i) QCOMPARE(after.nodes[i].rect, before.nodes[i].rect);
  for (std::size_t i = 0; i < before.edges.size(); ++i) {
    QCOMPARE(after.edges[i].line, before.edges[i].line);
    QCOMPARE(after.edges[i].label, before.edges[i].label);
  }
}

void CausalTest::theLegendTellsHollowHeadsAndHiddenEdges() {
  const ViewStyle style = ViewStyle::light();
  QVERIFY(causal::legendHeight(300, style, dense()) > causal::legendHeight(300, style, sample::causal()));
  const QStringList words = causal::legendWords(dense(), style);
  QVERIFY(words.contains("hollow, grey: sign open"));
  QVERIFY(words.join(' ').contains("shares; they overlap"));
  QVERIFY2(words.join(' ').contains("weaker edges hidden"), qPrintable(words.join('\n')));
  QVERIFY(!causal::legendWords(sample::causal(), style).join(' ').contains("hidden"));
}

QTEST_MAIN(CausalTest)
#include "views_causal_test.moc"
