// Every view at scale 1 and 2, light, dark and paper: pictures are compared by their content, never
// pixel by pixel, so that another version of a font does not fail.

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSet>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <map>
#include <memory>
#include <unordered_map>

#include "tests/views/sample_data.h"
#include "views/base/export.h"
#include "views/base/text_cache.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_painter.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_layout.h"
#include "views/causal/causal_painter.h"
#include "views/causal/causal_widget.h"
#include "views/distribution/distribution_painter.h"
#include "views/distribution/distribution_widget.h"
#include "views/evidence/evidence_painter.h"
#include "views/parallel/parallel_painter.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/table_parts/table_picture.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

struct Statistics {
  double background = 0; ///< share of pixels in the style's background or surface colours
  double accent = 0;
  int colours = 0;
};

bool near(const QColor& a, const QColor& b) {
  return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) < 12;
}

Statistics statistics(const QImage& image, const ViewStyle& style) {
  Statistics s;
  std::unordered_map<QRgb, int> seen;
  const QImage opaque = image.convertToFormat(QImage::Format_RGB32);
  for (int y = 0; y < opaque.height(); ++y) {
    const auto* line = reinterpret_cast<const QRgb*>(opaque.constScanLine(y));
    for (int x = 0; x < opaque.width(); ++x) ++seen[line[x]];
  }
  const double total = image.width() * static_cast<double>(image.height());
  for (const auto& [rgb, count] : seen) {
    const QColor c(rgb);
    if (near(c, style.background) || near(c, style.surface) || near(c, style.lane))
      s.background += count / total;
    if (near(c, style.accent)) s.accent += count / total;
  }
  s.colours = static_cast<int>(seen.size());
  return s;
}

using Make = std::function<PaintFunction(const ViewStyle&)>;

PaintFunction timelinePaint(const ViewStyle& style) {
  auto model = std::make_shared<TimelineModel>();
  model->setTracks(sample::tracks());
  model->viewport.setSpan(sample::kSpan);
  model->names = sample::nameOf;
  model->setOverview(sample::overview());
  model->setData(sample::timeline(sample::kSpan, 900));
  model->selectedBin = Interval{{96'000'000'000}, {98'000'000'000}};
  return [model, style](QPainter& p, const QRectF& r) { timeline::paint(p, r, *model, style); };
}

PaintFunction binsPaint(const ViewStyle& style) {
  auto model = std::make_shared<BinsModel>();
  model->setData(sample::bins());
  return [model, style](QPainter& p, const QRectF& r) { bins::paint(p, r, *model, style, 3); };
}

PaintFunction causalPaint(const ViewStyle& style) {
  return [style](QPainter& p, const QRectF& r) { causal::paint(p, r, sample::causal(), style); };
}

PaintFunction parallelPaint(const ViewStyle& style) {
  auto model = std::make_shared<ParallelModel>();
  model->setData(sample::parallelSelected());
  model->setBrushes({{"bytes", {{8192, 2'097'152}}}});
  return [model, style](QPainter& p, const QRectF& r) { parallel::paint(p, r, *model, style); };
}

PaintFunction distributionPaint(const ViewStyle& style) {
  return
      [style](QPainter& p, const QRectF& r) { distribution::paint(p, r, sample::distribution(true), style); };
}

const std::map<QString, Make>& makers() {
  static const std::map<QString, Make> all = {{"timeline", timelinePaint},
                                              {"bins", binsPaint},
                                              {"causal", causalPaint},
                                              {"parallel", parallelPaint},
                                              {"distribution", distributionPaint}};
  return all;
}

} // namespace

class PicturesTest : public QObject {
  Q_OBJECT

private slots:
  void everyViewPaintsAtEveryScaleAndTheme_data();
  void everyViewPaintsAtEveryScaleAndTheme();
  void scaleTwoShowsTheSameAtTwiceTheSize();
  void everyViewExportsToVectors();
  void tablesOnPaperCutNoNumber();
  void narrowFiguresCutNoNumber();
  void narrowTablesKeepTheirMainColumns();
  void narrowEvidenceIsComplete();
  void figuresNameNodesAsTheScreenDoes();
  void paintingStaysInsideItsRectangle();
  void smallRectanglesAreSurvived();
  void emptyViewsShowAMessage();
  void staleContentIsMarked();
};

void PicturesTest::everyViewPaintsAtEveryScaleAndTheme_data() {
  QTest::addColumn<QString>("view");
  QTest::addColumn<int>("theme");
  QTest::addColumn<double>("scale");
  for (const auto& [name, make] : makers()) {
    for (const Theme theme : {Theme::Light, Theme::Dark, Theme::Paper}) {
      for (const double scale : {1.0, 1.5, 2.0}) {
        QTest::newRow(
            qPrintable(QString("%1, theme %2, scale %3").arg(name).arg(static_cast<int>(theme)).arg(scale)))
            << name << static_cast<int>(theme) << scale;
      }
    }
  }
}

void PicturesTest::everyViewPaintsAtEveryScaleAndTheme() {
  QFETCH(QString, view);
  QFETCH(int, theme);
  QFETCH(double, scale);
  const ViewStyle style = ViewStyle::of(static_cast<Theme>(theme));
  const QImage image = renderImage({900, 420}, scale, makers().at(view)(style));
  QCOMPARE(image.size(), QSize(static_cast<int>(900 * scale), static_cast<int>(420 * scale)));
  const Statistics s = statistics(image, style);
  QVERIFY2(s.colours > 40, qPrintable(QString("%1 colours").arg(s.colours)));
  QVERIFY2(s.background > 0.2 && s.background < 0.99, qPrintable(QString("background %1").arg(s.background)));
  QVERIFY2(s.accent > 0.0004, qPrintable(QString("accent %1").arg(s.accent)));
}

void PicturesTest::scaleTwoShowsTheSameAtTwiceTheSize() {
  const ViewStyle style = ViewStyle::light();
  for (const auto& [name, make] : makers()) {
    const Statistics one = statistics(renderImage({900, 420}, 1, make(style)), style);
    const Statistics two = statistics(renderImage({900, 420}, 2, make(style)), style);
    QVERIFY2(std::abs(one.background - two.background) < 0.08, qPrintable(name));
    QVERIFY2(std::abs(one.accent - two.accent) < 0.4 * one.accent + 0.002,
             qPrintable(QString("%1: accent %2 and %3").arg(name).arg(one.accent).arg(two.accent)));
  }
}

void PicturesTest::everyViewExportsToVectors() {
  QTemporaryDir folder;
  for (const auto& [name, make] : makers()) {
    for (const char* ending : {".svg", ".pdf"}) {
      const QString path = folder.filePath(name + ending);
      QVERIFY(exportPicture(path, {900, 420}, 1, name, make(ViewStyle::paper())).has_value());
      QVERIFY(QFileInfo(path).size() > 3'000);
    }
    QSvgRenderer renderer(folder.filePath(name + ".svg"));
    QVERIFY(renderer.isValid());
    QCOMPARE(renderer.viewBox(), QRect(0, 0, 900, 420));
    QFile file(folder.filePath(name + ".svg"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY2(file.readAll().left(1000).contains("<svg width=\"900px\" height=\"420px\""),
             qPrintable(name)); // within a fraction of a pixel
  }
}

// A column of a journal is 85 mm wide.
void PicturesTest::narrowFiguresCutNoNumber() {
  QTemporaryDir folder;
  const QString path = folder.filePath("bins.svg");
  QVERIFY(exportPicture(path, {321, 246}, 1, "bins", binsPaint(ViewStyle::paper())).has_value());
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QString svg = QString::fromUtf8(file.readAll());
  BinsModel model;
  model.setData(sample::bins());
  for (int row = 0; row < 3; ++row)
    for (const int column : {BinsModel::Start, BinsModel::Value}) {
      const QString text = model.index(row, column).data().toString();
      QVERIFY2(svg.contains(">" + text + "<"), qPrintable(text));
    }
}

void PicturesTest::narrowEvidenceIsComplete() {
  QTemporaryDir folder;
  const QString path = folder.filePath("evidence.svg");
  EvidenceModel model;
  model.setData(sample::evidence(false));
  QVERIFY(exportPicture(path, {321, 300}, 1, "evidence", [&](QPainter& painter, const QRectF& rect) {
            evidence::paint(painter, rect, model, ViewStyle::paper());
          }).has_value());
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QString svg = QString::fromUtf8(file.readAll());
  QStringList texts;
  auto found = QRegularExpression(">([^<]+)</text>").globalMatch(svg);
  while (found.hasNext()) texts << found.next().captured(1).trimmed();
  const QString reported = texts.join(' ');
  for (const QString& line : model.headlines())
    for (const QString& word : line.split(' '))
      QVERIFY2(reported.contains(word.toHtmlEscaped()), qPrintable(word + " in " + reported));
  QVERIFY2(!reported.contains(QChar(0x2026)) ||
               model.headlines().join(' ').count(QChar(0x2026)) == reported.count(QChar(0x2026)),
           qPrintable(reported));
}

// At 85 mm: the column that orders the rows stays, with a shorter title; kernels can be distinguished.
void PicturesTest::narrowTablesKeepTheirMainColumns() {
  QTemporaryDir folder;
  const auto drawn = [&](const TablePicture& picture) {
    const QString path = folder.filePath("table.svg");
    if (!exportPicture(path, {321, 246}, 1, "table", [&](QPainter& painter, const QRectF& rect) {
          paintTable(painter, rect, picture, ViewStyle::paper());
        }))
      return QString();
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  };
  BinsModel bins;
  bins.setData(sample::bins());
  const QString ranked = drawn(
      {&bins, {BinsModel::Rank, BinsModel::Start, BinsModel::Launches, BinsModel::Value}, 0, "bins", 1});
  QVERIFY(ranked.contains(">" + bins.index(0, BinsModel::Value).data().toString() + "<"));
  KernelsModel kernels;
  KernelsData data;
  for (const char* type : {"unsigned short", "unsigned long"}) {
    KernelRow row;
    row.name =
        QString("void sort_the_keys_of_all_blocks<%1, (int)256, 8u, 512u>(%1, unsigned long long)").arg(type);
    row.shortName = "sort_the_keys";
    data.rows.push_back(row);
  }
  KernelRow scan;
  scan.name = "void scan_everything_that_is_there<(int)256, 8u, 512u, 1024u>(unsigned long long)";
  scan.shortName = "scan_everything";
  data.rows.push_back(scan);
  kernels.setData(data);
  const QString named = drawn(
      {&kernels, {KernelsModel::Name, KernelsModel::Variability, KernelsModel::Share}, 0, "kernels", 1});
  QVERIFY2(named.contains(">scan_everything<"), qPrintable(named));
  QStringList texts;
  for (auto found = QRegularExpression(">([^<]+)</text>").globalMatch(named); found.hasNext();)
    texts << found.next().captured(1).trimmed();
  QSet<QString> names;
  for (const QString& text : texts)
    if (text.contains("short") || text.contains("long")) names << text;
  QVERIFY2(names.size() == 2, qPrintable(texts.join("\n")));
}

// Figures have the layout of the screen with its fonts, for any fonts of the paper: no name that fitted is
// shortened.
void PicturesTest::figuresNameNodesAsTheScreenDoes() {
  const CausalGraph graph = sample::causal();
  const auto layout = layoutCausal(graph, causalMeasure(ViewStyle::light()));
  QVERIFY(layout.has_value());
  ViewStyle large = ViewStyle::paper();
  large.smallPixels += 3, large.normalPixels += 4, large.titlePixels += 4;
  QTemporaryDir folder;
  const auto texts = [&](const ViewStyle& style) {
    const QString path = folder.filePath("causal.svg");
    if (!exportPicture(path, {643, 340}, 1, "causal",
                       [&](QPainter& p, const QRectF& r) { causal::paint(p, r, graph, style, &*layout); }))
      return QString();
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  };
  const QString normal = texts(ViewStyle::paper()), bigger = texts(large);
  QVERIFY(normal.count("…") == bigger.count("…"));
  QVERIFY(bigger.contains("black: increases"));
}

void PicturesTest::tablesOnPaperCutNoNumber() {
  KernelsWidget widget;
  widget.setKernels(sample::kernels());
  const ViewStyle style = ViewStyle::paper();
  TablePicture picture = pictureOf(*widget.table(), "Kernels");
  const auto all = picture.columns.size();
  QVERIFY(all > 5);
  for (const double width : {300.0, 620.0, 4000.0}) {
    const auto widths = columnWidths(picture, width, 5, style);
    QVERIFY(!widths.empty() && widths.size() <= all);
    double sum = 0;
    for (const double each : widths) sum += each;
    QVERIFY2(sum <= width, qPrintable(QString::number(width)));
    for (std::size_t c = 1; c < widths.size(); ++c) // the first is the name
      for (int row = 0; row < std::min(5, picture.model->rowCount()); ++row)
        QVERIFY(textWidth(style.font(), picture.model->index(row, picture.columns[c]).data().toString()) <=
                widths[c]);
    QCOMPARE(widths.size() == all, width == 4000.0);
  }
  // Rows that do not fit are mentioned.
  QTemporaryDir folder;
  const auto written = [&](const QSize& size) {
    const QString path = folder.filePath("table.svg");
    if (!exportPicture(path, size, 1, "t",
                       [&](QPainter& p, const QRectF& r) { paintTable(p, r, picture, style); }))
      return QString();
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  };
  QVERIFY(written({300, 120}).contains(QString("of %1 columns shown").arg(all)));
  QVERIFY(written({4000, 120}).contains(QString("of %1 rows shown").arg(picture.model->rowCount())));
  QVERIFY(!written({4000, 4000}).contains("shown"));
}

void PicturesTest::paintingStaysInsideItsRectangle() {
  for (const auto& [name, make] : makers()) {
    const PaintFunction paint = make(ViewStyle::light());
    const QImage image =
        renderImage({700, 500}, 1, [&](QPainter& p, const QRectF&) { paint(p, QRectF(100, 60, 500, 380)); });
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        if (QRect(100, 60, 500, 380).contains(x, y)) continue;
        QVERIFY2(qAlpha(image.pixel(x, y)) == 0,
                 qPrintable(QString("%1 paints at %2, %3").arg(name).arg(x).arg(y)));
      }
    }
  }
}

void PicturesTest::smallRectanglesAreSurvived() {
  for (const auto& [name, make] : makers()) {
    for (const QSize size : {QSize(1, 1), QSize(20, 400), QSize(400, 20), QSize(120, 90)}) {
      QCOMPARE(renderImage(size, 1, make(ViewStyle::light())).size(), size);
    }
  }
}

void PicturesTest::emptyViewsShowAMessage() {
  TimelineWidget timeline;
  BinsWidget bins;
  CausalWidget causal;
  ParallelWidget parallel;
  DistributionWidget distribution;
  const std::vector<QWidget*> all = {&timeline, &bins, &causal, &parallel, &distribution};
  for (QWidget* widget : all) {
    widget->resize(600, 320);
    widget->show();
    const QImage image = widget->grab().toImage();
    int dark = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) dark += qGray(image.pixel(x, y)) < 150 ? 1 : 0;
    }
    QVERIFY2(dark > 150,
             qPrintable(QString("%1: %2 dark pixels").arg(widget->metaObject()->className()).arg(dark)));
  }
}

void PicturesTest::staleContentIsMarked() {
  ParallelWidget widget;
  widget.resize(800, 320);
  widget.show();
  widget.setData(sample::parallel());
  const QImage before = widget.grab().toImage();
  widget.setMessage("Waiting for the engine…");
  const QImage after = widget.grab().toImage();
  QVERIFY(before != after);
  widget.setMessage({});
  QCOMPARE(widget.grab().toImage(), before);
}

QTEST_MAIN(PicturesTest)
#include "views_pictures_test.moc"
