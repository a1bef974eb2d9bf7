// Reading the timeline: colours, marks, measuring, areas; and no painting without a cause.

#include <QCheckBox>
#include <QLabel>
#include <QPainter>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <cmath>
#include <set>

#include "tests/views/timeline/tracks_scene.h"
#include "views/base/text_cache.h"
#include "views/table_parts/brief_names.h"
#include "views/timeline/lane_names.h"
#include "views/timeline/lane_raster.h"
#include "views/timeline/timeline_painter.h"

using namespace jitterscope;
using namespace jitterscope::views;

class TimelineReadingTest : public QObject {
  Q_OBJECT

private slots:
  void measuringSnapsToEdges();
  void keysMeasureFromEdgeToEdge();
  void aLaunchIsChosenByKeysAlone();
  void areasNameTheirTracks();
  void marksAreJumpedTo();
  void coloursStateWhatTheyShow();
  void legendSpeaksOfTheColoursInUse();
  void briefNamesAreBriefAndDistinct();
  void coloursWithoutKernelsAreNotOfKernels();
  void aMetricHasOneColour();
  void stepKeysRequestTheNextLaunch();
  void columnsExplainThemselves();
  void aColumnOfABinStatesTheIntervalOfItsNumbers();
  void countersShowTheirValueAtThePointer();
  void narrowBarsFoldToTheirShareOfTheTime();
  void aRowOfNarrowBarsIsNotDrawnAsBusy();
  void idleTimesExplainThemselves();
  void nothingIsPaintedWithoutCause();
  void hoveringPaintsAHairline();
  void theCursorFollowsARestingPointer();
  void areaTableComparesWithTheWholeRun();
  void namesLeadFoldedColumns();
  void aClickOnACounterNamesItsTime();
};

// Undo of a zoom moves other content below the pointer: the cursor stays at the pointer, its card goes.
void TimelineReadingTest::theCursorFollowsARestingPointer() {
  Scene scene(ranks(1, 2));
  auto& widget = scene.widget;
  widget.setWindow({{0}, {100'000}});
  const QPointF at(widget.model().geometry.headerWidth + 200, widget.model().scrolledRect().top() + 8);
  mouse::move(&widget, at);
  QCOMPARE(widget.model().cursor, std::optional(widget.model().viewport.timeAt(200)));
  widget.showHoverCard(at, "a launch");
  QSignalSpy moved(&widget, &TimelineWidget::cursorMoved);
  widget.setWindow({{200'000}, {700'000}});
  QCOMPARE(widget.model().cursor, std::optional(widget.model().viewport.timeAt(200)));
  QCOMPARE(moved.size(), 1);
  QVERIFY(widget.hoverText().isEmpty());
  QEvent leave(QEvent::Leave);
  QCoreApplication::sendEvent(&widget, &leave);
  widget.setCursorTime(Nanoseconds{300'000}); // of another view
  widget.setWindow({{0}, {400'000}});
  QCOMPARE(widget.model().cursor, std::optional(Nanoseconds{300'000}));
}

// Columns of 10 ns: name 1 dominates 2 … 5 and, after a short gap, 8 and 9; name 2 dominates 10 and 11.
void TimelineReadingTest::namesLeadFoldedColumns() {
  TrackContent content;
  content.cells.assign(40, TimelineCell{});
  const auto lead = [&](int column, std::uint32_t name, float busy, float selected) {
    content.cells[static_cast<std::size_t>(column)] = {3, busy, name, selected};
  };
  for (const int column : {2, 3, 4, 5, 8, 9}) lead(column, 1, 0.8F, 1);
  for (const int column : {10, 11}) lead(column, 2, 0.25F, 0.1F);
  for (const int column : {30, 39}) lead(column, 1, 1, 1);
  const auto spans = timeline::nameSpans(content, {{1'000}, {1'400}}, 40, 1, {20});
  QCOMPARE(spans.size(), std::size_t{2}); // one column is too narrow for a name
  QCOMPARE(spans[0].begin, Nanoseconds{1'020});
  QCOMPARE(spans[0].end, Nanoseconds{1'100});
  QCOMPARE(spans[0].nameId, std::uint32_t{1});
  QVERIFY(std::abs(spans[0].busy - 6 * 0.8 / 8) < 1e-6);
  QVERIFY(!spans[0].dimmed);
  QCOMPARE(spans[1].begin, Nanoseconds{1'100});
  QVERIFY(spans[1].dimmed);
  content.cells.clear();
  content.bars = {{{1'000}, {1'015}, 4}, {{1'050}, {1'090}, 5, kNoRow, 1}};
  QVERIFY(timeline::nameSpans(content, {{1'000}, {1'400}}, 40, 1, {20})
              .empty()); // names too short, or on a level that is not drawn
  QCOMPARE(timeline::nameSpans(content, {{1'000}, {1'400}}, 40, 2, {20}).size(), std::size_t{1});
  // Concurrent launches in one row: names are on the parts that later bars do not cover.
  content.bars = {{{1'000}, {1'100}, 4}, {{1'030}, {1'045}, 5}, {{1'300}, {1'350}, 6}, {{1'340}, {1'400}, 7}};
  const auto covered = timeline::nameSpans(content, {{1'000}, {1'400}}, 40, 1, {20});
  const std::vector<std::array<std::int64_t, 3>> expected{
      {1'000, 1'030, 4}, {1'045, 1'100, 4}, {1'300, 1'340, 6}, {1'340, 1'400, 7}};
  QCOMPARE(covered.size(), expected.size());
  for (std::size_t i = 0; i < covered.size(); ++i)
    QVERIFY(covered[i].begin.count == expected[i][0] && covered[i].end.count == expected[i][1] &&
            covered[i].nameId == expected[i][2]);
}

void TimelineReadingTest::aClickOnACounterNamesItsTime() {
  auto tracks = ranks(1, 1);
  TimelineTrack counter;
  counter.id = 77, counter.kind = TrackKind::Counter, counter.label = "clock";
  tracks.push_back(counter);
  Scene scene(tracks);
  QSignalSpy sample(&scene.widget, &TimelineWidget::sampleClicked),
      away(&scene.widget, &TimelineWidget::backgroundClicked);
  QTest::mouseClick(&scene.widget, Qt::LeftButton, Qt::NoModifier, scene.lane("clock", 400'000));
  QCOMPARE(sample.size(), 1);
  QCOMPARE(sample.first().at(0).toUInt(), 77u);
  QVERIFY(std::abs(sample.first().at(1).value<Nanoseconds>().count - 400'000) < 2'000);
  QCOMPARE(away.size(), 0);
}

void TimelineReadingTest::measuringSnapsToEdges() {
  Scene scene(ranks(1, 2));
  QTest::keyClick(&scene.widget, Qt::Key_R);
  QVERIFY(scene.model().measuring);
  const Interval window = scene.model().viewport.window();
  mouse::drag(scene.widget, scene.lane("stream 0", 300'000) + QPoint(4, 0),
              scene.lane("stream 0", 500'000) - QPoint(5, 0));
  QCOMPARE(scene.model().viewport.window(), window); // the drag does not pan
  QVERIFY(scene.model().measure.has_value());
  QCOMPARE(scene.model().measure->from, Nanoseconds{300'000});
  QCOMPARE(scene.model().measure->to, Nanoseconds{500'000});
  QVERIFY(scene.model().measure->fromSnapped && scene.model().measure->toSnapped);
  mouse::drag(scene.widget, scene.lane("stream 0", 350'000), scene.lane("stream 0", 420'000));
  QVERIFY(!scene.model().measure->toSnapped); // nothing is near
  QVERIFY(std::abs(scene.model().measure->to.count - 420'000) < 2'000);
  QTest::keyClick(&scene.widget, Qt::Key_Escape);
  QVERIFY(!scene.model().measure && !scene.model().measuring);
}

// Bars of each stream: 100 – 300 and 500 – 900 µs; the window's middle is between them.
void TimelineReadingTest::keysMeasureFromEdgeToEdge() {
  Scene scene(ranks(1, 2));
  const auto bars = scene.model().content(scene.model().tracks().back().id)->bars;
  QVERIFY(bars.size() >= 2);
  QTest::keyClick(&scene.widget, Qt::Key_R);
  const Interval window = scene.model().viewport.window();
  QTest::keyClick(&scene.widget, Qt::Key_Right);
  QVERIFY(scene.model().measure.has_value());
  const Nanoseconds first = scene.model().measure->to;
  QCOMPARE(scene.model().measure->from, first);
  QTest::keyClick(&scene.widget, Qt::Key_Left);
  QCOMPARE(scene.model().measure->from, first);
  QVERIFY(scene.model().measure->to < first);
  QVERIFY(scene.model().measure->toSnapped);
  const auto isEdge = [&](Nanoseconds time) {
    return std::any_of(bars.begin(), bars.end(),
                       [&](const TimelineBar& bar) { return bar.begin == time || bar.end == time; });
  };
  QVERIFY(isEdge(first) && isEdge(scene.model().measure->to));
  QCOMPARE(scene.model().viewport.window(), window); // the key does not pan
  const Nanoseconds at = scene.model().measure->to;
  QTest::keyClick(&scene.widget, Qt::Key_Return); // a new measurement starts here
  QCOMPARE(scene.model().measure->from, at);
  QTest::keyClick(&scene.widget, Qt::Key_Left, Qt::ShiftModifier); // moves both ends
  QVERIFY(scene.model().measure->to < at);
  QCOMPARE(scene.model().measure->from, scene.model().measure->to);
  for (int i = 0; i < 10; ++i)
    QTest::keyClick(&scene.widget, Qt::Key_Left); // stops at the first visible edge
  QCOMPARE(scene.model().measure->to, bars.front().begin);
  QSignalSpy flag(&scene.widget, &TimelineWidget::flagRequested);
  QTest::keyClick(&scene.widget, Qt::Key_M);
  QCOMPARE(flag.last().at(0).value<Nanoseconds>(), bars.front().begin);
}

void TimelineReadingTest::aLaunchIsChosenByKeysAlone() {
  Scene scene(ranks(1, 2));
  QSignalSpy chosen(&scene.widget, &TimelineWidget::launchClicked),
      steps(&scene.widget, &TimelineWidget::stepRequested);
  QTest::keyClick(&scene.widget, Qt::Key_Period);
  QCOMPARE(chosen.size(), 1);
  QCOMPARE(steps.size(), 0);
  QCOMPARE(scene.model().selectedInterval->begin, Nanoseconds{100'000}); // the first visible launch
  QTest::keyClick(&scene.widget, Qt::Key_Period); // the next launch is requested from the engine
  QCOMPARE(steps.size(), 1);
  scene.widget.clearSelection();
  QTest::keyClick(&scene.widget, Qt::Key_Comma);
  QVERIFY(scene.model().selectedInterval->begin > Nanoseconds{100'000}); // the last visible launch
}

void TimelineReadingTest::areasNameTheirTracks() {
  Scene scene(ranks(1, 3));
  QSignalSpy area(&scene.widget, &TimelineWidget::areaChosen),
      brushed(&scene.widget, &TimelineWidget::brushed);
  mouse::drag(scene.widget, scene.lane("stream 0", 200'000), scene.lane("stream 1", 600'000),
              Qt::ShiftModifier);
  QCOMPARE(area.size(), 1);
  QCOMPARE(brushed.size(), 1);
  QCOMPARE(area.first().at(1).value<std::vector<std::uint32_t>>(), (std::vector<std::uint32_t>{3, 4}));
  const Interval range = area.first().at(0).value<Interval>();
  QVERIFY(std::abs(range.begin.count - 200'000) < 2'000 && std::abs(range.end.count - 600'000) < 2'000);
  scene.widget.setBrush(range); // the hub publishes the brush back
  QCOMPARE(scene.model().brushTracks.size(), std::size_t{2});
  const int axis = static_cast<int>(scene.model().axisRect().center().y());
  mouse::drag(scene.widget, {400, axis}, {600, axis});
  QVERIFY(area.last().at(1).value<std::vector<std::uint32_t>>().empty()); // empty: all tracks
}

void TimelineReadingTest::marksAreJumpedTo() {
  Scene scene(ranks(1, 1));
  QSignalSpy changed(&scene.widget, &TimelineWidget::marksChanged);
  mouse::move(&scene.widget, scene.lane("stream 0", 800'000));
  QTest::keyClick(&scene.widget, Qt::Key_5, Qt::ControlModifier);
  QCOMPARE(scene.model().flags.size(), std::size_t{1});
  QCOMPARE(scene.model().flags[0].label, QString("5"));
  scene.widget.setBrush(Interval{{100'000}, {200'000}});
  QTest::keyClick(&scene.widget, Qt::Key_N);
  QCOMPARE(scene.model().ranges.size(), std::size_t{1});
  QCOMPARE(scene.model().ranges[0].range, (Interval{{100'000}, {200'000}}));
  QCOMPARE(changed.size(), 2);
  QTest::keyClick(&scene.widget, Qt::Key_1); // the first number that is left: the range
  QCOMPARE(scene.model().viewport.window(), (Interval{{90'000}, {210'000}}));
  QTest::keyClick(&scene.widget, Qt::Key_2); // no mark has this number
  QCOMPARE(scene.model().viewport.window(), (Interval{{90'000}, {210'000}}));
  QTest::keyClick(&scene.widget, Qt::Key_5);
  const Interval window = scene.model().viewport.window();
  QVERIFY(std::abs((window.begin.count + window.end.count) / 2 - 800'000) < 2'000);
}

void TimelineReadingTest::coloursStateWhatTheyShow() {
  Scene scene(ranks(1, 2));
  const auto& track = scene.model().tracks()[3];
  const ViewStyle style = ViewStyle::light();
  QCOMPARE(coloursOf(scene.model(), track, scene.model().data().value, style).of(7, 0.3F),
           categoryColour(7, style.theme));
  QTest::keyClick(&scene.widget, Qt::Key_C);
  QCOMPARE(scene.model().colour.by, ColourBy::RelativeToMean);
  QCOMPARE(coloursOf(scene.model(), track, scene.model().data().value, style).of(7, 0.3F),
           style.quiet); // values are still requested
  QSignalSpy requested(&scene.widget, &TimelineWidget::contentRequested);
  QTRY_COMPARE(requested.size(), 1);
  QCOMPARE(requested.first().first().value<TimelineQuery>().value, QString("relative_to_mean"));
  scene.answer();
  const auto colours = coloursOf(scene.model(), track, scene.model().data().value, style);
  QCOMPARE(colours.of(7, 9.0F), divergingColour(1, style.theme)); // saturated
  QCOMPARE(colours.of(7, -0.5F), divergingColour(-1, style.theme));
  QCOMPARE(colours.of(7, kNoNumber), style.quiet);
  QTest::keyClick(&scene.widget, Qt::Key_C);
  QCOMPARE(scene.model().colour.by, ColourBy::Stream);
  QVERIFY(coloursOf(scene.model(), track, scene.model().data().value, style).of(1, 0) !=
          coloursOf(scene.model(), scene.model().tracks()[4], scene.model().data().value, style).of(1, 0));
  scene.widget.setColour({ColourBy::Column, "grid_x", "grid x", "", 1, 10'000, true});
  QCOMPARE(scalePlace(scene.model().colour, 100), 0.5);
  QCOMPARE(scalePlace(scene.model().colour, -3), 0.0);
}

void TimelineReadingTest::legendSpeaksOfTheColoursInUse() {
  Scene scene(ranks(1, 1));
  scene.widget.setNames([](std::uint32_t id) { return QString("kernel %1").arg(id); });
  const auto entries = legendEntries(scene.model(), ViewStyle::light(), 5);
  QCOMPARE(entries.size(), std::size_t{2});
  QCOMPARE(entries[0].text, QString("kernel 2")); // the larger total: 400 µs, against 200 µs
  QCOMPARE(entries[1].text, QString("kernel 1"));
}

void TimelineReadingTest::briefNamesAreBriefAndDistinct() {
  const QFont font = ViewStyle::light().font(FontRole::Small);
  const auto of = [&](const QStringList& names, double width = 400) {
    return briefNames(names, font, width);
  };
  QCOMPARE(of({"void blas::gemm<float, (int)4>(float*, int)", "axpy(double)", "MPI_Send",
               "void (anonymous namespace)::scan<int>(int)", "step (warm up)"}),
           QStringList({"gemm", "axpy", "MPI_Send", "scan", "step (warm up)"}));
  const QString fill = "void at::native::vectorized_kernel<4, at::native::FillFunctor<float>>(int)",
                add = "void at::native::vectorized_kernel<4, at::native::AddFunctor<float>>(int)";
  const QStringList apart = of({fill, add, fill});
  QCOMPARE(apart[0], QString("vectorized_kernel · FillFunctor"));
  QCOMPARE(apart[1], QString("vectorized_kernel · AddFunctor"));
  QCOMPARE(apart[2], apart[0]);
  for (const auto& name : of({fill, add}, 120)) {
    QVERIFY(textWidth(font, name) <= 120);
    QVERIFY2(name.startsWith("vec") && name.contains("Fu"), qPrintable(name));
  }
  QCOMPARE(of({"<stdin>", "(anonymous)"}), QStringList({"<stdin>", "(anonymous)"}));
}

void TimelineReadingTest::coloursWithoutKernelsAreNotOfKernels() {
  QCOMPARE(colourTitle(Scene(ranks(1, 1)).model()), QString("Colour: kernel"));
  std::vector<TimelineTrack> tracks = {{0, -1, TrackKind::Host, "node", {}, 0, 1, {}},
                                       {1, 0, TrackKind::MpiCalls, "rank 0", {}, 1, 1, {}},
                                       {2, 0, TrackKind::Stream, "bursts", {}, 1, 1, {}}};
  Scene scene(tracks);
  QCOMPARE(colourTitle(scene.model()), QString("Colour: call, state or range"));
  QVERIFY(!foldedMeaning(scene.model()).contains("kernel"));
}

void TimelineReadingTest::aMetricHasOneColour() {
  std::vector<TimelineTrack> tracks;
  for (std::uint32_t id = 0; id < 3; ++id) {
    tracks.push_back({id, -1, TrackKind::Counter, QString("GPU %1").arg(id), {}, 0, 1, {}});
    tracks.back().metric = id / 2; // two objects of one metric, one of another
  }
  Scene scene(tracks);
  TimelineData data = scene.model().data();
  data.tracks.clear();
  for (std::uint32_t id = 0; id < 3; ++id) {
    TrackContent content;
    content.trackId = id;
    content.counterMaximum = 1;
    content.counter.assign(static_cast<std::size_t>(data.columns), {0.5F, 0.5F, 0.5F, true});
    data.tracks.push_back(content);
  }
  scene.widget.setData(data);
  const QImage image = scene.widget.grab().toImage();
  // The curve is opaque, all else is mixed with the ground, which differs between rows.
  const auto colours = [&](const QString& label) {
    const QPoint at = scene.lane(label, 430'000) * scene.widget.devicePixelRatioF();
    std::set<QRgb> found;
    for (int y = at.y() - 8; y < at.y() + 8; ++y) found.insert(image.pixel(at.x(), y));
    return found;
  };
  const auto first = colours("GPU 0"), second = colours("GPU 1"), third = colours("GPU 2");
  const auto curve = [&](const std::set<QRgb>& other) {
    return std::ranges::any_of(first, [&](QRgb colour) {
      return colour != scene.widget.viewStyle().background.rgb() && other.contains(colour);
    });
  };
  QVERIFY(curve(second));
  QVERIFY(!curve(third));
}

void TimelineReadingTest::stepKeysRequestTheNextLaunch() {
  Scene scene(ranks(1, 1));
  QSignalSpy steps(&scene.widget, &TimelineWidget::stepRequested);
  scene.widget.setSelection(3, 31, {{100'000}, {300'000}});
  QTest::keyClick(&scene.widget, Qt::Key_BracketRight);
  QTest::keyClick(&scene.widget, Qt::Key_Comma);
  QCOMPARE(steps.size(), 2);
  QCOMPARE(steps[0].at(0).value<StepBy>(), StepBy::Kernel);
  QCOMPARE(steps[0].at(1).toInt(), 1);
  QCOMPARE(steps[1].at(0).value<StepBy>(), StepBy::Stream);
  QCOMPARE(steps[1].at(1).toInt(), -1);
  scene.widget.reveal(3, {{100'000}, {100'500}});
  QVERIFY(scene.model().viewport.window().contains({100'000}));
}

void TimelineReadingTest::columnsExplainThemselves() {
  Scene scene(ranks(1, 1));
  scene.widget.setNames([](std::uint32_t id) { return QString("kernel %1").arg(id); });
  TimelineData data = scene.model().data();
  data.tracks.clear();
  TrackContent cells;
  cells.trackId = 3;
  cells.cells.assign(static_cast<std::size_t>(data.columns), TimelineCell{12, 0.5F, 4, 1});
  data.tracks.push_back(cells);
  scene.widget.setData(data);
  mouse::move(&scene.widget, scene.lane("stream 0", 400'000));
  const QString text = scene.widget.hoverText();
  QVERIFY2(text.contains("kernel 4") && text.contains("12 launches") && text.contains("50.0 %"),
           qPrintable(text));
}

void TimelineReadingTest::aColumnOfABinStatesTheIntervalOfItsNumbers() {
  Scene scene(ranks(1, 1));
  TimelineData data = scene.model().data();
  data.tracks.clear();
  TrackContent content;
  content.trackId = 3;
  content.cells.assign(static_cast<std::size_t>(data.columns), TimelineCell{12, 0.5F, 4, 1, 0.25F});
  content.dyadic = {1};
  content.binOrigin = {77};
  data.tracks.push_back(content);
  scene.widget.setData(data);
  mouse::move(&scene.widget, scene.lane("stream 0", 400'000));
  const TimelineHit hit = scene.model().hitTest(scene.lane("stream 0", 400'000));
  const auto width = hit.cellInterval.length().count;
  QCOMPARE(width & (width - 1), std::int64_t{0});
  QCOMPARE((hit.cellInterval.begin.count - 77) % width, std::int64_t{0});
  QVERIFY(overlap(hit.cellInterval, hit.columnInterval).count > 0);
  const QString text = scene.widget.hoverText();
  const auto line = [](const char* word, Interval of) {
    return QString("\n%1\t%2 at %3")
        .arg(word, formatLength(of.length(), AxisUnit::Time),
             formatPlace(of.begin, of.length(), AxisUnit::Time));
  };
  QVERIFY2(text.contains("50.0 % of the interval" + line("interval", hit.cellInterval)), qPrintable(text));
  QVERIFY2(text.endsWith(line("column", hit.columnInterval)), qPrintable(text)); // after the mean value
}

void TimelineReadingTest::countersShowTheirValueAtThePointer() {
  auto tracks = ranks(1, 1);
  tracks.push_back(
      {static_cast<std::uint32_t>(tracks.size()), 2, TrackKind::Counter, "power", {}, 3, 1, QString("W")});
  Scene scene(tracks);
  TimelineData data = scene.model().data();
  data.tracks.clear();
  TrackContent content;
  content.trackId = tracks.back().id;
  content.counter.assign(static_cast<std::size_t>(data.columns), CounterColumn{100, 150, 300, true});
  for (std::size_t c = content.counter.size() / 2; c < content.counter.size(); ++c)
    content.counter[c].present = false;
  data.tracks.push_back(content);
  scene.widget.setData(data);
  mouse::move(&scene.widget, scene.lane("power", 250'000));
  const TimelineHit hit = scene.model().hitTest(scene.lane("power", 250'000));
  QVERIFY(hit.cellInterval.contains(hit.time));
  QCOMPARE(scene.widget.hoverText(),
           QString("power\nminimum\t100 W\nmean\t150 W\nmaximum\t300 W\ninterval\t%1 at %2")
               .arg(formatLength(hit.cellInterval.length(), AxisUnit::Time),
                    formatPlace(hit.cellInterval.begin, hit.cellInterval.length(), AxisUnit::Time)));
  mouse::move(&scene.widget, scene.lane("power", 750'000)); // no sample near
  QVERIFY(scene.widget.hoverText().isEmpty());
  data.tracks.front().dyadic = {1}; // a derived counter from bins has only a mean
  scene.widget.setData(data);
  mouse::move(&scene.widget, scene.lane("power", 255'000));
  QVERIFY2(scene.widget.hoverText().startsWith("power\nmean\t150 W\ninterval\t"),
           qPrintable(scene.widget.hoverText()));
}

void TimelineReadingTest::narrowBarsFoldToTheirShareOfTheTime() {
  const auto bar = [](std::int64_t begin, std::int64_t end, std::uint32_t name, int level = 0,
                      bool dimmed = false) { return TimelineBar{{begin}, {end}, name, 1, level, dimmed}; };
  const std::vector<TimelineBar> bars = {
      bar(-5, 10, 1),   // reaches into the window
      bar(20, 30, 2),   // a tenth of column 0
      bar(100, 350, 3), // wider than a column: columns 1, 2 and half of 3
      bar(360, 380, 4),
      bar(370, 390, 5),          // overlap: 30 of 100 in column 3
      bar(480, 540, 6, 0, true), // columns 4 and 5
      bar(545, 550, 7),
      bar(900, 900, 8), // no length
      bar(0, 50, 9, 1),
      bar(990, 1'020, 9, 1), // second level
  };
  const auto cells = foldNarrowBars(bars, {{{0}, {1'000}}, 10}, 2, false);
  QCOMPARE(cells.size(), std::size_t{20});
  const auto expect = [&](std::size_t at, std::uint32_t count, float busy, std::uint32_t name,
                          float selected) {
    QCOMPARE(cells[at].count, count);
    QVERIFY(std::abs(cells[at].busy - busy) < 1e-6F);
    QCOMPARE(cells[at].nameId, name);
    QVERIFY(std::abs(cells[at].selected - selected) < 1e-6F);
  };
  expect(0, 2, 0.2F, 1, 1);
  expect(3, 2, 0.8F, 4, 1); // with the end of the wider bar
  expect(4, 1, 0.2F, 6, 0);
  expect(5, 2, 0.45F, 6, 5 / 45.0F);
  expect(9, 1, 0, 8, 1);
  expect(10, 1, 0.5F, 9, 1);
  expect(19, 1, 0.1F, 9, 1);
  for (const std::size_t empty : {1U, 2U, 6U, 7U, 8U, 11U}) QCOMPARE(cells[empty].count, 0U);
  QVERIFY(foldNarrowBars(std::span(bars).subspan(2, 1), {{{0}, {1'000}}, 10}, 2, false).empty());
}

void TimelineReadingTest::aRowOfNarrowBarsIsNotDrawnAsBusy() {
  Scene scene(ranks(1, 1));
  scene.widget.setColour({});
  TimelineData data = scene.model().data();
  data.tracks.clear();
  TrackContent content;
  content.trackId = 3;
  const auto column = data.window.length().count / data.columns;
  for (std::int64_t c = 0; c < data.columns; ++c) // a bar of a tenth of each column
    content.bars.push_back({{c * column + column / 2}, {c * column + column / 2 + column / 10}, 4, 1});
  data.tracks.push_back(content);
  scene.widget.setData(data);
  const ViewStyle style = ViewStyle::light();
  const auto full = [&](const QImage& image) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        count += image.pixel(x, y) == categoryColour(4, style.theme).rgba();
    return count;
  };
  QImage paper(1000, 400, QImage::Format_ARGB32_Premultiplied);
  QPainter painter(&paper);
  timeline::paint(painter, paper.rect(), scene.model(), style);
  painter.end();
  for (const QImage& image : {timeline::renderLanes(scene.model(), style, 1), paper}) {
    const int pixels = full(image); // about three of each pixel column, and those of the legend
    QVERIFY2(pixels > data.columns && pixels <= 4 * data.columns, qPrintable(QString::number(pixels)));
  }
  QVERIFY(scene.model().hitTest(scene.lane("stream 0", 400'000)).bar != nullptr);
}

void TimelineReadingTest::idleTimesExplainThemselves() {
  auto tracks = ranks(1, 1);
  tracks.push_back({static_cast<std::uint32_t>(tracks.size()), 2, TrackKind::Idle, "idle", {}, 3, 1, {}});
  Scene scene(tracks);
  scene.widget.setWindow({{200'000}, {600'000}});
  TimelineData data;
  data.window = scene.model().viewport.window();
  data.columns = scene.widget.pixelColumns();
  data.tracks.push_back({tracks.back().id,
                         {},
                         {{{100'000}, {175'171}}, {{190'000}, {265'171}}, {{500'000}, {900'000}}},
                         {},
                         0,
                         0});
  scene.widget.setData(data);
  mouse::move(&scene.widget, scene.lane("idle", 250'000));
  QTRY_COMPARE(scene.widget.hoverText(),
               QString("idle: no kernel runs\nduration\t75.17 µs\nfrom\t190.00 µs\nto\t265.17 µs"));
  mouse::move(&scene.widget, scene.lane("idle", 550'000)); // another idle time without a table row
  QTRY_VERIFY2(scene.widget.hoverText().contains("duration\t400.0 µs"), qPrintable(scene.widget.hoverText()));
}

void TimelineReadingTest::nothingIsPaintedWithoutCause() {
  Scene scene(ranks(3, 4));
  rest(500);
  const auto before = scene.widget.paints();
  rest(2000);
  QCOMPARE(scene.widget.paints().views, before.views);
  QCOMPARE(scene.widget.paints().lanes, before.lanes);
  scene.widget.setFlags({}); // back to the initial state
  scene.widget.setBrush(std::nullopt);
  scene.widget.clearSelection();
  scene.widget.setSelectedBin(std::nullopt);
  scene.widget.setColour({});
  rest(50);
  QCOMPARE(scene.widget.paints().views, before.views);
}

void TimelineReadingTest::hoveringPaintsAHairline() {
  Scene scene(ranks(1, 2));
  mouse::move(&scene.widget, scene.lane("stream 0", 150'000));
  rest(500);
  const auto before = scene.widget.paints();
  const int moves = 20;
  for (int i = 1; i <= moves; ++i) { // the pointer stays over one launch
    mouse::move(&scene.widget, scene.lane("stream 0", 150'000 + i * 5'000));
    rest(20);
  }
  const auto after = scene.widget.paints();
  QVERIFY(after.views > before.views);
  QCOMPARE(after.lanes, before.lanes);
  const double painted = static_cast<double>(after.pixels - before.pixels) / moves;
  const double all = scene.widget.width() * static_cast<double>(scene.widget.height());
  QVERIFY2(painted < all * 0.12, qPrintable(QString("%1 of %2 pixels a move").arg(painted).arg(all)));
}

void TimelineReadingTest::areaTableComparesWithTheWholeRun() {
  AreaWidget widget;
  AreaData data;
  data.range = {{0}, {1'000'000}};
  data.where = "2 tracks";
  data.rows = {{1, "gemm", 10, 2e6, 2e5, 0.5, 1.9e5, 2e5, 2.1e5, 4e5, 5e5, 5e5, 0, 0},
               {2, "copy", 90, 1e5, 1e3, 0.1, 1e3, 1e3, 1e3, 1e3, 1e3, 1e3, 0, 0}};
  data.tracks = {{"stream 7", "node › stream 7", 100, 1.2e6, 8e5},
                 {"stream 8", "node › stream 8", 5, 1.2e6, std::nan("")}};
  widget.setArea(data);
  QVERIFY2(widget.text().startsWith("n = 100 launches start here, of 2 kernels"), qPrintable(widget.text()));
  widget.resize(300, 200);
  widget.show();
  const auto labels = widget.findChildren<QLabel*>();
  const auto heading = std::find_if(labels.begin(), labels.end(),
                                    [&](const QLabel* label) { return label->text() == widget.text(); });
  QVERIFY(heading != labels.end());
  const auto wrapped = [&] { // true if the text of the area is completely visible
    const QRect needed = (*heading)->fontMetrics().boundingRect(
        QRect(0, 0, (*heading)->contentsRect().width(), 10'000), Qt::TextWordWrap, (*heading)->text());
    return (*heading)->wordWrap() && needed.height() > (*heading)->fontMetrics().height() &&
           (*heading)->contentsRect().height() >= needed.height();
  };
  QTRY_VERIFY(wrapped());
  auto* model = widget.kernels()->model();
  QCOMPARE(model->rowCount(), 2);
  QCOMPARE(model->index(0, 0).data().toString(), QString("gemm")); // sorted by total time
  QCOMPARE(model->index(0, AreaKernelsModel::Mean).data().toString(), QString("200.0 µs"));
  data.whole = {{1, "gemm", 100, 1e7, 1e5, 0.25, 1e5, 1e5, 1e5, 1e5, 1e5, 5e5, 0, 0},
                {2, "copy", 100, 2e5, 2e2, 0.1, 2e2, 2e2, 2e2, 2e2, 2e2, 1e3, 0, 0}};
  widget.setArea(data);
  QVERIFY(model->index(0, AreaKernelsModel::Mean).data().toString().contains("×2.00"));
  QVERIFY(model->index(0, AreaKernelsModel::Count).data().toString().contains("10.0 %"));
  QVERIFY(model->index(0, AreaKernelsModel::P99).data(Qt::ToolTipRole).toString().contains("whole run"));
  widget.kernels()->sortByColumn(AreaKernelsModel::Mean, Qt::DescendingOrder);
  QCOMPARE(model->index(0, 0).data().toString(), QString("gemm"));
  widget.findChild<QCheckBox*>()->setChecked(true); // sorts by ratio: 5 for copy, 2 for gemm
  QCOMPARE(model->index(0, 0).data().toString(), QString("copy"));
  auto* tracks = widget.tracks()->model();
  QCOMPARE(tracks->index(0, AreaTracksModel::Share).data().toString(), QString("80.0 %"));
  QCOMPARE(tracks->index(1, AreaTracksModel::Share).data().toString(), QString("–"));
  QCOMPARE(tracks->index(1, AreaTracksModel::Mean).data().toString(), QString("1.200"));
}

QTEST_MAIN(TimelineReadingTest)
#include "views_timeline_reading_test.moc"
