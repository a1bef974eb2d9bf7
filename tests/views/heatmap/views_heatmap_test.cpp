#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <numeric>

#include "tests/views/base/mouse.h"
#include "tests/views/sample_data.h"
#include "views/base/painting.h"
#include "views/heatmap/heat_map_painter.h"
#include "views/heatmap/heat_map_widget.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

int countOf(const QImage& image, const QColor& ground) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const QColor c = image.pixelColor(x, y);
      count += std::abs(c.red() - ground.red()) + std::abs(c.green() - ground.green()) +
                   std::abs(c.blue() - ground.blue()) >
               30;
    }
  return count;
}

struct Scene {
  HeatMapWidget widget;
  Scene() {
    widget.resize(640, 320);
    widget.setViewStyle(ViewStyle::light());
    widget.show();
    widget.setData(sample::heatMap());
    widget.grab();
  }
};

} // namespace

class HeatMapTest : public QObject {
  Q_OBJECT

private slots:
  void placesAndValuesAreInverse() {
    const HeatMapModel model{sample::heatMap(), QRectF(60, 30, 500, 240)};
    for (const double y : {30.0, 111.0, 270.0}) QVERIFY(std::abs(model.yAt(model.valueAt(y)) - y) < 1e-6);
    for (const double x : {60.0, 200.0, 560.0}) QVERIFY(std::abs(model.xAt(model.timeAt(x)) - x) < 0.01);
    QCOMPARE(model.timeOf(0).begin, model.data.window.begin);
    QCOMPARE(model.timeOf(model.data.columns - 1).end, model.data.window.end);
  }

  void cellsAreFoundUnderThePointer() {
    const HeatMapModel model{sample::heatMap(), QRectF(0, 0, 400, 300)};
    QVERIFY(!model.cellAt({-1, 5}));
    const auto lowest = model.cellAt({1, 299});
    QVERIFY(lowest && lowest->column == 0 && lowest->row == 0);
    const auto highest = model.cellAt({399, 1});
    QVERIFY(highest && highest->column == model.data.columns - 1 && highest->row == model.data.rows() - 1);
  }

  void oneLaunchIsSeenNextToAMillion() {
    HeatMapModel model{sample::heatMap(), QRectF(0, 0, 400, 300)};
    model.data.counts[0] = 1'000'000;
    QCOMPARE(model.shade(0), 0.0);
    QVERIFY(model.shade(1) >= 0.15);
    QVERIFY(model.shade(1'000'000) > 0.99);
  }

  void aLongFilterLeavesRoomForNAndTheScale() {
    HeatMapModel model{sample::heatMap(), QRectF(0, 0, 400, 300)};
    const ViewStyle style;
    model.data.title = "Duration over time · " + QString("duration > 20us and ").repeated(10);
    for (double width = 400; width < 900; width += 50) {
      const QRectF rect(0, 0, width, 300);
      const auto places = heat_map::headPlaces(rect, model, style);
      QVERIFY(!places.scale.isEmpty());
      QVERIFY(places.title.width() >= 60 && places.title.right() < places.counts.left());
      QVERIFY(places.counts.right() < places.scale.left() - 16 && places.scale.right() < rect.right());
      QVERIFY(places.counts.width() >=
              metricsOf(style.font(FontRole::Emphasis)).horizontalAdvance(model.counts()));
    }
    const auto narrow = heat_map::headPlaces({0, 0, 220, 300}, model, style);
    QVERIFY(narrow.scale.isEmpty() && narrow.counts.right() <= 220);
  }

  void screenAndExportShowTheSameCells() {
    Scene scene;
    const double ratio = scene.widget.devicePixelRatioF();
    QImage exported(scene.widget.size() * ratio, QImage::Format_RGB32);
    exported.setDevicePixelRatio(ratio);
    QPainter painter(&exported);
    heat_map::paint(painter, scene.widget.rect(), scene.widget.model().data, ViewStyle::light());
    painter.end();
    const auto plot = scene.widget.model().plot;
    const QRect inside((plot.topLeft() * ratio).toPoint(), (plot.size() * ratio).toSize());
    const double a = countOf(scene.widget.grab().toImage().copy(inside), ViewStyle::light().background);
    const double b = countOf(exported.copy(inside), ViewStyle::light().background);
    QVERIFY2(b > 1'000 && std::abs(a - b) < 0.15 * b,
             qPrintable(QString("%1 against %2 pixels").arg(a).arg(b)));
  }

  void draggingBrushesTimeAndValues() {
    Scene scene;
    QSignalSpy brushed(&scene.widget, &HeatMapWidget::areaBrushed);
    const auto plot = scene.widget.model().plot;
    const QPoint from(int(plot.left() + plot.width() * 0.25), int(plot.top() + plot.height() * 0.25));
    const QPoint to(int(plot.left() + plot.width() * 0.5), int(plot.top() + plot.height() * 0.75));
    mouse::drag(scene.widget, from, to);
    QCOMPARE(brushed.count(), 1);
    const auto time = brushed.front().at(0).value<Interval>();
    const auto span = scene.widget.model().data.window;
    QVERIFY(std::abs(double((time.begin - span.begin).count) / double(span.length().count) - 0.25) < 0.01);
    QVERIFY(brushed.front().at(1).toDouble() < brushed.front().at(2).toDouble());
    QSignalSpy cleared(&scene.widget, &HeatMapWidget::brushCleared);
    QTest::keyClick(&scene.widget, Qt::Key_Escape);
    QCOMPARE(cleared.count(), 1);
  }

  void keysBrushAsTheMouseDoes() {
    Scene scene;
    QSignalSpy brushed(&scene.widget, &HeatMapWidget::areaBrushed);
    QTest::keyClick(&scene.widget, Qt::Key_Return); // there is no brush yet
    QTest::keyClick(&scene.widget, Qt::Key_Left);
    QCOMPARE(brushed.count(), 0);
    QTest::keyClick(&scene.widget, Qt::Key_Return);
    QCOMPARE(brushed.count(), 1);
    const auto first = brushed.back().at(0).value<Interval>();
    const double low = brushed.back().at(1).toDouble(), high = brushed.back().at(2).toDouble();
    QVERIFY(low < high && !first.empty());
    QTest::keyClick(&scene.widget, Qt::Key_Right, Qt::ShiftModifier);
    QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(&scene.widget, Qt::Key_Return);
    const auto second = brushed.back().at(0).value<Interval>();
    QCOMPARE(second.begin, first.begin);
    QVERIFY(second.end > first.end);
    QVERIFY(brushed.back().at(2).toDouble() < high);
    QVERIFY(std::abs(brushed.back().at(1).toDouble() - low) < 1e-9 * low);
    QSignalSpy cleared(&scene.widget, &HeatMapWidget::brushCleared);
    QTest::keyClick(&scene.widget, Qt::Key_Escape);
    QCOMPARE(cleared.count(), 1);
  }

  void hoverStatesTheCell() {
    Scene scene;
    const auto& model = scene.widget.model();
    for (int column = 0; column < model.data.columns; ++column)
      for (int row = 0; row < model.data.rows(); ++row)
        if (model.countAt({column, row}) > 0) {
          const QPointF at(model.plot.left() + (column + 0.5) / model.data.columns * model.plot.width(),
                           model.plot.bottom() - (row + 0.5) / model.data.rows() * model.plot.height());
          mouse::move(&scene.widget, at);
          QVERIFY(scene.widget.hoverText().contains("launches"));
          return;
        }
    QFAIL("no cell of the sample data has a launch");
  }

  void theCursorIsReportedAndDrawn() {
    Scene scene;
    QSignalSpy reported(&scene.widget, &HeatMapWidget::cursorMoved);
    const auto& plot = scene.widget.model().plot;
    mouse::move(&scene.widget, {plot.left() + plot.width() / 2, plot.center().y()});
    QCOMPARE(reported.count(), 1);
    const auto time = reported.front().front().value<std::optional<Nanoseconds>>();
    const auto span = scene.widget.model().data.window;
    QVERIFY(time && std::abs(double((*time - span.begin).count) / double(span.length().count) - 0.5) < 0.01);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&scene.widget, &leave);
    QVERIFY(!reported.back().front().value<std::optional<Nanoseconds>>());

    const auto before = scene.widget.grab().toImage();
    scene.widget.setCursorTime(span.begin + Nanoseconds{span.length().count / 4});
    QCOMPARE(reported.count(), 2); // another view's cursor is not published again
    const auto with = scene.widget.grab().toImage();
    QVERIFY(with != before);
    scene.widget.setCursorTime(span.end + Nanoseconds{1}); // outside: nothing to draw
    QCOMPARE(scene.widget.grab().toImage(), before);
  }

  void anEmptyMapShowsAMessage() {
    HeatMapWidget widget;
    widget.setData({});
    QVERIFY(!widget.message().isEmpty());
    widget.resize(300, 200);
    QVERIFY(!widget.grab().isNull());
  }
};

QTEST_MAIN(HeatMapTest)
#include "views_heatmap_test.moc"
