#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "tests/views/base/mouse.h"
#include "tests/views/sample_data.h"
#include "views/base/colour_maps.h"
#include "views/distribution/distribution_painter.h"
#include "views/distribution/distribution_widget.h"
#include "views/vtk/vtk_host.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

struct Scene {
  DistributionWidget widget;

  explicit Scene(bool logScale = false) {
    widget.resize(640, 320);
    widget.setViewStyle(ViewStyle::light());
    widget.show();
    widget.setData(sample::distribution(logScale));
    widget.grab();
  }
};

bool near(const QColor& a, const QColor& b) {
  return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) < 24;
}

int countOf(const QImage& image, const QColor& colour) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) count += near(image.pixelColor(x, y), colour) ? 1 : 0;
  }
  return count;
}

} // namespace

class DistributionTest : public QObject {
  Q_OBJECT

private slots:
  void valuesAndPixelsAreInverse();
  void binsAreFoundUnderThePointer();
  void linesNameTheStatistics();
  void hostRendersByVtk();
  void vtkAndExportShowTheSameBars();
  void pictureFollowsTheSize();
  void renderingHappensOnlyOnChange();
  void dragBrushesARange();
  void clickClearsTheBrush();
  void keyRequestsTheOtherScale();
  void keysBrushAsTheMouseDoes();
  void factsAndModesAreInWords();
  void aSmallSelectionIsNotFlat();
  void aNarrowLegendIsComplete();
  void theModeIsARangeOfItsBin();
  void barsMayShowTimeAndHaveALogScale();
  void sharesOfModesAreSeparate();
  void groupsAreOutlinedInTheirColours();
  void namesOfGroupsCanBeReadInANarrowView();
  void theHubsBrushIsShown();
  void hoverStatesTheBin();
  void manyHostsLiveTogether();
};

void DistributionTest::valuesAndPixelsAreInverse() {
  for (const bool logScale : {false, true}) {
    const DistributionModel model{sample::distribution(logScale), QRectF(40, 50, 500, 200)};
    for (const double x : {40.0, 133.0, 540.0}) QVERIFY(std::abs(model.xAt(model.valueAt(x)) - x) < 1e-6);
    QCOMPARE(model.xAt(model.data.edges.front()), 40.0);
    QVERIFY(std::abs(model.xAt(model.data.edges.back()) - 540) < 1e-6);
  }
}

void DistributionTest::binsAreFoundUnderThePointer() {
  const DistributionModel model{sample::distribution(true), QRectF(0, 0, 800, 200)};
  QCOMPARE(model.binAt(-1), -1);
  QCOMPARE(model.binAt(1), 0);
  QCOMPARE(model.binAt(15), 1);
  QCOMPARE(model.binAt(799), 79);
}

void DistributionTest::linesNameTheStatistics() {
  const DistributionModel model{sample::distribution(false), QRectF(0, 0, 800, 200)};
  QStringList names;
  for (const DistributionLine& line : model.lines()) names << line.name;
  QCOMPARE(names, QStringList({"q1", "median", "q3", "mean"}));
  QVERIFY(model.headline().contains("n = 84,213"));
}

void DistributionTest::hostRendersByVtk() {
  QString problem;
  if (!eglAvailable(&problem)) QSKIP(qPrintable("no EGL context: " + problem));
  Scene scene(true);
  QVERIFY(scene.widget.vtkAvailable());
  const QImage& picture = scene.widget.picture();
  QCOMPARE(picture.size(), scene.widget.size() * scene.widget.devicePixelRatioF());
  QVERIFY(near(picture.pixelColor(2, 2), scene.widget.viewStyle().background));
  QVERIFY(countOf(picture, scene.widget.viewStyle().accent) > 1'000);
  QVERIFY(countOf(picture, scene.widget.viewStyle().quiet) > 1'000);
  QVERIFY(countOf(picture, scene.widget.viewStyle().negative) > 100);
  scene.widget.setViewStyle(ViewStyle::dark());
  scene.widget.grab();
  QVERIFY(near(scene.widget.picture().pixelColor(2, 2), ViewStyle::dark().background));
  QVERIFY(countOf(scene.widget.picture(), ViewStyle::dark().accent) > 1'000);
}

void DistributionTest::vtkAndExportShowTheSameBars() {
  if (!eglAvailable()) QSKIP("no EGL context can be created");
  Scene scene(true);
  const double ratio = scene.widget.devicePixelRatioF();
  QImage exported(scene.widget.size() * ratio, QImage::Format_RGB32);
  exported.setDevicePixelRatio(ratio);
  QPainter painter(&exported);
  distribution::paint(painter, scene.widget.rect(), sample::distribution(true), ViewStyle::light());
  painter.end();
  const double a = countOf(scene.widget.picture(), ViewStyle::light().accent);
  const double b = countOf(exported, ViewStyle::light().accent);
  QVERIFY2(std::abs(a - b) < 0.12 * b, qPrintable(QString("%1 against %2 accent pixels").arg(a).arg(b)));
}

void DistributionTest::pictureFollowsTheSize() {
  if (!eglAvailable()) QSKIP("no EGL context can be created");
  Scene scene;
  for (const QSize size : {QSize(900, 400), QSize(300, 200), QSize(1, 1)}) {
    scene.widget.resize(size);
    scene.widget.grab();
    QCOMPARE(scene.widget.picture().size(), scene.widget.size() * scene.widget.devicePixelRatioF());
    QVERIFY(scene.widget.width() >= scene.widget.minimumSizeHint().width());
  }
}

void DistributionTest::renderingHappensOnlyOnChange() {
  if (!eglAvailable()) QSKIP("no EGL context can be created");
  Scene scene;
  const qint64 before = scene.widget.picture().cacheKey();
  mouse::move(&scene.widget, scene.widget.model().plot.center().toPoint());
  scene.widget.grab();
  QCOMPARE(scene.widget.picture().cacheKey(), before);
  scene.widget.setData(sample::distribution(true));
  scene.widget.grab();
  QVERIFY(scene.widget.picture().cacheKey() != before);
}

void DistributionTest::dragBrushesARange() {
  Scene scene;
  QSignalSpy brushed(&scene.widget, &DistributionWidget::rangeBrushed);
  const auto at = [&](double value) {
    return QPointF(scene.widget.model().xAt(value), scene.widget.model().plot.center().y()).toPoint();
  };
  QTest::mousePress(&scene.widget, Qt::LeftButton, {}, at(20'000));
  mouse::move(&scene.widget, at(10'000), Qt::LeftButton);
  QTest::mouseRelease(&scene.widget, Qt::LeftButton, {}, at(10'000));
  QCOMPARE(brushed.count(), 1);
  QVERIFY(std::abs(brushed.first().at(0).toDouble() - 10'000) < 100);
  QVERIFY(std::abs(brushed.first().at(1).toDouble() - 20'000) < 100);
}

void DistributionTest::clickClearsTheBrush() {
  Scene scene;
  QSignalSpy brushed(&scene.widget, &DistributionWidget::rangeBrushed);
  QSignalSpy cleared(&scene.widget, &DistributionWidget::brushCleared);
  QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, scene.widget.model().plot.center().toPoint());
  QCOMPARE(brushed.count(), 0);
  QCOMPARE(cleared.count(), 1);
}

void DistributionTest::keyRequestsTheOtherScale() {
  Scene scene;
  QSignalSpy asked(&scene.widget, &DistributionWidget::logScaleRequested);
  QTest::keyClick(&scene.widget, Qt::Key_L);
  QCOMPARE(asked.count(), 1);
  QCOMPARE(asked.first().at(0).toBool(), true);
}

void DistributionTest::keysBrushAsTheMouseDoes() {
  Scene scene;
  QSignalSpy brushed(&scene.widget, &DistributionWidget::rangeBrushed);
  const auto& data = scene.widget.model().data;
  const auto highest =
      static_cast<std::size_t>(std::max_element(data.all.begin(), data.all.end()) - data.all.begin());
  const auto last = [&] {
    return std::pair(brushed.last().at(0).toDouble(), brushed.last().at(1).toDouble());
  };
  QTest::keyClick(&scene.widget, Qt::Key_Right);
  QCOMPARE(last(), std::pair(data.edges[highest], data.edges[highest + 1]));
  QTest::keyClick(&scene.widget, Qt::Key_Right, Qt::ShiftModifier);
  QCOMPARE(last(), std::pair(data.edges[highest], data.edges[highest + 2]));
  QTest::keyClick(&scene.widget, Qt::Key_Left);
  QCOMPARE(last(), std::pair(data.edges[highest - 1], data.edges[highest + 1]));
  QTest::keyClick(&scene.widget, Qt::Key_Left, Qt::ShiftModifier);
  QTest::keyClick(&scene.widget, Qt::Key_Left, Qt::ShiftModifier); // at least one bin stays
  QCOMPARE(last(), std::pair(data.edges[highest - 1], data.edges[highest]));
  QSignalSpy cleared(&scene.widget, &DistributionWidget::brushCleared);
  QTest::keyClick(&scene.widget, Qt::Key_Escape);
  QCOMPARE(cleared.count(), 1);
}

void DistributionTest::factsAndModesAreInWords() {
  const DistributionModel model{sample::distributionGrouped(), QRectF(0, 0, 800, 200)};
  QStringList names;
  for (const auto& fact : model.facts()) names << fact.name;
  QCOMPARE(names, QStringList({"n", "mean", "mode", "σ", "CV", "min", "P5", "P25", "P50", "P75", "P90", "P95",
                               "P99", "P99.9", "max"}));
  QVERIFY2(model.modesText().startsWith("2 modes: 33 % around"), qPrintable(model.modesText()));
  const DistributionModel one{sample::distribution(true), QRectF(0, 0, 800, 200)};
  QVERIFY(one.modesText().isEmpty());
  // The mode is that of the selected rows: nearly all of them are in the mode that has fewer rows.
  DistributionModel selected = model;
  auto& data = selected.data;
  const auto by_rows = [&](const auto& a, const auto& b) {
    return data.all[static_cast<std::size_t>(a.bin)] < data.all[static_cast<std::size_t>(b.bin)];
  };
  const auto lower =
      static_cast<std::size_t>(std::min_element(data.modes.begin(), data.modes.end(), by_rows)->bin);
  data.selected.assign(data.all.size(), 1), data.selected[lower] = 100;
  const auto facts = selected.facts();
  const auto mode = std::find_if(facts.begin(), facts.end(), [](const auto& f) { return f.name == "mode"; });
  QCOMPARE(mode->value, formatRange(data.edges[lower], data.edges[lower + 1], data.unit));
}

void DistributionTest::aSmallSelectionIsNotFlat() {
  auto data = sample::distribution(true);
  const auto maximum = *std::max_element(data.selected.begin(), data.selected.end());
  for (auto& count : data.all) count *= 50;
  DistributionModel model{data, QRectF(0, 0, 800, 200)};
  QVERIFY(model.twoScales());
  QCOMPARE(model.reached(), maximum);
  QVERIFY(model.yAt(static_cast<double>(maximum)) < model.plot.top() + 0.1 * model.plot.height());
  QVERIFY(model.yTicks().back().value <= 1.06 * static_cast<double>(maximum));
  // All rows keep their shape, up to the height of the highest bar of the selection.
  const auto greatest = static_cast<double>(model.greatest());
  QCOMPARE(model.drawnHeightOfAll(greatest), model.drawnHeight(static_cast<double>(maximum)));
  QCOMPARE(model.drawnHeightOfAll(greatest / 4), model.drawnHeightOfAll(greatest) / 4);
  model.data.logHeights = true; // logarithmic heights need no second scale
  QVERIFY(!model.twoScales());
  QCOMPARE(model.drawnHeightOfAll(greatest), model.drawnHeight(greatest));
  model.data.logHeights = false;
  model.data.selected.clear();
  QVERIFY(!model.twoScales());
}

void DistributionTest::aNarrowLegendIsComplete() {
  DistributionData data = sample::distribution(true);
  for (auto& count : data.all) count *= 50; // counts on a scale that differs from the selection's
  const ViewStyle style = ViewStyle::light();
  for (const double width : {900.0, 505.0, 300.0}) {
    const QRectF rect(0, 0, width, 280);
    const DistributionModel model{data, distribution::plotRect(rect, data, style)};
    QVERIFY(model.twoScales());
    QStringList words;
    for (const auto& [text, place] : distribution::legendPlaces(width, model, style)) {
      words << text;
      QVERIFY2(QRectF(0, 0, width, model.plot.top()).contains(place), qPrintable(text));
    }
    for (const DistributionLine& line : model.lines())
      QVERIFY2(std::any_of(words.begin(), words.end(),
                           [&](const QString& word) { return word.startsWith(line.name); }),
               qPrintable(words.join(", ")));
    QVERIFY2(words.last().startsWith("all, own scale (to "), qPrintable(words.join(", ")));
    QVERIFY2(width < 500 || words.first() != model.lines().front().name,
             "from 500 pixels on, the legend also shows values");
    QImage image(rect.size().toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(style.background);
    QPainter painter(&image);
    distribution::paintLegend(painter, rect, model, style);
    painter.end();
    // The box of "all" is drawn above the plot.
    QVERIFY2(countOf(image.copy(QRect(0, 0, image.width(), static_cast<int>(model.plot.top()))),
                     style.quiet) >= 100,
             qPrintable(QString::number(width)));
    QCOMPARE(countOf(image.copy(QRect(0, static_cast<int>(model.plot.top()), image.width(), image.height())),
                     style.quiet),
             0);
  }
}

void DistributionTest::theModeIsARangeOfItsBin() {
  const DistributionModel model{sample::distributionGrouped(), QRectF(0, 0, 800, 200)};
  for (const auto& fact : model.facts())
    if (fact.name == "mode")
      QVERIFY2(fact.value.contains(QString::fromUtf8(" – ")) &&
                   fact.value.count(QString::fromUtf8("µs")) == 1,
               qPrintable(fact.value));
}

void DistributionTest::barsMayShowTimeAndHaveALogScale() {
  auto data = sample::distribution(true);
  data.time = true;
  for (const auto count : data.all) data.allTime.push_back(count * 1'000'000);
  DistributionModel model{data, QRectF(0, 0, 800, 200)};
  QCOMPARE(model.greatest(), *std::max_element(data.all.begin(), data.all.end()) * 1'000'000);
  QVERIFY(model.yTicks().back().label.contains("s"));
  model.data.logHeights = true;
  const double maximum = static_cast<double>(model.greatest());
  QVERIFY(model.yAt(1) < model.plot.bottom() - 1); // a count of one is still above the base line
  QVERIFY(model.yAt(maximum) > model.plot.top());
  QVERIFY(model.yAt(maximum / 10) - model.yAt(maximum) < model.plot.height() * 0.2);
}

void DistributionTest::sharesOfModesAreSeparate() {
  Scene scene;
  DistributionModel model = scene.widget.model();
  model.data.selectedN = 100;
  const auto labels = [&](std::initializer_list<int> bins) {
    model.data.modes.clear();
    for (const int bin : bins) {
      DistributionMode mode;
      mode.bin = bin;
      mode.n = 20;
      model.data.modes.push_back(mode);
    }
    return distribution::modeLabels(model);
  };
  QCOMPARE(labels({10, 40}).size(), std::size_t{2});
  const auto close = labels({20, 21, 22});
  QVERIFY(close.size() >= 2);
  for (std::size_t i = 0; i < close.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) QVERIFY(!close[i].first.intersects(close[k].first));
}

void DistributionTest::groupsAreOutlinedInTheirColours() {
  Scene scene;
  scene.widget.resize(900, 360);
  scene.widget.setData(sample::distributionGrouped());
  const QImage picture = scene.widget.grab().toImage();
  QVERIFY(countOf(picture, categoryColour(0, Theme::Light)) > 150);
  QSignalSpy chosen(&scene.widget, &DistributionWidget::groupChosen);
  const auto entries =
      distribution::groupEntries(scene.widget.rect(), scene.widget.model(), ViewStyle::light());
  QCOMPARE(entries.size(), std::size_t(2));
  for (const auto& entry : entries) {
    QVERIFY(scene.widget.rect().contains(entry.toRect()));
    QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, entry.center().toPoint());
  }
  QCOMPARE(chosen.count(), 1); // the rest cannot be chosen
  QCOMPARE(chosen.front().front().toString(), QString("stream = 7"));
}

void DistributionTest::namesOfGroupsCanBeReadInANarrowView() {
  auto data = sample::distributionGrouped();
  data.groups.assign(9, data.groups.front());
  for (auto& group : data.groups) group.label = "reset_d_changed <<<(1024, 1, 1), (256, 1, 1)>>>";
  for (const double width : {400.0, 640.0, 4'000.0}) {
    const QRectF rect(0, 0, width, 300);
    const DistributionModel model{data, distribution::plotRect(rect, data, ViewStyle::light())};
    const auto entries = distribution::groupEntries(rect, model, ViewStyle::light());
    QCOMPARE(entries.size(), std::size_t(9));
    for (std::size_t g = 0; g < 9; ++g) {
      QVERIFY(entries[g].width() > 80 && rect.contains(entries[g]));
      QVERIFY2(entries[g].bottom() <= model.plot.top(), "the names are above the plot");
      for (std::size_t other = 0; other < g; ++other)
        QVERIFY(entries[g].adjusted(0.01, 0.01, -0.01, -0.01).intersected(entries[other]).isEmpty());
    }
  }
}

void DistributionTest::theHubsBrushIsShown() {
  Scene scene(true);
  QSignalSpy brushed(&scene.widget, &DistributionWidget::rangeBrushed);
  const QImage before = scene.widget.grab().toImage();
  scene.widget.setBrush(DistributionBrush{2'000, 9'000});
  QVERIFY(scene.widget.grab().toImage() != before);
  scene.widget.setBrush({});
  QCOMPARE(scene.widget.grab().toImage(), before);
  QCOMPARE(brushed.count(), 0);
}

void DistributionTest::hoverStatesTheBin() {
  Scene scene;
  mouse::move(&scene.widget,
              QPointF(scene.widget.model().xAt(3'200), scene.widget.model().plot.center().y()).toPoint());
  QVERIFY2(scene.widget.hoverText().contains("All\t"), qPrintable(scene.widget.hoverText()));
  QVERIFY(scene.widget.hoverText().contains("Selected\t"));
}

void DistributionTest::manyHostsLiveTogether() {
  if (!eglAvailable()) QSKIP("no EGL context can be created");
  std::vector<std::unique_ptr<Scene>> scenes;
  for (int i = 0; i < 4; ++i) scenes.push_back(std::make_unique<Scene>(i % 2 == 0));
  scenes.erase(scenes.begin() + 1);
  for (auto& scene : scenes) {
    scene->widget.setViewStyle(ViewStyle::dark());
    scene->widget.grab();
    QVERIFY(countOf(scene->widget.picture(), ViewStyle::dark().accent) > 500);
  }
}

QTEST_MAIN(DistributionTest)
#include "views_distribution_test.moc"
