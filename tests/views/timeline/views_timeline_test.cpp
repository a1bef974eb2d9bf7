#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <cmath>

#include "tests/views/base/mouse.h"
#include "tests/views/base/rest.h"
#include "tests/views/sample_data.h"
#include "views/base/colour_maps.h"
#include "views/timeline/lane_raster.h"
#include "views/timeline/timeline_widget.h"
#include "views/timeline/why_strip.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

/// Two streams below a device; stream 1 has two long launches and a tiny one, stream 2 is folded.
struct Scene {
  TimelineWidget widget;

  Scene() {
    widget.resize(1000, 300);
    widget.show();
    std::vector<TimelineTrack> tracks;
    tracks.push_back({10, -1, TrackKind::Device, "GPU 0", {}, 0, 1, {}});
    tracks.push_back({11, 0, TrackKind::Stream, "stream 1", {}, 1, 1, {}});
    tracks.push_back({12, 0, TrackKind::Stream, "stream 2", {}, 1, 1, {}});
    widget.setTracks(tracks, {{0}, {1'000'000}});
    TimelineData data;
    data.window = {{0}, {1'000'000}};
    data.columns = widget.pixelColumns();
    TrackContent bars{11, {}, {}, {}, 0, 0};
    bars.bars = {{{100'000}, {300'000}, 1, 7, 0, false},
                 {{500'000}, {900'000}, 2, 8, 0, false},
                 {{950'000}, {950'001}, 3, 9, 0, false}};
    TrackContent cells{12, {}, {}, {}, 0, 0};
    cells.cells.assign(static_cast<std::size_t>(data.columns), TimelineCell{3, 0.5F, 4, 1});
    data.tracks = {bars, cells};
    widget.setData(data);
    widget.setMessage({});
  }

  QPoint at(std::int64_t time, int track) const {
    const TimelineModel& m = widget.model();
    for (const TrackRow& row : m.rows()) {
      if (row.track == track) return QPointF(m.xAt({time}), m.rowRect(row).center().y()).toPoint();
    }
    return {};
  }
  Interval window() const { return widget.model().viewport.window(); }
  Interval lastWindow(QSignalSpy& spy) const { return spy.last().at(0).value<Interval>(); }
};

void wheel(QWidget& widget, QPointF position, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  QWheelEvent event(position, widget.mapToGlobal(position), {}, {0, delta}, Qt::NoButton, modifiers,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(&widget, &event);
}

} // namespace

class TimelineTest : public QObject {
  Q_OBJECT

private slots:
  void zoomKeepsTheTimeUnderTheCursor();
  void zoomAndPanStayInsideTheRun();
  void tinyLaunchOfALongRunIsVisible();
  void filteredOutPartIsDimmed();
  void counterBandCoversMinimumToMaximum();
  void collapsedTracksHideTheirChildren();
  void hitTestFindsTheNearestShortBar();
  void wheelZoomsAtTheCursorAndRequestsData();
  void windowChangesAreCoalesced();
  void keysZoomAndPan();
  void dragPans();
  void shiftDragBrushes();
  void aKeyBrushesTheVisibleRange();
  void aDigitGoesToTheMarkWithItsNumber();
  void escapeClearsTheBrush();
  void clickSelectsALaunch();
  void clickOnAFoldNamesItsColumn();
  void doubleClickZoomsToTheBar();
  void focusGoesToTheSelection();
  void triangleCollapses();
  void hoverRequestsDetailsAndShowsTheAnswer();
  void lateHoverAnswersAreIgnored();
  void settingTheWindowFromOutsideIsNotHistory();
  void overviewClickMovesTheWindow();
  void causesAreStackedBelowTheAxis();
};

void TimelineTest::zoomKeepsTheTimeUnderTheCursor() {
  Viewport view;
  view.setSpan({{0}, {155'361'204'519}});
  view.setWidth(1'000);
  view.setWindow({{60'000'000'000}, {90'000'000'000}});
  for (int i = 0; i < 40; ++i) {
    const double pixel = 123.0 + i * 17;
    const Nanoseconds before = view.timeAt(pixel);
    view.zoomAt(pixel, 0.8);
    const auto slip = std::abs((view.timeAt(pixel) - before).count);
    QVERIFY2(slip <= view.perPixel().count, qPrintable(QString("step %1 slipped by %2 ns").arg(i).arg(slip)));
  }
}

void TimelineTest::zoomAndPanStayInsideTheRun() {
  Viewport view;
  view.setSpan({{1'000}, {2'001'000}});
  view.setWidth(500);
  for (int i = 0; i < 60; ++i) view.zoomAt(250, 0.5);
  QCOMPARE(view.window().length(), Viewport::kShortest);
  view.panPixels(-1e9);
  QCOMPARE(view.window().begin, Nanoseconds{1'000});
  view.panPixels(1e9);
  QCOMPARE(view.window().end, Nanoseconds{2'001'000});
  for (int i = 0; i < 60; ++i) view.zoomAt(100, 2);
  QCOMPARE(view.window(), view.span());
}

void TimelineTest::tinyLaunchOfALongRunIsVisible() {
  // One launch of 1 ns in 1000 s: its column's busy share is 1e-9.
  std::vector<TimelineCell> cells(1000);
  cells[417] = {1, 1e-9F, 2, 1};
  const ViewStyle style = ViewStyle::light();
  const QImage image = rasteriseCells(cells, 20, 3, style);
  QCOMPARE(image.pixelColor(417, 19), categoryColour(2, style.theme));
  QCOMPARE(image.pixelColor(417, 17), categoryColour(2, style.theme));
  QVERIFY(image.pixelColor(417, 2).alpha() > 0);
  for (const int x : {0, 416, 418, 999}) QCOMPARE(image.pixelColor(x, 19).alpha(), 0);
}

void TimelineTest::filteredOutPartIsDimmed() {
  const ViewStyle style = ViewStyle::light();
  const std::vector<TimelineCell> cells = {{5, 1, 2, 0}, {5, 1, 2, 0.001F}, {5, 1, 2, 0.5F}};
  const QImage image = rasteriseCells(cells, 20, 3, style);
  const QColor full = categoryColour(2, style.theme);
  QVERIFY(image.pixelColor(0, 19) != full);
  QCOMPARE(image.pixelColor(1, 19), full);
  QVERIFY(image.pixelColor(1, 17) != full);
  QCOMPARE(image.pixelColor(2, 11), full);
  QVERIFY(image.pixelColor(2, 8) != full);
}

void TimelineTest::counterBandCoversMinimumToMaximum() {
  std::vector<CounterColumn> columns(3);
  columns[1] = {25, 50, 75, true};
  const QImage image = rasteriseCounter(columns, 101, 0, 100, Qt::blue);
  QCOMPARE(image.pixelColor(1, 50), QColor(Qt::blue));
  QCOMPARE(image.pixelColor(1, 10).alpha(), 0);
  QVERIFY(image.pixelColor(1, 30).alpha() > 50);
  QVERIFY(image.pixelColor(1, 70).alpha() > image.pixelColor(1, 90).alpha());
  QCOMPARE(image.pixelColor(0, 50).alpha(), 0);
}

void TimelineTest::collapsedTracksHideTheirChildren() {
  TimelineModel model;
  model.setTracks(sample::tracks());
  const auto all = model.rows().size();
  QCOMPARE(all, sample::tracks().size());
  model.setCollapsed(101, true); // rank 0
  QCOMPARE(model.rows().size(), all - 8);
  model.setCollapsed(100, true); // the node
  QCOMPARE(model.rows().size(), std::size_t{1});
  model.setCollapsed(100, false);
  QCOMPARE(model.rows().size(), all - 8);
}

void TimelineTest::hitTestFindsTheNearestShortBar() {
  Scene scene;
  const TimelineModel& model = scene.widget.model();
  QCOMPARE(model.hitTest(scene.at(200'000, 1)).bar->row, std::uint64_t{7});
  QCOMPARE(model.hitTest(scene.at(950'000, 1)).bar->row, std::uint64_t{9});
  QVERIFY(model.hitTest(scene.at(400'000, 1)).bar == nullptr);
  const TimelineHit fold = model.hitTest(scene.at(400'000, 2));
  QVERIFY(fold.cell != nullptr);
  QVERIFY(fold.cellInterval.contains(fold.time));
}

void TimelineTest::wheelZoomsAtTheCursorAndRequestsData() {
  Scene scene;
  QSignalSpy changed(&scene.widget, &TimelineWidget::windowChanged);
  QSignalSpy settled(&scene.widget, &TimelineWidget::windowSettled);
  const QPointF cursor = scene.at(700'000, 1);
  const Nanoseconds before = scene.widget.model().timeAtX(cursor.x());
  wheel(scene.widget, cursor, 360);
  QVERIFY(scene.window().length().count < 600'000);
  const auto slip = std::abs((scene.widget.model().timeAtX(cursor.x()) - before).count);
  QVERIFY(slip <= scene.widget.model().viewport.perPixel().count);
  QTRY_VERIFY(!changed.isEmpty());
  QCOMPARE(scene.lastWindow(changed), scene.window());
  QCOMPARE(changed.last().at(1).toInt(), scene.widget.pixelColumns());
  QTRY_COMPARE(settled.count(), 1);
}

void TimelineTest::windowChangesAreCoalesced() {
  Scene scene;
  rest(100);
  QSignalSpy changed(&scene.widget, &TimelineWidget::windowChanged);
  for (int i = 0; i < 50; ++i) wheel(scene.widget, {600, 150}, 12);
  rest(100);
  QVERIFY2(changed.count() >= 1 && changed.count() <= 3, qPrintable(QString::number(changed.count())));
  QCOMPARE(scene.lastWindow(changed), scene.window());
}

void TimelineTest::keysZoomAndPan() {
  Scene scene;
  QTest::keyClick(&scene.widget, Qt::Key_W);
  const Interval zoomed = scene.window();
  QVERIFY(zoomed.length().count < 700'000);
  QTest::keyClick(&scene.widget, Qt::Key_A);
  QVERIFY(scene.window().begin < zoomed.begin);
  QCOMPARE(scene.window().length(), zoomed.length());
  QTest::keyClick(&scene.widget, Qt::Key_D);
  QVERIFY(std::abs((scene.window().begin - zoomed.begin).count) <= 1);
  QTest::keyClick(&scene.widget, Qt::Key_S);
  QVERIFY(scene.window().length() > zoomed.length());
  QTest::keyClick(&scene.widget, Qt::Key_W);
  QTest::keyClick(&scene.widget, Qt::Key_Home);
  QCOMPARE(scene.window(), scene.widget.model().viewport.span());
}

void TimelineTest::dragPans() {
  Scene scene;
  scene.widget.setWindow({{400'000}, {600'000}});
  QSignalSpy clicked(&scene.widget, &TimelineWidget::launchClicked);
  mouse::drag(scene.widget, {700, 150}, {600, 150});
  const double moved = static_cast<double>((scene.window().begin - Nanoseconds{400'000}).count);
  QVERIFY(std::abs(moved - 100 * 200'000 / scene.widget.model().viewport.width()) < 1'000);
  QCOMPARE(clicked.count(), 0);
}

void TimelineTest::shiftDragBrushes() {
  Scene scene;
  QSignalSpy brushed(&scene.widget, &TimelineWidget::brushed);
  const Interval before = scene.window();
  mouse::drag(scene.widget, scene.at(600'000, 1), scene.at(200'000, 1), Qt::ShiftModifier);
  QCOMPARE(brushed.count(), 1);
  const auto range = brushed.first().at(0).value<Interval>();
  QVERIFY(std::abs(range.begin.count - 200'000) < 2'000);
  QVERIFY(std::abs(range.end.count - 600'000) < 2'000);
  QCOMPARE(scene.window(), before);
}

void TimelineTest::aKeyBrushesTheVisibleRange() {
  Scene scene;
  QSignalSpy brushed(&scene.widget, &TimelineWidget::brushed),
      chosen(&scene.widget, &TimelineWidget::areaChosen);
  QTest::keyClick(&scene.widget, Qt::Key_B);
  QCOMPARE(brushed.count(), 1);
  QCOMPARE(brushed.first().at(0).value<Interval>(), scene.window());
  QVERIFY(chosen.first().at(1).value<std::vector<std::uint32_t>>().empty()); // all tracks
  QTest::keyClick(&scene.widget, Qt::Key_Down); // of the track that has the keyboard focus
  QTest::keyClick(&scene.widget, Qt::Key_B);
  QVERIFY(!chosen.last().at(1).value<std::vector<std::uint32_t>>().empty());
}

void TimelineTest::aDigitGoesToTheMarkWithItsNumber() {
  Scene scene;
  scene.widget.setFlags({{{800'000}, "1"}, {{200'000}, "2"}});
  scene.widget.setRanges({{{{600'000}, {700'000}}, "range 1"}});
  const auto middleAfter = [&](Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    scene.widget.setWindow({{300'000}, {350'000}});
    QTest::keyClick(&scene.widget, key, modifiers);
    const Interval window = scene.window();
    return (window.begin.count + window.end.count) / 2;
  };
  scene.widget.setCursorTime(Nanoseconds{450'000});
  QCOMPARE(middleAfter(Qt::Key_5, Qt::ControlModifier), 325'000);
  QCOMPARE(middleAfter(Qt::Key_5), 450'000);
  QCOMPARE(middleAfter(Qt::Key_1), 800'000);
  QCOMPARE(middleAfter(Qt::Key_2), 200'000);
  QCOMPARE(middleAfter(Qt::Key_3), 650'000); // the range has the first number that is left
  QCOMPARE(middleAfter(Qt::Key_4), 325'000); // no mark
  std::vector<int> numbers;
  for (const auto& mark : numberedMarks({{{5}, "1"}, {{1}, "late"}, {{3}, "1"}}, {{{{2}, {4}}, "2"}}))
    numbers.push_back(mark.number);
  QCOMPARE(numbers, (std::vector<int>{3, 2, 1, 4})); // in time order
}

void TimelineTest::escapeClearsTheBrush() {
  Scene scene;
  QSignalSpy cleared(&scene.widget, &TimelineWidget::brushCleared);
  scene.widget.setBrush(Interval{{1}, {200'000}});
  QTest::keyClick(&scene.widget, Qt::Key_Escape);
  QCOMPARE(cleared.count(), 1);
  QVERIFY(!scene.widget.model().brush);
}

void TimelineTest::clickSelectsALaunch() {
  Scene scene;
  QSignalSpy clicked(&scene.widget, &TimelineWidget::launchClicked);
  QSignalSpy background(&scene.widget, &TimelineWidget::backgroundClicked);
  QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, scene.at(700'000, 1));
  QCOMPARE(clicked.count(), 1);
  QCOMPARE(clicked.first().at(0).toUInt(), 11u);
  QCOMPARE(clicked.first().at(1).toULongLong(), 8ull);
  QCOMPARE(clicked.first().at(2).value<Interval>(), (Interval{{500'000}, {900'000}}));
  QCOMPARE(*scene.widget.model().selectedRow, std::uint64_t{8});
  QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, scene.at(400'000, 1));
  QCOMPARE(background.count(), 1);
  QVERIFY(!scene.widget.model().selectedRow);
}

void TimelineTest::clickOnAFoldNamesItsColumn() {
  Scene scene;
  QSignalSpy fold(&scene.widget, &TimelineWidget::foldClicked);
  QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, scene.at(400'000, 2));
  QCOMPARE(fold.count(), 1);
  QVERIFY(fold.first().at(1).value<Interval>().length().count > 0);
}

void TimelineTest::doubleClickZoomsToTheBar() {
  Scene scene;
  QTest::mouseDClick(&scene.widget, Qt::LeftButton, {}, scene.at(200'000, 1));
  QVERIFY(scene.window().begin <= Nanoseconds{100'000} && scene.window().end >= Nanoseconds{300'000});
  QVERIFY(scene.window().length().count <= 700'000);
}

void TimelineTest::focusGoesToTheSelection() {
  Scene scene;
  scene.widget.setSelection(11, 9, {{950'000}, {950'001}});
  QTest::keyClick(&scene.widget, Qt::Key_F);
  QVERIFY(scene.window().contains({950'000}));
  QCOMPARE(scene.window().length(), Viewport::kShortest);
}

void TimelineTest::triangleCollapses() {
  Scene scene;
  QSignalSpy toggled(&scene.widget, &TimelineWidget::trackToggled);
  const TrackRow row = scene.widget.model().rows().front();
  const QPoint triangle(14, static_cast<int>(scene.widget.model().rowRect(row).top()) + 12);
  QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, triangle);
  QCOMPARE(toggled.count(), 1);
  QCOMPARE(toggled.first().at(1).toBool(), true);
  QCOMPARE(scene.widget.model().rows().size(), std::size_t{1});
  QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, triangle);
  QCOMPARE(scene.widget.model().rows().size(), std::size_t{3});
}

void TimelineTest::hoverRequestsDetailsAndShowsTheAnswer() {
  Scene scene;
  QSignalSpy asked(&scene.widget, &TimelineWidget::hoverDetailsRequested);
  mouse::move(&scene.widget, scene.at(200'000, 1));
  QCOMPARE(asked.count(), 1);
  QCOMPARE(asked.first().at(0).toUInt(), 11u);
  QCOMPARE(asked.first().at(2).toULongLong(), 7ull);
  scene.widget.setHoverDetails(11, 7, "kernel\nDuration\t200 µs");
  QCOMPARE(scene.widget.hoverText(), QString("kernel\nDuration\t200 µs"));
  // Inside the same bar: no new request, the card stays.
  mouse::move(&scene.widget, scene.at(220'000, 1));
  QCOMPARE(asked.count(), 1);
  QVERIFY(!scene.widget.hoverText().isEmpty());
  mouse::move(&scene.widget, scene.at(400'000, 1));
  QVERIFY(scene.widget.hoverText().isEmpty());
}

void TimelineTest::lateHoverAnswersAreIgnored() {
  Scene scene;
  mouse::move(&scene.widget, scene.at(200'000, 1));
  mouse::move(&scene.widget, scene.at(700'000, 1));
  scene.widget.setHoverDetails(11, 7, "late");
  QVERIFY(scene.widget.hoverText().isEmpty());
}

void TimelineTest::settingTheWindowFromOutsideIsNotHistory() {
  Scene scene;
  QSignalSpy changed(&scene.widget, &TimelineWidget::windowChanged);
  QSignalSpy settled(&scene.widget, &TimelineWidget::windowSettled);
  scene.widget.setWindow({{100'000}, {300'000}});
  QTRY_VERIFY(!changed.isEmpty());
  rest(450);
  QCOMPARE(settled.count(), 0);
}

void TimelineTest::overviewClickMovesTheWindow() {
  Scene scene;
  scene.widget.setWindow({{0}, {100'000}});
  const QRectF strip = scene.widget.model().overviewRect();
  QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, strip.center().toPoint());
  QVERIFY(std::abs(scene.window().begin.count - 450'000) < 3'000);
  QCOMPARE(scene.window().length(), Nanoseconds{100'000});
}

// In the first tenth clocks (0) have twice the excess of copies (1). In the second, launches are shorter than
// typical, unexplained (8).
void TimelineTest::causesAreStackedBelowTheAxis() {
  Scene scene;
  const double before = scene.widget.model().lanesRect().top();
  WhyData why;
  why.window = scene.window();
  why.columns.resize(10);
  why.columns[0] = {0.4F, 0.2F};
  why.columns[1][8] = -0.3F;
  why.kinds[0] = {"excess_clock_ns", 250};
  why.kinds[1] = {"excess_copies_ns", 120};
  scene.widget.setWhy(why);
  const TimelineModel& model = scene.widget.model();
  const QRectF strip = model.whyRect();
  QCOMPARE(model.lanesRect().top(), before + strip.height());
  QVERIFY(std::fabs(timeline::whyScale(model) - 0.6) < 1e-6); // single precision
  // 0.9 in total over the height within margins of 3: zero excess at two thirds.
  const double height = strip.height() - 6, zero = strip.top() + 3 + height * 0.6 / 0.9;
  const auto pixel = [&](double x, double y) {
    const QImage image = scene.widget.grab().toImage();
    return image.pixelColor(static_cast<int>(x * image.devicePixelRatio()),
                            static_cast<int>(y * image.devicePixelRatio()));
  };
  const ViewStyle& style = scene.widget.viewStyle();
  const double first = model.xAt({50'000}), second = model.xAt({150'000}), third = model.xAt({250'000});
  QCOMPARE(pixel(first, zero - 4), timeline::whyColour(0, style));
  QCOMPARE(pixel(first, strip.top() + 6), timeline::whyColour(1, style));
  QCOMPARE(pixel(second, zero + 6), timeline::whyColour(8, style));
  QCOMPARE(pixel(second, zero - 6), style.background);
  QCOMPARE(timeline::whyAt(model, third, zero).kind, -1);
  QVERIFY(timeline::whyText(model, 0).contains("clocks\t+40"));
  QVERIFY(timeline::whyText(model, 0).contains("sum\t+60"));
  QVERIFY(timeline::whyText(model, 1).contains("unexplained\t−30"));
  QVERIFY(timeline::whyText(model, 2).isEmpty());
  // The header lists every colour of the strip, also those below the zero line only.
  const QImage header = scene.widget.grab(QRect(0, static_cast<int>(strip.top()), 190, 56)).toImage();
  for (const std::size_t kind : {0U, 1U, 8U}) {
    bool listed = false;
    for (int y = 0; y < header.height(); ++y)
      for (int x = 0; x < header.width(); ++x)
        listed = listed || header.pixelColor(x, y) == timeline::whyColour(kind, style);
    QVERIFY2(listed, qPrintable(timeline::whyName(kind)));
  }
  // A click reports the column of the cause and the minimum of its excess; outside the parts it does nothing.
  QSignalSpy clicked(&scene.widget, &TimelineWidget::causeClicked);
  QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, QPointF(first, strip.top() + 6).toPoint());
  QCOMPARE(clicked.size(), 1);
  QCOMPARE(clicked.last().at(0).toString(), QString("excess_copies_ns"));
  QCOMPARE(clicked.last().at(1).toDouble(), 120.0);
  QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, QPointF(third, zero).toPoint());
  QCOMPARE(clicked.size(), 1);
  // While the window moves, the parts stay at their times.
  scene.widget.setWindow({{0}, {200'000}});
  QCOMPARE(timeline::whyAt(model, model.xAt({80'000}), strip.top() + 6).kind, 1);
  scene.widget.resize(1000, 170); // the lanes have priority
  QVERIFY(model.whyRect().isEmpty() && model.lanesRect().height() > 60);
  QCOMPARE(timeline::whyAt(model, model.xAt({80'000}), strip.top() + 6).kind, -1);
  scene.widget.setTracks({{10, -1, TrackKind::Device, "GPU 0", {}, 0, 1, {}}}, {{0}, {1'000'000}});
  QVERIFY(scene.widget.model().whyRect().isEmpty()); // a new run has no causes yet
}

QTEST_MAIN(TimelineTest)
#include "views_timeline_test.moc"
