// The tracks of the timeline: folding, pinning, hiding, order, heights, filter.

#include <QJsonDocument>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include "tests/views/timeline/tracks_scene.h"

using namespace jitterscope;
using namespace jitterscope::views;

class TracksTest : public QObject {
  Q_OBJECT

private slots:
  void fewTracksAreAllShown();
  void aThousandTracksAreFoldedToAReadableNumber();
  void aFoldedGroupShowsWhatIsInside();
  void onlyVisibleTracksAreRequested();
  void scrollingRequestsVisibleTracks();
  void scrollingRequestsNothingThatIsThere();
  void theChosenLaunchStaysVisible();
  void pinnedTracksStayAbove();
  void hiddenTracksComeBack();
  void tracksMoveAmongTheirSiblings();
  void draggingALabelMovesItsTrack();
  void draggingABorderMakesARowHigher();
  void draggingTheNamesBorderMakesRoomForThem();
  void aHiddenTrackIsScrolledIntoView();
  void theFilterFindsInsideFoldedGroups();
  void aBadExpressionHidesNothing();
  void keysWorkOnTheTrackCursor();
  void aKeyBrushesAFoldedTrackAsDraggingDoes();
  void arrangementsOutliveTheTracks();
  void stateIsJson();
  void olderNamesOfColoursAreRead();
  void theMenuOffersEverything();
  void kindsOfCopiesFoldBeforeDevices();
};

void TracksTest::fewTracksAreAllShown() {
  const Scene scene(ranks(2, 2));
  QCOMPARE(scene.labels().size(), 9);
}

void TracksTest::aThousandTracksAreFoldedToAReadableNumber() {
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
  QCOMPARE(row.strips, std::vector<std::uint32_t>{2}); // the rank's device
  scene.answer();
  const auto hit = scene.model().hitTest(scene.lane("rank 0", 200'000));
  QVERIFY(hit.bar != nullptr);
  QCOMPARE(hit.contentTrack, 2u);
  QCOMPARE(hit.bar->row, 21u);
}

void TracksTest::onlyVisibleTracksAreRequested() {
  Scene scene(ranks(500, 1));
  QSignalSpy requested(&scene.widget, &TimelineWidget::contentRequested);
  scene.widget.setWindow({{0}, {500'000}});
  QTRY_COMPARE(requested.size(), 1);
  const auto query = requested.first().first().value<TimelineQuery>();
  QCOMPARE(query.window, (Interval{{0}, {500'000}}));
  QVERIFY(!query.tracks.empty());
  QVERIFY2(query.tracks.size() < 40, qPrintable(QString::number(query.tracks.size())));
}

void TracksTest::scrollingRequestsVisibleTracks() {
  Scene scene(ranks(500, 1));
  rest(100);
  QSignalSpy requested(&scene.widget, &TimelineWidget::contentRequested),
      moved(&scene.widget, &TimelineWidget::windowChanged);
  for (int i = 0; i < 60; ++i) QTest::keyClick(&scene.widget, Qt::Key_PageDown);
  QTRY_COMPARE(requested.size(), 1);
  const auto tracks = requested.first().first().value<TimelineQuery>().tracks;
  QVERIFY(std::find(tracks.begin(), tracks.end(), 3u * 499 + 2) != tracks.end()); // the last rank's device
  QCOMPARE(moved.size(), 0);
}

void TracksTest::scrollingRequestsNothingThatIsThere() {
  Scene scene(ranks(20, 1), 300);
  scene.widget.setHeights({false, 1, Merging::Dominant, false}); // no overview of all tracks
  rest(100);
  scene.answer();
  QVERIFY(scene.model().longestScroll() > 20);
  QSignalSpy content(&scene.widget, &TimelineWidget::contentRequested),
      merged(&scene.widget, &TimelineWidget::mergedRequested),
      map(&scene.widget, &TimelineWidget::mapRequested);
  scene.widget.findChild<QScrollBar*>()->setValue(20);
  QCOMPARE(scene.model().scroll(), 20.0);
  rest(100);
  QCOMPARE(content.size() + merged.size() + map.size(), 0);
}

void TracksTest::theChosenLaunchStaysVisible() {
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
    return row != nullptr &&
           scene.model().rowRect(*row).bottom() <= scene.model().scrolledRect().bottom() + 0.5 &&
           scene.model().rowRect(*row).top() >= scene.model().scrolledRect().top() - 0.5;
  };
  QVERIFY(seen(track));
  scene.widget.setSelection(id, 0, {{0}, {100}});
  scene.widget.resize(900, 320);
  QVERIFY(seen(track));
  // A resize does not scroll back to a track that the user scrolled away from.
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
  QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::AltModifier); // the track is already the last
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
  QVERIFY((scene.model().viewport.window() == Interval{{0}, {1'000'000}}));
  const auto state = timelineStateFrom(toJson(scene.widget.state()));
  QCOMPARE(state.headerWidth, before + 150);
  const int axis = static_cast<int>(scene.model().axisRect().center().y());
  mouse::drag(scene.widget, {int(before) + 151, axis},
              {int(before) + 300, axis}); // an area from the start of the axis
  QCOMPARE(scene.model().geometry.headerWidth, before + 150);
  QVERIFY(scene.model().brush.has_value());
  mouse::drag(scene.widget, {int(before) + 150, y}, {5, y}); // names keep a minimum width
  QVERIFY(scene.model().geometry.headerWidth >= 90);
  scene.widget.setState(state);
  QCOMPARE(scene.model().geometry.headerWidth, before + 150);
  QTest::mouseDClick(&scene.widget, Qt::LeftButton, {}, {int(before) + 150, y});
  QCOMPARE(scene.model().geometry.headerWidth, before);
}

void TracksTest::aHiddenTrackIsScrolledIntoView() {
  Scene scene(ranks(8, 16), 300);
  const auto& tracks = scene.model().tracks();
  const auto last = tracks.back().id;
  for (const auto& track : tracks)
    if (track.kind == TrackKind::Process) scene.widget.setTrackCollapsed(track.id, true);
  const auto is_visible = [&] {
    const auto* row = scene.layout().rowOf(scene.model().trackIndex(last));
    return row != nullptr && tracks[static_cast<std::size_t>(row->track)].id == last &&
           scene.model().visible(*row);
  };
  QVERIFY(!is_visible());
  scene.widget.showTrack(last);
  QVERIFY(is_visible());
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

void TracksTest::aKeyBrushesAFoldedTrackAsDraggingDoes() {
  Scene scene(ranks(2, 2));
  scene.widget.setTrackCollapsed(1, true);
  QSignalSpy chosen(&scene.widget, &TimelineWidget::areaChosen);
  const auto tracks = [&] { return chosen.last().at(1).value<std::vector<std::uint32_t>>(); };
  QTest::keyClick(&scene.widget, Qt::Key_Down);
  QTest::keyClick(&scene.widget, Qt::Key_Down);
  QTest::keyClick(&scene.widget, Qt::Key_B);
  QCOMPARE(tracks(), std::vector<std::uint32_t>{1}); // rank 0, not its devices
  QCOMPARE(scene.model().brushTracks, tracks());
  const QPoint from = scene.lane("rank 0", 200'000), to = scene.lane("rank 0", 400'000);
  mouse::drag(scene.widget, from, to, Qt::ShiftModifier);
  QCOMPARE(chosen.size(), 2);
  QCOMPARE(tracks(), std::vector<std::uint32_t>{1});
}

void TracksTest::arrangementsOutliveTheTracks() {
  Scene scene(ranks(3, 2));
  scene.widget.setTrackCollapsed(1, true);
  scene.put("rank 2");
  QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::AltModifier);
  QTest::keyClick(&scene.widget, Qt::Key_P);
  const auto labels = scene.labels();
  auto state = scene.widget.state();
  state.tracks.hidden << "node › rank 77"; // a track of another session
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
  state.flags = {{{9'007'199'254'740'993}, "7"}}; // not representable as a double
  state.ranges = {{{{-5}, {1'234'567'890'123'456'789}}, "warm-up"}};
  const auto text = QJsonDocument(toJson(state)).toJson();
  QCOMPARE(timelineStateFrom(QJsonDocument::fromJson(text).object()), state);
  QCOMPARE(timelineStateFrom({}), TimelineState{});
}

void TracksTest::olderNamesOfColoursAreRead() {
  TimelineState state;
  state.colour.by = ColourBy::RelativeToMean;
  QJsonObject saved = toJson(state);
  QCOMPARE(saved["colour"].toObject()["by"].toString(), QString("relative-to-mean"));
  QCOMPARE(timelineStateFrom(saved), state);
  QJsonObject colour = saved["colour"].toObject();
  colour["by"] = "against-usual";
  saved["colour"] = colour;
  QCOMPARE(timelineStateFrom(saved), state);
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
       {"Fold", "Expand All Devices", "Fold All Devices", "Pin Above", "Hide", "Hide All Devices", "Move Up",
        "Move Down", "Default Height", "Expand All Tracks", "Reset Tracks", "Measure", "Name"})
    QVERIFY2(find(menu.get(), text) != nullptr, text);
  find(menu.get(), "Fold All Devices")->trigger();
  QCOMPARE(scene.labels(), QStringList({"node", "rank 0", "GPU 0", "rank 1", "GPU 1"}));
  find(menu.get(), "Hide All Devices")->trigger();
  QCOMPARE(scene.labels().size(), 3);
  menu.reset(scene.widget.makeMenu(-1));
  QVERIFY(find(menu.get(), "Show Hidden (2)"));
  QSignalSpy column(&scene.widget, &TimelineWidget::colourColumnChosen);
  find(menu.get(), "grid x")->trigger();
  QCOMPARE(column.first().first().toString(), QString("grid_x"));
  find(menu.get(), "Reset Tracks")->trigger();
  QCOMPARE(scene.labels().size(), 9);
}

// Kinds of copies are unfolded where there is room. Where there is not, they are folded first; devices stay
// unchanged.
void TracksTest::kindsOfCopiesFoldBeforeDevices() {
  const auto with_copies = [](int devices, int streams) {
    auto tracks = ranks(devices, streams);
    std::vector<TimelineTrack> all;
    std::vector<int> moved(tracks.size());
    const auto add = [&](TimelineTrack track, int parent) {
      track.id = static_cast<std::uint32_t>(all.size());
      track.parent = parent;
      track.depth = parent < 0 ? 0 : all[static_cast<std::size_t>(parent)].depth + 1;
      all.push_back(track);
      return static_cast<int>(all.size()) - 1;
    };
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      moved[i] =
          add(tracks[i], tracks[i].parent < 0 ? -1 : moved[static_cast<std::size_t>(tracks[i].parent)]);
      const bool last = i + 1 == tracks.size() || tracks[i + 1].kind != TrackKind::Stream;
      if (tracks[i].kind != TrackKind::Stream || !last) continue;
      const int copies = add({0, 0, TrackKind::Copies, "copies", {}, 0, 1, {}}, all.back().parent);
      for (const char* kind : {"host-to-device", "device-to-host", "memset"})
        add({0, 0, TrackKind::Copies, kind, {}, 0, 1, {}}, copies);
    }
    return all;
  };
  const Scene few(with_copies(2, 3));
  QCOMPARE(few.labels().count("memset"), 2);
  QVERIFY(few.labels().indexOf("host-to-device") == few.labels().indexOf("copies") + 1);
  const Scene more(with_copies(6, 3)); // 1 + 6 · 9 rows
  QCOMPARE(more.labels().count("memset"), 0);
  QCOMPARE(more.labels().count("copies"), 6);
  QCOMPARE(more.labels().count("stream 0"), 6);
  Scene opened(with_copies(6, 3));
  const auto copies = opened.row("copies").track;
  opened.widget.showTrack(opened.model().tracks()[static_cast<std::size_t>(copies) + 3].id); // a folded track
  QCOMPARE(opened.labels().count("memset"), 1);
}

QTEST_MAIN(TracksTest)
#include "views_tracks_test.moc"
