#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QMenu>
#include <QMenuBar>
#include <QSignalSpy>
#include <QSlider>
#include <algorithm>
#include <csignal>
#include <map>

#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/timeline_docks.h"
#include "app/metrics/histogram_controller.h"
#include "app/widgets/message_bar.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/view_exports.h"
#include "tests/app/session/own_places.h"
#include "tests/app/window/driven_window.h"
#include "tests/views/base/mouse.h"
#include "views/area/area_widget.h"
#include "views/causal/causal_canvas.h"
#include "views/causal/causal_widget.h"
#include "views/evidence/evidence_widget.h"
#include "views/evidence/whatif_widget.h"
#include "views/metrics/metric_histogram.h"
#include "views/metrics/metrics_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// Duplicates of views, pinned to a selection.
class PinnedViewsTest : public QObject, DrivenWindow {
  Q_OBJECT

  /// The names of all docks in the View menu.
  QStringList views_of_the_menu() {
    QStringList titles;
    for (auto* menu : window_->menuBar()->findChildren<QMenu*>(Qt::FindDirectChildrenOnly)) {
      if (menu->title() != "&View") continue;
      for (const auto* dock : window_->findChildren<QDockWidget*>())
        if (menu->actions().contains(dock->toggleViewAction()) && dock->toggleViewAction()->isVisible())
          titles << dock->windowTitle();
    }
    return titles;
  }
  QAction* duplicate_action(const QString& view) {
    for (auto* menu : window_->menuBar()->findChildren<QMenu*>())
      if (QString(menu->title()).remove('&').startsWith("Duplicate View"))
        for (auto* action : menu->actions())
          if (action->text() == view) return action;
    return nullptr;
  }
  std::optional<QString> numbers(const QString& view) { return csv_of_view(*window_, view); }

private slots:
  void initTestCase() { make_trace(); }
  void init() { new_window(); }
  void cleanup() { close(); }

  void pinnedViewsStayWithTheirSelection() {
    open(at("trace.sqlite"));
    choose_first_kernel();
    QTRY_VERIFY_WITH_TIMEOUT(selected_launches() < kLaunches, kPatience);
    const auto pinned_launches = selected_launches();
    auto* dock = window_->pin("distribution");
    auto* view = qobject_cast<views::DistributionWidget*>(dock->widget());
    QVERIFY(view);
    QTRY_COMPARE_WITH_TIMEOUT(view->model().data.selectedN, pinned_launches, kPatience);
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), kLaunches, kPatience);
    QCOMPARE(view->model().data.selectedN, pinned_launches);
    QVERIFY(dock->windowTitle().contains("kernel"));
    QCOMPARE(window_->pinned()->count(), 1);
    dock->close();
    QTRY_COMPARE_WITH_TIMEOUT(window_->pinned()->count(), 0, kPatience);
  }

  void areasAreDuplicated() {
    open(at("trace.sqlite"));
    const Interval span = window_->session().tracks().launch_span;
    SelectionState chosen;
    chosen.brush = Interval{span.begin, span.begin + Nanoseconds{span.length().count / 4}};
    window_->hub().apply(chosen);
    auto* area = window_->timeline_docks()->area();
    QTRY_VERIFY_WITH_TIMEOUT(!area->area().rows.empty(), kPatience);
    const QString said = area->text();
    for (auto* dock : window_->findChildren<QDockWidget*>())
      if (dock->isAncestorOf(area)) dock->show(), dock->raise();
    window_->activateWindow();
    area->kernels()->setFocus();
    QTRY_VERIFY(QApplication::focusWidget() == area->kernels());
    QTest::keyClick(area->kernels(), Qt::Key_P, Qt::ShiftModifier);
    QTRY_COMPARE(window_->pinned()->count(), 1);
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(area->text() != said, kPatience);
    const auto areas = window_->findChildren<views::AreaWidget*>();
    QVERIFY(std::any_of(areas.begin(), areas.end(),
                        [&](const auto* each) { return each != area && each->area().rows.size() > 0; }));
  }

  // Where tracks share rows of pixels, the content of single tracks is not requested.
  void aDuplicateOfTheTimelineShowsTracksThatShareRows() {
    open(at("trace.sqlite"));
    window_->timeline()->setHeights({false, 0.1, views::Merging::Dominant, true});
    QVERIFY(window_->timeline()->model().merges());
    QTRY_VERIFY_WITH_TIMEOUT(!window_->timeline()->model().merged().shares.empty(), kPatience);
    auto* timeline = qobject_cast<views::TimelineWidget*>(window_->pin("timeline")->widget());
    QVERIFY(timeline && timeline->model().merges());
    QTRY_VERIFY_WITH_TIMEOUT(!timeline->model().merged().shares.empty(), kPatience);
    QCOMPARE(timeline->model().merged().query.generation, timeline->model().layout().generation());
    emit timeline->mapRequested(timeline->model().mergedQuery(1)); // the overview of all tracks
    QTRY_VERIFY_WITH_TIMEOUT(!timeline->model().map().shares.empty(), kPatience);
  }

  void pinnedViewsOutliveTheSelectionAndTheEngine() {
    open(at("trace.sqlite"));
    choose_first_kernel();
    QTRY_VERIFY_WITH_TIMEOUT(selected_launches() < kLaunches, kPatience);
    const auto pinned_launches = selected_launches();
    QVERIFY(settled(*window_)); // now the graph describes the selected kernel
    std::map<QString, QDockWidget*> docks;
    const QSize size = window_->size();
    for (const auto& each : window_->all_views())
      if (auto* dock = window_->pin(each.spec->id)) docks[each.spec->id] = dock;
    QTest::qWait(50);
    QCOMPARE(window_->size(), size); // a dock without room next to the others becomes a tab
    QCOMPARE(window_->pinned()->count(), static_cast<int>(docks.size()));
    QVERIFY(!docks.contains("evidence") && !docks.contains("area")); // both views are still empty
    const auto view = [&]<class Widget>(const char* id, Widget*) {
      return qobject_cast<Widget*>(docks[id]->widget());
    };
    auto* launches = view("launches", static_cast<views::LaunchesWidget*>(nullptr));
    docks["launches"]->raise();
    QTRY_COMPARE_WITH_TIMEOUT(launches->model().total(),
                              std::optional<qint64>(static_cast<qint64>(pinned_launches)), kPatience);
    auto* timeline = view("timeline", static_cast<views::TimelineWidget*>(nullptr));
    docks["timeline"]->raise();
    QTRY_VERIFY(!docks["timeline"]->visibleRegion().isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(!timeline->model().data().tracks.empty(), kPatience);
    auto* causal = view("causal", static_cast<views::CausalWidget*>(nullptr));
    QTRY_VERIFY_WITH_TIMEOUT(!causal->graph().nodes.empty(), kPatience);
    QCOMPARE(causal->graph().nodes.size(), window_->causal()->graph().nodes.size());
    auto* bins = view("bins", static_cast<views::BinsWidget*>(nullptr));
    QTRY_VERIFY_WITH_TIMEOUT(bins->model().rowCount() > 0, kPatience);

    // The selection changes, the pinned views stay.
    const auto window = timeline->model().viewport.window();
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), kLaunches, kPatience);
    window_->timeline()->showAll();
    QVERIFY(settled(*window_));
    QCOMPARE(launches->model().total(), std::optional<qint64>(static_cast<qint64>(pinned_launches)));
    QCOMPARE(timeline->model().viewport.window(), window);

    // A pinned timeline zooms independently: it sends its own request and leaves the main timeline alone.
    const auto main_window = window_->timeline()->model().viewport.window();
    timeline->zoomIn();
    QVERIFY(settled(*window_));
    QVERIFY(timeline->model().viewport.window().length() < window.length());
    QCOMPARE(window_->timeline()->model().viewport.window(), main_window);
    views::mouse::move(timeline, {timeline->width() * 0.6, timeline->height() * 0.6});
    QVERIFY(window_->timeline()->model().cursor.has_value());
    QCOMPARE(window_->timeline()->model().cursor, timeline->model().cursor);

    // A lost and restarted engine gets the same requests again.
    QSignalSpy lost(&window_->session(), &SessionController::engine_lost);
    ::kill(static_cast<pid_t>(window_->session().engine().processId()), SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(lost.count() > 0, kPatience);
    timeline->setData({});
    views::rest(kLongestRest);
    QVERIFY(timeline->model().data().tracks.empty());
    window_->session().restart_engine();
    QTRY_VERIFY_WITH_TIMEOUT(!timeline->model().data().tracks.empty(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(launches->model().total(),
                              std::optional<qint64>(static_cast<qint64>(pinned_launches)), kPatience);
  }

  void everyViewOfTheMenuCanBeOpenedTwice() {
    open(at("trace.sqlite"));
    const Interval span = window_->session().tracks().launch_span;
    window_->timeline()->setFlags({{span.begin, "here"}});
    window_->causal_controller()->knowledge().ignore({"gap_ns"});
    window_->launches()->setOrder({"duration", true});
    SelectionState chosen;
    chosen.brush = Interval{span.begin, span.begin + Nanoseconds{span.length().count * 3 / 4}};
    window_->hub().apply(chosen);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->timeline_docks()->area()->area().rows.empty(), kPatience);
    QVERIFY(settled(*window_));
    QTRY_VERIFY_WITH_TIMEOUT(!window_->causal()->graph().edges.empty(), kPatience);
    QTest::keyClick(window_->causal()->canvas(), Qt::Key_Down);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->causal_controller()->evidence()->model().empty(), kPatience);
    raise("dock.heat_map");
    raise("dock.efficiency");
    raise("dock.metrics");
    QTRY_VERIFY_WITH_TIMEOUT(!window_->widget<views::MetricsWidget>("metrics")->panels().empty(), kPatience);
    window_->histogram_controller()->show(window_->widget<views::MetricsWidget>("metrics")->panels()[0]);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->metric_histogram()->data().empty(), kPatience);

    const QStringList titles = views_of_the_menu() << "Timeline";
    QVERIFY2(titles.size() >= 14, qPrintable(titles.join(", ")));
    QVERIFY(settled(*window_));
    std::map<QString, QString> twins; // title of each duplicate by the name of the original view
    const auto metrics = numbers("Metrics");
    for (const auto& title : titles) {
      auto* action = duplicate_action(title);
      QVERIFY2(action, qPrintable(title + " cannot be duplicated"));
      const auto before = window_->pinned()->docks().size();
      action->trigger();
      QVERIFY2(window_->pinned()->docks().size() == before + 1, qPrintable(title));
      twins[title] = window_->pinned()->docks().back()->windowTitle();
      QVERIFY2(twins[title].startsWith(title + " · "), qPrintable(twins[title]));
      window_->pinned()->docks().back()->raise();
    }
    QVERIFY(settled(*window_));
    // Each duplicate shows the numbers of the original, and can be exported. Metrics have one value per
    // pixel, and the original became narrower.
    const auto pictures = pictures_of(*window_);
    std::map<QString, QString> kept;
    for (const auto& [title, twin] : twins) {
      QVERIFY2(pictures.contains(twin) || pictures.contains(twin + ": kernels"), qPrintable(twin));
      QVERIFY2((title == "Metrics" ? metrics : numbers(title)) == numbers(twin),
               qPrintable(title + "\n" + numbers(title).value_or("") + "\n" + numbers(twin).value_or("")));
      if (numbers(twin)) kept[title] = *numbers(twin);
    }
    QVERIFY(kept.size() >= 10);
    QVERIFY(kept["Area"].count("\r\n") > 1 && kept["What if"].count("\r\n") > 1 &&
            kept["Evidence"].count("\r\n") > 1);
    const auto n = window_->launches()->model().total();
    QVERIFY(n && *n < qint64(kLaunches));
    auto* launches =
        qobject_cast<views::LaunchesWidget*>(window_->pinned()->dock_of(twins["Launches"])->widget());
    QCOMPARE(launches->order().column, window_->launches()->order().column);
    QCOMPARE(launches->model().columns().size(), window_->launches()->model().columns().size());

    // The selection changes: the duplicates stay, but still share settings that do not depend on it.
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    window_->causal_controller()->knowledge().ignore({"queue_delay_ns"});
    window_->timeline()->setFlags({{span.begin, "here"}, {span.end, "there"}});
    emit window_->timeline()->marksChanged();
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), kLaunches, kPatience);
    QVERIFY(settled(*window_));
    for (const QString title : {"Knowledge", "Marks", "Activity"})
      QVERIFY2(numbers(title) == numbers(twins[title]), qPrintable(title));
    QVERIFY(numbers("Marks")->contains("there") && numbers("Knowledge")->contains("queue_delay_ns"));
    for (const auto& title : titles)
      if (kept.contains(title) && title != "Knowledge" && title != "Marks" && title != "Activity")
        QVERIFY2(kept[title] == numbers(twins[title]), qPrintable(title));
    // Saving the duplicate saves its launches, not the current selection.
    window_->save_table_to(twins["Launches"], at("pinned.csv"));
    QTRY_VERIFY_WITH_TIMEOUT(window_->messages()->text().startsWith("Saved "), kPatience);
    QFile file(at("pinned.csv"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll().count('\n'), *n + 1);
  }

  void aPinnedWhatIfIsIndependent() {
    open(at("trace.sqlite"));
    auto* shown = window_->causal_controller()->what_if();
    QTRY_VERIFY_WITH_TIMEOUT(shown->canvas()->shown().answer.has_value(), kPatience);
    QVERIFY(settled(*window_));
    const auto [low, high] = shown->reach();
    shown->setValue(low + (high - low) / 4);
    auto* dock = window_->pin("what_if");
    QVERIFY(dock);
    auto* twin = qobject_cast<views::WhatIfWidget*>(dock->widget());
    QVERIFY(twin);
    QCOMPARE(twin->canvas()->words(), shown->canvas()->words());
    QCOMPARE(twin->feature(), shown->feature());
    const auto words = shown->canvas()->words();
    twin->slider()->setValue(900);
    QVERIFY(twin->canvas()->words() != words);
    QVERIFY(!twin->canvas()->shown().curve.empty());
    QCOMPARE(shown->canvas()->words(), words);
  }

  void keysOfAPinnedViewChangeIt() {
    open(at("trace.sqlite"));
    QVERIFY(settled(*window_));
    for (const char* id : {"distribution", "heat_map"}) {
      auto* dock = window_->pin(id);
      const auto shown = [&] { return numbers(dock->windowTitle()).value_or(QString()); };
      QVERIFY(settled(*window_));
      const auto before = shown();
      QVERIFY(before.count("\r\n") > 2);
      QTest::keyClick(dock->widget(), Qt::Key_L);
      QTRY_VERIFY_WITH_TIMEOUT(shown() != before, kPatience);
      QTest::keyClick(dock->widget(), Qt::Key_L);
      QTRY_COMPARE_WITH_TIMEOUT(shown(), before, kPatience);
    }
    QVERIFY(window_->session().distribution_choices().log); // the original keeps its setting
  }

  void theViewThatHasTheKeyboardIsCopiedNotItsTwin() {
    open(at("trace.sqlite"));
    raise("dock.kernels");
    auto* dock = window_->pin("kernels");
    dock->setFloating(true);
    dock->resize(777, 333);
    QVERIFY(settled(*window_));
    window_->activateWindow();
    window_->kernels()->table()->setFocus();
    QTRY_VERIFY(QApplication::focusWidget() == window_->kernels()->table());
    QTest::keyClick(window_->kernels()->table(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(window_->messages()->text().startsWith("A picture of Kernels was copied"));
    QCOMPARE(QGuiApplication::clipboard()->image().size(), window_->kernels()->size());
  }
};

QTEST_MAIN(PinnedViewsTest)
#include "pinned_views_test.moc"
