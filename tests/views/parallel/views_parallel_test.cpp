// Bands, brushes, keys and colours of parallel coordinates.

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

#include "tests/views/parallel/parallel_scene.h"

using namespace jitterscope;
using namespace jitterscope::views;

class ParallelTest : public QObject {
  Q_OBJECT

private slots:
  void bandsConserveWeight();
  void bandsHaveNoHoles();
  void thinBandsAreVisible();
  void brushesMergeAndFilter();
  void rowsOfABrushAreDrawnInTheAccent();
  void aFewRowsDoNotFillTheirCategory();
  void dragOnAnAxisBrushes();
  void brushEdgesCanBeDragged();
  void brushesCanBeMoved();
  void doubleClickClearsTheAxis();
  void keysDoTheSame();
  void brushesFromOutsideAreSilent();
  void classesAreDrawnInTheirColours();
  void countsAndSharesAreAlwaysShown();
  void menusAndNumbersAreRequested();
  void aMovingBrushDrawsOverTheSameGround();
  void vectorExportEqualsTheScreen();
  void keysOfRangesKeepTheirRules();
  void valuesThatNoAxisShowsHaveNoPlace();
  void withoutRowsThereIsNoLine();
  void keysBrushAndArrange();
};

void ParallelTest::bandsConserveWeight() {
  // Horizontal bands that tile both axes: the weights in each column of pixels add up to the same total.
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

void ParallelTest::aFewRowsDoNotFillTheirCategory() {
  ParallelData data;
  ParallelAxis stream, device;
  stream.key = "stream", device.key = "device";
  stream.categories = {"7", "13"}, device.categories = {"0", "1"};
  stream.all = device.all = {500, 500};
  stream.selected = device.selected = {1, 0};
  data.axes = {stream, device};
  data.pairs = {{"stream", "device", 2, 2, {250, 250, 250, 250}, {1, 0, 0, 0}}};
  data.rows = 1'000, data.selectedRows = 1;
  ParallelModel model;
  model.setData(data);
  model.setSize({600, 360});
  model.addBrush("stream", {-0.4, 0.4});
  const ViewStyle style = ViewStyle::light();
  const QImage image = parallel::renderDensity(model, style, 1);
  int high = 0;
  for (int y = 0; y < image.height(); ++y) {
    const QColor c = image.pixelColor(2, y);
    high += c.alpha() > 100 && c.red() > c.blue() + 60 ? 1 : 0;
  }
  QVERIFY2(high >= 1 && high <= 5, qPrintable(QString::number(high)));
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
          if ((l < pair.leftBins / 2) != (c == 0))
            made.pairs.back()[static_cast<std::size_t>(l * pair.rightBins + r)] = 0;
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
  QVERIFY2(model.countText().contains("selected (") && model.countText().contains(" of "),
           qPrintable(model.countText()));
  model.addBrush("clock", {700, 800});
  QVERIFY(model.countText().endsWith("all brushes"));
  model.setLogic({true, true});
  QVERIFY(model.countText().endsWith("any brush, inverted"));
  data.allRows = data.rows * 100;
  model.setData(data);
  QVERIFY(model.countText().contains("preview"));
  const QString brush = model.brushText(model.position("clock"), 0);
  QVERIFY2(brush.contains("rows (") && brush.contains("%"), qPrintable(brush));
}

void ParallelTest::menusAndNumbersAreRequested() {
  Scene scene;
  QSignalSpy menu(&scene.widget, &ParallelWidget::menuRequested);
  QSignalSpy numbers(&scene.widget, &ParallelWidget::brushEntryRequested);
  QContextMenuEvent byMouse(QContextMenuEvent::Mouse, scene.title("gap"),
                            scene.widget.mapToGlobal(scene.title("gap")));
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
  const auto expectSame = [&] {
    QCOMPARE(parallel::renderDensity(model, style, 1, &ground), parallel::renderDensity(model, style, 1));
  };
  model.setData(data);
  expectSame(); // no rows are selected
  data.selectedRows = data.rows / 2;
  for (auto& pair : data.pairs) pair.selected.assign(pair.all.size(), 1);
  model.setData(data);
  expectSame(); // all rows are dimmed below the selected ones
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
  QCOMPARE(parallel::renderDensity(model, ViewStyle::dark(), 1, &ground),
           parallel::renderDensity(model, ViewStyle::dark(), 1));
}

// The exported drawing at the size of the screen equals the screen.
void ParallelTest::vectorExportEqualsTheScreen() {
  for (const ViewStyle& style : {ViewStyle::light(), ViewStyle::dark()}) {
    Scene scene;
    scene.widget.setViewStyle(style);
    const QString key = scene.widget.model().order()[1];
    const auto& axis = scene.widget.model().axis(1);
    scene.widget.setBrushes({{key, {{axis.minimum, (axis.minimum + axis.maximum) / 2}}}});
    ParallelLine line;
    for (int i = 0; i < scene.widget.model().order().size(); ++i)
      line.values[scene.widget.model().order()[i]] =
          ParallelModel::valueAt(scene.widget.model().axis(i), 0.3);
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
        const int off = std::max(
            {std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)), std::abs(qBlue(a) - qBlue(b))});
        sum += off;
        far += off > 96;
      }
    const double pixels = screen.width() * screen.height();
    QVERIFY2(sum / pixels < 8, qPrintable(QString("mean difference %1").arg(sum / pixels)));
    QVERIFY2(far / pixels < 0.02, qPrintable(QString("%1 of the pixels differ").arg(far / pixels)));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(text.contains("<path")); // axes and marks are vectors, not images
    QVERIFY(exportPicture(folder.filePath("view.pdf"), scene.widget.size(), 1, "view", paint).has_value());
    QVERIFY(QFileInfo(folder.filePath("view.pdf")).size() > 10'000);
    QFile pdf(folder.filePath("view.pdf"));
    QVERIFY(pdf.open(QIODevice::ReadOnly));
    const QByteArray content = pdf.readAll();
    QVERIFY(!content.contains("/DCTDecode")); // no JPEG, whose blocks show in flat colours,
    static const QRegularExpression kMask(
        "/(SMask|Mask) \\d"); // and no mask that crops an image pixel by pixel
    QVERIFY(!QString::fromLatin1(content).contains(kMask));
    static const QRegularExpression kWidth("/Width (\\d+)"); // in pixels; the density has 384 per inch
    int widest = 0;
    for (auto found = kWidth.globalMatch(QString::fromLatin1(content)); found.hasNext();)
      widest = std::max(widest, found.next().captured(1).toInt());
    QVERIFY2(widest > 3 * scene.widget.model().plotRect().width(), qPrintable(QString::number(widest)));
  }
}

void ParallelTest::valuesThatNoAxisShowsHaveNoPlace() {
  ParallelData data = sample::parallel();
  data.axes[0].all[0] = 0; // a category that the filter removed
  Scene scene;
  scene.widget.setData(std::move(data));
  const auto& model = scene.widget.model();
  const auto& axis = model.axis(2);
  QVERIFY(!model.shows(0, 0) && model.shows(0, 1));
  QVERIFY(model.shows(2, axis.minimum) && model.shows(2, axis.maximum));
  QVERIFY(!model.shows(2, axis.minimum - 1) && !model.shows(2, 2 * axis.maximum));
  ParallelLine line;
  for (int i = 0; i < model.order().size(); ++i)
    line.values[model.order()[i]] = ParallelModel::valueAt(model.axis(i), 0.5);
  const auto inkAt = [&](const ParallelLine& drawn, QPointF point) {
    QImage image(scene.widget.size(), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    parallel::paintLines(painter, model, ViewStyle::light(), {drawn});
    return qGray(image.pixel(point.toPoint())) < 128;
  };
  const QPointF first(model.axisX(0), model.yAt(0, 0));
  line.values[model.order()[0]] = 1;
  QVERIFY(inkAt(line, {model.axisX(0), model.yAt(0, 1)}));
  line.values[model.order()[0]] = 0;
  QVERIFY(!inkAt(line, first)); // the axis is left out
  line.values[model.order()[2]] = 2 * axis.maximum;
  const QPointF end(model.axisX(2), model.yAt(2, axis.maximum));
  QVERIFY(!inkAt(line, end + QPointF(0, -2))); // a hollow mark above the end
  line.values[model.order()[2]] = axis.maximum;
  QVERIFY(inkAt(line, end));
}

void ParallelTest::withoutRowsThereIsNoLine() {
  Scene scene;
  ParallelLine line;
  const auto& model = scene.widget.model();
  for (int i = 0; i < model.order().size(); ++i)
    line.values[model.order()[i]] = ParallelModel::valueAt(model.axis(i), 0.5);
  ParallelData none = sample::parallel();
  none.rows = none.selectedRows = 0;
  scene.widget.setData(std::move(none));
  const auto picture = [&](const std::vector<ParallelLine>& lines) {
    scene.widget.setLines(lines);
    return scene.widget.grab().toImage();
  };
  QCOMPARE(picture({line}), picture({}));
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
  QVERIFY2(std::abs(at(0).second - at(0).first - length) < 1e-6,
           "a moved range keeps its length, also at the end of the axis");
  QVERIFY(std::abs(at(0).first) < 1e-6);
  // Each further range starts in the widest free part.
  for (int i = 0; i < 10; ++i) QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::AltModifier); // from 0.2 to 0.3
  QTest::keyClick(&scene.widget, Qt::Key_B, Qt::ShiftModifier);
  QVERIFY2(std::abs((at(1).first + at(1).second) / 2 - (0.2 + length + 1) / 2) < 1e-6,
           qPrintable(QString::number(at(1).first)));
  // When an axis is selected again, keys move its first range.
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
  QSignalSpy changed(&scene.widget, &ParallelWidget::brushesChanged),
      pin(&scene.widget, &ParallelWidget::axisPinRequested),
      hide(&scene.widget, &ParallelWidget::axisHideRequested),
      keep(&scene.widget, &ParallelWidget::keepRequested);
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
  QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::ShiftModifier); // the upper end
  QVERIFY(std::abs(at(ranges()[0]).second - high - 0.02) < 1e-6);
  QVERIFY(std::abs(at(ranges()[0]).first - low) < 1e-6);
  QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::ShiftModifier | Qt::ControlModifier); // the lower end
  QVERIFY(std::abs(at(ranges()[0]).first - low + 0.02) < 1e-6);
  QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::AltModifier); // the whole axis
  QVERIFY(std::abs(at(ranges()[0]).first - low + 0.04) < 1e-6);
  QVERIFY(std::abs(at(ranges()[0]).second - high) < 1e-6);
  // A range never leaves the axis, and its ends never swap.
  for (int i = 0; i < 80; ++i) QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::AltModifier);
  QVERIFY(at(ranges()[0]).first >= -1e-9);
  for (int i = 0; i < 80; ++i) QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::ShiftModifier);
  QVERIFY(at(ranges()[0]).second > at(ranges()[0]).first);
  // Shift+B adds a range in the free part; B switches between ranges.
  QTest::keyClick(&scene.widget, Qt::Key_B, Qt::ShiftModifier);
  QCOMPARE(ranges().size(), std::size_t{2});
  const auto second = ranges()[1];
  QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::ShiftModifier);
  QVERIFY(ranges()[1].high > second.high);
  QTest::keyClick(&scene.widget, Qt::Key_B);
  const auto first = ranges()[0];
  QTest::keyClick(&scene.widget, Qt::Key_Up, Qt::ShiftModifier);
  QVERIFY(ranges()[0].high > first.high);
  // A move with Shift held ends when the key is released.
  QTest::keyRelease(&scene.widget, Qt::Key_Shift);
  QCOMPARE(changed.last().at(1).toBool(), true);
  QTest::keyClick(&scene.widget, Qt::Key_I); // on an inverted axis, keys move in screen direction
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

QTEST_MAIN(ParallelTest)
#include "views_parallel_test.moc"
