// The tracks of the timeline: folding, pinning, hiding, order, heights, filter; colours, marks, measuring,
// areas; and that nothing is painted without cause.

#include <QCheckBox>
#include <QLabel>
#include <QJsonDocument>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <cmath>

#include "tests/views/mouse.h"
#include "tests/views/rest.h"
#include "views/base/colour_maps.h"
#include "views/timeline/area_model.h"
#include "views/timeline/area_widget.h"
#include "views/timeline/timeline_colours.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

/// `processes` ranks with a device each, of `streams` streams; ids are positions.
std::vector<TimelineTrack> ranks(int processes, int streams) {
  std::vector<TimelineTrack> tracks;
  const auto add = [&](int parent, TrackKind kind, const QString& label) {
    const int depth = parent < 0 ? 0 : tracks[static_cast<std::size_t>(parent)].depth + 1;
    tracks.push_back({static_cast<std::uint32_t>(tracks.size()), parent, kind, label, {}, depth, 1, {}});
    return static_cast<int>(tracks.size()) - 1;
  };
  const int host = add(-1, TrackKind::Host, "node");
  for (int p = 0; p < processes; ++p) {
    const int process = add(host, TrackKind::Process, QString("rank %1").arg(p));
    const int device = add(process, TrackKind::Device, QString("GPU %1").arg(p));
    for (int s = 0; s < streams; ++s) add(device, TrackKind::Stream, QString("stream %1").arg(s));
  }
  return tracks;
}

struct Scene {
  TimelineWidget widget;

  explicit Scene(std::vector<TimelineTrack> tracks, int height = 400) {
    widget.resize(1000, height);
    widget.show();
    widget.setTracks(std::move(tracks), {{0}, {1'000'000}});
    answer();
  }
  const TimelineModel& model() const { return widget.model(); }
  const TrackLayout& layout() const { return widget.model().layout(); }

  /// Gives every wanted track two launches.
  void answer() {
    TimelineData data;
    data.window = model().viewport.window();
    data.columns = widget.pixelColumns();
    data.value = model().colour.value();
    for (const auto id : model().wantedTracks()) {
      TrackContent content;
      content.trackId = id;
      content.bars = {{{100'000}, {300'000}, 1, id * 10 + 1, 0, false, -0.4F},
                      {{500'000}, {900'000}, 2, id * 10 + 2, 0, false, 0.4F}};
      data.tracks.push_back(content);
    }
    widget.setData(data);
    widget.setMessage({});
  }
  QStringList labels() const {
    QStringList shown;
    for (const auto& row : model().rows())
      shown << model().tracks()[static_cast<std::size_t>(row.track)].label;
    return shown;
  }
  const TrackRow& row(const QString& label) const {
    for (const auto& each : model().rows())
      if (model().tracks()[static_cast<std::size_t>(each.track)].label == label) return each;
    qFatal("no such row: %s", qPrintable(label));
  }
  QPoint header(const QString& label) const {
    return QPointF(120, model().rowRect(row(label)).center().y()).toPoint();
  }
  QPoint lane(const QString& label, std::int64_t time) const {
    return QPointF(model().xAt({time}), model().rowRect(row(label)).center().y()).toPoint();
  }
  void put(const QString& label) { QTest::mouseClick(&widget, Qt::LeftButton, {}, header(label)); }
};

} // namespace

class TracksTest : public QObject {
  Q_OBJECT

private slots:
  void fewTracksAreAllShown();
  void aThousandTracksAreFoldedToWhatCanBeLookedAt();
  void aFoldedGroupShowsWhatIsInside();
  void onlyVisibleTracksAreAskedFor();
  void scrollingAsksForWhatComesIntoSight();
  void theChosenLaunchStaysInSight();
  void pinnedTracksStayAbove();
  void hiddenTracksComeBack();
  void tracksMoveAmongTheirSiblings();
  void draggingALabelMovesItsTrack();
  void draggingABorderMakesARowHigher();
  void draggingTheNamesBorderMakesRoomForThem();
  void aTrackOutOfSightIsShown();
  void theFilterFindsInsideFoldedGroups();
  void aBadExpressionHidesNothing();
  void keysWorkOnTheTrackCursor();
  void arrangementsOutliveTheTracks();
  void stateIsJson();
  void theMenuOffersEverything();
  void measuringSnapsToEdges();
  void keysMeasureFromEdgeToEdge();
  void aLaunchIsChosenByKeysAlone();
  void areasNameTheirTracks();
  void marksAreJumpedTo();
  void coloursSayWhatTheyShow();
  void legendSpeaksOfTheColoursInUse();
  void stepKeysAskForTheNextLaunch();
  void columnsExplainThemselves();
  void idleTimesExplainThemselves();
  void nothingIsPaintedWithoutCause();
  void hoveringPaintsAHairline();
  void areaTableComparesWithTheWholeRun();
};

void TracksTest::fewTracksAreAllShown() {
  const Scene scene(ranks(2, 2));
  QCOMPARE(scene.labels().size(), 9);
}

void TracksTest::aThousandTracksAreFoldedToWhatCanBeLookedAt() {
  TrackLayout layout;
  layout.setTracks(ranks(8, 125));
  QVERIFY(layout.tracks().size() > 1000);
  QCOMPARE(layout.rows().size(), std::size_t{1 + 8 * 2}); // devices, folded
  layout.setTracks(ranks(500, 1));
  QCOMPARE(layout.rows().size(), std::size_t{1 + 500}); // processes, folded
  layout.collapseAll(false);
  QCOMPARE(layout.rows().size(), std::size_t{1 + 500 * 3});
}

void TracksTest::aFoldedGroupShowsWhatIsInside() {
  Scene scene(ranks(2, 2));
  scene.widget.setTrackCollapsed(1, true); // rank 0
  const auto& row = scene.row("rank 0");
  QCOMPARE(row.strips, std::vector<std::uint32_t>{2}); // its device
  scene.answer();
  const auto hit = scene.model().hitTest(scene.lane("rank 0", 200'000));
  QVERIFY(hit.bar != nullptr);
  QCOMPARE(hit.contentTrack, 2u);
  QCOMPARE(hit.bar->row, 21u);
}

void TracksTest::onlyVisibleTracksAreAskedFor() {
  Scene scene(ranks(500, 1));
  QSignalSpy wanted(&scene.widget, &TimelineWidget::contentWanted);
  scene.widget.setWindow({{0}, {500'000}});
  QTRY_COMPARE(wanted.size(), 1);
  const auto query = wanted.first().first().value<TimelineQuery>();
  QCOMPARE(query.window, (Interval{{0}, {500'000}}));
  QVERIFY(!query.tracks.empty());
  QVERIFY2(query.tracks.size() < 40, qPrintable(QString::number(query.tracks.size())));
}

void TracksTest::scrollingAsksForWhatComesIntoSight() {
  Scene scene(ranks(500, 1));
  rest(100);
  QSignalSpy wanted(&scene.widget, &TimelineWidget::contentWanted),
      moved(&scene.widget, &TimelineWidget::windowChanged);
  for (int i = 0; i < 60; ++i) QTest::keyClick(&scene.widget, Qt::Key_PageDown);
  QTRY_COMPARE(wanted.size(), 1);
  const auto tracks = wanted.first().first().value<TimelineQuery>().tracks;
  QVERIFY(std::find(tracks.begin(), tracks.end(), 3u * 499 + 2) != tracks.end()); // the last rank's device
  QCOMPARE(moved.size(), 0);
}

void TracksTest::theChosenLaunchStaysInSight() {
  Scene scene(ranks(500, 1));
  scene.widget.resize(900, 600);
  const auto& rows = scene.model().rows();
  const auto lowest = std::find_if(rows.rbegin(), rows.rend(), [&](const TrackRow& row) {
    const QRectF rect = scene.model().rowRect(row);
    return rect.bottom() <= scene.model().scrolledRect().bottom();
  });
  QVERIFY(lowest != rows.rend());
  const int track = lowest->track;
  const auto id = scene.model().tracks()[static_cast<std::size_t>(track)].id;
  const auto seen = [&](int of) {
    const TrackRow* row = scene.model().layout().rowOf(of);
    return row != nullptr && scene.model().rowRect(*row).bottom() <= scene.model().scrolledRect().bottom() + 0.5 &&
           scene.model().rowRect(*row).top() >= scene.model().scrolledRect().top() - 0.5;
  };
  QVERIFY(seen(track));
  scene.widget.setSelection(id, 0, {{0}, {100}});
  scene.widget.resize(900, 320);
  QVERIFY(seen(track));
  // What was out of sight stays there: nothing jumps.
  for (int i = 0; i < 10; ++i) QTest::keyClick(&scene.widget, Qt::Key_PageDown);
  const double scroll = scene.model().scroll();
  QVERIFY(!seen(track));
  scene.widget.resize(900, 300);
  QCOMPARE(scene.model().scroll(), scroll);
}

void TracksTest::pinnedTracksStayAbove() {
  Scene scene(ranks(500, 1));
  scene.widget.setTrackCollapsed(1, false);
  scene.put("GPU 0");
  QTest::keyClick(&scene.widget, Qt::Key_P);
  QVERIFY(scene.model().rows().front().pinned);
  const double top = scene.model().rowRect(scene.model().rows().front()).top();
  for (int i = 0; i < 5; ++i) QTest::keyClick(&scene.widget, Qt::Key_PageDown);
  QVERIFY(scene.model().scroll() > 100);
  QCOMPARE(scene.model().rowRect(scene.model().rows().front()).top(), top);
  const auto hit = scene.model().hitTest({500, top + 8});
  QCOMPARE(hit.track, 2);
  QVERIFY(scene.model().scrolledRect().top() > scene.model().lanesRect().top());
  QTest::keyClick(&scene.widget, Qt::Key_P);
  QVERIFY(!scene.model().rows().front().pinned);
}

void TracksTest::hiddenTracksComeBack() {
  Scene scene(ranks(2, 2));
  scene.put("GPU 0");
  QTest::keyClick(&scene.widget, Qt::Key_H);
  QCOMPARE(scene.labels(), QStringList({"node", "rank 0", "rank 1", "GPU 1", "stream 0", "stream 1"}));
  QTest::keyClick(&scene.widget, Qt::Key_H, Qt::ShiftModifier);
  QCOMPARE(scene.labels().size(), 9);
}

void TracksTest::tracksMoveAmongTheirSiblings() {
  Scene scene(ranks(3, 1));
  scene.put("rank 2");
  QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::AltModifier);
  QCOMPARE(scene.labels(), QStringList({"node", "rank 0", "GPU 0", "stream 0", "rank 2", "GPU 2", "stream 0",
                                        "rank 1", "GPU 1", "stream 0"}));
  QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::AltModifier);
  QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::AltModifier); // already the last
  QCOMPARE(scene.labels().at(7), QString("rank 2"));
}

void TracksTest::draggingALabelMovesItsTrack() {
  Scene scene(ranks(3, 1), 600);
  const QPoint to(120, static_cast<int>(scene.model().rowRect(scene.row("rank 0")).top()) + 1);
  mouse::drag(scene.widget, scene.header("rank 2"), to);
  QCOMPARE(scene.labels().mid(0, 2), QStringList({"node", "rank 2"}));
  mouse::drag(scene.widget, scene.header("rank 2"),
              QPoint(120, static_cast<int>(scene.model().rowRect(scene.model().rows().back()).bottom())));
  QCOMPARE(scene.labels().at(7), QString("rank 2"));
}

void TracksTest::draggingABorderMakesARowHigher() {
  Scene scene(ranks(1, 2));
  const QRectF before = scene.model().rowRect(scene.row("stream 0"));
  const QPoint border(100, static_cast<int>(before.bottom()) - 1);
  mouse::drag(scene.widget, border, border + QPoint(0, 30));
  QCOMPARE(scene.model().rowRect(scene.row("stream 0")).height(), before.height() + 30);
  QCOMPARE(scene.model().rowRect(scene.row("stream 1")).top(), before.bottom() + 30);
  QTest::mouseDClick(&scene.widget, Qt::LeftButton, {}, border + QPoint(0, 30));
  QCOMPARE(scene.model().rowRect(scene.row("stream 0")).height(), before.height());
}

void TracksTest::draggingTheNamesBorderMakesRoomForThem() {
  Scene scene(ranks(1, 4));
  const double before = scene.model().geometry.headerWidth;
  QSignalSpy arranged(&scene.widget, &TimelineWidget::arrangementChanged);
  const int y = static_cast<int>(scene.model().lanesRect().center().y());
  mouse::drag(scene.widget, {int(before), y}, {int(before) + 150, y});
  QCOMPARE(scene.model().geometry.headerWidth, before + 150);
  QCOMPARE(scene.model().lanesRect().left(), before + 150);
  QCOMPARE(arranged.count(), 1);
  QVERIFY(scene.model().viewport.window() == Interval({0}, {1'000'000}));
  const auto state = timelineStateFrom(toJson(scene.widget.state()));
  QCOMPARE(state.headerWidth, before + 150);
  const int axis = static_cast<int>(scene.model().axisRect().center().y());
  mouse::drag(scene.widget, {int(before) + 151, axis}, {int(before) + 300, axis}); // an area from the very beginning
  QCOMPARE(scene.model().geometry.headerWidth, before + 150);
  QVERIFY(scene.model().brush.has_value());
  mouse::drag(scene.widget, {int(before) + 150, y}, {5, y}); // something is left of them
  QVERIFY(scene.model().geometry.headerWidth >= 90);
  scene.widget.setState(state);
  QCOMPARE(scene.model().geometry.headerWidth, before + 150);
  QTest::mouseDClick(&scene.widget, Qt::LeftButton, {}, {int(before) + 150, y});
  QCOMPARE(scene.model().geometry.headerWidth, before);
}

void TracksTest::aTrackOutOfSightIsShown() {
  Scene scene(ranks(8, 16), 300);
  const auto& tracks = scene.model().tracks();
  const auto last = tracks.back().id;
  for (const auto& track : tracks)
    if (track.kind == TrackKind::Process) scene.widget.setTrackCollapsed(track.id, true);
  const auto in_sight = [&] {
    const auto* row = scene.layout().rowOf(scene.model().trackIndex(last));
    return row != nullptr && tracks[static_cast<std::size_t>(row->track)].id == last && scene.model().visible(*row);
  };
  QVERIFY(!in_sight());
  scene.widget.showTrack(last);
  QVERIFY(in_sight());
  const double scroll = scene.model().scroll();
  scene.widget.showTrack(last); // nothing moves
  QCOMPARE(scene.model().scroll(), scroll);
}

void TracksTest::theFilterFindsInsideFoldedGroups() {
  Scene scene(ranks(500, 1));
  QTest::keyClick(&scene.widget, Qt::Key_T);
  QCOMPARE(scene.widget.focusWidget(), scene.widget.filterBox());
  QTest::keyClicks(scene.widget.filterBox(), "gpu 1[57]$");
  QCOMPARE(scene.labels(), QStringList({"node", "rank 15", "GPU 15", "rank 17", "GPU 17"}));
  scene.widget.filterBox()->clear();
  QCOMPARE(scene.labels().size(), 501);
}

void TracksTest::aBadExpressionHidesNothing() {
  Scene scene(ranks(2, 1));
  scene.widget.filterBox()->setText("gpu [");
  QVERIFY(!scene.layout().filterIsGood());
  QCOMPARE(scene.labels().size(), 7);
}

void TracksTest::keysWorkOnTheTrackCursor() {
  Scene scene(ranks(2, 2));
  QTest::keyClick(&scene.widget, Qt::Key_Down);
  QCOMPARE(scene.model().trackCursor, std::optional<std::uint32_t>(0));
  QTest::keyClick(&scene.widget, Qt::Key_Down);
  QTest::keyClick(&scene.widget, Qt::Key_Return);
  QVERIFY(scene.model().collapsed(1));
  QTest::keyClick(&scene.widget, Qt::Key_Return, Qt::ShiftModifier);
  QVERIFY(!scene.model().collapsed(1));
  QTest::keyClick(&scene.widget, Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(scene.labels(), QStringList({"node", "rank 0", "rank 1"}));
  const double height = scene.row("rank 0").height;
  QTest::keyClick(&scene.widget, Qt::Key_Plus, Qt::AltModifier);
  QVERIFY(scene.row("rank 0").height > height);
}

void TracksTest::arrangementsOutliveTheTracks() {
  Scene scene(ranks(3, 2));
  scene.widget.setTrackCollapsed(1, true);
  scene.put("rank 2");
  QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::AltModifier);
  QTest::keyClick(&scene.widget, Qt::Key_P);
  const auto labels = scene.labels();
  auto state = scene.widget.state();
  state.tracks.hidden << "node › rank 77"; // of another session
  scene.widget.setTracks(ranks(3, 2), {{0}, {1'000'000}});
  QVERIFY(scene.labels() != labels);
  scene.widget.setState(state);
  QCOMPARE(scene.labels(), labels);
  QVERIFY(scene.widget.state().tracks.hidden.contains("node › rank 77"));
}

void TracksTest::stateIsJson() {
  TimelineState state;
  state.tracks = {{"a › b"}, {"c"}, {"d"}, {"x", "y"}, {{"h", 44.5}}, "gpu"};
  state.colour = {ColourBy::Column, "grid_x", "grid x", "B", 1.5, 9e9, true};
  state.flags = {{{9'007'199'254'740'993}, "7"}}; // no double holds this time
  state.ranges = {{{{-5}, {1'234'567'890'123'456'789}}, "warm-up"}};
  const auto text = QJsonDocument(toJson(state)).toJson();
  QCOMPARE(timelineStateFrom(QJsonDocument::fromJson(text).object()), state);
  QCOMPARE(timelineStateFrom({}), TimelineState{});
}

void TracksTest::theMenuOffersEverything() {
  Scene scene(ranks(2, 2));
  scene.widget.setColourColumns({{"grid_x", "grid x", ""}});
  const auto find = [](QMenu* menu, const QString& text) -> QAction* {
    for (auto* action : menu->findChildren<QAction*>())
      if (action->text().startsWith(text)) return action;
    return nullptr;
  };
  std::unique_ptr<QMenu> menu(scene.widget.makeMenu(2)); // GPU 0
  for (const char* text :
       {"Fold", "Expand all devices", "Fold all devices", "Pin above", "Hide", "Hide all devices", "Move up",
        "Move down", "Height", "Expand all tracks", "Arrange", "Measure", "Name"})
    QVERIFY2(find(menu.get(), text) != nullptr, text);
  find(menu.get(), "Fold all devices")->trigger();
  QCOMPARE(scene.labels(), QStringList({"node", "rank 0", "GPU 0", "rank 1", "GPU 1"}));
  find(menu.get(), "Hide all devices")->trigger();
  QCOMPARE(scene.labels().size(), 3);
  menu.reset(scene.widget.makeMenu(-1));
  find(menu.get(), "Show hidden (2)");
  QSignalSpy column(&scene.widget, &TimelineWidget::colourColumnChosen);
  find(menu.get(), "grid x")->trigger();
  QCOMPARE(column.first().first().toString(), QString("grid_x"));
  find(menu.get(), "Arrange tracks as at first")->trigger();
  QCOMPARE(scene.labels().size(), 9);
}

void TracksTest::measuringSnapsToEdges() {
  Scene scene(ranks(1, 2));
  QTest::keyClick(&scene.widget, Qt::Key_R);
  QVERIFY(scene.model().measuring);
  const Interval window = scene.model().viewport.window();
  mouse::drag(scene.widget, scene.lane("stream 0", 300'000) + QPoint(4, 0),
              scene.lane("stream 0", 500'000) - QPoint(5, 0));
  QCOMPARE(scene.model().viewport.window(), window); // it does not pan
  QVERIFY(scene.model().measure.has_value());
  QCOMPARE(scene.model().measure->from, Nanoseconds{300'000});
  QCOMPARE(scene.model().measure->to, Nanoseconds{500'000});
  QVERIFY(scene.model().measure->fromSnapped && scene.model().measure->toSnapped);
  mouse::drag(scene.widget, scene.lane("stream 0", 350'000), scene.lane("stream 0", 420'000));
  QVERIFY(!scene.model().measure->toSnapped); // nothing is near
  QVERIFY(std::abs(scene.model().measure->to.count - 420'000) < 2'000);
  QTest::keyClick(&scene.widget, Qt::Key_Escape);
  QVERIFY(!scene.model().measure && scene.model().measuring);
  QTest::keyClick(&scene.widget, Qt::Key_Escape);
  QVERIFY(!scene.model().measuring);
}

// Bars of each stream: 100 – 300 and 500 – 900 µs; the window's middle is between them.
void TracksTest::keysMeasureFromEdgeToEdge() {
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
    return std::any_of(bars.begin(), bars.end(), [&](const TimelineBar& bar) { return bar.begin == time || bar.end == time; });
  };
  QVERIFY(isEdge(first) && isEdge(scene.model().measure->to));
  QCOMPARE(scene.model().viewport.window(), window); // it does not pan
  const Nanoseconds at = scene.model().measure->to;
  QTest::keyClick(&scene.widget, Qt::Key_Return); // begins anew there
  QCOMPARE(scene.model().measure->from, at);
  QTest::keyClick(&scene.widget, Qt::Key_Left, Qt::ShiftModifier); // both ends
  QVERIFY(scene.model().measure->to < at);
  QCOMPARE(scene.model().measure->from, scene.model().measure->to);
  for (int i = 0; i < 10; ++i) QTest::keyClick(&scene.widget, Qt::Key_Left); // it ends at the first edge in sight
  QCOMPARE(scene.model().measure->to, bars.front().begin);
  QSignalSpy flag(&scene.widget, &TimelineWidget::flagRequested);
  QTest::keyClick(&scene.widget, Qt::Key_M);
  QCOMPARE(flag.last().at(0).value<Nanoseconds>(), bars.front().begin);
}

void TracksTest::aLaunchIsChosenByKeysAlone() {
  Scene scene(ranks(1, 2));
  QSignalSpy chosen(&scene.widget, &TimelineWidget::launchClicked), steps(&scene.widget, &TimelineWidget::stepWanted);
  QTest::keyClick(&scene.widget, Qt::Key_Period);
  QCOMPARE(chosen.size(), 1);
  QCOMPARE(steps.size(), 0);
  QCOMPARE(scene.model().selectedInterval->begin, Nanoseconds{100'000}); // the first in sight
  QTest::keyClick(&scene.widget, Qt::Key_Period); // from there the engine is asked
  QCOMPARE(steps.size(), 1);
  scene.widget.clearSelection();
  QTest::keyClick(&scene.widget, Qt::Key_Comma);
  QVERIFY(scene.model().selectedInterval->begin > Nanoseconds{100'000}); // the last one
}

void TracksTest::areasNameTheirTracks() {
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
  scene.widget.setBrush(range); // the hub's echo
  QCOMPARE(scene.model().brushTracks.size(), std::size_t{2});
  const int axis = static_cast<int>(scene.model().axisRect().center().y());
  mouse::drag(scene.widget, {400, axis}, {600, axis});
  QVERIFY(area.last().at(1).value<std::vector<std::uint32_t>>().empty()); // all of them
}

void TracksTest::marksAreJumpedTo() {
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
  QTest::keyClick(&scene.widget, Qt::Key_1); // the first in time: the range
  QCOMPARE(scene.model().viewport.window(), (Interval{{90'000}, {210'000}}));
  QTest::keyClick(&scene.widget, Qt::Key_2);
  const Interval window = scene.model().viewport.window();
  QVERIFY(std::abs((window.begin.count + window.end.count) / 2 - 800'000) < 2'000);
  QTest::keyClick(&scene.widget, Qt::Key_3); // there is none
  QCOMPARE(scene.model().viewport.window(), window);
}

void TracksTest::coloursSayWhatTheyShow() {
  Scene scene(ranks(1, 2));
  const auto& track = scene.model().tracks()[3];
  const ViewStyle style = ViewStyle::light();
  QCOMPARE(coloursOf(scene.model(), track, style).of(7, 0.3F), categoryColour(7, style.theme));
  QTest::keyClick(&scene.widget, Qt::Key_C);
  QCOMPARE(scene.model().colour.by, ColourBy::AgainstUsual);
  QCOMPARE(coloursOf(scene.model(), track, style).of(7, 0.3F), style.quiet); // values are on their way
  QSignalSpy wanted(&scene.widget, &TimelineWidget::contentWanted);
  QTRY_COMPARE(wanted.size(), 1);
  QCOMPARE(wanted.first().first().value<TimelineQuery>().value, QString("against_usual"));
  scene.answer();
  const auto colours = coloursOf(scene.model(), track, style);
  QCOMPARE(colours.of(7, 9.0F), divergingColour(1, style.theme)); // saturated
  QCOMPARE(colours.of(7, -0.5F), divergingColour(-1, style.theme));
  QCOMPARE(colours.of(7, kNoNumber), style.quiet);
  QTest::keyClick(&scene.widget, Qt::Key_C);
  QCOMPARE(scene.model().colour.by, ColourBy::Stream);
  QVERIFY(coloursOf(scene.model(), track, style).of(1, 0) !=
          coloursOf(scene.model(), scene.model().tracks()[4], style).of(1, 0));
  scene.widget.setColour({ColourBy::Column, "grid_x", "grid x", "", 1, 10'000, true});
  QCOMPARE(scalePlace(scene.model().colour, 100), 0.5);
  QCOMPARE(scalePlace(scene.model().colour, -3), 0.0);
}

void TracksTest::legendSpeaksOfTheColoursInUse() {
  Scene scene(ranks(1, 1));
  scene.widget.setNames([](std::uint32_t id) { return QString("kernel %1").arg(id); });
  const auto entries = legendEntries(scene.model(), ViewStyle::light(), 5);
  QCOMPARE(entries.size(), std::size_t{2});
  QCOMPARE(entries[0].text, QString("kernel 2")); // 400 µs against 200
  QCOMPARE(entries[1].text, QString("kernel 1"));
}

void TracksTest::stepKeysAskForTheNextLaunch() {
  Scene scene(ranks(1, 1));
  QSignalSpy steps(&scene.widget, &TimelineWidget::stepWanted);
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

void TracksTest::columnsExplainThemselves() {
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

void TracksTest::idleTimesExplainThemselves() {
  auto tracks = ranks(1, 1);
  tracks.push_back({static_cast<std::uint32_t>(tracks.size()), 2, TrackKind::Idle, "idle", {}, 3, 1, {}});
  Scene scene(tracks);
  scene.widget.setWindow({{200'000}, {600'000}});
  TimelineData data;
  data.window = scene.model().viewport.window();
  data.columns = scene.widget.pixelColumns();
  data.tracks.push_back({tracks.back().id, {}, {{{100'000}, {175'171}}, {{190'000}, {265'171}}, {{500'000}, {900'000}}}, {}, 0, 0});
  scene.widget.setData(data);
  mouse::move(&scene.widget, scene.lane("idle", 250'000));
  QTRY_COMPARE(scene.widget.hoverText(), QString("idle: no kernel runs\nduration\t75.17 µs\nfrom\t190.00 µs\nto\t265.17 µs"));
  mouse::move(&scene.widget, scene.lane("idle", 550'000)); // the next one has no row of a table either
  QTRY_VERIFY2(scene.widget.hoverText().contains("duration\t400.0 µs"), qPrintable(scene.widget.hoverText()));
}

void TracksTest::nothingIsPaintedWithoutCause() {
  Scene scene(ranks(3, 4));
  rest(500);
  const auto before = scene.widget.paints();
  rest(2000);
  QCOMPARE(scene.widget.paints().views, before.views);
  QCOMPARE(scene.widget.paints().lanes, before.lanes);
  scene.widget.setFlags({}); // as they are
  scene.widget.setBrush(std::nullopt);
  scene.widget.clearSelection();
  scene.widget.setSelectedBin(std::nullopt);
  scene.widget.setColour({});
  rest(50);
  QCOMPARE(scene.widget.paints().views, before.views);
}

void TracksTest::hoveringPaintsAHairline() {
  Scene scene(ranks(1, 2));
  mouse::move(&scene.widget, scene.lane("stream 0", 150'000));
  rest(500);
  const auto before = scene.widget.paints();
  const int moves = 20;
  for (int i = 1; i <= moves; ++i) { // over the same launch
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

void TracksTest::areaTableComparesWithTheWholeRun() {
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
  const auto heading = std::find_if(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text() == widget.text(); });
  QVERIFY(heading != labels.end());
  const auto wrapped = [&] { // in sight whole
    const QRect needed = (*heading)->fontMetrics().boundingRect(QRect(0, 0, (*heading)->contentsRect().width(), 10'000), Qt::TextWordWrap, (*heading)->text());
    return (*heading)->wordWrap() && needed.height() > (*heading)->fontMetrics().height() && (*heading)->contentsRect().height() >= needed.height();
  };
  QTRY_VERIFY(wrapped());
  auto* model = widget.kernels()->model();
  QCOMPARE(model->rowCount(), 2);
  QCOMPARE(model->index(0, 0).data().toString(), QString("gemm")); // by total
  QCOMPARE(model->index(0, AreaKernelsModel::Mean).data().toString(), QString("200.0 µs"));
  data.whole = {{1, "gemm", 100, 1e7, 1e5, 0.25, 1e5, 1e5, 1e5, 1e5, 1e5, 5e5, 0, 0},
                {2, "copy", 100, 2e5, 2e2, 0.1, 2e2, 2e2, 2e2, 2e2, 2e2, 1e3, 0, 0}};
  widget.setArea(data);
  QVERIFY(model->index(0, AreaKernelsModel::Mean).data().toString().contains("×2.00"));
  QVERIFY(model->index(0, AreaKernelsModel::Count).data().toString().contains("10.0 %"));
  QVERIFY(model->index(0, AreaKernelsModel::P99).data(Qt::ToolTipRole).toString().contains("whole run"));
  widget.kernels()->sortByColumn(AreaKernelsModel::Mean, Qt::DescendingOrder);
  QCOMPARE(model->index(0, 0).data().toString(), QString("gemm"));
  widget.findChild<QCheckBox*>()->setChecked(true); // by ratio: five times against twice
  QCOMPARE(model->index(0, 0).data().toString(), QString("copy"));
  auto* tracks = widget.tracks()->model();
  QCOMPARE(tracks->index(0, AreaTracksModel::Share).data().toString(), QString("80.0 %"));
  QCOMPARE(tracks->index(1, AreaTracksModel::Share).data().toString(), QString("–"));
  QCOMPARE(tracks->index(1, AreaTracksModel::Mean).data().toString(), QString("1.200"));
}

QTEST_MAIN(TracksTest)
#include "views_tracks_test.moc"
