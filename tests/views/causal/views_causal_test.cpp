// The content and the interaction of a causal graph.

#include <QApplication>
#include <QBuffer>
#include <QContextMenuEvent>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSplitter>
#include <QSvgGenerator>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "tests/views/causal/causal_scene.h"
#include "views/base/painting.h"
#include "views/causal/causal_layout.h"

using namespace jitterscope;
using namespace jitterscope::views;

class CausalTest : public QObject {
  Q_OBJECT

private slots:
  void unstableEdgesAreDashed();
  void theAnswerHasThreeLevels();
  void detailsAndExamplesAreShownOnRequest();
  void theAnswerToAMomentLeadsThePanel();
  void aNewAnswerIsReadFromItsBeginning();
  void signsDifferInColourAndShape();
  void strongerContributionsAreWider();
  void wordsStateEffectIntervalStabilityAndN();
  void smallEffectsAreReportedPerManyUnits();
  void anOpenSignIsExplainedByWhatMadeItOpen();
  void clickOnAnEdgeSelectsIt();
  void clickOnANodeSelectsIt();
  void clickOutsideClears();
  void keysGoThroughTheEdges();
  void keysZoomAndMove();
  void graphAndWordsShareAHighPlaceAtAnySize();
  void hoverExplains();
  void selectionFromOutsideIsSilent();
  void nothingFoundIsReported();
  void familiesOpenAndClose();
  void hoverShowsTheResultsOfOtherMethods();
  void statedEdgesLookStated();
  void enterRequestsTheEvidence();
  void menuIsOpenedByMouseAndKey();
  void keysGoThroughTheNodes();
  void anExportLooksAsTheScreenDoes();
  void theLegendStatesTheRingOfStatedEdges();
  void sharesOfNothingHaveNoSign();
  void aLargeGraphIsShownReadablyWithItsTarget();
  void aLargeGraphHasScrollBars();
  void aScrolledGraphStatesWhatIsHidden();
  void theDetailsButtonHasItsOwnLine();
  void aGraphShownBeforeLooksAsItDid();
  void theLegendStatesHollowHeadsAndHiddenEdges();
};

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

void CausalTest::wordsStateEffectIntervalStabilityAndN() {
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
  edge.units = "ns per unit", edge.coefficient = -0.5,
  edge.inUnits = 30; // within ranks the line falls, through all rows it rises
  QVERIFY(edgeDetails(graph, edge).contains("opposite signs"));
  edge.inUnits = -30;
  QVERIFY(!edgeDetails(graph, edge).contains("opposite signs"));
  edge.sign = 0;
  edge.low = -3, edge.high = 2;
  QVERIFY(edgeDetails(graph, edge).contains("the interval includes 0"));
  edge.low = -3, edge.high = -2;
  const QString text = edgeDetails(graph, edge);
  QVERIFY(text.contains("Grey") && text.contains("not certain"));
  QVERIFY2(!text.contains("includes 0"), qPrintable(text));
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

void CausalTest::clickOutsideClears() {
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
  QTest::keyClick(canvas, Qt::Key_Down); // selects an edge, at which the view zooms
  QTest::keyClick(canvas, Qt::Key_0);
  const QImage whole = canvas->grab().toImage();
  const auto& edges = canvas->layout().edges;
  const auto chosen = std::find_if(edges.begin(), edges.end(), [&](const PlacedEdge& edge) {
    return edge.edge == canvas->selected().edge;
  });
  QVERIFY(chosen != edges.end());
  const auto label = [&] { return canvas->placement().map(chosen->label); };
  const auto near = [](QPointF a, QPointF b) {
    return std::abs(a.x() - b.x()) < 0.01 && std::abs(a.y() - b.y()) < 0.01;
  };
  const QPointF stays = label();
  const double scale = canvas->placement().m11();
  QTest::keyClick(canvas, Qt::Key_Plus);
  QTest::keyClick(canvas, Qt::Key_Plus);
  QVERIFY(canvas->grab().toImage() != whole);
  QCOMPARE(canvas->placement().m11() / scale, 1.2 * 1.2);
  QVERIFY(near(label(), stays)); // the selected edge keeps its place
  QTest::keyClick(canvas, Qt::Key_Minus);
  QCOMPARE(canvas->placement().m11() / scale, 1.2);
  QVERIFY(near(label(), stays));
  // Arrow keys move the view: the right key reveals the part on the right.
  for (const auto& [key, by] : {std::pair{Qt::Key_Right, QPointF(-40, 0)},
                                {Qt::Key_Left, QPointF(40, 0)},
                                {Qt::Key_Down, QPointF(0, -40)},
                                {Qt::Key_Up, QPointF(0, 40)}}) {
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
    QVERIFY2(std::abs(scene.widget.canvas()->height() - height / 2) < 12,
             qPrintable(QString::number(scene.widget.canvas()->height())));
  }
  // Also for the first graph after a message, and after the widget was resized.
  CausalWidget first;
  first.resize(400, 900);
  first.show();
  first.setGraph({});
  QTest::qWait(1);
  first.resize(400, 500);
  first.setGraph(scene.graph);
  QTest::qWait(1);
  QVERIFY2(std::abs(first.canvas()->height() - 250) < 12,
           qPrintable(QString::number(first.canvas()->height())));
  // Graph and text are below each other where they do not fit side by side, and nothing is cut.
  first.resize(470, 360);
  QTest::qWait(1);
  QCOMPARE(first.canvas()->width(), 470);
  const auto* words = first.findChild<QScrollArea*>();
  QCOMPARE(words->width(), 470);
  QVERIFY2(words->height() >= 150, qPrintable(QString::number(words->height())));
  // Side by side in a wide widget, with a fixed width for the text; a border moved by the user stays.
  for (const int width : {1200, 900}) {
    scene.widget.resize(width, 560);
    QTest::qWait(1);
    QVERIFY2(std::abs(width - scene.widget.canvas()->width() - 340) < 12,
             qPrintable(QString::number(scene.widget.canvas()->width())));
  }
  auto* splitter = scene.widget.findChild<QSplitter*>();
  emit splitter->splitterMoved(500, 1);
  splitter->setSizes({500, 400});
  scene.widget.setGraph(scene.graph); // as after every answer
  QTest::qWait(1);
  QVERIFY2(std::abs(scene.widget.canvas()->width() - 500) < 12,
           qPrintable(QString::number(scene.widget.canvas()->width())));
}

void CausalTest::hoverExplains() {
  Scene scene;
  mouse::move(scene.widget.canvas(), scene.edge(2, 8));
  QVERIFY(scene.widget.canvas()->hoverText().contains("62.1 %"));
  mouse::move(scene.widget.canvas(), scene.node(3));
  QVERIFY(scene.widget.canvas()->hoverText().contains("2 columns of one cause"));
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

void CausalTest::nothingFoundIsReported() {
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
  const auto texts =
      buildScene(scene.widget.graph(), scene.widget.canvas()->layout(), ViewStyle::light()).texts;
  QVERIFY(
      std::any_of(texts.begin(), texts.end(), [](const SceneText& t) { return t.text == "second member"; }));
  scene.widget.setGraph(graph); // a new answer keeps the family unfolded
  QVERIFY(height() > closed + 25);
  scene.widget.toggleFamily(id);
  QCOMPARE(height(), closed);
}

void CausalTest::hoverShowsTheResultsOfOtherMethods() {
  CausalGraph graph = sample::causal();
  graph.method = "BOSS, within";
  graph.edges[0].opinions = {{"PC", "the same", true}, {"GES", "no edge", false}};
  graph.edges[0].test = "block bootstrap, 200 replicates";
  const QString text = edgeDetails(graph, graph.edges[0]);
  QVERIFY2(text.contains("2 of 3 agree (BOSS, PC); GES: no edge"), qPrintable(text));
  QVERIFY(text.contains("block bootstrap, 200 replicates"));
}

void CausalTest::statedEdgesLookStated() {
  CausalGraph graph = sample::causal();
  const auto plain = buildScene(graph, laidOut(graph), ViewStyle::light());
  graph.edges[0].stated = true;
  const auto stated = buildScene(graph, laidOut(graph), ViewStyle::light());
  QCOMPARE(stated.shapes.size(), plain.shapes.size() + 1);
  QVERIFY(edgeDetails(graph, graph.edges[0]).contains("Background knowledge requires this edge"));
}

void CausalTest::enterRequestsTheEvidence() {
  Scene scene;
  QSignalSpy evidence(&scene.widget, &CausalWidget::evidenceRequested);
  QTest::keyClick(scene.widget.canvas(), Qt::Key_Down);
  QVERIFY(scene.widget.canvas()->hoverText().contains("62.1 %")); // the keyboard also opens the card
  QTest::keyClick(scene.widget.canvas(), Qt::Key_Return);
  QCOMPARE(evidence.count(), 1);
  QCOMPARE(evidence.first().at(0).toInt(), 2);
  QTest::mouseDClick(scene.widget.canvas(), Qt::LeftButton, {}, scene.edge(5, 8));
  QCOMPARE(evidence.last().at(0).toInt(), 5);
}

void CausalTest::menuIsOpenedByMouseAndKey() {
  Scene scene;
  QSignalSpy menu(&scene.widget, &CausalWidget::menuRequested);
  QContextMenuEvent byMouse(QContextMenuEvent::Mouse, scene.node(3),
                            scene.widget.canvas()->mapToGlobal(scene.node(3)));
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

void CausalTest::anExportLooksAsTheScreenDoes() {
  const CausalGraph graph = sample::causal();
  CausalLayout moved = laidOut(graph);
  std::swap(moved.nodes[0].rect, moved.nodes[1].rect);
  const ViewStyle style = ViewStyle::light();
  const auto drawn = [&](const CausalLayout* layout) {
    return renderImage({600, 400}, 1, [&](QPainter& painter, const QRectF& rect) {
      causal::paint(painter, rect, graph, style, layout);
    });
  };
  const CausalLayout own = laidOut(graph);
  QVERIFY(drawn(nullptr) == drawn(&own));
  QVERIFY(drawn(&moved) != drawn(&own));
}

void CausalTest::theLegendStatesTheRingOfStatedEdges() {
  CausalGraph graph = sample::causal();
  const ViewStyle style = ViewStyle::light();
  const auto legend = [&] {
    return renderImage({900, 80}, 1, [&](QPainter& painter, const QRectF& rect) {
      causal::paintLegend(painter, rect, style, graph);
    });
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

void CausalTest::aLargeGraphIsShownReadablyWithItsTarget() {
  CausalWidget widget;
  widget.resize(400, 800);
  widget.show();
  widget.setGraph(dense());
  QTest::qWait(1);
  auto* canvas = widget.canvas();
  const auto target = [&] { return canvas->placement().mapRect(canvas->layout().nodes.back().rect); };
  QVERIFY2(canvas->placement().m11() > kReadableScale - 0.001,
           qPrintable(QString::number(canvas->placement().m11())));
  QVERIFY(QRectF(canvas->rect()).contains(target()));
  widget.resize(420, 600); // also after a resize, unless the user moved the picture
  QTest::qWait(1);
  QVERIFY(canvas->placement().m11() > kReadableScale - 0.001 && QRectF(canvas->rect()).contains(target()));
  QTest::keyClick(canvas, Qt::Key_0);
  QVERIFY(QRectF(canvas->rect())
              .contains(canvas->placement().mapRect(QRectF(QPointF(0, 0), canvas->layout().size))));
  widget.resize(400, 800);
  QTest::qWait(1);
  QVERIFY2(canvas->placement().m11() < kReadableScale, "the zoom that the user chose is kept");
}

void CausalTest::aLargeGraphHasScrollBars() {
  CausalWidget widget;
  widget.resize(400, 800);
  widget.show();
  widget.setGraph(dense());
  QTest::qWait(1);
  auto* canvas = widget.canvas();
  auto* across = canvas->scrollBar(Qt::Horizontal);
  auto* down = canvas->scrollBar(Qt::Vertical);
  QVERIFY(across->isVisible());
  const auto whole = [&] {
    return canvas->placement().mapRect(QRectF(QPointF(0, 0), canvas->layout().size));
  };
  // Scroll bars have the position of the picture, and move it.
  const double at = whole().left();
  QVERIFY(across->value() > 0 && std::abs(at + across->value() - 10) < 1.5);
  across->setValue(across->value() - 60);
  QVERIFY2(std::abs(whole().left() - at - 60) < 1.5, qPrintable(QString::number(whole().left() - at)));
  across->setValue(across->minimum());
  QVERIFY(std::abs(whole().left() - 10) < 1.5);
  across->setValue(across->maximum());
  QVERIFY(std::abs(whole().right() - (canvas->width() - 10)) < 1.5);
  // Scroll bars follow when keys move the picture.
  const int before = across->value();
  QTest::keyClick(canvas, Qt::Key_Left, Qt::ShiftModifier);
  QVERIFY(std::abs(across->value() - (before - 40)) <= 1);
  for (int i = 0; i < 6; ++i) QTest::keyClick(canvas, Qt::Key_Plus);
  QVERIFY(down->isVisible());
  const double top = whole().top();
  down->setValue(down->value() + 30);
  QVERIFY(std::abs(whole().top() - top + 30) < 1.5);
  QTest::keyClick(canvas, Qt::Key_0);
  QVERIFY(!across->isVisible() && !down->isVisible());
  widget.setGraph(sample::causal());
  QVERIFY(!across->isVisible() && !down->isVisible());
}

void CausalTest::aScrolledGraphStatesWhatIsHidden() {
  CausalWidget widget;
  widget.resize(400, 800);
  widget.show();
  widget.setGraph(dense());
  QTest::qWait(1);
  auto* canvas = widget.canvas();
  for (int i = 0; i < 8; ++i) QTest::keyClick(canvas, Qt::Key_Plus);
  auto* down = canvas->scrollBar(Qt::Vertical);
  QVERIFY(down->isVisible());
  const QRectF room = QRectF(canvas->rect()).adjusted(10, 10, -10, -10);
  const auto hidden = [&] { return causal::hiddenNodes(canvas->layout(), canvas->placement(), room); };
  down->setValue(down->minimum());
  QCOMPARE(hidden().above, 0);
  QVERIFY(hidden().below > 0);
  down->setValue(down->maximum());
  QVERIFY(hidden().above > 0);
  // The names of the tiers stay at the top: there is ink where the graph alone has none.
  const auto inkOf = [&](const QTransform& placement) {
    QImage image(canvas->size(), QImage::Format_RGB32);
    image.fill(canvas->viewStyle().surface);
    QPainter painter(&image);
    causal::paintScrolled(painter, room, canvas->layout(), placement, canvas->viewStyle());
    int ink = 0;
    for (int y = 0; y < 18; ++y)
      for (int x = 0; x < image.width(); ++x) ink += image.pixel(x, y) != canvas->viewStyle().surface.rgb();
    return ink;
  };
  QVERIFY(inkOf(canvas->placement()) > 0);
  QTest::keyClick(canvas, Qt::Key_0);
  QCOMPARE(inkOf(canvas->placement()), 0);
}

// Without listed factors, the button is on the heading of what follows.
void CausalTest::theDetailsButtonHasItsOwnLine() {
  const ViewStyle style;
  CausalGraph graph = sample::causal();
  graph.nothingFound = "Nothing recorded explains the variability.";
  graph.advice = {"Record the clocks."};
  graph.contributions.clear();
  graph.sentences.clear();
  graph.brief = true;
  const double without = causal::panelPlaces(300, graph, style).height;
  graph.sentences = {"One.", "Two."};
  QVERIFY(causal::hasDetails(graph));
  const double line = metricsOf(style.font(FontRole::Small)).height();
  QVERIFY(causal::panelPlaces(300, graph, style).height >= without + 14 + line + 9 - 1);
}

void CausalTest::aGraphShownBeforeLooksAsItDid() {
  Scene scene;
  CausalGraph first = sample::causal();
  for (CausalNode& node : first.nodes) node.key = QString("column %1").arg(node.id);
  scene.widget.setGraph(first);
  const CausalLayout before = scene.widget.canvas()->layout();
  CausalGraph other = first; // another answer: edges and a node removed, as for a few selected launches
  other.nodes.erase(other.nodes.begin() + 3);
  std::erase_if(other.edges, [](const CausalEdge& edge) { return edge.from == 3 || edge.to == 3; });
  for (CausalNode& node : other.nodes) node.label += " of the device before the launch";
  scene.widget.setGraph(other);
  scene.widget.setGraph(first); // shows the first graph again, as undo does
  const CausalLayout& after = scene.widget.canvas()->layout();
  QCOMPARE(after.nodes.size(), before.nodes.size());
  for (std::size_t i = 0; i < before.nodes.size(); ++i) QCOMPARE(after.nodes[i].rect, before.nodes[i].rect);
  for (std::size_t i = 0; i < before.edges.size(); ++i) {
    QCOMPARE(after.edges[i].line, before.edges[i].line);
    QCOMPARE(after.edges[i].label, before.edges[i].label);
  }
}

void CausalTest::smallEffectsAreReportedPerManyUnits() {
  const CausalGraph graph = sample::causal();
  CausalEdge edge = graph.edges.front();
  const auto said = [&](double value, const char* units) {
    edge.inUnits = value, edge.units = units;
    return edgeDetails(graph, edge).section("In units\t", 1).section('\n', 0, 0).replace(QChar(0x2212), '-');
  };
  QCOMPARE(said(-1.2e-5, "ns per Hz"), QString("-12 ns per MHz"));
  QCOMPARE(said(2.5e-4, "ns per B"), QString("250 ns per MB"));
  QCOMPARE(said(3, "ns per B"), QString("3 ns per B"));
  QVERIFY(said(0, "ns per Hz").endsWith("ns per Hz"));
  QVERIFY(said(1e-4, "ns per event").endsWith("per event"));
}

void CausalTest::theLegendStatesHollowHeadsAndHiddenEdges() {
  const ViewStyle style = ViewStyle::light();
  QVERIFY(causal::legendHeight(300, style, dense()) > causal::legendHeight(300, style, sample::causal()));
  const QStringList words = causal::legendWords(dense(), style);
  QVERIFY(words.contains("hollow, grey: sign not certain"));
  QVERIFY(words.join(' ').contains("shares; they overlap"));
  QVERIFY2(words.join(' ').contains("weaker edges hidden"), qPrintable(words.join('\n')));
  QVERIFY(!causal::legendWords(sample::causal(), style).join(' ').contains("hidden"));
}

void CausalTest::theAnswerHasThreeLevels() {
  CausalGraph graph = sample::causal();
  graph.sentences = {"The headline.", "A further sentence."};
  graph.advice = {"Advice: lock the clock."};
  graph.contributions = {{"clock", graph.nodes.front().id, 12, 9, 15, 73, 70, 76, -1},
                         {"unexplained", -1, 88, 0, 0, -1, 0, 0, 0}};
  auto& clock = graph.contributions.front();
  clock.cause = true, clock.affected = 24, clock.ofRows = 6'432, clock.key = "mean_clock";
  const auto words = [](const CausalGraph& shown) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    QPainter painter(&svg);
    causal::paintPanel(painter, {0, 0, 400, 2'000}, shown, ViewStyle::light());
    painter.end();
    return QString::fromUtf8(buffer.data());
  };
  graph.brief = true;
  const QString brief = words(graph);
  for (const char* text :
       {"The headline.", "73 % (70–76)", "24 of 6,432 launches", "Advice: lock the clock."})
    QVERIFY2(brief.contains(text), text);
  for (const char* text : {"A further sentence.", "of variance", "unexplained", "Show an example"})
    QVERIFY2(!brief.contains(text), text);
  QVERIFY(!brief.contains("no identified cause"));
  graph.withoutCause = 27;
  const QString with_rest = words(graph);
  QVERIFY(with_rest.contains("duration − median|")); // the measure of the shares
  QVERIFY(with_rest.indexOf("73 % (70") < with_rest.indexOf("no identified cause"));
  QVERIFY(with_rest.indexOf("no identified cause") < with_rest.indexOf("27 %"));
  graph.brief = false;
  const QString whole = words(graph);
  for (const char* text : {"The headline.", "A further sentence.", "73.0 % attributable (70–76)",
                           "12.0 % of variance (9–15)", "unexplained"})
    QVERIFY2(whole.contains(text), text);
  clock.cause = false;
  QVERIFY(words(graph).contains("associated, not shown to be a cause"));
  clock.attributable = 100, clock.attributableLow = 99.7, clock.attributableHigh = 100;
  QVERIFY2(words(graph).contains("100.0 % attributable") && !words(graph).contains("(100–100)"),
           qPrintable(words(graph))); // both ends of the interval round to the share
  clock.feature =
      "memory operations since the previous launch on the same stream of the same device, in bytes";
  QVERIFY(words(graph).contains("in bytes")); // a long name is complete, in several lines
}

void CausalTest::detailsAndExamplesAreShownOnRequest() {
  CausalGraph graph = sample::causal();
  graph.contributions = {{"clock", graph.nodes.front().id, 12, 9, 15, 73, 70, 76, -1}};
  auto& clock = graph.contributions.front();
  clock.cause = true, clock.affected = 24, clock.ofRows = 6'432, clock.key = "mean_clock";
  CausalWidget widget;
  widget.resize(500, 800);
  widget.show();
  widget.setGraph(graph);
  auto* button = widget.findChild<QToolButton*>();
  QVERIFY(button && button->isVisible() && widget.graph().brief);
  button->click();
  QVERIFY(!widget.graph().brief);
  widget.setGraph(graph); // the next answer is shown in the same way
  QVERIFY(!widget.graph().brief);

  QSignalSpy asked(&widget, &CausalWidget::exampleRequested);
  auto* panel = widget.findChild<QScrollArea*>()->widget();
  const auto places = causal::panelPlaces(panel->width() - 28, widget.graph(), widget.viewStyle(), true);
  QCOMPARE(places.examples.size(), std::size_t{1});
  QTest::mouseClick(panel, Qt::LeftButton, {},
                    (places.examples.front().rect.center() + QPointF(14, 14)).toPoint());
  QCOMPARE(asked.size(), 1);
  QCOMPARE(asked.front().front().toString(), QString("mean_clock"));
  QTest::mouseClick(panel, Qt::LeftButton, {}, QPoint(20, 5));
  QCOMPARE(asked.size(), 1);
}

void CausalTest::aNewAnswerIsReadFromItsBeginning() {
  CausalWidget widget;
  widget.resize(400, 500);
  widget.show();
  widget.setGraph(sample::causal());
  QTest::qWait(1);
  auto* area = widget.findChild<QScrollArea*>();
  auto* bar = area->verticalScrollBar();
  const QImage answer = area->widget()->grab().toImage();
  QVERIFY(bar->maximum() > 20);
  bar->setValue(20);
  widget.setGraph(sample::causal()); // more of the same answer
  QCOMPARE(bar->value(), 20);
  widget.setOutdated();
  QVERIFY(widget.outdated());
  QVERIFY(area->widget()->grab().toImage() != answer); // dimmed
  widget.setGraph(sample::causal());
  QVERIFY(!widget.outdated());
  QCOMPARE(bar->value(), 0);
  QVERIFY(area->widget()->grab().toImage() == answer);
  // The comparison with other launches arrives first.
  bar->setValue(20);
  widget.setOutdated();
  widget.setMoment({"331 launches took 52 % longer."});
  QCOMPARE(bar->value(), 0);
  QVERIFY(widget.outdated());
  QCOMPARE(widget.graph().moment, QStringList("331 launches took 52 % longer."));
}

void CausalTest::theAnswerToAMomentLeadsThePanel() {
  CausalGraph graph = sample::causal();
  graph.sentences = {"The headline."};
  graph.moment = {"331 launches took 52 % longer.", "96 % of that comes from the clock."};
  const auto drawn = [&] {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    QPainter painter(&svg);
    causal::paintPanel(painter, {0, 0, 400, 2'000}, graph, ViewStyle::light());
    painter.end();
    return QString::fromUtf8(buffer.data());
  };
  auto text = drawn();
  QVERIFY(text.indexOf("launches took") >= 0 &&
          text.indexOf("launches took") < text.indexOf("of that comes"));
  QVERIFY(text.indexOf("of that comes") < text.indexOf("Inside the selection"));
  QVERIFY(text.indexOf("Inside the selection") < text.indexOf("The headline."));
  graph.remark = "About all launches.";
  text = drawn();
  QVERIFY2(!text.contains("Inside the selection"), "the second answer is about other launches");
  QVERIFY(text.indexOf("of that comes") < text.indexOf("Why durations vary"));
  QVERIFY(text.indexOf("Why durations vary") < text.indexOf("About all launches."));
}

QTEST_MAIN(CausalTest)
#include "views_causal_test.moc"
