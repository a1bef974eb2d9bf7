// Axes of parallel coordinates: values and places, order, titles, names of categories.

#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/views/parallel/parallel_scene.h"

using namespace jitterscope;
using namespace jitterscope::views;

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
  for (PairHistogram& pair : data.pairs) { // one more cell, for missing values
    const bool left = pair.left == "bytes";
    if (!left && pair.right != "bytes") continue;
    PairHistogram wider = pair;
    (left ? wider.leftBins : wider.rightBins) += 1;
    wider.all.assign(static_cast<std::size_t>(wider.leftBins * wider.rightBins), 0);
    for (int l = 0; l < pair.leftBins; ++l)
      for (int r = 0; r < pair.rightBins; ++r)
        wider.all[static_cast<std::size_t>(l * wider.rightBins + r)] =
            pair.all[static_cast<std::size_t>(l * pair.rightBins + r)];
    wider.all.back() = 1000;
    wider.selected = wider.all;
    pair = wider;
  }
  return data;
}

} // namespace

class ParallelAxesTest : public QObject {
  Q_OBJECT

private slots:
  void valuesAndPixelsAreInverse();
  void orderSurvivesNewData();
  void turnedPairsAreFound();
  void dragOfATitleReorders();
  void doubleClickOnATitleInverts();
  void missingHistogramsAreRequested();
  void missingValuesAreBelowTheAxis();
  void rankAxesAreInverse();
  void aPinnedAxisStaysAtTheLeft();
  void quantilesComeFromTheHistogram();
  void titlesTurnWhereTheyWouldNotFit();
  void slantedTitlesOmitLongUnits();
  void oneLongTitleDoesNotTurnAll();
  void categoriesAreNamedWhereTheirNamesHaveRoom();
  void rotatedTitlesAreGrabbedWhereTheyAreDrawn();
};

void ParallelAxesTest::valuesAndPixelsAreInverse() {
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

void ParallelAxesTest::orderSurvivesNewData() {
  ParallelModel model;
  model.setData(sample::parallel());
  model.moveAxis(0, 3);
  const QStringList order = model.order();
  QCOMPARE(order[3], QString("device"));
  model.setData(sample::parallel());
  QCOMPARE(model.order(), order);
}

void ParallelAxesTest::turnedPairsAreFound() {
  ParallelModel model;
  model.setData(sample::parallel());
  model.setOrder({"blocks", "device", "clock", "bytes", "gap", "duration"});
  QVERIFY(model.pair(0) != nullptr);
  QVERIFY(model.pair(1) == nullptr);
  model.setSize({1000, 360});
  const QImage image = parallel::renderDensity(model, ViewStyle::light(), 1);
  QVERIFY(image.pixelColor(40, 100).alpha() > 0);
}

void ParallelAxesTest::dragOfATitleReorders() {
  Scene scene;
  QSignalSpy reordered(&scene.widget, &ParallelWidget::axesReordered);
  mouse::drag(scene.widget, scene.title("clock"), scene.title("duration"));
  QCOMPARE(reordered.count(), 1);
  QCOMPARE(reordered.first().at(0).toStringList(),
           QStringList({"device", "blocks", "bytes", "gap", "duration", "clock"}));
}

void ParallelAxesTest::doubleClickOnATitleInverts() {
  Scene scene;
  QSignalSpy inverted(&scene.widget, &ParallelWidget::axisInverted);
  const QPoint low = scene.at("gap", 100);
  QTest::mouseDClick(&scene.widget, Qt::LeftButton, {}, scene.title("gap"));
  QCOMPARE(inverted.count(), 1);
  QCOMPARE(inverted.first().at(0).toString(), QString("gap"));
  QCOMPARE(inverted.first().at(1).toBool(), true);
  QVERIFY(scene.at("gap", 100).y() < low.y());
}

void ParallelAxesTest::missingHistogramsAreRequested() {
  Scene scene;
  QSignalSpy need(&scene.widget, &ParallelWidget::needHistogramsFor);
  mouse::drag(scene.widget, scene.title("device"), scene.title("clock"));
  QCOMPARE(need.count(), 1);
  QCOMPARE(need.first().at(0).toStringList(), scene.widget.model().order());
}

void ParallelAxesTest::missingValuesAreBelowTheAxis() {
  Scene scene;
  scene.widget.setData(withMissing());
  const ParallelModel& model = scene.widget.model();
  const int position = model.position("bytes");
  QVERIFY(model.showsMissing());
  const auto [bottom, top] = model.binSpan(position, model.axis(position).bins());
  QVERIFY(top > model.valueRect().bottom());
  QVERIFY(bottom <= model.plotRect().bottom() + 0.01);
  QSignalSpy changed(&scene.widget, &ParallelWidget::brushesChanged);
  QTest::mouseClick(&scene.widget, Qt::LeftButton, {},
                    QPointF(model.axisX(position), (top + bottom) / 2).toPoint());
  QCOMPARE(changed.count(), 1);
  QVERIFY(brushesOf(changed).at("bytes").front().isMissing());
  QVERIFY(scene.widget.model().missingBrushed("bytes"));
  QTest::keyClick(&scene.widget, Qt::Key_M); // the same key removes the brush
  QVERIFY(brushesOf(changed).count("bytes") == 0);
  const QImage image = parallel::renderDensity(model, ViewStyle::light(), 1);
  int lit = 0;
  const int y = static_cast<int>((top + bottom) / 2 - model.plotRect().top());
  for (int x = 0; x < image.width(); ++x) lit += qAlpha(image.pixel(x, y)) > 0;
  QVERIFY(lit > 4); // bands lead to the place of missing values
}

void ParallelAxesTest::rankAxesAreInverse() {
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

void ParallelAxesTest::aPinnedAxisStaysAtTheLeft() {
  Scene scene;
  scene.widget.setPinned("clock");
  QCOMPARE(scene.widget.model().order().first(), QString("clock"));
  mouse::drag(scene.widget, scene.title("duration"), scene.title("clock"));
  QCOMPARE(scene.widget.model().order().first(), QString("clock"));
  QCOMPARE(scene.widget.model().order().at(1), QString("duration"));
}

void ParallelAxesTest::quantilesComeFromTheHistogram() {
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

// Ten axes in a column of a journal, 85 mm wide, at 8 pt. Two lines of each title fit next to the next title,
// in at least 6 pt, and all titles are inside the picture.
void ParallelAxesTest::titlesTurnWhereTheyWouldNotFit() {
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
  // A name without a label next to the axis is in the title.
  const int last = static_cast<int>(model.order().size()) - 1;
  QVERIFY(!parallel::labelsFit(model, last, paper));
  QVERIFY2(parallel::subtitleOf(model, last, paper).contains(" – "),
           qPrintable(parallel::subtitleOf(model, last, paper)));
  QVERIFY(parallel::minWidth(model, paper) <= 321);
  // With more room titles are upright in three lines, which is lower than slanted titles.
  ParallelFrame three;
  for (double width = 600; width < 1800 && three.top == ParallelFrame().top; width += 20) {
    model.setSize({width, 400});
    if (const ParallelFrame made = parallel::frameOf(model, paper); !made.turned) three = made;
  }
  QVERIFY(!three.turned);
  QCOMPARE(three.top, ParallelFrame().top + parallel::kTitleLine);
  // At any width, upright titles have room for their lines in the font size in which they are drawn.
  for (double width = 600; width < 1800; width += 7) {
    model.setSize({width, 400});
    const ParallelFrame made = parallel::frameOf(model, paper);
    if (made.turned) continue;
    model.setFrame(made);
    for (int i = 0; i < model.order().size(); ++i) {
      const double room = model.titleRect(i).width();
      const QString title = model.axis(i).title;
      const auto lines = parallel::titleLines(title, parallel::titleFont(title, paper, room), room).size();
      QVERIFY2(lines <= (made.top > ParallelFrame().top ? 3 : 2),
               qPrintable(QString("%1 at %2").arg(title).arg(width)));
    }
  }
  QCOMPARE(parallel::titleLines("memory operations before launch", paper.font(FontRole::Small), 1),
           QStringList({"memory", "operations", "before launch"}));
  // In a wide window titles are upright, without the ends of the axes.
  model.setSize({1800, 400});
  QVERIFY(!parallel::frameOf(model, paper).turned);
  model.setFrame(parallel::frameOf(model, paper));
  QVERIFY(!parallel::subtitleOf(model, last, paper).contains(" – "));
}

void ParallelAxesTest::slantedTitlesOmitLongUnits() {
  const ViewStyle style;
  ParallelData data = sample::parallel();
  for (auto& axis : data.axes) axis.title = QString(40, 'm');
  data.axes[1].unit = "misses of the cache of the second level, data only";
  data.axes[1].categories.clear();
  ParallelModel model;
  model.setData(data);
  model.setSize({500, 240});
  model.setFrame(parallel::frameOf(model, style));
  QVERIFY(model.frame().turned);
  const QString text = parallel::subtitleOf(model, 1, style);
  QVERIFY2(!text.contains("misses"), qPrintable(text));
  model.setSize({500, 2'400}); // room for it
  model.setFrame(parallel::frameOf(model, style));
  QVERIFY(parallel::subtitleOf(model, 1, style).contains("misses"));
}

void ParallelAxesTest::oneLongTitleDoesNotTurnAll() {
  const ViewStyle style;
  ParallelData data = sample::parallel();
  ParallelModel model;
  model.setSize({900, 360});
  data.axes[3].title = QString(40, 'm');
  model.setData(data);
  QVERIFY(!parallel::frameOf(model, style).turned);
  for (auto& axis : data.axes) axis.title = QString(40, 'm');
  model.setData(data);
  QVERIFY(parallel::frameOf(model, style).turned);
}

// Forty kernels in a low picture: those with the most rows are named without overlap, and the title states
// how many; all are named at the stated height.
void ParallelAxesTest::categoriesAreNamedWhereTheirNamesHaveRoom() {
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
  QVERIFY2(parallel::subtitleOf(model, 0, style).contains(QString("%1 of 40 named").arg(names.count)),
           qPrintable(parallel::subtitleOf(model, 0, style)));
  double before = -1e9;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double y = ticks[i].position * model.valueRect().height();
    if (names.named[i]) {
      QVERIFY(y - before >= metricsOf(names.font).height() - 0.01);
      before = y;
      continue;
    }
    // A category is unnamed only if a named one with at least as many rows needs the room.
    bool excused = false;
    for (std::size_t k = 0; k < ticks.size(); ++k)
      excused |= names.named[k] &&
                 std::abs(ticks[k].position * model.valueRect().height() - y) < names.line &&
                 kernels.all[k] >= kernels.all[i];
    QVERIFY2(excused, qPrintable(kernels.categories[static_cast<int>(i)]));
  }
  const double enough = parallel::minHeight(model, 0, style);
  QVERIFY(enough > 480 && enough < 700);
  model.setSize({1000, enough});
  model.setFrame(parallel::frameOf(model, style));
  QCOMPARE(parallel::categoryNames(model, 0, style).count, 40);
  QVERIFY(!parallel::subtitleOf(model, 0, style).contains("named"));
}

void ParallelAxesTest::rotatedTitlesAreGrabbedWhereTheyAreDrawn() {
  Scene scene;
  scene.widget.resize(300, 300);
  QTest::qWait(1);
  const ParallelModel& model = scene.widget.model();
  QVERIFY(model.frame().turned);
  // The upper end of a slanted title is over the next axis.
  const auto along = [&](const char* key, double up) {
    const double height = model.frame().top * up;
    return QPointF(model.axisX(model.position(key)) + height / std::tan(model.frame().angle),
                   model.frame().top - height);
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

QTEST_MAIN(ParallelAxesTest)
#include "views_parallel_axes_test.moc"
