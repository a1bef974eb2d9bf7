// Causal graphs side by side.

#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>

#include "tests/views/causal/causal_scene.h"
#include "views/causal/causal_layout.h"

using namespace jitterscope;
using namespace jitterscope::views;

class CausalMultiplesTest : public QObject {
  Q_OBJECT

private slots:
  void marksOfFlipsCoverNoLabel();
  void aGroupWithHiddenEdgesStatesThat();
  void groupsSharePlacesAndMarkFlips();
  void aGroupWithoutResultShowsAMessage();
  void labelsOfEveryGroupHaveRoom();
};

void CausalMultiplesTest::marksOfFlipsCoverNoLabel() {
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
  layout.nodes.push_back({0, QRectF(60, 30, 80, 40)}); // another node on the line
  QVERIFY(!mark().intersects(layout.nodes[0].rect));
}

void CausalMultiplesTest::aGroupWithHiddenEdgesStatesThat() {
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
    return renderImage({1000, 500}, 1, [&](QPainter& painter, const QRectF& rect) {
      causal::paintMultiples(painter, rect, model, style);
    });
  };
  CausalGraph said = weak;
  said.nothingFound = "Else";
  QVERIFY2(ink(weak) != ink(said), "a group without visible edges shows its message");
  CausalGraph shown = weak;
  shown.edges = {
      all.edges[static_cast<std::size_t>(std::find(hidden.begin(), hidden.end(), false) - hidden.begin())]};
  said.edges = shown.edges;
  QCOMPARE(ink(shown), ink(said));
}

void CausalMultiplesTest::groupsSharePlacesAndMarkFlips() {
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
    for (std::size_t k = 0; k < i; ++k)
      QVERIFY(!panels[i].adjusted(1, 1, -1, -1).intersects(panels[k].adjusted(1, 1, -1, -1)));
  QSignalSpy activated(&view, &CausalMultiples::groupActivated);
  QTest::mouseClick(&view, Qt::LeftButton, {}, panels[1].center().toPoint());
  QCOMPARE(activated.last().at(0).toInt(), 1);
  QTest::keyClick(&view, Qt::Key_Right);
  QTest::keyClick(&view, Qt::Key_Return);
  QCOMPARE(activated.last().at(0).toInt(), 1);
  QVERIFY(!view.grab().isNull());
}

void CausalMultiplesTest::aGroupWithoutResultShowsAMessage() {
  const ViewStyle style = ViewStyle::light();
  CausalGraph nothing; // neither edges nor a message
  nothing.n = 50;
  const auto drawn = [&](const QString& note) {
    CausalMultiplesModel model;
    model.setGroups({{"all", sample::causal(), {}}, {"quiet", nothing, {}}}, causalMeasure(style));
    model.setNote(note);
    return std::pair(renderImage({900, 400}, 1,
                                 [&](QPainter& painter, const QRectF& rect) {
                                   causal::paintMultiples(painter, rect, model, style);
                                 }),
                     model.panels({0, 0, 900, 400})[1].toRect());
  };
  const auto [image, panel] = drawn({});
  int ink = 0;
  for (int y = panel.top() + 60; y < panel.bottom() - 20; ++y)
    for (int x = panel.left() + 20; x < panel.right() - 20; ++x) ink += qGray(image.pixel(x, y)) < 150;
  QVERIFY2(ink > 50, qPrintable(QString::number(ink)));
  QVERIFY(drawn("6 of 8 ranks are drawn: those with the most launches").first != image);
}

/// An edge may have no share in the first of the graphs.
void CausalMultiplesTest::labelsOfEveryGroupHaveRoom() {
  const ViewStyle style = ViewStyle::light();
  CausalGraph strong = sample::causal();
  for (CausalNode& node : strong.nodes) node.key = QString("column %1").arg(node.id);
  const auto reported = std::find_if(strong.edges.begin(), strong.edges.end(),
                                     [](const CausalEdge& e) { return e.percent > 10; });
  QVERIFY(reported != strong.edges.end());
  CausalGraph weak = strong;
  weak.edges[static_cast<std::size_t>(reported - strong.edges.begin())].percent = -1;
  const auto room = [&](std::vector<CausalGroup> groups) {
    CausalMultiplesModel model;
    model.setGroups(std::move(groups), causalMeasure(style));
    double all = 0;
    for (const PlacedEdge& edge : model.layout().edges) all += edge.labelSize.width();
    return all;
  };
  const double both = room({{"strong", strong, {}}, {"strong too", strong, {}}});
  QCOMPARE(room({{"weak", weak, {}}, {"strong", strong, {}}}), both);
  QCOMPARE(room({{"strong", strong, {}}, {"weak", weak, {}}}), both);
  QVERIFY(room({{"weak", weak, {}}, {"weak too", weak, {}}}) < both);
}

QTEST_MAIN(CausalMultiplesTest)
#include "views_causal_multiples_test.moc"
