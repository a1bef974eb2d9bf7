// The timeline with an engine: areas, colours, the flow of a launch, steps, marks.

#include <QDockWidget>
#include <QSignalSpy>
#include <QTableView>
#include <QTableWidget>
#include <QTest>

#include <cmath>

#include "app/controllers/timeline_docks.h"
#include "app/controllers/timeline_link.h"
#include "app/window/main_window.h"
#include "tests/app/patience.h"
#include "tests/app/session/own_places.h"
#include "tests/app/window/settled.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/views/base/mouse.h"
#include "views/area/area_widget.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_strip.h"
#include "views/bins/bins_widget.h"
#include "views/heatmap/heat_map_widget.h"
#include "views/table/launches_widget.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

namespace {}

class TimelineLinkTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  QString trace_ = QString::fromStdString(folder_.file("trace.sqlite"));
  std::unique_ptr<MainWindow> window_;

  views::TimelineWidget* timeline() { return window_->timeline(); }
  const views::TimelineModel& model() { return window_->timeline()->model(); }
  const views::AreaData& area() { return window_->timeline_docks()->area()->area(); }
  std::uint64_t launches_of(const std::vector<views::KernelRow>& rows) {
    std::uint64_t sum = 0;
    for (const auto& row : rows) sum += row.count;
    return sum;
  }
  std::optional<views::TrackRow> row_of(views::TrackKind kind) {
    for (const auto& row : model().rows())
      if (model().tracks()[std::size_t(row.track)].kind == kind && model().visible(row)) return row;
    return std::nullopt;
  }
  QPointF lane(const views::TrackRow& row, double share) {
    const QRectF rect = model().rowRect(row);
    return {rect.left() + rect.width() * share, rect.center().y()};
  }
  // Selects a launch of the first stream that has a call.
  void choose_launch() {
    const auto span = model().viewport.window();
    timeline()->setWindow({span.begin + Nanoseconds{span.length().count / 2},
                           span.begin + Nanoseconds{span.length().count / 2 + 2'000'000}});
    QTRY_VERIFY_WITH_TIMEOUT(model().data().window == model().viewport.window(), kPatience);
    const auto row = row_of(views::TrackKind::Stream);
    QVERIFY(row.has_value());
    const auto* content = model().content(row->strips.front());
    QVERIFY(content && !content->bars.empty());
    const auto& bar = content->bars[content->bars.size() / 2];
    QTest::mouseClick(
        timeline(), Qt::LeftButton, {},
        QPointF(model().xAt({(bar.begin.count + bar.end.count) / 2}), model().rowRect(*row).center().y())
            .toPoint());
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch.has_value(), kPatience);
  }

private slots:
  void initTestCase() {
    qputenv("JITTERSCOPE_CACHE", folder_.file("cache").c_str());
    generator::Options options;
    options.launches = 6000;
    options.causes = {generator::Cause::Migration};
    QVERIFY(generator::generate(options, trace_.toStdString(), {}).has_value());
  }
  void init() {
    window_ = std::make_unique<MainWindow>(1);
    window_->resize(1500, 950);
    window_->show();
    window_->open({trace_});
    QTRY_VERIFY_WITH_TIMEOUT(!model().data().tracks.empty(), kPatience);
  }
  void cleanup() {
    window_->close();
    window_.reset();
  }

  void anAreaIsAddedUpAtOnce() {
    const QRectF axis = model().axisRect();
    views::mouse::drag(*timeline(), {int(axis.left()) + 2, int(axis.center().y())},
                       {int(axis.right()) - 2, int(axis.center().y())});
    QTRY_VERIFY_WITH_TIMEOUT(launches_of(area().rows) > 5900, kPatience); // all except a few at the edges
    QCOMPARE(area().where, QString("all tracks"));
    QTRY_VERIFY_WITH_TIMEOUT(!area().whole.empty(), kPatience);
    QCOMPARE(launches_of(area().whole), std::uint64_t(6000));
    QVERIFY(!area().tracks.empty());
    const auto row = row_of(views::TrackKind::Stream);
    QVERIFY(row.has_value());
    views::mouse::drag(*timeline(), lane(*row, 0.3).toPoint(), lane(*row, 0.6).toPoint(), Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(area().tracks.size(), std::size_t{1}, kPatience);
    QVERIFY(launches_of(area().rows) > 0 && launches_of(area().rows) < 6000);
    QCOMPARE(area().tracks.front().events, launches_of(area().rows));
    QTest::keyClick(timeline(), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(area().range.empty(), kPatience);
  }

  void valuesColourTheLaunches() {
    QTest::keyClick(timeline(), Qt::Key_C);
    QTRY_COMPARE_WITH_TIMEOUT(model().data().value, QString("relative_to_mean"), kPatience);
    const auto has_values = [&] {
      for (const auto& track : model().data().tracks) {
        for (const auto& cell : track.cells)
          if (!std::isnan(cell.value)) return true;
        for (const auto& bar : track.bars)
          if (!std::isnan(bar.value)) return true;
      }
      return false;
    };
    QVERIFY(has_values());
    emit timeline()->colourColumnChosen("duration");
    QTRY_COMPARE_WITH_TIMEOUT(model().colour.column, QString("duration"), kPatience);
    QVERIFY(model().colour.high > model().colour.low);
    QTRY_COMPARE_WITH_TIMEOUT(model().data().value, QString("duration"), kPatience);
    QVERIFY(has_values());
  }

  void aChosenLaunchShowsItsFlowAndSteps() {
    choose_launch();
    QTRY_VERIFY_WITH_TIMEOUT(!model().arrows.empty(), kPatience);
    QCOMPARE(model().arrows.front().kind, views::ArrowKind::Launch);
    const auto first = *window_->hub().state().launch;
    QCOMPARE(model().arrows.front().to, first.interval.begin);
    QTest::keyClick(timeline(), Qt::Key_Period);
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch->row != first.row, kPatience);
    const auto next = *window_->hub().state().launch;
    QCOMPARE(next.track, first.track);
    QVERIFY(next.interval.begin > first.interval.begin);
    QTest::keyClick(timeline(), Qt::Key_Comma);
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().launch->row, first.row, kPatience);
    QTest::keyClick(timeline(), Qt::Key_BracketRight);
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch->row > first.row, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(model().selectedInterval->begin, window_->hub().state().launch->interval.begin,
                              kPatience);
  }

  void theCursorIsSharedByAllViewsOfTime() {
    QTRY_VERIFY_WITH_TIMEOUT(window_->bins()->model().rowCount() > 0, kPatience);
    auto* strip = window_->bins()->strip();
    const auto row = row_of(views::TrackKind::Stream);
    QVERIFY(row.has_value());
    views::mouse::move(timeline(), lane(*row, 0.5));
    QVERIFY(strip->cursorTime().has_value());
    QCOMPARE(*strip->cursorTime(), *model().cursor);
    views::mouse::move(strip, {strip->width() / 3.0, strip->height() / 2.0});
    QCOMPARE(*model().cursor, *strip->cursorTime());
    QSignalSpy shared(window_->widget<views::HeatMapWidget>("heat_map"), &views::HeatMapWidget::cursorMoved);
    emit window_->launches()->cursorMoved(window_->session().tracks().launch_span.begin);
    QCOMPARE(*model().cursor, window_->session().tracks().launch_span.begin);
    QCOMPARE(*strip->cursorTime(), *model().cursor);
    QCOMPARE(shared.count(), 0);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(strip, &leave);
    QVERIFY(!model().cursor.has_value());
  }

  void marksAreListedRenamedAndRemoved() {
    auto* table = window_->timeline_docks()->marks()->table();
    views::mouse::move(timeline(), {700, 300});
    QTest::keyClick(timeline(), Qt::Key_M);
    QCOMPARE(model().flags.size(), std::size_t{1});
    timeline()->setBrush(
        Interval{model().viewport.window().begin, model().viewport.window().begin + Nanoseconds{1'000'000}});
    QTest::keyClick(timeline(), Qt::Key_N);
    QCOMPARE(table->rowCount(), 2);
    QCOMPARE(table->item(0, 0)->text(), QString("2")); // the range is earlier, the mark is named 1
    QCOMPARE(table->item(1, 0)->text(), QString("1"));
    table->item(0, 1)->setText("warm-up");
    QCOMPARE(model().ranges.front().name, QString("warm-up"));
    table->selectRow(1);
    window_->timeline_docks()->marks()->remove_selected();
    QVERIFY(model().flags.empty());
    QCOMPARE(table->rowCount(), 1);
    window_->timeline_docks()->marks()->go_to(0);
    QVERIFY(model().viewport.window().length().count < 2'000'000);
  }
};

QTEST_MAIN(TimelineLinkTest)
#include "timeline_link_test.moc"
