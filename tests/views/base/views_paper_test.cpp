// How views on paper differ from the screen: sizes and colours of files, complete rows
// and names of tracks, rows of launches beyond the screen, texts of graphs in any size.

#include <QFile>
#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/views/sample_data.h"
#include "tests/views/timeline/tracks_scene.h"
#include "views/base/export.h"
#include "views/base/painting.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_painter.h"
#include "views/causal/causal_painter.h"
#include "views/heatmap/heat_map_painter.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"
#include "views/table_parts/table_picture.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_parts.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::vector<TimelineTrack> longNames() {
  auto tracks = ranks(2, 3);
  for (auto& track : tracks)
    if (track.kind == TrackKind::Stream)
      track.label = "stream of the communication library " + track.label.right(1);
  return tracks;
}

/// Content of one track in folded columns: one short event in every `apart`-th column.
TimelineData sparse(const TimelineModel& model, std::uint32_t track, int columns, int apart) {
  TimelineData data;
  data.window = model.viewport.window();
  data.columns = columns;
  auto& content = data.tracks.emplace_back();
  content.trackId = track;
  content.cells.resize(static_cast<std::size_t>(columns));
  for (int c = 0; c < columns; c += apart) content.cells[static_cast<std::size_t>(c)] = {1, 0.01F, 1, 1};
  return data;
}

int distance(const QColor& a, const QColor& b) {
  return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
}

/// Marks in a lane of a picture of 1000 × 400 logical pixels: groups of neighbouring pixels of its lowest
/// line with the colour of the events, which the lines of the axis may shade.
int marksIn(TimelineModel model, std::uint32_t track, double scale) {
  const QSize size(1000, 400);
  const ViewStyle style = ViewStyle::paper();
  const QImage image =
      renderImage(size, scale, [&](QPainter& p, const QRectF& r) { timeline::paint(p, r, model, style); });
  timeline::layOutForPaper(model, size, style);
  const QRectF lane = model.laneOf(track);
  const int y = static_cast<int>((lane.bottom() - 4) * scale);
  int marks = 0;
  bool before = false;
  for (int x = static_cast<int>(lane.left() * scale); x < static_cast<int>(lane.right() * scale); ++x) {
    const QColor pixel = image.pixelColor(x, y);
    const bool mark = distance(pixel, categoryColour(1, style.theme)) < distance(pixel, style.background);
    marks += mark && !before;
    before = mark;
  }
  return marks;
}

LaunchesPage launches(qint64 first, qint64 count) {
  LaunchesPage page;
  page.first = first;
  page.total = 1'000;
  page.columns = {{"start", "start", "ns", {}, LaunchesColumn::Kind::Number},
                  {"duration", "duration", "ns", {}, LaunchesColumn::Kind::Number}};
  page.values.resize(2);
  page.texts.resize(2);
  for (qint64 row = first; row < first + count; ++row) {
    page.numbers.push_back(static_cast<std::uint64_t>(row));
    page.values[0].push_back(static_cast<double>(1'000 * row));
    page.values[1].push_back(1'760);
  }
  return page;
}

} // namespace

class PaperTest : public QObject {
  Q_OBJECT

private slots:
  void picturesOfPixelsKnowTheirSizeOnPaper() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.png");
    QVERIFY(exportPicture(path, {321, 246}, 300 / 96.0, "a", [](QPainter&, const QRectF&) {}).has_value());
    const QImage image(path);
    QCOMPARE(image.width(), 1003); // 85 mm at 300 dpi
    QVERIFY(std::abs(image.width() / (image.dotsPerMeterX() / 1000.0) - 85) < 0.2);
    QCOMPARE(image.dotsPerMeterY(), image.dotsPerMeterX());
  }

  // JPEG, Qt's default for images in PDF, would mix the colours of neighbouring cells.
  void cellsOfAHeatMapKeepTheirColoursInPdf() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.pdf");
    const HeatMapData data = sample::heatMap();
    QVERIFY(exportPicture(path, {643, 340}, 1, "a", [&](QPainter& p, const QRectF& r) {
              heat_map::paint(p, r, data, ViewStyle::paper());
            }).has_value());
    const QByteArray text = contentOf(path);
    QVERIFY(text.contains("/Image"));
    QVERIFY(!text.contains("DCTDecode"));
  }

  void equalBarsOfTheStripAreOneRectangle() {
    BinsData data;
    data.width = {100'000'000};
    data.span = {{0}, {1'000'000'000}};
    for (std::uint32_t b = 0; b < 10; ++b) {
      BinRow row;
      row.index = b, row.start = {b * 100'000'000}, row.n = 1, row.value = b == 4 ? 10 : 5, row.kept = b == 4;
      data.bins.push_back(row);
    }
    BinsModel model;
    model.setData(data);
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.svg");
    QVERIFY(exportPicture(path, {620, 90}, 1, "a", [&](QPainter& p, const QRectF& r) {
              bins::paintStrip(p, r, model, ViewStyle::paper(), {});
            }).has_value());
    QVERIFY2(contentOf(path).count("<rect") < 30,
             qPrintable(QString::number(contentOf(path).count("<rect")))); // of 600 columns
  }

  void rowsOnPaperAreWholeAndTheRestIsReported() {
    Scene scene(ranks(8, 3), 300);
    TimelineModel model = scene.model();
    const auto style = ViewStyle::paper();
    timeline::layOutForPaper(model, {640, 340}, style);
    QVERIFY(timeline::tracksLeftOut(model).contains(QString(" of %1 tracks shown").arg(model.rows().size())));
    for (const auto& row : model.rows())
      if (model.visible(row))
        QVERIFY2(model.rowRect(row).bottom() <= model.lanesRect().bottom() + 0.5,
                 qPrintable(QString::number(row.track)));
    const double all = timeline::paperHeight(scene.model(), 640, style);
    timeline::layOutForPaper(model, {640, std::ceil(all)}, style);
    QCOMPARE(timeline::tracksLeftOut(model), QString());
    timeline::layOutForPaper(model, {640, all - 30}, style);
    QVERIFY(!timeline::tracksLeftOut(model).isEmpty());
  }

  void paperBeginsWhereTheScreenDoes() {
    Scene scene(ranks(12, 3), 300);
    TimelineModel model = scene.model();
    model.setScroll(model.longestScroll());
    const double scroll = model.scroll();
    QVERIFY(scroll > 0);
    timeline::layOutForPaper(model, {640, 300}, ViewStyle::paper());
    const auto first = std::find_if(model.rows().begin(), model.rows().end(),
                                    [&](const TrackRow& row) { return model.visible(row); });
    QVERIFY(first != model.rows().end() && first->y <= scroll + 0.5 && first->y + first->height > scroll);
    QVERIFY(std::abs(model.rowRect(*first).top() - model.scrolledRect().top()) < 0.5); // a complete row
  }

  void namesOfTracksHaveRoomOnPaper() {
    Scene scene(longNames());
    TimelineModel model = scene.model();
    timeline::layOutForPaper(model, {1000, 600}, ViewStyle::paper());
    const double wide = model.geometry.headerWidth;
    QVERIFY2(wide > defaultHeaderWidth(1000), qPrintable(QString::number(wide)));
    timeline::layOutForPaper(model, {400, 600}, ViewStyle::paper());
    QVERIFY(model.geometry.headerWidth <= 0.37 * 400);
  }

  // The lanes of a picture have other widths than those of the window, and the names of tracks take more of
  // it.
  void everyFoldedEventIsInThePicture() {
    Scene scene(longNames());
    TimelineModel model = scene.model();
    const std::uint32_t stream = 3;
    for (const double scale : {1.0, 1.5, 2.0}) {
      const int columns = timeline::paperColumns(model, {1000, 400}, ViewStyle::paper(), scale);
      QVERIFY2(columns < 800 * scale && columns > 500 * scale, qPrintable(QString::number(columns)));
      model.setData(sparse(model, stream, columns, 2));
      QCOMPARE(marksIn(model, stream, scale), (columns + 1) / 2); // a column is a pixel
      model.setData(sparse(model, stream, 1200, 12));
      QCOMPARE(marksIn(model, stream, scale), 100);
      model.setData(sparse(model, stream, 9000, 90)); // more columns than pixels at any scale
      QCOMPARE(marksIn(model, stream, scale), 100);
    }
  }

  void joinedColumnsKeepEventsAndTheirShares() {
    TimelineData data;
    data.columns = 5;
    auto& content = data.tracks.emplace_back();
    content.cells = {{}, {1, 0.5F, 7, 0}, {1, 0.25F, 8, 1}, {}, {}};
    content.counter = {{1, 2, 3, true}, {0, 4, 5, true}, {}, {}, {}};
    const TimelineData less = timeline::joined(data, 2);
    QCOMPARE(less.columns, 2);
    const auto& cells = less.tracks.front().cells;
    QCOMPARE(cells.size(), std::size_t{2});
    QCOMPARE(cells[0].count, 2U); // events of two names
    QCOMPARE(cells[0].nameId, 7U);
    QCOMPARE(cells[0].busy, 0.25F);
    QVERIFY(std::abs(cells[0].selected - 1.0F / 3) < 1e-6F);
    QCOMPARE(cells[1].count, 0U);
    const auto& counter = less.tracks.front().counter;
    QCOMPARE(counter[0].minimum, 0.0F);
    QCOMPARE(counter[0].mean, 3.0F);
    QCOMPARE(counter[0].maximum, 5.0F);
    QVERIFY(!counter[1].present);
    MergedCells merged;
    merged.query.columns = 4;
    merged.names = {1, 2, kNoName, kNoName};
    merged.shares = {10, 20, 0, 0};
    const MergedCells pixels = timeline::joined(merged, 2);
    QCOMPARE(pixels.names, (std::vector<std::uint32_t>{2, kNoName}));
    QCOMPARE(pixels.shares, (std::vector<std::uint8_t>{20, 0}));
  }

  // On the screen, the content of a large picture is joined, too.
  void contentForPaperIsRequestedInItsColumns() {
    Scene scene(ranks(2, 3));
    QVERIFY(scene.widget.holdsAllTracks());
    const int columns = 3 * scene.widget.pixelColumns();
    QSignalSpy requested(&scene.widget, &TimelineWidget::contentRequested);
    QVERIFY(!scene.widget.holdsAllTracks(columns));
    QCOMPARE(requested.front().front().value<TimelineQuery>().columns, columns);
    scene.widget.setData(sparse(scene.model(), 3, columns, 30));
    const QImage lanes =
        timeline::renderLanes(scene.model(), ViewStyle::light(), scene.widget.devicePixelRatioF());
    QCOMPARE(lanes.width(), scene.widget.pixelColumns());
  }

  void tracksThatAreNotVisibleAreRequestedOnce() {
    Scene scene(ranks(40, 3), 300);
    QSignalSpy requested(&scene.widget, &TimelineWidget::contentRequested);
    QVERIFY(!scene.widget.holdsAllTracks());
    QVERIFY(!scene.widget.holdsAllTracks());
    QCOMPARE(requested.size(), 1);
    const auto query = requested.front().front().value<TimelineQuery>();
    QCOMPARE(query.tracks, scene.model().requestedTracks(1e6));
    TimelineData data;
    data.window = query.window;
    data.columns = query.columns;
    for (const auto id : query.tracks) data.tracks.emplace_back().trackId = id;
    scene.widget.setData(data);
    QVERIFY(scene.widget.holdsAllTracks());
  }

  void launchesBeyondTheScreenAreRequestedAndReported() {
    LaunchesWidget widget;
    widget.setAvailable({launches(0, 1).columns}, {"start", "duration"});
    QSignalSpy requested(&widget, &LaunchesWidget::rowsRequested);
    QVERIFY(!widget.holdsRows(300)); // rows are requested although the widget is not shown
    QCOMPARE(requested.size(), 1);
    const auto round = requested.back().at(4).toULongLong();
    widget.addPage(launches(0, 256), round);
    QVERIFY(!widget.holdsRows(300));
    QCOMPARE(requested.back().at(0).toLongLong(), 256);
    widget.addPage(launches(256, 512), round);
    QVERIFY(widget.holdsRows(300));
    QCOMPARE(widget.model().cell(299, 0, Qt::DisplayRole).toString(), QString("299.000 µs"));
    QCOMPARE(widget.model().cell(299, 1, Qt::DisplayRole).toString(),
             QString("1.760 µs")); // recorded to the nanosecond
    QCOMPARE(widget.model().cell(999, 0, Qt::DisplayRole).toString(), QString("…"));
  }

  void textsOfGraphsAreAsLargeAsRequestedOrTheDialogCanSay() {
    const CausalGraph graph = sample::causal();
    const auto style = ViewStyle::paper();
    QCOMPARE(causal::textScale({2000, 1500}, graph, style), 1.0);
    const double small = causal::textScale({200, 150}, graph, style);
    QVERIFY2(small < 0.7 && small > 0, qPrintable(QString::number(small)));
  }

  void linesBreakBetweenWordsOfMeaning() {
    QCOMPARE(forLines("33 % of 1.41 µs"), QString("33\u00A0% of 1.41\u00A0µs"));
    QCOMPARE(forLines("24 launches"), QString("24 launches"));
    QCOMPARE(forLines("on `gemm` here"), QString("on “gemm” here"));
    QVERIFY(forLines("|duration − mean|").startsWith(QString("|\u2060d")));
    const QString name = "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3";
    QVERIFY(forLines(name).contains(QChar(0x200B)));
    QCOMPARE(forLines(name).remove(QChar(0x200B)), name);
    QCOMPARE(forLines("short_name"), QString("short_name"));
  }
};

QTEST_MAIN(PaperTest)
#include "views_paper_test.moc"
