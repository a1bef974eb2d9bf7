#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/views/base/mouse.h"
#include "tests/views/base/rest.h"
#include "tests/views/sample_data.h"
#include "views/parallel/parallel_probe.h"
#include "views/parallel/parallel_widget.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

/// Counts its paint events.
struct CountingWidget : ParallelWidget {
  int paints = 0;

protected:
  void paintEvent(QPaintEvent* event) override {
    ++paints;
    ParallelWidget::paintEvent(event);
  }
};

ParallelData withTime() {
  ParallelData data = sample::parallel();
  data.axes[1].time = true;
  return data;
}

struct Scene {
  CountingWidget widget;
  QSignalSpy requested{&widget, &ParallelWidget::rowsRequested},
      abandoned{&widget, &ParallelWidget::rowsAbandoned};
  QSignalSpy chosen{&widget, &ParallelWidget::rowsChosen},
      stepped{&widget, &ParallelWidget::rowStepRequested};
  QSignalSpy cursor{&widget, &ParallelWidget::cursorMoved}, brushed{&widget, &ParallelWidget::brushesChanged};

  explicit Scene(ParallelData data = sample::parallel()) {
    widget.resize(1100, 360);
    widget.show();
    widget.setData(std::move(data));
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    settle();
  }
  /// Waits until no paint event is pending.
  void settle() {
    do {
      widget.paints = 0;
      rest(20);
    } while (widget.paints > 0);
  }
  const ParallelModel& model() const { return widget.model(); }
  QPointF onAxis(int position, double share) const {
    const QRectF values = model().valueRect();
    return {model().axisX(position), values.bottom() - share * values.height()};
  }
  QPointF between(int left, double across, double share) const {
    return {model().axisX(left) + across * (model().axisX(left + 1) - model().axisX(left)),
            onAxis(left, share).y()};
  }
  /// A row in the middle of all axes.
  ParallelLine line(std::int64_t row) const {
    ParallelLine made;
    made.label = "kernel";
    made.place = "start\t3 ms";
    made.row = row;
    made.start = Nanoseconds{3'000'000};
    for (const auto& key : model().order())
      made.values[key] = ParallelModel::valueAt(model().axis(model().position(key)), 0.5);
    return made;
  }
  ParallelProbe probe() const { return requested.last().at(0).value<ParallelProbe>(); }
  QList<qint64> rows() const { return chosen.last().at(0).value<QList<qint64>>(); }
};

} // namespace

class ParallelRowsTest : public QObject {
  Q_OBJECT

private slots:
  void thePointerOnAnAxisRequestsTheRowsThere() {
    Scene scene;
    mouse::move(&scene.widget, scene.onAxis(2, 0.25));
    QCOMPARE(scene.requested.count(), 1);
    QCOMPARE(scene.probe().left, 2);
    QCOMPARE(scene.probe().right, -1);
    QVERIFY(std::abs(scene.probe().at - 0.25) < 1e-9);
    QVERIFY(std::abs(scene.probe().within * scene.model().valueRect().height() - 2) < 1e-9); // two pixels
    mouse::move(&scene.widget, scene.onAxis(2, 0.25));
    QCOMPARE(scene.requested.count(), 1); // no new request
  }

  void thePointerBetweenAxesRequestsTheLinesThere() {
    Scene scene;
    mouse::move(&scene.widget, scene.between(1, 0.4, 0.7));
    QCOMPARE(scene.requested.count(), 1);
    QCOMPARE(scene.probe().left, 1);
    QCOMPARE(scene.probe().right, 2);
    QVERIFY(std::abs(scene.probe().across - 0.4) < 1e-9);
    QVERIFY(std::abs(scene.probe().at - 0.7) < 1e-9);
    mouse::move(&scene.widget, {scene.between(1, 0.4, 0).x(), 2}); // above the plot
    QCOMPARE(scene.abandoned.count(), 1);
  }

  void placesTurnWithTheirAxis() {
    Scene scene;
    const QString key = scene.model().order()[1];
    const double value = ParallelModel::valueAt(scene.model().axis(1), 0.2);
    QVERIFY(std::abs(placeOf(scene.model(), 1, value) - 0.2) < 1e-9);
    scene.widget.setInverted(key, true);
    QVERIFY(std::abs(placeOf(scene.model(), 1, value) - 0.8) < 1e-9);
    QVERIFY(std::isnan(placeOf(scene.model(), 1, std::nan("")))); // nowhere without missing values
  }

  void nearRowsAreDrawnAndReported() {
    Scene scene;
    mouse::move(&scene.widget, scene.between(1, 0.5, 0.5));
    scene.settle();
    const QImage without = scene.widget.grab().toImage();
    scene.widget.setNearRows({scene.line(7), scene.line(9)}, 1'234);
    QCOMPARE(scene.widget.nearLines().size(), std::size_t{2});
    QVERIFY(!scene.widget.nearLines()[0].nearby && scene.widget.nearLines()[1].nearby);
    QVERIFY(scene.widget.grab().toImage() != without);
    const QString card = scene.widget.hoverText();
    QVERIFY2(card.startsWith("kernel\nstart\t3 ms"), qPrintable(card));
    QVERIFY2(card.contains("Nearest of 1,234 launches here; a click selects the 2 that are drawn"),
             qPrintable(card));
    for (const auto& key : scene.model().order())
      QVERIFY(card.contains(scene.model().axis(scene.model().position(key)).title));
    scene.widget.setNearRows({scene.line(7)}, 1);
    QVERIFY2(scene.widget.hoverText().endsWith("A click selects this row"),
             qPrintable(scene.widget.hoverText()));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&scene.widget, &leave);
    QVERIFY(scene.widget.nearLines().empty());
    QVERIFY(scene.widget.hoverText().isEmpty());
    QCOMPARE(scene.abandoned.count(), 1);
  }

  void lateAnswersAreDropped() {
    Scene scene;
    mouse::move(&scene.widget, scene.between(1, 0.5, 0.5));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&scene.widget, &leave);
    scene.widget.setNearRows({scene.line(7)}, 1);
    QVERIFY(scene.widget.nearLines().empty());
  }

  void rowsOfAnotherPlaceGoWhereTheAnswerTakesLong() {
    Scene scene;
    mouse::move(&scene.widget, scene.between(1, 0.5, 0.5));
    scene.widget.setNearRows({scene.line(7)}, 1);
    mouse::move(&scene.widget, scene.between(2, 0.5, 0.8));
    QCOMPARE(scene.widget.nearLines().size(), std::size_t{1}); // the near lines remain until a delay ends
    QTRY_VERIFY(scene.widget.nearLines().empty());
    QVERIFY(!scene.cursor.last().at(0).value<std::optional<Nanoseconds>>());
    QCOMPARE(scene.abandoned.count(), 0); // the answer is still pending
    scene.widget.setNearRows({scene.line(8)}, 1);
    rest(500);
    QCOMPARE(scene.widget.nearLines().front().row, std::int64_t{8});
  }

  void newCountsRequestAgainTheRowsAtThePointer() {
    Scene scene;
    scene.widget.setData(sample::parallel());
    QCOMPARE(scene.requested.count(), 0); // the pointer is outside
    mouse::move(&scene.widget, scene.between(1, 0.5, 0.5));
    scene.widget.setNearRows({scene.line(7)}, 1);
    scene.widget.setData(sample::parallelSelected());
    QVERIFY(scene.widget.nearLines().empty());
    QCOMPARE(scene.requested.count(), 2);
    scene.widget.setNearRows({scene.line(8)}, 1);
    QCOMPARE(scene.widget.nearLines().front().row, std::int64_t{8});
  }

  void nothingIsPaintedWithoutCause() {
    Scene scene;
    mouse::move(&scene.widget, scene.between(1, 0.5, 0.5));
    scene.widget.setNearRows({}, 0);
    scene.settle();
    for (int i = 1; i < 20; ++i) {
      mouse::move(&scene.widget, scene.between(1, 0.5, 0.5 + i * 0.01));
      scene.widget.setNearRows({}, 0); // no row anywhere here
      QCoreApplication::processEvents();
    }
    rest(50);
    QCOMPARE(scene.widget.paints, 0);
  }

  void aClickChoosesTheRowsThatAreDrawn() {
    Scene scene;
    const QPoint at = scene.between(1, 0.5, 0.5).toPoint();
    mouse::move(&scene.widget, at);
    scene.widget.setNearRows({scene.line(7), scene.line(3)}, 2);
    QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, at);
    QCOMPARE(scene.chosen.count(), 1);
    QCOMPARE(scene.rows(), (QList<qint64>{7, 3}));
    const QPoint axis = scene.onAxis(1, 0.5).toPoint();
    mouse::move(&scene.widget, axis);
    scene.widget.setNearRows({}, 0);
    QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, axis); // away from all lines
    QCOMPARE(scene.chosen.count(), 2);
    QVERIFY(scene.rows().isEmpty());
    QCOMPARE(scene.brushed.count(), 0);
  }

  void aClickBeforeTheAnswerWaitsForIt() {
    Scene scene;
    const QPoint at = scene.between(1, 0.5, 0.5).toPoint();
    mouse::move(&scene.widget, at);
    QTest::mouseClick(&scene.widget, Qt::LeftButton, {}, at);
    QCOMPARE(scene.chosen.count(), 0);
    scene.widget.setNearRows({scene.line(7)}, 1);
    QCOMPARE(scene.chosen.count(), 1);
    QCOMPARE(scene.rows(), (QList<qint64>{7}));
  }

  void aDragIsABrushAndNoClick() {
    Scene scene;
    mouse::move(&scene.widget, scene.onAxis(1, 0.2));
    scene.widget.setNearRows({scene.line(7)}, 1);
    mouse::drag(scene.widget, scene.onAxis(1, 0.2).toPoint(), scene.onAxis(1, 0.6).toPoint());
    QCOMPARE(scene.chosen.count(), 0);
    QVERIFY(scene.brushed.count() > 0);
    QVERIFY(scene.widget.nearLines().empty());
  }

  void keysStepThroughRowsAndChooseThem() {
    Scene scene;
    QTest::keyClick(&scene.widget, Qt::Key_Right);
    const QString key = scene.model().order()[1];
    QTest::keyClick(&scene.widget, Qt::Key_Up);
    QCOMPARE(scene.stepped.last(), (QVariantList{key, 1}));
    QTest::keyClick(&scene.widget, Qt::Key_Down);
    QCOMPARE(scene.stepped.last(), (QVariantList{key, -1}));
    QTest::keyClick(&scene.widget, Qt::Key_Down, Qt::ControlModifier);
    QCOMPARE(scene.stepped.last(), (QVariantList{key, -ParallelWidget::kFarthest}));
    scene.widget.setInverted(key, true); // up on the screen is down in value
    QTest::keyClick(&scene.widget, Qt::Key_Up);
    QCOMPARE(scene.stepped.last(), (QVariantList{key, -1}));
    QTest::keyClick(&scene.widget, Qt::Key_Space);
    QCOMPARE(scene.chosen.count(), 0); // no near rows are shown to choose
    scene.widget.setSteppedRow(scene.line(42));
    QVERIFY(scene.widget.hoverText().contains("kernel"));
    QTest::keyClick(&scene.widget, Qt::Key_Space);
    QCOMPARE(scene.rows(), (QList<qint64>{42}));
    QTest::keyClick(&scene.widget, Qt::Key_Escape);
    QVERIFY(scene.widget.nearLines().empty());
  }

  void theTimeOfTheOtherViewsIsMarkedOnAxesOfTime() {
    Scene scene(withTime());
    const ParallelAxis& axis = scene.model().axis(1);
    const auto middle = Nanoseconds{std::llround(ParallelModel::valueAt(axis, 0.5))};
    const QImage without = scene.widget.grab().toImage();
    scene.settle();
    scene.widget.setCursorTime(middle);
    rest(20);
    QCOMPARE(scene.widget.paints, 1);
    const QImage with = scene.widget.grab().toImage();
    QVERIFY(with != without);
    const double ratio = with.devicePixelRatio();
    const QPoint mark =
        (scene.onAxis(1, placeOf(scene.model(), 1, static_cast<double>(middle.count))) * ratio).toPoint();
    for (int y = 0; y < with.height(); ++y)
      for (int x = 0; x < with.width(); ++x)
        if (std::abs(x - mark.x()) > 16 * ratio || std::abs(y - mark.y()) > 8 * ratio)
          QCOMPARE(with.pixel(x, y), without.pixel(x, y));
    scene.widget.setCursorTime(Nanoseconds{static_cast<std::int64_t>(axis.maximum) * 2 + 10}); // off the axis
    QCOMPARE(scene.widget.grab().toImage(), without);
    QCOMPARE(scene.cursor.count(), 0);
  }

  void thePointerShowsItsTime() {
    Scene scene(withTime());
    const double value = ParallelModel::valueAt(scene.model().axis(1), 0.25);
    mouse::move(&scene.widget, scene.onAxis(1, 0.25));
    QCOMPARE(scene.cursor.count(), 1);
    const auto time = scene.cursor.last().at(0).value<std::optional<Nanoseconds>>();
    QVERIFY(time && std::abs(static_cast<double>(time->count) - value) <= 1);
    mouse::move(&scene.widget, scene.between(2, 0.5, 0.5));
    QVERIFY(!scene.cursor.last().at(0).value<std::optional<Nanoseconds>>());
    scene.widget.setNearRows({scene.line(7)}, 1); // the time is now the start of the nearest row
    QCOMPARE(scene.cursor.last().at(0).value<std::optional<Nanoseconds>>(),
             std::optional(Nanoseconds{3'000'000}));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&scene.widget, &leave);
    QVERIFY(!scene.cursor.last().at(0).value<std::optional<Nanoseconds>>());
  }
};

QTEST_MAIN(ParallelRowsTest)
#include "views_parallel_rows_test.moc"
