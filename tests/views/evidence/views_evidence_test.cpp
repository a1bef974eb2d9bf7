#include <QImage>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/views/base/mouse.h"
#include "tests/views/sample_data.h"
#include "views/base/export.h"
#include "views/evidence/evidence_painter.h"
#include "views/evidence/evidence_widget.h"
#include "views/evidence/whatif_curve.h"
#include "views/evidence/whatif_widget.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

struct Scene {
  EvidenceWidget widget;
  explicit Scene(bool points) {
    widget.resize(900, 380);
    widget.show();
    widget.setData(sample::evidence(points));
    QTest::qWait(1);
  }
  EvidenceCanvas* canvas() { return widget.canvas(); }
};

QPushButton* buttonWith(QWidget& widget, const QString& text) {
  for (auto* button : widget.findChildren<QPushButton*>())
    if (button->text().contains(text)) return button;
  return nullptr;
}

int countColour(const QImage& image, const QRectF& area, const QColor& colour, double ratio) {
  int count = 0;
  for (int y = static_cast<int>(area.top() * ratio); y < area.bottom() * ratio; ++y)
    for (int x = static_cast<int>(area.left() * ratio); x < area.right() * ratio; ++x) {
      const QColor c = image.pixelColor(x, y);
      count += std::abs(c.red() - colour.red()) + std::abs(c.green() - colour.green()) +
                   std::abs(c.blue() - colour.blue()) <
               60;
    }
  return count;
}

WhatIfData sampleWhatIf() {
  WhatIfData data;
  data.target = "kernel variability";
  data.unit = "ns";
  data.features = {{"migration_ns > 0", "migration", {}, 0, 1, 0.02, true},
                   {"sm_clock", "SM clock", "MHz", 1200, 1980, 1900, false}};
  return data;
}

} // namespace

class EvidenceTest : public QObject {
  Q_OBJECT

private slots:
  void scaledAxesAreInverse();
  void singlePointsAreFullyInside();
  void valuesAreTypedWithUnits();
  void ticksAreSeparateOnAnAxisWithAKnee();
  void headlinesStateSlopeIntervalAndN();
  void sidesAreSharesOfTheirOwnRows();
  void cellsShowTheirRows();
  void screenShowsWhatTheExportShows();
  void valuesFarFromZeroAreDrawn();
  void pointsAreSelectedByMouseAndKeys();
  void sidesAreSelectedByButtons();
  void holdingIsSwitchedByKey();
  void narrowViewsStackThePlots();
  void sliderRequestsEveryValue();
  void wordsStateChangeIntervalAndRange();
  void aColumnOfFewValuesIsSetToThese();
  void anotherAnswerKeepsFeatureAndValue();
  void anIntervalWithoutEndLeavesTheCurveReadable();
};

void EvidenceTest::scaledAxesAreInverse() {
  for (const double knee : {0.0, 100.0}) {
    const EvidenceAxis axis{"a", "ns", -1e6, 1e6, knee};
    for (const double v : {-1e6, -3.0, 0.0, 17.0, 1e5})
      QVERIFY(std::abs(axis.valueAt(axis.scaled(v)) - v) < 1e-6 * (1 + std::abs(v)));
  }
}

void EvidenceTest::ticksAreSeparateOnAnAxisWithAKnee() {
  const EvidenceAxis axis{"a", "ns", -2e5, 4e6, 50};
  const auto ticks = EvidenceModel::ticks(axis, 8);
  QVERIFY(ticks.size() >= 4);
  QVERIFY(std::any_of(ticks.begin(), ticks.end(), [](const Tick& t) { return t.value == 0; }));
  for (std::size_t i = 1; i < ticks.size(); ++i)
    QVERIFY(ticks[i].position - ticks[i - 1].position >= 1.0 / 8 - 1e-9);
  for (const Tick& tick : ticks) QVERIFY(tick.position >= -1e-9 && tick.position <= 1 + 1e-9);
}

void EvidenceTest::headlinesStateSlopeIntervalAndN() {
  EvidenceData bytes = sample::evidence(false); // numbers as on the card of an edge
  bytes.measured.x.unit = "B", bytes.measured.y.unit = "ns", bytes.event = false;
  bytes.slope = 0.0902, bytes.slopeLow = -0.0466, bytes.slopeHigh = 0.255;
  EvidenceModel rates;
  rates.setData(bytes);
  QVERIFY2(rates.slopeText().contains("90.2 ns per kB") && rates.slopeText().contains("255 ns"),
           qPrintable(rates.slopeText()));
  EvidenceModel model;
  model.setData(sample::evidence(false));
  const QString text = model.headlines().join(" | ");
  for (const char* part : {"migration", "kernel variability", "per kB", "95 %", "n = 1,000",
                           "held at their means: gap", "within their configuration"})
    QVERIFY2(text.contains(part), qPrintable(text));
  QVERIFY(model.withText().contains("n = 24"));
  QVERIFY(model.withoutText().contains("n = 976"));
}

void EvidenceTest::sidesAreSharesOfTheirOwnRows() {
  EvidenceModel model;
  model.setData(sample::evidence(false));
  double with = 0, without = 0;
  for (std::size_t i = 0; i < 10; ++i) with += model.shareWith(i), without += model.shareWithout(i);
  QVERIFY(std::abs(with - 1) < 1e-9 && std::abs(without - 1) < 1e-9);
}

void EvidenceTest::cellsShowTheirRows() {
  Scene scene(false);
  const EvidenceModel& model = scene.widget.model();
  const QRectF plot = model.scatterRect();
  const QPointF cell(plot.left() + plot.width() * 19.5 / 20, plot.bottom() - plot.height() * 9.5 / 10);
  mouse::move(scene.canvas(), cell.toPoint());
  QVERIFY2(scene.canvas()->hoverText().startsWith("362 launches"), qPrintable(scene.canvas()->hoverText()));
  mouse::move(scene.canvas(), {80, 50}); // the text at the top, which a narrow view cuts off
  QCOMPARE(scene.canvas()->hoverText(), model.headlines().join('\n'));
  const QRectF sides = model.histogramRect();
  mouse::move(scene.canvas(), QPointF(sides.left() + sides.width() * 0.65, sides.center().y()).toPoint());
  QVERIFY2(scene.canvas()->hoverText().contains("4 of 24"), qPrintable(scene.canvas()->hoverText()));
}

void EvidenceTest::screenShowsWhatTheExportShows() {
  Scene scene(false);
  const EvidenceModel& model = scene.widget.model();
  const ViewStyle style = scene.canvas()->viewStyle();
  const double ratio = scene.canvas()->devicePixelRatioF();
  const QImage screen = scene.canvas()->grab().toImage();
  const QImage picture = renderImage(scene.canvas()->size(), ratio, [&](QPainter& p, const QRectF& r) {
    evidence::paint(p, r, model, style);
  });
  for (const QRectF& area : {model.scatterRect(), model.histogramRect()})
    for (const QColor& colour : {style.accent, style.quiet, evidence::cellColour(1, style)}) {
      const int a = countColour(screen, area, colour, ratio), b = countColour(picture, area, colour, ratio);
      QVERIFY2(std::abs(a - b) <= 200 + 0.35 * std::max(a, b), qPrintable(QString("%1 %2").arg(a).arg(b)));
    }
  // The line itself is visible.
  const QPointF middle = model.place(5e5, 2.5e5);
  QVERIFY(countColour(screen, QRectF(middle - QPointF(4, 4), QSizeF(8, 8)), style.accent, ratio) > 3);
  QVERIFY(countColour(picture, QRectF(middle - QPointF(4, 4), QSizeF(8, 8)), style.accent, ratio) > 3);
}

void EvidenceTest::valuesFarFromZeroAreDrawn() {
  Scene scene(true);
  EvidenceData data = sample::evidence(true);
  constexpr double kFar = 1.77e10; // compared with a spread of a million
  for (EvidenceScatter* each : {&data.partial, &data.measured}) {
    each->x.minimum += kFar, each->x.maximum += kFar;
    for (double& x : each->pointX) x += kFar;
  }
  for (double& x : data.lineX) x += kFar;
  scene.widget.setData(data);
  const EvidenceModel& model = scene.widget.model();
  const ViewStyle style = scene.canvas()->viewStyle();
  const QImage screen = scene.canvas()->grab().toImage();
  const QPointF middle = model.place(kFar + 5e5, 2.5e5);
  QVERIFY(countColour(screen, QRectF(middle - QPointF(4, 4), QSizeF(8, 8)), style.accent,
                      scene.canvas()->devicePixelRatioF()) > 3);
  EvidenceAxis knee = data.partial.x; // the range contains no power of ten
  knee.knee = 1e4;
  QVERIFY(EvidenceModel::ticks(knee, 5).size() >= 2);
  knee.minimum = 1.77e10, knee.maximum = 1.78e10; // ticks outside the range are left out
  for (const auto& tick : EvidenceModel::ticks(knee, 5))
    QVERIFY2(tick.position >= 0 && tick.position <= 1, qPrintable(tick.label));
  QVERIFY(EvidenceModel::ticks(knee, 5).size() >= 2);
}

void EvidenceTest::pointsAreSelectedByMouseAndKeys() {
  Scene scene(true);
  QSignalSpy row(&scene.widget, &EvidenceWidget::rowClicked);
  const EvidenceModel& model = scene.widget.model();
  QTest::mouseClick(scene.canvas(), Qt::LeftButton, {}, model.place(30 * 2e4, 30 * 1e4).toPoint());
  QCOMPARE(row.count(), 1);
  QCOMPARE(row.last().at(0).toLongLong(), 130);
  QTest::keyClick(scene.canvas(), Qt::Key_Right);
  QVERIFY2(scene.canvas()->hoverText().startsWith("row "), qPrintable(scene.canvas()->hoverText()));
  QTest::keyClick(scene.canvas(), Qt::Key_Return);
  QCOMPARE(row.count(), 2);
}

void EvidenceTest::sidesAreSelectedByButtons() {
  Scene scene(false);
  QSignalSpy side(&scene.widget, &EvidenceWidget::sideRequested);
  auto* with = buttonWith(scene.widget, "24 launches with it");
  QVERIFY(with != nullptr);
  QTest::mouseClick(with, Qt::LeftButton);
  QCOMPARE(side.last().at(0).toBool(), true);
  QTest::keyClick(buttonWith(scene.widget, "976 launches without it"), Qt::Key_Space);
  QCOMPARE(side.last().at(0).toBool(), false);
}

void EvidenceTest::holdingIsSwitchedByKey() {
  Scene scene(false);
  QVERIFY(scene.widget.model().partial());
  QTest::keyClick(scene.canvas(), Qt::Key_H);
  QVERIFY(!scene.widget.model().partial());
  QVERIFY(scene.widget.model().headlines().join(" ").contains("as measured"));
}

void EvidenceTest::narrowViewsStackThePlots() {
  EvidenceModel model;
  model.setData(sample::evidence(false));
  model.setRect({0, 0, 400, 700});
  QVERIFY(model.histogramRect().top() > model.scatterRect().bottom());
  model.setRect({0, 0, 900, 300});
  QVERIFY(model.histogramRect().left() > model.scatterRect().right());
  for (const QRectF& plot : {model.scatterRect(), model.histogramRect()})
    QVERIFY(QRectF(0, 0, 900, 300).contains(plot));
}

void EvidenceTest::singlePointsAreFullyInside() {
  EvidenceModel model;
  EvidenceData data = sample::evidence(true);
  for (EvidenceScatter* each : {&data.measured, &data.partial}) { // points in the corners of their range
    each->counts.clear();
    each->x = {}, each->y = {};
    each->x.minimum = 10, each->x.maximum = 20;
    each->y.minimum = -5, each->y.maximum = 5;
    each->pointX = {10, 20}, each->pointY = {-5, 5}, each->pointRow = {0, 1};
  }
  model.setData(data);
  model.setRect({0, 0, 900, 400});
  for (std::size_t i = 0; i < 2; ++i) {
    const QPointF place = model.place(model.scatter().pointX[i], model.scatter().pointY[i]);
    QVERIFY(model.scatterRect().adjusted(5, 5, -5, -5).contains(place));
    QCOMPARE(model.pointAt(place, 4), static_cast<int>(i));
  }
}

void EvidenceTest::valuesAreTypedWithUnits() {
  using views::WhatIfWidget;
  QCOMPARE(readValue("5000us", "ns"), std::optional(5e6));
  QCOMPARE(readValue(" 1.5 ms ", "ns"), std::optional(1.5e6));
  QCOMPARE(readValue("42", "ns"), std::optional(42.0));
  QCOMPARE(readValue("2.5k", "B"), std::optional(2500.0));
  QCOMPARE(readValue("3 MB", "B"), std::optional(3e6));
  QCOMPARE(readValue("1,200 MHz", "MHz"), std::optional(1200.0));
  QCOMPARE(readValue("5 apples", "ns"), std::optional<double>());
  QCOMPARE(readValue("soon", ""), std::optional<double>());
  WhatIfWidget widget;
  widget.resize(700, 300);
  widget.show();
  auto data = sampleWhatIf();
  data.features.push_back({"gap_ns", "gap before the launch", "ns", 0, 1e6, 5e4, false});
  widget.setData(data);
  widget.setFeature("gap_ns");
  QVERIFY2(widget.ends()[0].endsWith("s") && widget.ends()[1].contains("1.15 ms"),
           qPrintable(widget.ends().join(" | ")));
  QSignalSpy asked(&widget, &WhatIfWidget::asked);
  widget.number()->setText("500us");
  QTest::keyClick(widget.number(), Qt::Key_Return);
  QCOMPARE(asked.last().at(1).toDouble(), 5e5);
  QVERIFY2(widget.number()->text().contains("µs"),
           qPrintable(widget.number()->text())); // the field accepts the text that it shows
  QCOMPARE(readValue(widget.number()->text(), "ns"), std::optional(5e5));
  const auto before = asked.count();
  widget.number()->setText("5 apples");
  QTest::keyClick(widget.number(), Qt::Key_Return);
  QCOMPARE(asked.count(), before);
  QVERIFY2(widget.problem().contains("5 apples") && widget.problem().contains("20us"),
           qPrintable(widget.problem()));
  widget.setFeature("migration_ns > 0");
  QCOMPARE(widget.ends(), QStringList({"no", "yes"}));
  QVERIFY(widget.problem().isEmpty());
}

void EvidenceTest::sliderRequestsEveryValue() {
  WhatIfWidget widget;
  widget.resize(600, 300);
  widget.show();
  QSignalSpy asked(&widget, &WhatIfWidget::asked);
  widget.setData(sampleWhatIf());
  QVERIFY(asked.count() >= 1);
  QCOMPARE(asked.last().at(0).toString(), QString("migration_ns > 0"));
  QCOMPARE(asked.last().at(1).toDouble(), 0.0); // the initial setting of an event: it never happens
  widget.setFeature("sm_clock");
  QCOMPARE(asked.last().at(1).toDouble(), 1900.0);
  QTest::keyClick(widget.slider(), Qt::Key_Right);
  QVERIFY(asked.last().at(1).toDouble() > 1895);
  QTest::keyClick(widget.slider(), Qt::Key_End);
  QVERIFY(asked.last().at(1).toDouble() > 1980); // outside the observed range
  // The slider of a count from 0 to 40 million extends beyond the observed range only at its upper end. The
  // field accepts the text that it shows.
  WhatIfData counts = sampleWhatIf();
  counts.features[1] = {"cycles", "cycles", {}, 0, 4e7, 3.66191e7, false};
  widget.setData(counts);
  widget.setFeature("cycles");
  QCOMPARE(widget.reach().first, 0.0);
  QVERIFY(widget.reach().second > 4e7);
  QCOMPARE(widget.number()->text(), QString("36.6191 M"));
  QCOMPARE(readValue(widget.number()->text(), {}), std::optional(3.66191e7));
  counts.features[1].minimum = -4e7;
  widget.setData(counts);
  QVERIFY(widget.reach().first < -4e7);
}

void EvidenceTest::wordsStateChangeIntervalAndRange() {
  WhatIfWidget widget;
  widget.resize(600, 300);
  widget.show();
  widget.setData(sampleWhatIf());
  widget.setFeature("sm_clock");
  widget.setAnswer(WhatIfAnswer{1000, 600, 500, 700, 2000, 1000, true, 800, 1200},
                   WhatIfRow{"vecadd at 1.234 s", 1300, 5000, 3000, 2500, 3500,
                             "this launch would have taken 8 µs instead of 10 µs"});
  const QString text = widget.canvas()->words().join("\n");
  for (const char* part :
       {"1.00 µs to 600 ns (−40 %)", "500 ns to 700 ns",
        "2.00 µs to 1.00 µs (95 % interval 800 ns to 1.20 µs)", "variance changes accordingly (−75 %)",
        "Extrapolation", "1,200 MHz", "would have taken 8 µs instead of 10 µs"})
    QVERIFY2(text.contains(QString::fromUtf8(part)) ||
                 text.contains(QString::fromUtf8(part).replace(u'−', u'-')),
             qPrintable(text));
  QVERIFY(!text.contains("Launches take"));
  const auto said = [&](const WhatIfChange& change) {
    widget.setAnswer(WhatIfAnswer{1000, 600, 500, 700, 2000, 1000, false, 0, 0, change}, std::nullopt);
    return widget.canvas()->words().join("\n");
  };
  QVERIFY(said({1500, 1200, 1900})
              .contains(QString::fromUtf8(
                  "Launches take 1.50 µs longer on average (95 % interval 1.20 µs to 1.90 µs).")));
  QVERIFY(said({-1500, -1900, -1200})
              .contains(QString::fromUtf8(
                  "Launches take 1.50 µs less on average (95 % interval 1.20 µs to 1.90 µs).")));
  QVERIFY(said({100, -100, 300}).contains("does not clearly change"));
  WhatIfAnswer around{1000, 600, 500, 700, 2000, 1000};
  around.aroundMedian = true;
  widget.setAnswer(around, std::nullopt);
  QVERIFY(widget.canvas()->words().join("\n").contains(
      "the mean of kernel variability around the median changes from"));
}

void EvidenceTest::aColumnOfFewValuesIsSetToThese() {
  WhatIfWidget widget;
  widget.resize(600, 500);
  widget.show();
  WhatIfData data = sampleWhatIf();
  data.features.push_back({"tile_size_x", "tile size x", {}, 1, 4, 2.4, false});
  widget.setData(data);
  widget.setFeature("tile_size_x");
  QCOMPARE(widget.value(), 2.4);
  QSignalSpy asked(&widget, &WhatIfWidget::asked);
  widget.setValues("tile_size_x", {.few = {1, 2, 4}});
  QCOMPARE(widget.value(), 2.0); // the nearest value of the few
  QCOMPARE(asked.size(), 1);
  QCOMPARE(widget.slider()->maximum(), 2);
  QCOMPARE(widget.ends(), QStringList({"1", "4"}));
  QTest::keyClick(widget.slider(), Qt::Key_Right);
  QCOMPARE(widget.value(), 4.0);
  QTest::keyClick(widget.slider(), Qt::Key_Home);
  QCOMPARE(widget.value(), 1.0);
  widget.setCurve({{1, 10, 9, 11}, {2, 14, 13, 15}, {4, 12, 11, 13}});
  widget.setAnswer(WhatIfAnswer{12, 10, 9, 11, 1, 1}, std::nullopt);
  const QImage picture = widget.canvas()->grab().toImage();
  widget.setValues("tile_size_x", {});
  widget.setAnswer(WhatIfAnswer{12, 10, 9, 11, 1, 1}, std::nullopt);
  QVERIFY(picture != widget.canvas()->grab().toImage()); // points, no line through them
  QCOMPARE(widget.slider()->maximum(), 1000);
  widget.setValue(2.4);
  widget.setValues("tile_size_x", {.whole = true});
  QCOMPARE(widget.value(), 2.0);
  QTest::keyClick(widget.slider(), Qt::Key_Right);
  QCOMPARE(widget.value(), 3.0);
}

void EvidenceTest::anotherAnswerKeepsFeatureAndValue() {
  WhatIfWidget widget;
  widget.show();
  widget.setData(sampleWhatIf());
  widget.setFeature("sm_clock");
  QTest::keyClick(widget.slider(), Qt::Key_PageDown);
  const double value = widget.value();
  WhatIfData next = sampleWhatIf();
  std::swap(next.features[0], next.features[1]);
  widget.setData(next);
  QCOMPARE(widget.feature(), QString("sm_clock"));
  QCOMPARE(widget.value(), value);
}

// The mean is a few µs, the interval outside the observed range a quarter of a second.
void EvidenceTest::anIntervalWithoutEndLeavesTheCurveReadable() {
  WhatIfShown shown;
  shown.data = sampleWhatIf();
  shown.feature = 1;
  shown.answer = WhatIfAnswer{12'500, 9'000, 7'500, 44'800, 1, 1};
  for (int i = 0; i <= 10; ++i)
    shown.curve.push_back({i * 10.0, 8'000.0 + 3'000 * i, 6'000, i < 3 ? 20'000 : 2.4e8});
  const auto range = what_if::curveRange(shown);
  QVERIFY2(range.high > 44'800 && range.high < 400'000, qPrintable(QString::number(range.high)));
  QCOMPARE(range.low, 0.0);
  QVERIFY(range.beyondHigh == std::optional(2.4e8) && !range.beyondLow);
  QImage picture(500, 300, QImage::Format_RGB32);
  const auto style = ViewStyle::light();
  picture.fill(style.background);
  QPainter painter(&picture);
  what_if::paintCurve(painter, picture.rect(), shown, style);
  painter.end();
  int highest = picture.height(); // y of the highest point of the mean's line
  for (int y = 0; y < picture.height() && highest == picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x)
      if (picture.pixelColor(x, y) == style.accent) highest = y;
  QVERIFY2(highest < 250, "the line of the mean is not flat at the bottom");
  for (WhatIfPoint& point : shown.curve) point.high = point.mean + 5'000, point.low = -9e7;
  const auto below = what_if::curveRange(shown);
  QVERIFY(below.beyondLow == std::optional(-9e7) && !below.beyondHigh && below.low > -400'000);
  for (WhatIfPoint& point : shown.curve)
    point.low = point.mean - 5'000; // an interval that fits is shown whole
  const auto whole = what_if::curveRange(shown);
  QVERIFY(!whole.beyondLow && !whole.beyondHigh);
  QCOMPARE(whole.high, 44'800.0);
}

QTEST_MAIN(EvidenceTest)
#include "views_evidence_test.moc"
