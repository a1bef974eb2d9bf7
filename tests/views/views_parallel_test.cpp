#include <QApplication>
#include <QContextMenuEvent>
#include <QFile>
#include <QFileInfo>
#include <QPainter>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "tests/views/mouse.h"
#include "tests/views/sample_data.h"
#include "views/base/export.h"
#include "views/parallel/band_raster.h"
#include "views/base/painting.h"
#include "views/parallel/parallel_frame.h"
#include "views/parallel/parallel_painter.h"
#include "views/parallel/parallel_widget.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

struct Scene {
  ParallelWidget widget;

  Scene() {
    widget.resize(1100, 360);
    widget.show();
    widget.setData(sample::parallel());
  }
  QPoint at(const char* key, double value) const {
    const int position = widget.model().position(key);
    return QPointF(widget.model().axisX(position), widget.model().yAt(position, value)).toPoint();
  }
  QPoint title(const char* key) const {
    return widget.model().titleRect(widget.model().position(key)).center().toPoint();
  }
};

AxisBrushes brushesOf(const QSignalSpy& spy) {
  return spy.last().at(0).value<AxisBrushes>();
}

} // namespace

class ParallelTest : public QObject {
  Q_OBJECT

private slots:
  void bandsConserveWeight();
  void bandsHaveNoHoles();
  void thinBandsAreVisible();
  void valuesAndPixelsAreInverse();
  void brushesMergeAndFilter();
  void rowsOfABrushAreDrawnInTheAccent();
  void orderSurvivesNewData();
  void turnedPairsAreFound();
  void dragOnAnAxisBrushes();
  void brushEdgesCanBeDragged();
  void brushesCanBeMoved();
  void doubleClickClearsTheAxis();
  void dragOfATitleReorders();
  void doubleClickOnATitleInverts();
  void missingHistogramsAreAskedFor();
  void keysDoTheSame();
  void brushesFromOutsideAreSilent();
  void missingValuesStandBelowTheAxis();
  void rankAxesAreInverse();
  void aPinnedAxisStaysAtTheLeft();
  void classesAreDrawnInTheirColours();
  void countsAndSharesAreAlwaysShown();
  void quantilesComeFromTheHistogram();
  void menusAndNumbersAreAskedFor();
  void aMovingBrushDrawsOverTheSameGround();
  void vectorExportEqualsTheScreen();
  void keysOfRangesKeepTheirRules();
  void keysBrushAndArrange();
  void titlesTurnWhereTheyWouldNotFit();
  void categoriesAreNamedWhereTheirNamesHaveRoom();
  void turnedTitlesAreTakenWhereTheyAreSeen();
};

void ParallelTest::bandsConserveWeight() {
  // Bins that tile both axes: in every column each pixel belongs to one band of every pair, whatever the
  // slant.
  const int height = 128;
  const int bins = 8;
  std::vector<Band> bands;
  std::int64_t total = 0;
  for (int l = 0; l < bins; ++l) {
    const double low = height * l / bins;
    const double high = height * (l + 1) / bins;
    bands.push_back({low, high, low, high, static_cast<std::uint32_t>(l + 1)});
    total += (l + 1) * (height / bins);
  }
  const auto pixels = rasteriseBands(bands, 40, height);
  for (int x = 0; x < 40; ++x) {
    std::int64_t sum = 0;
    for (int y = 0; y < height; ++y) sum += pixels[static_cast<std::size_t>(x * height + y)];
    QCOMPARE(sum, total);
  }
}

void ParallelTest::bandsHaveNoHoles() {
  const auto pixels = rasteriseBands({{0, 16, 112, 128, 5}}, 60, 128);
  for (int x = 0; x < 60; ++x) {
    int lit = 0;
    int runs = 0;
    for (int y = 0; y < 128; ++y) {
      const bool on = pixels[static_cast<std::size_t>(x * 128 + y)] == 5;
      const bool before = y > 0 && pixels[static_cast<std::size_t>(x * 128 + y - 1)] == 5;
      lit += on ? 1 : 0;
      runs += on && !before ? 1 : 0;
    }
    QCOMPARE(runs, 1);
    QVERIFY(lit >= 16 && lit <= 18);
  }
}

void ParallelTest::thinBandsAreVisible() {
  const auto pixels = rasteriseBands({{10.2, 10.3, 50.4, 50.5, 1}}, 30, 64);
  for (int x = 0; x < 30; ++x) {
    int lit = 0;
    for (int y = 0; y < 64; ++y) lit += pixels[static_cast<std::size_t>(x * 64 + y)];
    QVERIFY(lit >= 1 && lit <= 2);
  }
}

void ParallelTest::valuesAndPixelsAreInverse() {
  ParallelModel model;
  model.setData(sample::parallel());
  model.setSize({1000, 400});
  for (int i = 0; i < model.order().size(); ++i) {
    for (const bool inverted : {false, true}) {
      model.setInverted(model.order()[i], inverted);
      for (const double f : {0.0, 0.25, 0.9, 1.0}) {
        const double value = ParallelModel::valueAt(model.axis(i), f);
        QVERIFY(std::abs(ParallelModel::fraction(model.axis(i), model.valueAtY(i, model.yAt(i, value))) - f) <
                1e-9);
      }
    }
  }
  const double low = model.yAt(4, 100);
  model.setInverted(model.order()[4], false);
  QVERIFY(std::abs((low - model.plotRect().top()) - (model.plotRect().bottom() - model.yAt(4, 100))) < 1e-6);
}

void ParallelTest::brushesMergeAndFilter() {
  ParallelModel model;
  model.setData(sample::parallel());
  QVERIFY(model.passes("clock", 5));
  model.addBrush("clock", {700, 800});
  model.addBrush("clock", {1200, 1000});
  QCOMPARE(model.brushes().at("clock").size(), std::size_t{2});
  QVERIFY(model.passes("clock", 750) && model.passes("clock", 1100) && !model.passes("clock", 900));
  QCOMPARE(model.addBrush("clock", {790, 1050}), 0);
  QCOMPARE(model.brushes().at("clock"), (std::vector<ValueRange>{{700, 1200}}));
  model.clearBrushes("clock");
  QVERIFY(model.brushes().empty());
}

void ParallelTest::rowsOfABrushAreDrawnInTheAccent() {
  ParallelModel model;
  model.setData(sample::parallelSelected());
  model.setSize({1000, 360});
  model.addBrush("bytes", {8192, 2'097'152});
  const auto accents = [&](const ViewStyle& style) {
    const QImage image = parallel::renderDensity(model, style, 1);
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const QColor c = image.pixelColor(x, y);
        count += c.alpha() > 100 && c.red() > c.blue() + 60 ? 1 : 0;
      }
    }
    return count;
  };
  QVERIFY(accents(ViewStyle::light()) > 5'000);
  QVERIFY(accents(ViewStyle::dark()) > 5'000);
  model.setBrushes({});
  model.setData(sample::parallel());
  QCOMPARE(accents(ViewStyle::light()), 0);
}

void ParallelTest::orderSurvivesNewData() {
  ParallelModel model;
  model.setData(sample::parallel());
  model.moveAxis(0, 3);
  const QStringList order = model.order();
  QCOMPARE(order[3], QString("device"));
  model.setData(sample::parallel());
  QCOMPARE(model.order(), order);
}

void ParallelTest::turnedPairsAreFound() {
  ParallelModel model;
  model.setData(sample::parallel());
  model.setOrder({"blocks", "device", "clock", "bytes", "gap", "duration"});
  QVERIFY(model.pair(0) != nullptr);
  QVERIFY(model.pair(1) == nullptr);
  model.setSize({1000, 360});
  const QImage image = parallel::renderDensity(model, ViewStyle::light(), 1);
  QVERIFY(image.pixelColor(40, 100).alpha() > 0);
}

void ParallelTest::dragOnAnAxisBrushes() {
  Scene scene;
  QSignalSpy changed(&scene.widget, &ParallelWidget::brushesChanged);
  mouse::drag(scene.widget, scene.at("clock", 1200), scene.at("clock", 1600));
  QVERIFY(changed.count() >= 2);
  QCOMPARE(changed.last().at(1).toBool(), true);
  QCOMPARE(changed.first().at(1).toBool(), false);
  const auto ranges = brushesOf(changed).at("clock");
  QCOMPARE(ranges.size(), std::size_t{1});
  QVERIFY2(std::abs(ranges[0].low - 1200) < 10 && std::abs(ranges[0].high - 1600) < 10,
           qPrintable(QString("%1 to %2").arg(ranges[0].low).arg(ranges[0].high)));
  mouse::drag(scene.widget, scene.at("clock", 700), scene.at("clock", 800));
  QCOMPARE(brushesOf(changed).at("clock").size(), std::size_t{2});
}

void ParallelTest::brushEdgesCanBeDragged() {
  Scene scene;
  scene.widget.setBrushes({{"clock", {{1000, 1200}}}});
  QSignalSpy changed(&scene.widget, &ParallelWidget::brushesChanged);
  mouse::drag(scene.widget, scene.at("clock", 1200), scene.at("clock", 1700));
  const auto ranges = brushesOf(changed).at("clock");
  QCOMPARE(ranges.size(), std::size_t{1});
  QVERIFY(std::abs(ranges[0].low - 1000) < 1e-9 && std::abs(ranges[0].high - 1700) < 10);
}

void ParallelTest::brushesCanBeMoved() {
  Scene scene;
  scene.widget.setBrushes({{"clock", {{1000, 1300}}}});
  QSignalSpy changed(&scene.widget, &ParallelWidget::brushesChanged);
  mouse::drag(scene.widget, scene.at("clock", 1150), scene.at("clock", 1350));
  const ValueRange range = brushesOf(changed).at("clock")[0];
  QVERIFY(std::abs(range.low - 1200) < 12);
  QVERIFY(std::abs((range.high - range.low) - 300) < 1e-6);
}

void ParallelTest::doubleClickClearsTheAxis() {
  Scene scene;
  scene.widget.setBrushes({{"clock", {{1000, 1300}}}, {"gap", {{100, 200}}}});
  QSignalSpy changed(&scene.widget, &ParallelWidget::brushesChanged);
  QTest::mouseDClick(&scene.widget, Qt::LeftButton, {}, scene.at("clock", 1800));
  QCOMPARE(brushesOf(changed).size(), std::size_t{1});
  QVERIFY(brushesOf(changed).count("gap") == 1);
}

void ParallelTest::dragOfATitleReorders() {
  Scene scene;
  QSignalSpy reordered(&scene.widget, &ParallelWidget::axesReordered);
  mouse::drag(scene.widget, scene.title("clock"), scene.title("duration"));
  QCOMPARE(reordered.count(), 1);
  QCOMPARE(reordered.first().at(0).toStringList(),
           QStringList({"device", "blocks", "bytes", "gap", "duration", "clock"}));
}

void ParallelTest::doubleClickOnATitleInverts() {
  Scene scene;
  QSignalSpy inverted(&scene.widget, &ParallelWidget::axisInverted);
  const QPoint low = scene.at("gap", 100);
  QTest::mouseDClick(&scene.widget, Qt::LeftButton, {}, scene.title("gap"));
  QCOMPARE(inverted.count(), 1);
  QCOMPARE(inverted.first().at(0).toString(), QString("gap"));
  QCOMPARE(inverted.first().at(1).toBool(), true);
  QVERIFY(scene.at("gap", 100).y() < low.y());
}

void ParallelTest::missingHistogramsAreAskedFor() {
  Scene scene;
  QSignalSpy need(&scene.widget, &ParallelWidget::needHistogramsFor);
  mouse::drag(scene.widget, scene.title("device"), scene.title("clock"));
  QCOMPARE(need.count(), 1);
  QCOMPARE(need.first().at(0).toStringList(), scene.widget.model().order());
}

void ParallelTest::keysDoTheSame() {
  Scene scene;
  QSignalSpy inverted(&scene.widget, &ParallelWidget::axisInverted);
  QSignalSpy reordered(&scene.widget, &ParallelWidget::axesReordered);
  QSignalSpy changed(&scene.widget, &ParallelWidget::brushesChanged);
  QTest::keyClick(&scene.widget, Qt::Key_Right);
  QTest::keyClick(&scene.widget, Qt::Key_I);
  QCOMPARE(inverted.last().at(0).toString(), QString("blocks"));
  QTest::keyClick(&scene.widget, Qt::Key_Right, Qt::ControlModifier);
  QCOMPARE(reordered.last().at(0).toStringList().at(2), QString("blocks"));
  scene.widget.setBrushes({{"blocks", {{100, 200}}}});
  QTest::keyClick(&scene.widget, Qt::Key_Escape);
  QVERIFY(brushesOf(changed).empty());
}

void ParallelTest::brushesFromOutsideAreSilent() {
  Scene scene;
  QSignalSpy changed(&scene.widget, &ParallelWidget::brushesChanged);
  scene.widget.setBrushes({{"clock", {{1000, 1300}}}});
  QCOMPARE(changed.count(), 0);
  QCOMPARE(scene.widget.model().brushes().size(), std::size_t{1});
}

namespace {

ParallelData withMissing() {
  ParallelData data = sample::parallel();
  for (ParallelAxis& axis : data.axes) {
    if (axis.key != "bytes") continue;
    axis.hasMissing = true;
    axis.missingShare = 0.25;
    axis.all.push_back(data.rows / 4);
    axis.selected.push_back(0);
  }
  for (PairHistogram& pair : data.pairs) { // one cell more on that side
    const bool left = pair.left == "bytes";
    if (!left && pair.right != "bytes") continue;
    PairHistogram wider = pair;
    (left ? wider.leftBins : wider.rightBins) += 1;
    wider.all.assign(static_cast<std::size_t>(wider.leftBins * wider.rightBins), 0);
    for (int l = 0; l < pair.leftBins; ++l)
      for (int r = 0; r < pair.rightBins; ++r)
        wider.all[static_cast<std::size_t>(l * wider.rightBins + r)] = pair.all[static_cast<std::size_t>(l * pair.rightBins + r)];
    wider.all.back() = 1000;
    wider.selected = wider.all;
    pair = wider;
  }
  return data;
}

} // namespace

void ParallelTest::missingValuesStandBelowTheAxis() {
  Scene scene;
  scene.widget.setData(withMissing());
  const ParallelModel& model = scene.widget.model();
  const int position = model.position("bytes");
  QVERIFY(model.showsMissing());
  const auto [bottom, top] = model.binSpan(position, model.axis(position).bins());
  QVERIFY(top > model.valueRect().bottom());
  QVERIFY(bottom <= model.plotRect().bottom() + 0.01);
  QSignalSpy changed(&scene.widget, &ParallelWidget::brushesChanged);
  QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, QPointF(model.axisX(position), (top + bottom) / 2).toPoint());
  QCOMPARE(changed.count(), 1);
  QVERIFY(brushesOf(changed).at("bytes").front().isMissing());
  QVERIFY(scene.widget.model().missingBrushed("bytes"));
  QTest::keyClick(&scene.widget, Qt::Key_M); // the same by key takes it back
  QVERIFY(brushesOf(changed).count("bytes") == 0);
  const QImage image = parallel::renderDensity(model, ViewStyle::light(), 1);
  int lit = 0;
  const int y = static_cast<int>((top + bottom) / 2 - model.plotRect().top());
  for (int x = 0; x < image.width(); ++x) lit += qAlpha(image.pixel(x, y)) > 0;
  QVERIFY(lit > 4); // bands lead to the place of missing values
}

void ParallelTest::rankAxesAreInverse() {
  ParallelAxis axis;
  axis.scale = AxisScale::Rank;
  axis.minimum = 1;
  axis.maximum = 1000;
  axis.edges = {1, 2, 4, 100, 1000};
  axis.all = {10, 10, 10, 10};
  for (const double v : {1.0, 3.0, 50.0, 100.0, 640.0, 1000.0})
    QVERIFY(std::abs(ParallelModel::valueAt(axis, ParallelModel::fraction(axis, v)) - v) < 1e-9);
  QCOMPARE(ParallelModel::fraction(axis, 4), 0.5);
}

void ParallelTest::aPinnedAxisStaysAtTheLeft() {
  Scene scene;
  scene.widget.setPinned("clock");
  QCOMPARE(scene.widget.model().order().first(), QString("clock"));
  mouse::drag(scene.widget, scene.title("duration"), scene.title("clock"));
  QCOMPARE(scene.widget.model().order().first(), QString("clock"));
  QCOMPARE(scene.widget.model().order().at(1), QString("duration"));
}

void ParallelTest::classesAreDrawnInTheirColours() {
  ParallelData data = sample::parallel();
  for (int c = 0; c < 2; ++c) {
    ParallelClass made;
    made.label = c == 0 ? "A" : "B";
    made.rows = 100;
    made.colour = c;
    for (const PairHistogram& pair : data.pairs) {
      made.pairs.push_back(pair.all);
      for (int l = 0; l < pair.leftBins; ++l)
        for (int r = 0; r < pair.rightBins; ++r)
          if ((l < pair.leftBins / 2) != (c == 0)) made.pairs.back()[static_cast<std::size_t>(l * pair.rightBins + r)] = 0;
    }
    data.classes.push_back(made);
  }
  ParallelModel model;
  model.setData(data);
  model.setSize({1000, 360});
  const ViewStyle style = ViewStyle::light();
  const QImage image = parallel::renderDensity(model, style, 1);
  for (int c = 0; c < 2; ++c) {
    const int hue = parallel::classColour(c, style).hue();
    int found = 0;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x) {
        const QColor colour = image.pixelColor(x, y);
        found += colour.alpha() > 100 && colour.saturation() > 60 && std::abs(colour.hue() - hue) < 14;
      }
    QVERIFY2(found > 500, qPrintable(QString("class %1: %2").arg(c).arg(found)));
  }
}

void ParallelTest::countsAndSharesAreAlwaysShown() {
  ParallelModel model;
  ParallelData data = sample::parallelSelected();
  model.setData(data);
  model.addBrush("bytes", {8192, 2'097'152});
  QVERIFY2(model.countText().contains("selected (") && model.countText().contains(" of "), qPrintable(model.countText()));
  model.addBrush("clock", {700, 800});
  QVERIFY(model.countText().endsWith("all brushes"));
  model.setLogic({true, true});
  QVERIFY(model.countText().endsWith("any brush, inverted"));
  data.allRows = data.rows * 100;
  model.setData(data);
  QVERIFY(model.countText().contains("first picture"));
  const QString brush = model.brushText(model.position("clock"), 0);
  QVERIFY2(brush.contains("rows (") && brush.contains("%"), qPrintable(brush));
}

void ParallelTest::quantilesComeFromTheHistogram() {
  ParallelData data;
  ParallelAxis axis;
  axis.key = axis.title = "a";
  axis.minimum = 0;
  axis.maximum = 100;
  axis.all.assign(100, 10);
  data.axes = {axis};
  data.rows = 1000;
  ParallelModel model;
  model.setData(data);
  for (const double share : {0.05, 0.25, 0.5, 0.75, 0.95}) {
    QVERIFY(std::abs(model.quantile(0, share) - 100 * share) < 1);
    const ValueRange bin = model.quantileBin(0, share);
    QVERIFY(bin.low <= model.quantile(0, share) && model.quantile(0, share) <= bin.high);
    QVERIFY(bin.low < bin.high && bin.high - bin.low < 3);
  }
}

void ParallelTest::menusAndNumbersAreAskedFor() {
  Scene scene;
  QSignalSpy menu(&scene.widget, &ParallelWidget::menuRequested);
  QSignalSpy numbers(&scene.widget, &ParallelWidget::brushEntryRequested);
  QContextMenuEvent byMouse(QContextMenuEvent::Mouse, scene.title("gap"), scene.widget.mapToGlobal(scene.title("gap")));
  QApplication::sendEvent(&scene.widget, &byMouse);
  QCOMPARE(menu.last().at(0).toString(), QString("gap"));
  QContextMenuEvent byKey(QContextMenuEvent::Keyboard, QPoint(), QPoint());
  QApplication::sendEvent(&scene.widget, &byKey);
  QCOMPARE(menu.last().at(0).toString(), scene.widget.model().order().first());
  QTest::keyClick(&scene.widget, Qt::Key_Return);
  QCOMPARE(numbers.last().at(1).toInt(), -1);
  scene.widget.setBrushes({{"clock", {{1000, 1300}}}});
  QTest::mouseDClick(&scene.widget, Qt::LeftButton, {}, scene.at("clock", 1150));
  QCOMPARE(numbers.last().at(0).toString(), QString("clock"));
  QCOMPARE(numbers.last().at(1).toInt(), 0);
}

void ParallelTest::aMovingBrushDrawsOverTheSameGround() {
  const ViewStyle style = ViewStyle::light();
  ParallelModel model;
  model.setSize({800, 300});
  parallel::DensityGround ground;
  auto data = sample::parallel();
  const auto expectSame = [&] { QCOMPARE(parallel::renderDensity(model, style, 1, &ground), parallel::renderDensity(model, style, 1)); };
  model.setData(data);
  expectSame(); // nothing selected
  data.selectedRows = data.rows / 2;
  for (auto& pair : data.pairs) pair.selected.assign(pair.all.size(), 1);
  model.setData(data);
  expectSame(); // dimmed below
  for (auto& pair : data.pairs) pair.selected.assign(pair.all.size(), 0);
  model.setData(data);
  expectSame();
  model.setInverted(model.order()[1], true);
  expectSame();
  model.moveAxis(0, 1);
  expectSame();
  data.pairs[0].all[3] += 1000;
  model.setData(data);
  expectSame();
  model.setSize({640, 200});
  expectSame();
  QCOMPARE(parallel::renderDensity(model, ViewStyle::dark(), 1, &ground), parallel::renderDensity(model, ViewStyle::dark(), 1));
}

// The exported drawing, drawn at the size of the screen, is what the screen shows.
void ParallelTest::vectorExportEqualsTheScreen() {
  for (const ViewStyle& style : {ViewStyle::light(), ViewStyle::dark()}) {
    Scene scene;
    scene.widget.setViewStyle(style);
    const QString key = scene.widget.model().order()[1];
    const auto& axis = scene.widget.model().axis(1);
    scene.widget.setBrushes({{key, {{axis.minimum, (axis.minimum + axis.maximum) / 2}}}});
    ParallelLine line;
    for (int i = 0; i < scene.widget.model().order().size(); ++i)
      line.values[scene.widget.model().order()[i]] = ParallelModel::valueAt(scene.widget.model().axis(i), 0.3);
    scene.widget.setLines({line});
    const QImage screen = scene.widget.grab().toImage().convertToFormat(QImage::Format_RGB32);
    QTemporaryDir folder;
    const QString path = folder.filePath("view.svg");
    const auto paint = [&](QPainter& painter, const QRectF& rect) {
      parallel::paint(painter, rect, scene.widget.model(), style, scene.widget.lines());
    };
    QVERIFY(exportPicture(path, scene.widget.size(), 1, "view", paint).has_value());
    QSvgRenderer svg(path);
    QVERIFY(svg.isValid());
    QImage drawn(screen.size(), QImage::Format_RGB32);
    drawn.fill(Qt::white);
    QPainter painter(&drawn);
    svg.render(&painter);
    painter.end();
    double sum = 0;
    int far = 0;
    for (int y = 0; y < screen.height(); ++y)
      for (int x = 0; x < screen.width(); ++x) {
        const QRgb a = screen.pixel(x, y), b = drawn.pixel(x, y);
        const int off = std::max({std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)), std::abs(qBlue(a) - qBlue(b))});
        sum += off;
        far += off > 96;
      }
    const double pixels = screen.width() * screen.height();
    QVERIFY2(sum / pixels < 8, qPrintable(QString("mean difference %1").arg(sum / pixels)));
    QVERIFY2(far / pixels < 0.02, qPrintable(QString("%1 of the pixels differ").arg(far / pixels)));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(text.contains("<path")); // axes and marks are drawn, not pictured
    QVERIFY(exportPicture(folder.filePath("view.pdf"), scene.widget.size(), 1, "view", paint).has_value());
    QVERIFY(QFileInfo(folder.filePath("view.pdf")).size() > 10'000);
    QFile pdf(folder.filePath("view.pdf"));
    QVERIFY(pdf.open(QIODevice::ReadOnly));
    const QByteArray content = pdf.readAll();
    QVERIFY(!content.contains("/DCTDecode")); // no JPEG, whose blocks show in flat colours,
    static const QRegularExpression kMask("/(SMask|Mask) \\d"); // and no mask that cuts a picture out, pixel by pixel
    QVERIFY(!QString::fromLatin1(content).contains(kMask));
    static const QRegularExpression kWidth("/Width (\\d+)"); // of the density: 384 of them an inch
    int widest = 0;
    for (auto found = kWidth.globalMatch(QString::fromLatin1(content)); found.hasNext();) widest = std::max(widest, found.next().captured(1).toInt());
    QVERIFY2(widest > 3 * scene.widget.model().plotRect().width(), qPrintable(QString::number(widest)));
  }
}

void ParallelTest::keysOfRangesKeepTheirRules() {
  Scene scene;
  const ParallelModel& model = scene.widget.model();
  for (int i = 0; i < model.position("gap"); ++i) QTest::keyClick(&scene.widget, Qt::Key_Right);
  const auto at = [&](int range) {
    const ParallelAxis& axis = model.axis(model.position("gap"));
    const ValueRange& own = model.brushes().at("gap")[static_cast<std::size_t>(range)];
    return std::pair(ParallelModel::fraction(axis, own.low), ParallelModel::fraction(axis, own.high));
  };
  QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::ShiftModifier);
  const double length = at(0).second - at(0).first;
  for (int i = 0; i < 80; ++i) QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::AltModifier);
  QVERIFY2(std::abs(at(0).second - at(0).first - length) < 1e-6, "as a whole it keeps its length, also at the end of the axis");
  QVERIFY(std::abs(at(0).first) < 1e-6);
  // Each further one begins in the widest part that is free.
  for (int i = 0; i < 10; ++i) QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::AltModifier); // from 0.2 to 0.3
  QTest::keyClick(&scene.widget, Qt::Key_B, Qt::ShiftModifier);
  QVERIFY2(std::abs((at(1).first + at(1).second) / 2 - (0.2 + length + 1) / 2) < 1e-6, qPrintable(QString::number(at(1).first)));
  // On an axis that one comes back to, keys move its first range.
  QTest::keyClick(&scene.widget, Qt::Key_Right);
  QTest::keyClick(&scene.widget, Qt::Key_Left);
  const auto first = at(0), second = at(1);
  QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::ShiftModifier);
  QVERIFY(at(0).second > first.second);
  QCOMPARE(at(1), second);
  QTest::keyClick(&scene.widget, Qt::Key_Delete);
  QVERIFY(model.brushes().find("gap") == model.brushes().end() || model.brushes().at("gap").empty());
}

void ParallelTest::keysBrushAndArrange() {
  Scene scene;
  QSignalSpy changed(&scene.widget, &ParallelWidget::brushesChanged), pin(&scene.widget, &ParallelWidget::axisPinWanted),
      hide(&scene.widget, &ParallelWidget::axisHideWanted), keep(&scene.widget, &ParallelWidget::keepWanted);
  const ParallelModel& model = scene.widget.model();
  for (int i = 0; i < model.position("gap"); ++i) QTest::keyClick(&scene.widget, Qt::Key_Right);
  const auto at = [&](const ValueRange& range) {
    const ParallelAxis& axis = model.axis(model.position("gap"));
    return std::pair(ParallelModel::fraction(axis, range.low), ParallelModel::fraction(axis, range.high));
  };
  const auto ranges = [&] { return model.brushes().at("gap"); };
  QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::ShiftModifier);
  QCOMPARE(ranges().size(), std::size_t{1});
  const auto [low, high] = at(ranges()[0]);
  QVERIFY(low < 0.5 && high > 0.5);
  QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::ShiftModifier); // its upper end
  QVERIFY(std::abs(at(ranges()[0]).second - high - 0.02) < 1e-6);
  QVERIFY(std::abs(at(ranges()[0]).first - low) < 1e-6);
  QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::ShiftModifier | Qt::ControlModifier); // its lower end
  QVERIFY(std::abs(at(ranges()[0]).first - low + 0.02) < 1e-6);
  QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::AltModifier); // the whole
  QVERIFY(std::abs(at(ranges()[0]).first - low + 0.04) < 1e-6);
  QVERIFY(std::abs(at(ranges()[0]).second - high) < 1e-6);
  // It never leaves the axis, nor turns over.
  for (int i = 0; i < 80; ++i) QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::AltModifier);
  QVERIFY(at(ranges()[0]).first >= -1e-9);
  for (int i = 0; i < 80; ++i) QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::ShiftModifier);
  QVERIFY(at(ranges()[0]).second > at(ranges()[0]).first);
  // One more in what is free; B goes from one to the other.
  QTest::keyClick(&scene.widget, Qt::Key_B, Qt::ShiftModifier);
  QCOMPARE(ranges().size(), std::size_t{2});
  const auto second = ranges()[1];
  QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::ShiftModifier);
  QVERIFY(ranges()[1].high > second.high);
  QTest::keyClick(&scene.widget, Qt::Key_B);
  const auto first = ranges()[0];
  QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::ShiftModifier);
  QVERIFY(ranges()[0].high > first.high);
  // What was moved while Shift was held ends with it.
  QTest::keyRelease(&scene.widget, Qt::Key_Shift);
  QCOMPARE(changed.last().at(1).toBool(), true);
  QTest::keyClick(&scene.widget, Qt::Key_I); // inverted, keys move as the eye does
  const auto before = ranges()[0];
  QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::ShiftModifier | Qt::ControlModifier);
  QVERIFY(ranges()[0].high > before.high);
  QTest::keyClick(&scene.widget, Qt::Key_P);
  QCOMPARE(pin.last().at(0).toString(), QString("gap"));
  QTest::keyClick(&scene.widget, Qt::Key_H);
  QCOMPARE(hide.last().at(0).toString(), QString("gap"));
  QTest::keyClick(&scene.widget, Qt::Key_K);
  QCOMPARE(keep.last().at(0).toBool(), false);
  QTest::keyClick(&scene.widget, Qt::Key_X);
  QCOMPARE(keep.last().at(0).toBool(), true);
}

// Ten axes in one column of a paper, 85 mm wide, at 8 pt: two lines of each title stand beside those of the next one, in at
// least 6 pt, and all inside of the picture.
void ParallelTest::titlesTurnWhereTheyWouldNotFit() {
  ViewStyle paper = ViewStyle::paper();
  paper.smallPixels = 10, paper.normalPixels = 11;
  ParallelData data = sample::parallel();
  for (int i = 0; data.axes.size() < 10; ++i) {
    ParallelAxis more = data.axes[static_cast<std::size_t>(1 + i % 4)];
    more.key = QString("more %1").arg(i);
    more.title = "memory operations before launch";
    data.axes.push_back(more);
  }
  ParallelModel model;
  model.setData(data);
  model.setSize({321, 245});
  const ParallelFrame frame = parallel::frameOf(model, paper);
  QVERIFY(frame.turned);
  QVERIFY(!frame.oneLine);
  QVERIFY(frame.titlePixels >= 8); // 6 pt
  model.setFrame(frame);
  QFont font = paper.font(FontRole::Small);
  font.setPixelSize(frame.titlePixels);
  const double apart = (model.axisX(1) - model.axisX(0)) * std::sin(frame.angle);
  QVERIFY2(apart >= 2 * metricsOf(font).height() - 0.5, qPrintable(QString::number(apart)));
  QVERIFY(frame.top - frame.longest * std::sin(frame.angle) > 0);
  QVERIFY(model.plotRect().height() > 60);
  QVERIFY(model.plotRect().width() > 150);
  // What no label beside the axis says stands in the title.
  const int last = static_cast<int>(model.order().size()) - 1;
  QVERIFY(!parallel::labelsFit(model, last, paper));
  QVERIFY2(parallel::subtitleOf(model, last, paper).contains(" – "), qPrintable(parallel::subtitleOf(model, last, paper)));
  QVERIFY(parallel::leastWidth(model, paper) <= 321);
  // With more room they stand upright in three lines, which is lower than leaning.
  ParallelFrame three;
  for (double width = 600; width < 1800 && three.top == ParallelFrame().top; width += 20) {
    model.setSize({width, 400});
    if (const ParallelFrame made = parallel::frameOf(model, paper); !made.turned) three = made;
  }
  QVERIFY(!three.turned);
  QCOMPARE(three.top, ParallelFrame().top + parallel::kTitleLine);
  // Whatever the width, upright titles have room for their lines in the letters in which they are drawn.
  for (double width = 600; width < 1800; width += 7) {
    model.setSize({width, 400});
    const ParallelFrame made = parallel::frameOf(model, paper);
    if (made.turned) continue;
    model.setFrame(made);
    for (int i = 0; i < model.order().size(); ++i) {
      const double room = model.titleRect(i).width();
      const QString title = model.axis(i).title;
      const auto lines = parallel::titleLines(title, parallel::titleFont(title, paper, room), room).size();
      QVERIFY2(lines <= (made.top > ParallelFrame().top ? 3 : 2), qPrintable(QString("%1 at %2").arg(title).arg(width)));
    }
  }
  QCOMPARE(parallel::titleLines("memory operations before launch", paper.font(FontRole::Small), 1), QStringList({"memory", "operations", "before launch"}));
  // In a wide window they stand upright, without the ends of the axes.
  model.setSize({1800, 400});
  QVERIFY(!parallel::frameOf(model, paper).turned);
  model.setFrame(parallel::frameOf(model, paper));
  QVERIFY(!parallel::subtitleOf(model, last, paper).contains(" – "));
}

// Forty kernels in a low picture: those of most rows are named, clear of each other, and the title says how many; all where
// there is height for them, which is told.
void ParallelTest::categoriesAreNamedWhereTheirNamesHaveRoom() {
  const ViewStyle style;
  ParallelData data = sample::parallel();
  ParallelAxis kernels;
  kernels.key = "short_name";
  kernels.title = "kernel";
  for (int i = 0; i < 40; ++i) {
    kernels.categories << QString("kernel_%1").arg(i);
    kernels.all.push_back(static_cast<std::uint64_t>(100 + 7 * ((i * 17) % 40)));
  }
  kernels.maximum = 39;
  data.axes.insert(data.axes.begin(), kernels);
  ParallelModel model;
  model.setData(data);
  model.setSize({1000, 480});
  model.setFrame(parallel::frameOf(model, style));
  const auto names = parallel::categoryNames(model, 0, style);
  const auto ticks = model.ticks(0);
  QCOMPARE(names.named.size(), ticks.size());
  QVERIFY2(names.count >= 15 && names.count < 40, qPrintable(QString::number(names.count)));
  QCOMPARE(std::count(names.named.begin(), names.named.end(), true), std::ptrdiff_t(names.count));
  QVERIFY2(parallel::subtitleOf(model, 0, style).contains(QString("%1 of 40 named").arg(names.count)), qPrintable(parallel::subtitleOf(model, 0, style)));
  double before = -1e9;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double y = ticks[i].position * model.valueRect().height();
    if (names.named[i]) {
      QVERIFY(y - before >= metricsOf(names.font).height() - 0.01);
      before = y;
      continue;
    }
    // One of more rows (or as many) stands where its name would.
    bool excused = false;
    for (std::size_t k = 0; k < ticks.size(); ++k)
      excused |= names.named[k] && std::abs(ticks[k].position * model.valueRect().height() - y) < names.line && kernels.all[k] >= kernels.all[i];
    QVERIFY2(excused, qPrintable(kernels.categories[static_cast<int>(i)]));
  }
  const double enough = parallel::leastHeight(model, 0, style);
  QVERIFY(enough > 480 && enough < 700);
  model.setSize({1000, enough});
  model.setFrame(parallel::frameOf(model, style));
  QCOMPARE(parallel::categoryNames(model, 0, style).count, 40);
  QVERIFY(!parallel::subtitleOf(model, 0, style).contains("named"));
}

void ParallelTest::turnedTitlesAreTakenWhereTheyAreSeen() {
  Scene scene;
  scene.widget.resize(300, 300);
  QTest::qWait(1);
  const ParallelModel& model = scene.widget.model();
  QVERIFY(model.frame().turned);
  // High up the stripe of a title leans over the next axis.
  const auto along = [&](const char* key, double up) {
    const double height = model.frame().top * up;
    return QPointF(model.axisX(model.position(key)) + height / std::tan(model.frame().angle), model.frame().top - height);
  };
  for (const double up : {0.2, 0.5, 0.8}) {
    const ParallelHit hit = model.hitTest(along("gap", up));
    QCOMPARE(hit.area, ParallelArea::Title);
    QCOMPARE(model.order()[hit.axis], QString("gap"));
  }
  QCOMPARE(model.hitTest({model.axisX(2), model.valueRect().top()}).area, ParallelArea::Axis);
  QSignalSpy inverted(&scene.widget, &ParallelWidget::axisInverted);
  QTest::mouseDClick(&scene.widget, Qt::LeftButton, {}, along("gap", 0.7).toPoint());
  QCOMPARE(inverted.count(), 1);
  QCOMPARE(inverted.first().at(0).toString(), QString("gap"));
}

QTEST_MAIN(ParallelTest)
#include "views_parallel_test.moc"
