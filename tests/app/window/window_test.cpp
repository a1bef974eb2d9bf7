#include <QAction>
#include <QDesktopServices>
#include <QDir>
#include <QDockWidget>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <csignal>

#include "app/controllers/timeline_docks.h"
#include "app/engine/settings.h"
#include "app/help/help_window.h"
#include "app/widgets/choice_box.h"
#include "app/widgets/message_bar.h"
#include "app/widgets/request_bar.h"
#include "app/window/main_window.h"
#include "tests/app/patience.h"
#include "tests/app/session/own_places.h"
#include "tests/app/window/settled.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"
#include "views/area/area_widget.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_widget.h"
#include "views/distribution/distribution_widget.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_widget.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

namespace {

void press(QWidget* widget, QPointF from, QPointF to, Qt::KeyboardModifiers modifiers = {}) {
  QTest::mousePress(widget, Qt::LeftButton, modifiers, from.toPoint());
  for (int i = 1; i <= 4; ++i) {
    QMouseEvent move(QEvent::MouseMove, from + (to - from) * i / 4,
                     widget->mapToGlobal(from + (to - from) * i / 4), Qt::NoButton, Qt::LeftButton,
                     modifiers);
    QCoreApplication::sendEvent(widget, &move);
  }
  QTest::mouseRelease(widget, Qt::LeftButton, modifiers, to.toPoint());
}

void wheel(QWidget* widget, QPointF at, int steps) {
  QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, 120 * steps}, Qt::NoButton, Qt::NoModifier,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(widget, &event);
}

} // namespace

class WindowTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  QString trace_ = QString::fromStdString(folder_.file("trace.sqlite"));
  std::unique_ptr<MainWindow> window_;

  void make(const QString& path, std::int64_t launches) {
    generator::Options options;
    options.launches = launches;
    options.causes = {generator::Cause::Migration};
    QVERIFY(generator::generate(options, path.toStdString(), {}).has_value());
  }
  void open() {
    window_->open({trace_});
    QTRY_VERIFY_WITH_TIMEOUT(!window_->causal()->graph().empty(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(window_->bins()->model().rowCount() > 0, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->parallel()->model().empty(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->timeline()->model().data().tracks.empty(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->distribution()->model().data.empty(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), std::uint64_t(6000), kPatience);
  }
  QStringList half_stores() {
    return QDir(QString::fromStdString(folder_.file("cache"))).entryList({"big*"});
  }
  /// Starts an import and stops it before it can end, until it is continued.
  void begin_and_hold_import() {
    const QString big = QString::fromStdString(folder_.file("big.sqlite"));
    if (!QFile::exists(big)) make(big, 300000);
    bool held = false;
    QObject watch;
    connect(&window_->session().importer(), &EngineLink::progress, &watch, [&] {
      if (!held) held = ::kill(importer(), SIGSTOP) == 0;
    });
    window_->open({big});
    QTRY_VERIFY_WITH_TIMEOUT(held, kPatience);
  }
  void let_import_go_on() { ::kill(importer(), SIGCONT); }
  pid_t importer() { return static_cast<pid_t>(window_->session().importer().processId()); }
  QTableView* bin_table() { return window_->bins()->table(); }
  void click_bin(int row, bool twice) {
    const auto at = bin_table()->visualRect(bin_table()->model()->index(row, 1)).center();
    QTest::mouseClick(bin_table()->viewport(), Qt::LeftButton, {}, at);
    if (twice) QTest::mouseDClick(bin_table()->viewport(), Qt::LeftButton, {}, at);
  }
  std::uint64_t launches_in_table() {
    std::uint64_t sum = 0;
    for (const auto& row : window_->kernels()->model().kernels().rows) sum += row.count;
    return sum;
  }

private slots:
  void initTestCase() {
    qputenv("JITTERSCOPE_CACHE", folder_.file("cache").c_str());
    make(trace_, 6000);
  }
  void init() {
    window_ = std::make_unique<MainWindow>(2);
    window_->resize(1500, 950);
    window_->show();
  }
  void cleanup() {
    window_->close();
    window_.reset();
  }

  void anEmptyWindowStatesHowToBegin() {
    QVERIFY(window_->timeline()->message().contains("open a trace"));
    QVERIFY(!window_->grab().isNull());
  }

  void openingFillsEveryView() {
    open();
    QCOMPARE(launches_in_table(), std::uint64_t(6000));
    QVERIFY(window_->windowTitle().startsWith("trace.sqlite"));
    QVERIFY(!window_->causal()->graph().sentences.isEmpty());
    QCOMPARE(window_->parallel()->model().data().rows, std::uint64_t(6000));
  }

  void theSmallestScreenHasRoomForParallelCoordinates() {
    cleanup();
    window_ = std::make_unique<MainWindow>(2);
    window_->resize(960, 540);
    window_->show();
    open();
    const auto height = [this] { return window_->parallel()->model().valueRect().height(); };
    QTRY_VERIFY2(window_->parallel()->isVisible() && height() >= 55, qPrintable(QString::number(height())));
    QVERIFY2(window_->height() <= 540, qPrintable(QString::number(window_->height())));
    cleanup();
    settings().remove("window/layout"); // of the small window
    init();
  }

  // A new user's first view in a small window: complete labels, names with their first numbers, every tab.
  void aSmallWindowShowsNumbersAndWholeLabels() {
    cleanup();
    window_ = std::make_unique<MainWindow>(2);
    window_->resize(1280, 800);
    window_->show();
    open();
    for (const auto* box : window_->findChildren<ChoiceBox*>()) {
      if (!box->isVisible() || box->currentIndex() < 0) continue;
      QVERIFY2(box->shown() == box->currentText(),
               qPrintable(box->currentText() + " is shown as " + box->shown()));
    }
    const auto visible_numbers = [](QTableView* table, int requested) {
      auto* header = table->horizontalHeader();
      int whole = 0;
      for (int place = 1; place < header->count(); ++place) {
        const int section = header->logicalIndex(place);
        if (!header->isSectionHidden(section) &&
            header->sectionViewportPosition(section) + header->sectionSize(section) <=
                table->viewport()->width())
          ++whole;
      }
      return whole >= requested;
    };
    const auto raise = [this](const char* name) {
      auto* dock = window_->findChild<QDockWidget*>(name);
      dock->show();
      dock->raise();
      QTest::qWait(50);
    };
    raise("dock.kernels");
    QVERIFY(visible_numbers(window_->kernels()->table(), 2));
    raise("dock.area");
    QVERIFY(visible_numbers(window_->timeline_docks()->area()->kernels(), 2));
    raise("dock.launches");
    QVERIFY(visible_numbers(window_->launches()->table(), 2)); // first the kernel, then its duration
    for (const auto* bar : window_->findChildren<QTabBar*>()) {
      if (!bar->isVisible() || bar->count() < 2) continue;
      QVERIFY2(bar->tabRect(bar->count() - 1).right() <= bar->width() + 1,
               qPrintable(bar->tabText(bar->count() - 1)));
    }
  }

  void clickingTheTopBinMakesAllViewsFollow() {
    open();
    const QString sentence = window_->causal()->graph().sentences.value(0);
    const auto bin = window_->bins()->model().bins().bins.front();
    click_bin(0, false);
    QVERIFY(window_->hub().state().bin.has_value());
    QCOMPARE(window_->hub().state().bin->index, bin.index);
    QVERIFY(window_->timeline()->model().selectedBin.has_value());
    QCOMPARE(window_->timeline()->model().selectedBin->begin, bin.start);
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), bin.n, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(window_->parallel()->model().data().selectedRows, bin.n, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(window_->distribution()->model().data.selectedN, bin.n, kPatience);
    // A few launches are not enough: the view then describes more launches, and says so.
    QTRY_VERIFY_WITH_TIMEOUT(
        window_->causal()->graph().n <= bin.n ||
            window_->causal()->graph().remark.contains("This answer is about all launches"),
        kPatience);
    window_->hub().undo();
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), std::uint64_t(6000), kPatience);
    QVERIFY(!window_->timeline()->model().selectedBin.has_value());
    QTRY_COMPARE_WITH_TIMEOUT(window_->causal()->graph().sentences.value(0), sentence, kPatience);
  }

  void fromTheWholeRunToOneLaunchAndBackByUndo() {
    open();
    auto* timeline = window_->timeline();
    QVERIFY(settled(*window_));
    const Interval whole = timeline->model().viewport.window();
    click_bin(0, true);
    QTRY_VERIFY_WITH_TIMEOUT(timeline->model().viewport.window().length() < whole.length(), kPatience);
    const auto in_bin = timeline->model().viewport.window();
    const auto bin = window_->hub().state().bin->interval;
    QVERIFY(in_bin.begin <= bin.begin && bin.end <= in_bin.end);
    // The wheel zooms at the pointer until launches are separate bars that are wide enough to click.
    const auto lanes = timeline->model().lanesRect();
    QPointF on_bar;
    const auto find_bar = [&] {
      for (const auto& row : timeline->model().rows()) {
        if (timeline->model().tracks()[std::size_t(row.track)].kind != views::TrackKind::Stream) continue;
        const auto rect = timeline->model().rowRect(row);
        for (double x = lanes.left() + 40; x < lanes.right() - 40; x += 3)
          if (timeline->model().hitTest({x, rect.center().y()}).bar) {
            on_bar = {x, rect.center().y()};
            return true;
          }
      }
      return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(find_bar(), kPatience);
    wheel(timeline, on_bar, 3);
    QTRY_VERIFY_WITH_TIMEOUT(timeline->model().data().window == timeline->model().viewport.window(),
                             kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(find_bar(), kPatience);
    QTest::mouseClick(timeline, Qt::LeftButton, {}, on_bar.toPoint());
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch.has_value(), kPatience);
    QTest::mouseDClick(timeline, Qt::LeftButton, {}, on_bar.toPoint());
    const auto launch = window_->hub().state().launch->interval;
    QTRY_VERIFY_WITH_TIMEOUT(timeline->model().viewport.window().length().count <=
                                 std::max<std::int64_t>(launch.length().count * 4, 2000),
                             kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->parallel()->lines().empty(), kPatience);
    QVERIFY(settled(*window_)); // now the zoom is in the history
    for (int i = 0; i < 10 && window_->hub().canUndo(); ++i)
      QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!window_->hub().canUndo());
    QTRY_VERIFY_WITH_TIMEOUT(timeline->model().viewport.window().length() >= whole.length(), kPatience);
    window_->hub().redo();
    QVERIFY(window_->hub().state().bin.has_value());
  }

  void undoInTheFilterBoxRemovesTheFilterAndRedoAppliesIt() {
    open();
    auto* box = window_->filter_box();
    box->setFocus();
    QTest::keyClicks(box, "duration > 20us");
    QTest::keyClick(box, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, QString("duration > 20us"), kPatience);
    QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(window_->hub().state().where.isEmpty() && box->text().isEmpty());
    QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(window_->hub().state().where, QString("duration > 20us"));
    QCOMPARE(box->text(), QString("duration > 20us"));
    // Text that is not applied yet is undone in the box alone.
    box->end(false);
    QTest::keyClicks(box, " and");
    QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(window_->hub().state().where, QString("duration > 20us"));
    QCOMPARE(box->text(), QString("duration > 20us"));
  }

  void keysZoomAndPan() {
    open();
    auto* timeline = window_->timeline();
    timeline->setFocus();
    const auto before = timeline->model().viewport.window();
    QTest::keyClick(timeline, Qt::Key_W);
    QTest::keyClick(timeline, Qt::Key_W);
    const auto zoomed = timeline->model().viewport.window();
    QVERIFY(zoomed.length() < before.length());
    QTest::keyClick(timeline, Qt::Key_D);
    QVERIFY(timeline->model().viewport.window().begin > zoomed.begin);
    QTest::keyClick(timeline, Qt::Key_A);
    QTest::keyClick(timeline, Qt::Key_S);
    QVERIFY(timeline->model().viewport.window().length() > zoomed.length());
  }

  void brushingTheTimelineFiltersAll() {
    open();
    const auto lanes = window_->timeline()->model().lanesRect();
    press(window_->timeline(), {lanes.left() + lanes.width() * 0.4, lanes.center().y()},
          {lanes.left() + lanes.width() * 0.6, lanes.center().y()}, Qt::ShiftModifier);
    QVERIFY(window_->hub().state().brush.has_value());
    QTRY_VERIFY_WITH_TIMEOUT(launches_in_table() < 6000 && launches_in_table() > 0, kPatience);
    const auto selected = launches_in_table();
    QTRY_COMPARE_WITH_TIMEOUT(window_->parallel()->model().data().selectedRows, selected, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(window_->distribution()->model().data.selectedN, selected, kPatience);
  }

  void brushingAnAxisFiltersAll() {
    open();
    auto* parallel = window_->parallel();
    window_->resize(1600, 1000);
    const auto& model = parallel->model();
    const int axis = model.position("duration");
    QVERIFY(axis >= 0);
    const double x = model.axisX(axis);
    const auto plot = model.plotRect();
    press(parallel, {x, plot.top() + plot.height() * 0.05}, {x, plot.top() + plot.height() * 0.5});
    QVERIFY(!window_->hub().state().brushes.empty());
    QTRY_VERIFY_WITH_TIMEOUT(launches_in_table() < 6000 && launches_in_table() > 0, kPatience);
    const auto selected = launches_in_table();
    QTRY_COMPARE_WITH_TIMEOUT(parallel->model().data().selectedRows, selected, kPatience);
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), std::uint64_t(6000), kPatience);
    QVERIFY(parallel->model().brushes().empty());
  }

  void theFilterBoxFiltersAndExplainsMistakes() {
    open();
    window_->filter_box()->setText("duration >");
    QTest::keyClick(window_->filter_box(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(
        window_->messages()->isVisible() && window_->messages()->text().contains("number"), kPatience);
    QVERIFY(window_->hub().state().where.isEmpty());
    window_->filter_box()->setText("stream = 13 or stream = 7");
    QTest::keyClick(window_->filter_box(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, QString("stream = 13 or stream = 7"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(launches_in_table() < 6000, kPatience);
    window_->hub().undo();
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), std::uint64_t(6000), kPatience);
    QVERIFY(window_->filter_box()->text().isEmpty());
    const QString name =
        window_->session().tracks().names.value(0); // a single word is searched for in the names
    window_->filter_box()->setText("/" + name.left(4) + "/");
    QTest::keyClick(window_->filter_box(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, "name ~ /" + name.left(4) + "/", kPatience);
    QCOMPARE(window_->filter_box()->text(), window_->hub().state().where);
  }

  void choosingAKernelFiltersAll() {
    open();
    auto* table = window_->kernels()->table();
    table->selectRow(0);
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().kernels.size(), std::size_t(1), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(window_->parallel()->model().data().selectedRows < 6000, kPatience);
  }

  void droppedFilesAreOpened() {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(trace_)});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window_.get(), &drop);
    QTRY_COMPARE_WITH_TIMEOUT(window_->parallel()->model().data().rows, std::uint64_t(6000), kPatience);
  }

  void aBadFileIsReportedAndTheOldSessionStays() {
    open();
    const QString bad = QString::fromStdString(folder_.file("bad.sqlite"));
    QFile file(bad);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 3\n");
    file.close();
    window_->open({bad});
    QTRY_VERIFY_WITH_TIMEOUT(
        window_->messages()->isVisible() && window_->messages()->text().contains("bad.sqlite"), kPatience);
    QVERIFY(window_->bins()->model().rowCount() > 0);
  }

  void killingTheEngineLeavesTheWindowAliveAndARestartWorks() {
    open();
    window_->filter_box()->setText("duration > 8us");
    QTest::keyClick(window_->filter_box(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(launches_in_table() < 6000, kPatience);
    const auto selected = launches_in_table();
    QSignalSpy waiting(&window_->session(), &SessionController::causal_waiting);
    window_->session().set_causal_choices({CausalRows::All, "duration", "automatic", ""});
    QVERIFY(waiting.count() >= 1);
    ::kill(static_cast<pid_t>(window_->session().engine().processId()), SIGKILL);
    const auto reported = [&] {
      return window_->messages()->isVisible() &&
             window_->messages()->text().contains("engine", Qt::CaseInsensitive);
    };
    QTRY_VERIFY_WITH_TIMEOUT(reported(), kPatience);
    QVERIFY2(window_->bins()->model().rowCount() > 0, "the views keep their content");
    wheel(window_->timeline(), window_->timeline()->model().lanesRect().center(), 2);
    QVERIFY(!window_->grab().isNull());
    QVERIFY(window_->save_session(QString::fromStdString(folder_.file("kept.jsession"))).has_value());
    QSignalSpy reopened(&window_->session(), &SessionController::reopened);
    const auto before = window_->hub().state();
    QTest::mouseClick(window_->messages()->button(), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(reopened.count(), 1, kPatience);
    QVERIFY2(window_->hub().state() == before && window_->hub().canUndo(),
             "the selection and the history are kept");
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), selected, kPatience);
    const auto& timeline = window_->timeline()->model();
    QTRY_VERIFY_WITH_TIMEOUT(timeline.data().window.begin <= timeline.viewport.window().begin &&
                                 timeline.data().window.length().count <=
                                     2 * timeline.viewport.window().length().count,
                             kPatience); // of the range that was chosen while there was no engine
    QTRY_VERIFY_WITH_TIMEOUT(window_->causal()->graph().n > 0, kPatience);
  }

  void closingDuringImportLeavesNoProcessAndNoHalfStore() {
    begin_and_hold_import();
    if (QTest::currentTestFailed()) return;
    const auto processes = {importer(), static_cast<pid_t>(window_->session().engine().processId())};
    let_import_go_on();
    window_->close();
    for (const auto process : processes) QTRY_VERIFY_WITH_TIMEOUT(::kill(process, 0) != 0, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(half_stores().isEmpty(), kPatience);
  }

  void anImportCanBeCancelled() {
    begin_and_hold_import();
    if (QTest::currentTestFailed()) return;
    QVERIFY(window_->requests()->running());
    let_import_go_on();
    QTest::mouseClick(window_->requests()->cancelButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->requests()->running(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(half_stores().isEmpty(), kPatience);
  }

  void openingSomethingElseDuringAnImportCounts() {
    begin_and_hold_import();
    if (QTest::currentTestFailed()) return;
    let_import_go_on();
    window_->open({trace_});
    QTRY_COMPARE_WITH_TIMEOUT(window_->parallel()->model().data().rows, std::uint64_t(6000), kPatience);
    QVERIFY(settled(*window_));
    QVERIFY(window_->windowTitle().startsWith("trace.sqlite"));
    QTRY_VERIFY_WITH_TIMEOUT(half_stores().isEmpty(), kPatience);
  }

  void theMainJobOnARealTrace() {
    const QString real = QString(JITTERSCOPE_DATA_DIR) + "/nsys/rtx3090-20runs/report12.sqlite";
    if (!QFile::exists(real)) QSKIP("the real trace is not available");
    window_->open({real}); // imports it into the cache
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), std::uint64_t(6434), kPatience);
    window_ = std::make_unique<MainWindow>(2);
    window_->resize(1500, 950);
    window_->show();
    QElapsedTimer clock;
    clock.start();
    window_->open({real});
    QTRY_VERIFY_WITH_TIMEOUT(!window_->timeline()->model().data().tracks.empty(), kPatience);
    qInfo("stored trace, open to first view: %lld ms", static_cast<long long>(clock.elapsed()));
    QTRY_VERIFY_WITH_TIMEOUT(!window_->causal()->graph().empty(), kPatience);
    QVERIFY2(window_->causal()->graph().sentences.value(0).contains("migration"),
             qPrintable(window_->causal()->graph().sentences.value(0)));
    QTRY_VERIFY_WITH_TIMEOUT(window_->bins()->model().rowCount() > 0, kPatience);
    const auto bin = window_->bins()->model().bins().bins.front();
    click_bin(0, true);
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), bin.n, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(window_->parallel()->model().data().selectedRows, bin.n, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(window_->distribution()->model().data.selectedN, bin.n, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(
        window_->causal()->graph().remark.contains("The selection alone does not show why durations vary"),
        kPatience);
    const auto shown = window_->timeline()->model().viewport.window();
    QVERIFY2(shown.begin <= bin.start && bin.lastEnd <= shown.end, "the whole launch is visible");
    for (int i = 0; i < 10 && window_->hub().canUndo(); ++i)
      QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), std::uint64_t(6434), kPatience);
    QVERIFY(window_->timeline()->model().viewport.window().length() > shown.length());
  }

  void titlesOfTabbedDocksAreComplete() {
    const auto bars = window_->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
    int titles = 0;
    for (const auto* bar : bars) {
      if (bar->count() < 2) continue;
      titles += bar->count();
      QCOMPARE(bar->elideMode(), Qt::ElideNone);
      QVERIFY(bar->usesScrollButtons());
    }
    QVERIFY(titles >= 8);
  }

  // The menu View hides only what is in front.
  void theMenuRaisesAViewBehindATab() {
    open();
    const auto dock = [&](const char* name) { return window_->findChild<QDockWidget*>(name); };
    const auto in_front = [&](const char* name) { return !dock(name)->visibleRegion().isEmpty(); };
    reveal(*dock("dock.kernels"));
    QTRY_VERIFY(in_front("dock.kernels"));
    const auto behind = window_->tabifiedDockWidgets(dock("dock.kernels"));
    const auto found =
        std::ranges::find_if(behind, [](const QDockWidget* each) { return !each->isHidden(); });
    QVERIFY(found != behind.end());
    auto* other = *found;
    QVERIFY(other->visibleRegion().isEmpty());
    QCoreApplication::processEvents();
    other->toggleViewAction()->trigger();
    QTRY_VERIFY(!other->visibleRegion().isEmpty());
    QVERIFY(!in_front("dock.kernels"));
    QCoreApplication::processEvents();
    other->toggleViewAction()->trigger();
    QTRY_VERIFY(other->isHidden());
  }

  // A trace with several devices raises the dock Devices; it is not in front of the views of later sessions.
  void aDockThatOneSessionRequestsIsHiddenInOthers() {
    open();
    const auto dock = [&](const char* name) { return window_->findChild<QDockWidget*>(name); };
    const auto in_front = [&](const char* name) { return !dock(name)->visibleRegion().isEmpty(); };
    reveal(*dock("dock.devices"));
    QTRY_VERIFY(in_front("dock.devices") && !in_front("dock.parallel"));
    window_->open({trace_});
    QTRY_VERIFY_WITH_TIMEOUT(dock("dock.devices")->isHidden(), kPatience);
    QVERIFY(!dock("dock.devices")->toggleViewAction()->isVisible());
    QTRY_VERIFY(in_front("dock.parallel"));
    reveal(*dock("dock.devices"));
    QTRY_VERIFY(in_front("dock.devices"));
    window_->close(); // keeps the layout
    init();
    QVERIFY(dock("dock.devices")->isHidden());
    QTRY_VERIFY(in_front("dock.parallel"));
  }

  void f1OpensThePageOfTheViewWithTheKeyboard() {
    QAction* help = nullptr;
    for (auto* action : window_->findChildren<QAction*>())
      if (action->shortcut() == QKeySequence(QKeySequence::HelpContents)) help = action;
    QVERIFY(help);
    help->trigger();
    QVERIFY(window_->help_window());
    QCOMPARE(window_->help_window()->browser()->page(),
             QString("timeline"));                             // no view has the focus, or the timeline has
    QDesktopServices::openUrl(QUrl("help:statistics#excess")); // links in views open help the same way
    QCOMPARE(window_->help_window()->browser()->page(), QString("statistics"));
    window_->help_window()->close();
    auto* dock = window_->findChild<QDockWidget*>("dock.distribution");
    dock->show();
    dock->raise();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    window_->distribution()->setFocus();
    QTRY_VERIFY(dock->isAncestorOf(QApplication::focusWidget()));
    help->trigger();
    QCOMPARE(window_->help_window()->browser()->page(), QString("distribution"));
    window_->help_window()->close();
    // A click on a tab chooses its view.
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    for (auto* bar : window_->findChildren<QTabBar*>())
      for (int tab = 0; tab < bar->count(); ++tab)
        if (bar->isVisible() && bar->tabText(tab) == "Heat map")
          QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(tab).center());
    auto* heat_map = window_->findChild<QDockWidget*>("dock.heat_map");
    QVERIFY(heat_map);
    QTRY_VERIFY(QApplication::focusWidget() == heat_map ||
                heat_map->isAncestorOf(QApplication::focusWidget()));
  }

  void bothThemesDraw() {
    open();
    window_->set_theme(views::Theme::Dark);
    const QImage dark = window_->grab().toImage();
    window_->set_theme(views::Theme::Light);
    const QImage light = window_->grab().toImage();
    QVERIFY(dark != light);
  }
};

QTEST_MAIN(WindowTest)
#include "window_test.moc"
