#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>
#include <map>
#include <set>

#include "tests/views/timeline/tracks_scene.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_parts.h"

namespace jitterscope::views {

namespace {

/// The given number of threads with states, in processes of eight.
std::vector<TimelineTrack> threads(int count) {
  std::vector<TimelineTrack> tracks = {{0, -1, TrackKind::Host, "node", {}, 0, 1, {}}};
  int process = 0;
  for (int i = 0; i < count; ++i) {
    if (i % 8 == 0) {
      process = static_cast<int>(tracks.size());
      tracks.push_back({static_cast<std::uint32_t>(process),
                        0,
                        TrackKind::Process,
                        QString("rank %1").arg(i / 8),
                        {},
                        1,
                        1,
                        {}});
    }
    tracks.push_back({static_cast<std::uint32_t>(tracks.size()),
                      process,
                      TrackKind::Ranges,
                      QString("thread %1 · states").arg(i % 8),
                      {},
                      2,
                      1,
                      {}});
  }
  return tracks;
}

/// Every pixel of a query: name 1 in the first half of the rows, name 2 in the others.
MergedCells answerOf(const MergedQuery& query) {
  MergedCells cells;
  cells.query = query;
  std::size_t rows = 0;
  for (const auto& block : query.blocks) rows += block.rows.size();
  for (std::size_t row = 0; row < rows; ++row)
    for (int c = 0; c < query.columns; ++c) {
      cells.names.push_back(row < rows / 2 ? 1 : 2);
      cells.shares.push_back(255);
    }
  return cells;
}

std::size_t tracksIn(const MergedQuery& query) {
  std::set<std::uint32_t> seen;
  for (const auto& block : query.blocks)
    for (const auto& row : block.rows) seen.insert(row.begin(), row.end());
  return seen.size();
}

void wheel(QWidget& widget, QPointF position, int delta, Qt::KeyboardModifiers modifiers) {
  QWheelEvent event(position, widget.mapToGlobal(position), {}, {0, delta}, Qt::NoButton, modifiers,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(&widget, &event);
}

} // namespace

class MergedTest : public QObject {
  Q_OBJECT

private slots:
  void eachTrackIsInTheRowThatHoldsItsMiddle() {
    TrackLayout layout;
    layout.setTracks(threads(400));
    const double all = layout.scrolledHeight() / layout.scale();
    for (const int rows : {1, 7, 50, 333, 5'000}) {
      const auto block = timeline::mergeRows(layout, 0, all, rows);
      QCOMPARE(block.rows.size(), static_cast<std::size_t>(rows));
      std::map<std::uint32_t, int> times;
      for (const auto& row : block.rows)
        for (const auto id : row) ++times[id];
      QCOMPARE(times.size(), std::size_t{400});
      if (rows <= 50) // then every row shows several tracks
        for (const auto& [id, count] : times) QCOMPARE(count, 1);
    }
  }
  // States and bursts of threads alternate; with an odd number of tracks per row, each kind would win in
  // turn.
  void rowsOfPixelsShowOneKindOfTracks() {
    std::vector<TimelineTrack> tracks{{0, -1, TrackKind::Process, "rank 0", {}, 0, 1, {}}};
    std::set<std::uint32_t> states;
    for (std::uint32_t id = 1; id <= 600; ++id) {
      const bool burst = id % 2 == 1;
      tracks.push_back({id,
                        0,
                        burst ? TrackKind::Stream : TrackKind::Ranges,
                        QString("thread %1").arg(id / 2),
                        {},
                        1,
                        1,
                        {}});
      if (!burst) states.insert(id);
    }
    TrackLayout layout;
    layout.setTracks(tracks);
    layout.collapseAll(false);
    const double all = layout.scrolledHeight() / layout.scale();
    for (const int rows : {50, 120, 200}) {
      const auto block = timeline::mergeRows(layout, 0, all, rows);
      std::set<std::uint32_t> seen;
      for (const auto& row : block.rows) {
        QVERIFY(!row.empty());
        for (const auto id : row) QVERIFY2(states.contains(id), qPrintable(QString("%1 rows").arg(rows)));
        seen.insert(row.begin(), row.end());
      }
      QCOMPARE(seen, states);
    }
    const auto whole = timeline::mergeRows(layout, 0, all, 5'000); // each track has its own rows
    std::set<std::uint32_t> seen;
    for (const auto& row : whole.rows) seen.insert(row.begin(), row.end());
    QCOMPARE(seen.size(), std::size_t{600});
  }
  void aLongListIsShownWholeAtFirst() {
    Scene scene(threads(8'000));
    QVERIFY(scene.model().heights().fit);
    QVERIFY(scene.model().merges());
    QCOMPARE(scene.model().longestScroll(), 0.0);
    const auto query = scene.model().mergedQuery(1);
    QCOMPARE(tracksIn(query), std::size_t{8'000});
    QVERIFY(query.blocks.front().rows.size() <=
            static_cast<std::size_t>(scene.model().scrolledRect().height() + 1));
    QVERIFY(scene.model().requestedTracks().empty()); // no track is requested separately
  }
  void aShortListIsNot() {
    Scene scene(ranks(4, 4));
    QVERIFY(!scene.model().heights().fit);
    QVERIFY(scene.model().mergedQuery(1).blocks.empty());
  }
  void theContentIsRequestedAndDrawn() {
    Scene scene(threads(8'000));
    QSignalSpy asked(&scene.widget, &TimelineWidget::mergedRequested);
    scene.widget.showAll();
    QTRY_VERIFY(!asked.empty());
    scene.widget.setMerged(answerOf(asked.last().first().value<MergedQuery>()));
    const QImage image = scene.widget.grab().toImage();
    const double ratio = image.devicePixelRatio();
    const QRectF area = scene.model().scrolledRect();
    const auto colourAt = [&](double share) {
      return image.pixelColor(
          (QPointF(area.center().x(), area.top() + share * area.height()) * ratio).toPoint());
    };
    QCOMPARE(colourAt(0.25), categoryColour(1, Theme::Light));
    QCOMPARE(colourAt(0.75), categoryColour(2, Theme::Light));
  }
  // The values come with the pixels: nothing is requested for single tracks.
  void pixelsHaveTheColoursOfTheirValues() {
    Scene scene(ranks(2'000, 4));
    scene.widget.showAll();
    QVERIFY(scene.model().merges());
    const auto colourOfPixels = [&] {
      const QImage image = timeline::renderMerged(scene.model(), scene.model().merged(), ViewStyle::light());
      for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
          if (image.pixelColor(x, y).alpha() > 0) return image.pixelColor(x, y);
      return QColor();
    };
    TimelineColour colour;
    colour.by = ColourBy::RelativeToMean;
    const auto answer = [&] {
      auto cells = answerOf(scene.model().mergedQuery(1));
      cells.values.assign(cells.shares.size(), 0.4F);
      scene.widget.setMerged(cells);
    };
    answer();
    scene.widget.setColour(colour); // the values are those of the earlier colours
    QCOMPARE(colourOfPixels(), ViewStyle::light().quiet);
    answer();
    const QColor expected = timeline::deviationColour(0.8, ViewStyle::light());
    const QColor shown = colourOfPixels();
    QVERIFY2(shown != ViewStyle::light().quiet, "values have no colours");
    QVERIFY(std::abs(shown.red() - expected.red()) < 4 && std::abs(shown.green() - expected.green()) < 4 &&
            std::abs(shown.blue() - expected.blue()) < 4); // the scale has 255 steps
  }
  void theCardNamesTheTracksOfARow() {
    Scene scene(threads(8'000));
    scene.widget.setMerged(answerOf(scene.model().mergedQuery(scene.widget.devicePixelRatioF())));
    const QPointF point = scene.model().scrolledRect().center();
    const auto hit = scene.model().hitTest(point);
    QVERIFY(hit.mergedRow >= 0);
    const QString text = mergedText(scene.model(), hit);
    QVERIFY2(text.contains("tracks\t") && text.contains("rank 5"), qPrintable(text));
  }
  void controlShiftWheelSeparatesTracksAndKeepsTheOneUnderThePointer() {
    Scene scene(threads(8'000));
    const QPointF point = scene.model().scrolledRect().center();
    const int before = scene.model().rowAt(point.y())->track;
    for (int i = 0; i < 40 && scene.model().merges(); ++i)
      wheel(scene.widget, point, 120, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!scene.model().merges());
    QVERIFY(!scene.model().heights().fit);
    QVERIFY(std::abs(scene.model().rowAt(point.y())->track - before) <= 8);
    QVERIFY(!scene.model().requestedTracks().empty());
  }
  void shiftFFitsAllTracks() {
    Scene scene(threads(200));
    QVERIFY(scene.model().longestScroll() > 0);
    QTest::keyClick(&scene.widget, Qt::Key_F, Qt::ShiftModifier);
    QCOMPARE(scene.model().longestScroll(), 0.0);
    QTest::keyClick(&scene.widget, Qt::Key_F, Qt::ShiftModifier);
    QVERIFY(scene.model().longestScroll() > 0);
  }
  void theOverviewScrolls() {
    Scene scene(threads(400));
    QSignalSpy asked(&scene.widget, &TimelineWidget::mapRequested);
    scene.widget.showAll();
    QTRY_VERIFY(!asked.empty());
    const auto query = asked.last().first().value<MergedQuery>();
    QCOMPARE(query.window, scene.model().viewport.span());
    scene.widget.setMap(answerOf(query));
    const QRectF map = scene.model().mapRect();
    QVERIFY(map.width() > 0);
    QTest::mouseClick(&scene.widget, Qt::LeftButton, {},
                      QPointF(map.center().x(), map.bottom() - 2).toPoint());
    QCOMPARE(scene.model().scroll(), scene.model().longestScroll());
    QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, QPointF(map.center().x(), map.top() + 2).toPoint());
    QCOMPARE(scene.model().scroll(), 0.0);
  }
  void aFoldedGroupOfManyThreadsShowsThemAll() {
    std::vector<TimelineTrack> tracks = {{0, -1, TrackKind::Host, "node", {}, 0, 1, {}},
                                         {1, 0, TrackKind::Process, "rank 0", {}, 1, 1, {}}};
    for (int i = 0; i < 100; ++i)
      tracks.push_back({static_cast<std::uint32_t>(i + 2),
                        1,
                        TrackKind::Ranges,
                        QString("thread %1").arg(i),
                        {},
                        2,
                        1,
                        {}});
    Scene scene(tracks);
    scene.widget.setTrackCollapsed(1, true);
    QCOMPARE(tracksIn(scene.model().mergedQuery(1)), std::size_t{100});
    // Also above the other tracks, where it is shown twice.
    auto state = scene.widget.state();
    state.tracks.pinned << scene.layout().key(1);
    scene.widget.setState(state);
    for (const double scale : {1.0, 0.1}) {
      scene.widget.setHeights({false, scale, Merging::Dominant, false});
      const auto query = scene.model().mergedQuery(scene.widget.devicePixelRatioF());
      QCOMPARE(query.blocks.size(), std::size_t{2});
      const auto pinned = std::ranges::find(query.blocks, true, &MergedBlock::pinned);
      QVERIFY(pinned != query.blocks.end());
      std::set<std::uint32_t> seen;
      for (const auto& row : pinned->rows) seen.insert(row.begin(), row.end());
      QCOMPARE(seen.size(), std::size_t{100});
      auto cells = answerOf(query); // another name in each block
      std::size_t pixel = 0;
      for (const auto& block : query.blocks)
        for (std::size_t i = 0; i < block.rows.size() * static_cast<std::size_t>(query.columns); ++i)
          cells.names[pixel++] = block.pinned ? 1 : 2;
      scene.widget.setMerged(cells);
      const QImage image = scene.widget.grab().toImage();
      const auto colourIn = [&](const TrackRow& row) {
        return image.pixelColor((scene.model().rowRect(row).center() * image.devicePixelRatio()).toPoint());
      };
      const TrackRow &above = scene.model().rows().front(), &below = scene.model().rows().back();
      QVERIFY(above.pinned && !below.pinned);
      QCOMPARE(colourIn(above), categoryColour(1, Theme::Light));
      QCOMPARE(colourIn(below), categoryColour(2, Theme::Light));
      const TimelineHit hit = scene.model().hitTest(scene.model().rowRect(above).center());
      QVERIFY(hit.mergedRow >= 0);
      QCOMPARE(cells.names[hit.merged], 1U);
    }
  }
  void heightsAreKeptWithASession() {
    TimelineState state;
    state.heights = {true, 0.5, Merging::Maximum, false};
    QCOMPARE(timelineStateFrom(toJson(state)), state);
  }
  void aPictureHasAMaximumHeight() {
    Scene scene(threads(8'000));
    const auto style = ViewStyle::paper();
    QVERIFY(timeline::totalHeight(scene.model(), 1'000, style) > timeline::kMaxPaperHeight);
    QCOMPARE(timeline::paperHeight(scene.model(), 1'000, style), timeline::kMaxPaperHeight);
  }
};

} // namespace jitterscope::views

QTEST_MAIN(jitterscope::views::MergedTest)
#include "views_merged_test.moc"
