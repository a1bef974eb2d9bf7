#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <csignal>

#include "app/activity_view.h"
#include "app/causal_desk.h"
#include "app/command_palette.h"
#include "app/distribution_panel.h"
#include "app/export_dialog.h"
#include "app/main_window.h"
#include "app/message_bar.h"
#include "app/pinned_views.h"
#include "app/session_file.h"
#include "app/timeline_docks.h"
#include "app/view_exports.h"
#include "tests/app/own_places.h"
#include "tests/app/settled.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/views/mouse.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_painter.h"
#include "views/bins/bins_strip.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_canvas.h"
#include "views/causal/causal_widget.h"
#include "views/distribution/distribution_painter.h"
#include "views/distribution/distribution_widget.h"
#include "views/evidence/evidence_widget.h"
#include "views/evidence/whatif_widget.h"
#include "views/heatmap/heat_map_widget.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"
#include "views/timeline/area_widget.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;
using views::LaunchesModel;

namespace {

constexpr int kPatience = 120000;
constexpr std::uint64_t kLaunches = 5000;

} // namespace

/// The linked views around the timeline, the session's files and the tools of the window.
class InstrumentTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  std::unique_ptr<MainWindow> window_;

  QString at(const char* name) { return QString::fromStdString(folder_.file(name)); }
  void new_window() {
    if (window_) window_->close(); // in peace
    window_ = std::make_unique<MainWindow>(2);
    window_->resize(1500, 950);
    window_->show();
  }
  std::uint64_t launches_in_table() {
    std::uint64_t sum = 0;
    for (const auto& row : window_->kernels()->model().kernels().rows) sum += row.count;
    return sum;
  }
  std::uint64_t selected_launches() { return window_->distribution()->model().data.selectedN; }
  void open(const QString& file) {
    window_->open({file});
    QTRY_VERIFY_WITH_TIMEOUT(window_->session().has_session() && window_->bins()->model().rowCount() > 0, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->distribution()->model().data.empty(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), kLaunches, kPatience);
  }
  void raise(const char* name) {
    auto* dock = window_->findChild<QDockWidget*>(name);
    QVERIFY(dock);
    dock->show();
    dock->raise();
  }
  QString cell(int row, const char* column) {
    auto& model = window_->launches()->model();
    return model.index(row, model.columnOf(column)).data().toString();
  }
  void type_filter(const QString& text) {
    window_->filter_box()->setText(text);
    QTest::keyClick(window_->filter_box(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, text, kPatience);
  }
  void press_enter_on_first_launch() {
    auto* table = window_->launches()->table();
    QVERIFY(settled(*window_)); // what was asked has come
    QTest::keyClick(table, Qt::Key_Home);
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch.has_value(), kPatience);
    QTest::keyClick(table, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().window.has_value() &&
                                 window_->timeline()->model().viewport.window().length().count <
                                     std::max<std::int64_t>(window_->hub().state().launch->interval.length().count * 4, 2000),
                             kPatience);
  }
  bool rows_there() { return window_->launches()->model().rowCount() > 0 && cell(0, "start") != "…"; }

private slots:
  void initTestCase() {
    qputenv("JITTERSCOPE_CACHE", folder_.file("cache").c_str());
    qputenv("JITTERSCOPE_STATE", folder_.file("state").c_str());
    generator::Options options;
    options.launches = kLaunches;
    options.causes = {generator::Cause::Migration};
    QVERIFY(generator::generate(options, folder_.file("trace.sqlite"), {}).has_value());
  }
  void init() { new_window(); }
  void cleanup() {
    if (window_) window_->close();
    window_.reset();
  }

  void everyLaunchIsInTheTableAndAClickChoosesIt() {
    open(at("trace.sqlite"));
    raise("dock.launches");
    QTRY_VERIFY_WITH_TIMEOUT(rows_there(), kPatience);
    auto& model = window_->launches()->model();
    QCOMPARE(model.total(), std::optional<qint64>(kLaunches));
    window_->launches()->setOrder({"duration", true});
    QTRY_VERIFY_WITH_TIMEOUT(rows_there(), kPatience);
    QVERIFY(settled(*window_));
    const auto number = model.numberAt(0);
    auto* table = window_->launches()->table();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(model.index(0, 0)).center());
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch.has_value(), kPatience);
    QCOMPARE(window_->hub().state().launch->row, *number);
    // It is the longest launch of all.
    const auto longest = window_->hub().state().launch->interval.length();
    QCOMPARE(static_cast<double>(longest.count), *window_->distribution()->model().data.maximum);
    // The filter restricts the table.
    window_->filter_box()->setText("duration > 20us");
    QTest::keyClick(window_->filter_box(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(model.total() && *model.total() < qint64(kLaunches), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), std::uint64_t(*model.total()), kPatience);
  }

  void enterOnALaunchZoomsThere() {
    open(at("trace.sqlite"));
    raise("dock.launches");
    QTRY_VERIFY_WITH_TIMEOUT(rows_there(), kPatience);
    auto* table = window_->launches()->table();
    QTest::keyClick(table, Qt::Key_Down);
    QTest::keyClick(table, Qt::Key_Down);
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch.has_value(), kPatience);
    QVERIFY(settled(*window_)); // it is the second one
    QTest::keyClick(table, Qt::Key_Return);
    const auto shown = [&] { return window_->timeline()->model().viewport.window(); };
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().window && shown().length().count <= window_->hub().state().launch->interval.length().count * 4 + 1000,
                             kPatience);
  }

  void theHeatMapShowsAllLaunchesAndItsBrushSelects() {
    open(at("trace.sqlite"));
    raise("dock.heat_map");
    QTRY_COMPARE_WITH_TIMEOUT(window_->heat_map()->model().data.n, kLaunches, kPatience);
    const auto plot = window_->heat_map()->model().plot.toRect();
    views::mouse::drag(*window_->heat_map(), plot.topLeft() + QPoint(2, 2), plot.center());
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().brush && !window_->hub().state().brushes.empty(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(launches_in_table() < kLaunches, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(window_->heat_map()->model().data.n, launches_in_table(), kPatience);
    window_->hub().undo();
    QTRY_COMPARE_WITH_TIMEOUT(window_->heat_map()->model().data.n, kLaunches, kPatience);
  }

  void theDistributionTakesAnyMetricGroupsAndTime() {
    open(at("trace.sqlite"));
    raise("dock.distribution");
    auto* panel = window_->distribution_choices();
    const auto& data = window_->distribution()->model().data;
    QVERIFY(data.percentiles.size() == 8 && data.std);
    panel->groupBox()->setCurrentIndex(panel->groupBox()->findData("stream"));
    emit panel->groupBox()->activated(panel->groupBox()->currentIndex());
    QTRY_VERIFY_WITH_TIMEOUT(data.groups.size() > 1, kPatience);
    std::uint64_t n = 0;
    for (const auto& group : data.groups) n += group.n;
    QCOMPARE(n, kLaunches);
    panel->timeBox()->click();
    QTRY_VERIFY_WITH_TIMEOUT(data.time && !data.allTime.empty(), kPatience);
    panel->columnBox()->setCurrentIndex(panel->columnBox()->findData("kernel_variability"));
    emit panel->columnBox()->activated(panel->columnBox()->currentIndex());
    QTRY_VERIFY_WITH_TIMEOUT(data.title.contains("variability"), kPatience);
    // A brush selects those very launches, by this column.
    const auto plot = window_->distribution()->model().plot.toRect();
    views::mouse::drag(*window_->distribution(), {plot.center().x(), plot.center().y()}, {plot.right() - 2, plot.center().y()});
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().brushes.contains("kernel_variability"), kPatience);
    QVERIFY(settled(*window_));
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), data.selectedN, kPatience);
  }

  void thresholdOfTheBinsIsDragged() {
    open(at("trace.sqlite"));
    auto* strip = window_->bins()->strip();
    const auto& model = window_->bins()->model();
    const auto before = model.keptCount();
    const auto y = views::bins::thresholdY(strip->rect(), model, strip->viewStyle());
    QVERIFY(y.has_value());
    const auto plot = views::bins::stripPlot(strip->rect(), strip->viewStyle());
    views::mouse::drag(*strip, {int(plot.center().x()), int(*y)}, {int(plot.center().x()), int(plot.bottom() - 3)});
    QVERIFY(model.keptCount() > before);
    const auto wanted = static_cast<std::int64_t>(model.keptCount());
    QCOMPARE(window_->session().bin_choices().top_count, wanted);
    QSignalSpy answered(&window_->session(), &SessionController::bins);
    QTRY_VERIFY_WITH_TIMEOUT(answered.count() > 0, kPatience);
    QCOMPARE(static_cast<std::int64_t>(model.keptCount()), wanted);
  }

  void theWindowKeepsTheSizeAskedFor() {
    new_window();
    QTest::qWait(50);
    QCOMPARE(window_->size(), QSize(1500, 950));
    open(at("trace.sqlite"));
    QCOMPARE(window_->size(), QSize(1500, 950));
  }

  void pinnedViewsStayWithTheirSelection() {
    open(at("trace.sqlite"));
    window_->kernels()->table()->selectRow(0);
    QTRY_VERIFY_WITH_TIMEOUT(selected_launches() < kLaunches, kPatience);
    const auto pinned_launches = selected_launches();
    auto* dock = window_->pinned()->pin(PinnedKind::Distribution);
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

  void areasAreKeptBeside() {
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
    QVERIFY(std::any_of(areas.begin(), areas.end(), [&](const auto* each) { return each != area && each->area().rows.size() > 0; }));
  }

  void everyViewCanBeOpenedTwice() {
    open(at("trace.sqlite"));
    window_->kernels()->table()->selectRow(0);
    QTRY_VERIFY_WITH_TIMEOUT(selected_launches() < kLaunches, kPatience);
    const auto pinned_launches = selected_launches();
    QVERIFY(settled(*window_)); // the graph is that of the kernel
    std::map<PinnedKind, QDockWidget*> docks;
    const QSize size = window_->size();
    for (const auto kind : kPinnedKinds) docks[kind] = window_->pinned()->pin(kind);
    QTest::qWait(50);
    QCOMPARE(window_->size(), size); // what has no room beside the others is a tab
    QCOMPARE(window_->pinned()->count(), static_cast<int>(std::size(kPinnedKinds)));
    const auto view = [&]<class Widget>(PinnedKind kind, Widget*) { return qobject_cast<Widget*>(docks[kind]->widget()); };
    auto* launches = view(PinnedKind::Launches, static_cast<views::LaunchesWidget*>(nullptr));
    docks[PinnedKind::Launches]->raise();
    QTRY_COMPARE_WITH_TIMEOUT(launches->model().total(), std::optional<qint64>(static_cast<qint64>(pinned_launches)), kPatience);
    auto* timeline = view(PinnedKind::Timeline, static_cast<views::TimelineWidget*>(nullptr));
    docks[PinnedKind::Timeline]->raise();
    QTRY_VERIFY(!docks[PinnedKind::Timeline]->visibleRegion().isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(!timeline->model().data().tracks.empty(), kPatience);
    auto* causal = view(PinnedKind::Causal, static_cast<views::CausalWidget*>(nullptr));
    QTRY_VERIFY_WITH_TIMEOUT(!causal->graph().nodes.empty(), kPatience);
    QCOMPARE(causal->graph().nodes.size(), window_->causal()->graph().nodes.size());
    auto* bins = view(PinnedKind::Bins, static_cast<views::BinsWidget*>(nullptr));
    QTRY_VERIFY_WITH_TIMEOUT(bins->model().rowCount() > 0, kPatience);

    // What is selected now changes, the pinned views stay.
    const auto window = timeline->model().viewport.window();
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), kLaunches, kPatience);
    window_->timeline()->showAll();
    QVERIFY(settled(*window_));
    QCOMPARE(launches->model().total(), std::optional<qint64>(static_cast<qint64>(pinned_launches)));
    QCOMPARE(timeline->model().viewport.window(), window);

    // A pinned timeline is driven by itself: zooming it asks again and leaves the main one alone.
    const auto main_window = window_->timeline()->model().viewport.window();
    timeline->zoomIn();
    QVERIFY(settled(*window_));
    QVERIFY(timeline->model().viewport.window().length() < window.length());
    QCOMPARE(window_->timeline()->model().viewport.window(), main_window);
    views::mouse::move(timeline, {timeline->width() * 0.6, timeline->height() * 0.6});
    QVERIFY(window_->timeline()->model().cursor.has_value());
    QCOMPARE(window_->timeline()->model().cursor, timeline->model().cursor);

    // An engine that was lost and started again is asked for the same once more.
    QSignalSpy lost(&window_->session(), &SessionController::engine_lost);
    ::kill(static_cast<pid_t>(window_->session().engine().processId()), SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(lost.count() > 0, kPatience);
    timeline->setData({});
    views::rest(kLongestRest);
    QVERIFY(timeline->model().data().tracks.empty());
    window_->session().restart_engine();
    QTRY_VERIFY_WITH_TIMEOUT(!timeline->model().data().tracks.empty(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(launches->model().total(), std::optional<qint64>(static_cast<qint64>(pinned_launches)), kPatience);
  }

  void aSavedSessionBringsBackEverything() {
    open(at("trace.sqlite"));
    window_->bins()->model();
    auto state = window_->hub().state();
    state.where = "duration > 9us";
    state.brush = Interval{window_->session().tracks().launch_span.begin,
                           window_->session().tracks().launch_span.begin + Nanoseconds{window_->session().tracks().launch_span.length().count / 2}};
    window_->hub().apply(state);
    QTRY_VERIFY_WITH_TIMEOUT(launches_in_table() < kLaunches, kPatience);
    QVERIFY(settled(*window_));
    const auto selected = launches_in_table();
    window_->session().set_distribution_choices({"kernel_variability", true, false, false, "stream"});
    window_->causal_desk()->knowledge().forbid("gap_ns", "kernel_variability");
    QVERIFY(window_->save_session(at("work.jsession")).has_value());
    window_->close();
    new_window();
    window_->open({at("work.jsession")});
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, state.where, kPatience);
    QCOMPARE(window_->hub().state().brush->end, state.brush->end);
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), selected, kPatience);
    QCOMPARE(window_->session().distribution_choices().group_by, std::string("stream"));
    QCOMPARE(window_->causal_desk()->knowledge().statements().size(), 1);
    QCOMPARE(window_->distribution_choices()->groupBox()->currentData().toString(), QString("stream"));
  }

  void aSessionWhoseTraceIsGoneSaysSo() {
    QFile::copy(at("trace.sqlite"), at("gone.sqlite"));
    open(at("gone.sqlite"));
    QVERIFY(window_->save_session(at("gone.jsession")).has_value());
    QFile::remove(at("gone.sqlite"));
    new_window();
    window_->open({at("gone.jsession")});
    QTRY_VERIFY_WITH_TIMEOUT(window_->messages()->isVisible() && window_->messages()->text().contains("gone.sqlite"), kPatience);
  }

  void aKilledWindowIsBroughtBack() {
    open(at("trace.sqlite"));
    auto state = window_->hub().state();
    state.where = "duration > 7us";
    window_->hub().apply(state);
    const QString autosaved = at("state/autosave");
    QTRY_VERIFY_WITH_TIMEOUT(!QDir(autosaved).entryList({"*.jsession"}, QDir::Files).isEmpty(), kPatience);
    QVERIFY(settled(*window_));
    views::rest(2'000); // longer than changes wait to be saved
    const auto files = QDir(autosaved).entryInfoList({"*.jsession"}, QDir::Files);
    QCOMPARE(files.size(), 1);
    QVERIFY(QFile::copy(files.front().absoluteFilePath(), autosaved + "/dead.jsession"));
    window_->close(); // in peace: its own file goes
    new_window();
    QVERIFY2(window_->messages()->text().contains("did not end in peace"), qPrintable(window_->messages()->text()));
    QTest::mouseClick(window_->messages()->button(), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, QString("duration > 7us"), kPatience);
    window_->close();
    new_window();
    QVERIFY(!window_->messages()->isVisible());
    QVERIFY(QDir(autosaved).entryList({"*.jsession", "*.left"}, QDir::Files).isEmpty());
  }

  void thePaletteRunsCommandsAndGoesToKernels() {
    open(at("trace.sqlite"));
    QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    auto* palette = window_->palette_dialog();
    QTRY_VERIFY_WITH_TIMEOUT(palette->isVisible(), kPatience);
    const auto kernel = window_->kernels()->model().kernels().rows.front();
    QTest::keyClicks(palette->edit(), kernel.name);
    QTest::keyClick(palette->edit(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().kernels, std::vector<std::uint32_t>{kernel.id}, kPatience);
    QVERIFY(!palette->isVisible());
    QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    QTest::keyClicks(palette->edit(), "edit clear");
    QTest::keyClick(palette->edit(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().kernels.empty(), kPatience);
  }

  void layoutsAreResetAndKept() {
    raise("dock.kernels");
    auto* causal = window_->findChild<QDockWidget*>("dock.causal");
    causal->hide();
    window_->close();
    new_window();
    causal = window_->findChild<QDockWidget*>("dock.causal");
    QVERIFY2(causal->isHidden(), "the layout is kept from window to window");
    QVERIFY(QTest::qWaitForWindowActive(window_.get(), kPatience));
    QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(window_->palette_dialog()->isVisible(), kPatience);
    QTest::keyClicks(window_->palette_dialog()->edit(), "layout reset");
    QTest::keyClick(window_->palette_dialog()->edit(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(!causal->isHidden(), kPatience);
  }

  void picturesComeAtPaperSize() {
    open(at("trace.sqlite"));
    const auto paint = [this](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      views::distribution::paint(p, r, window_->distribution()->model().data, s);
    };
    for (const char* ending : {"png", "svg", "pdf"}) {
      ExportDialog dialog({{"Distribution", paint}}, "Distribution", views::Theme::Light);
      dialog.pathEdit()->setText(at("picture.") + ending);
      dialog.accept();
      QCOMPARE(dialog.result(), int(QDialog::Accepted));
      QVERIFY(QFile(at("picture.") + ending).size() > 1000);
    }
    const QImage png(at("picture.png"));
    QVERIFY(std::abs(png.width() - 170 / 25.4 * 300) < 4); // mm at 300 dpi
    ExportDialog wrong({{"Distribution", paint}}, "Distribution", views::Theme::Light);
    wrong.pathEdit()->setText(at("no/such/folder/picture.png"));
    wrong.accept();
    QVERIFY2(wrong.result() != int(QDialog::Accepted), "the dialog stays and says why");
  }

  // Tables, lists and the import report too, and the numbers of each.
  void everyViewHasAPictureAndItsNumbers() {
    open(at("trace.sqlite"));
    raise("dock.launches");
    QTRY_VERIFY_WITH_TIMEOUT(rows_there(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->causal()->graph().edges.empty(), kPatience);
    auto* timeline = window_->timeline();
    timeline->setFlags({{timeline->model().viewport.span().begin, "here"}});
    emit timeline->marksChanged();
    SelectionState state = window_->hub().state();
    state.brush = window_->session().tracks().launch_span;
    window_->hub().apply(state);
    window_->causal_desk()->knowledge().ignore({"gap_ns"});
    QTRY_VERIFY_WITH_TIMEOUT(window_->causal_desk()->what_if()->canvas()->shown().answer.has_value(), kPatience);
    QVERIFY(settled(*window_));
    const auto pictures = pictures_of(*window_);
    for (const char* name : {"Kernels", "Launches", "Ranked bins as a table", "Area: kernels", "Area: tracks", "Marks", "Knowledge", "Activity", "Import report", "What if"}) {
      QVERIFY2(pictures.contains(name), name);
      const QString file = at("table.svg");
      QVERIFY(export_view(file, name, pictures.at(name), {85, 60, 8, 300}, views::ViewStyle::paper()).has_value());
      QFile written(file);
      QVERIFY(written.open(QIODevice::ReadOnly));
      const QByteArray svg = written.readAll();
      QVERIFY2(svg.contains("<text") && svg.contains("width=\"321px\""), name); // 85 mm
      if (QString(name) == "Launches") continue; // their rows come from the engine
      const auto csv = csv_of_view(*window_, name);
      QVERIFY2(csv && csv->count("\r\n") > (QString(name) == "Import report" ? 0 : 1), name);
    }
    QVERIFY(csv_of_view(*window_, "Marks")->contains("here,"));
    QVERIFY(csv_of_view(*window_, "Knowledge")->contains("gap_ns,,ignored"));
    ExportDialog dialog(pictures, "Area", views::Theme::Light);
    QCOMPARE(dialog.viewBox()->currentText(), QString("Area: kernels"));
    dialog.set_tables([this](const QString& view, const QString& path) { window_->save_table_to(view, path); });
    dialog.pathEdit()->setText(at("area.csv"));
    dialog.accept();
    QCOMPARE(dialog.result(), int(QDialog::Accepted));
    QVERIFY(QFile(at("area.csv")).size() > 100);
  }

  void tablesAreSavedWhole() {
    open(at("trace.sqlite"));
    raise("dock.launches");
    QTRY_VERIFY_WITH_TIMEOUT(rows_there(), kPatience);
    window_->save_table_to("Launches", at("launches.csv"));
    QTRY_VERIFY_WITH_TIMEOUT(window_->messages()->text().contains("Saved 5,000 launches"), kPatience);
    QFile file(at("launches.csv"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto lines = file.readAll().split('\n');
    QCOMPARE(lines.size(), qsizetype(kLaunches) + 2); // title, and the end of the last line
    QVERIFY(lines.front().contains("duration [ns]"));
    window_->save_table_to("Kernels", at("kernels.csv"));
    QVERIFY(QFile(at("kernels.csv")).size() > 50);
    window_->save_table_to("Launches", at("no/folder/launches.csv"));
    QTRY_VERIFY_WITH_TIMEOUT(window_->messages()->text().contains("cannot be written"), kPatience);
  }

  void theWindowFitsASmallScreen() {
    QVERIFY(window_->minimumSizeHint().width() <= 1366);
    open(at("trace.sqlite"));
    QTRY_VERIFY_WITH_TIMEOUT(!window_->causal()->graph().edges.empty(), kPatience);
    QTest::keyClick(window_->causal()->canvas(), Qt::Key_Down);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->causal_desk()->evidence()->model().empty(), kPatience);
    QStringList widths;
    for (const auto* dock : window_->findChildren<QDockWidget*>())
      widths << QString("%1 %2").arg(dock->objectName()).arg(dock->minimumSizeHint().width());
    QVERIFY2(window_->minimumSizeHint().width() <= 1366,
             qPrintable(QString("%1: %2").arg(window_->minimumSizeHint().width()).arg(widths.join(", "))));
  }

  /// From opening a run with migrations to the launches that overlap one: four actions.
  void walkToTheLaunchesThatOverlapAMigration() {
    const QString real = QString(JITTERSCOPE_DATA_DIR) + "/nsys/rtx3090-20runs/report12.sqlite";
    if (!QFile::exists(real)) QSKIP("the real sample is not here");
    window_->open({real});                                                  // 1
    QTRY_VERIFY_WITH_TIMEOUT(!window_->causal()->graph().empty(), kPatience);
    QVERIFY(window_->causal()->graph().sentences.value(0).contains("migration"));
    type_filter("migration_ns > 0");                                        // 2
    raise("dock.launches");                                                 // 3
    auto& model = window_->launches()->model();
    QTRY_VERIFY_WITH_TIMEOUT(rows_there() && *model.total() < 6434, kPatience);
    QVERIFY(*model.total() > 0);
    press_enter_on_first_launch();                                          // 4
    const auto shown = window_->timeline()->model().viewport.window();
    bool overlaps = false;
    const auto touches = [&] {
      const auto& timeline = window_->timeline()->model();
      const auto launch = window_->hub().state().launch->interval;
      for (const auto& content : timeline.data().tracks) {
        const int track = timeline.trackIndex(content.trackId);
        if (track < 0 || timeline.tracks()[std::size_t(track)].kind != views::TrackKind::Migrations) continue;
        for (const auto& bar : content.bars) overlaps |= bar.begin < launch.end && launch.begin < bar.end;
        for (const auto& column : content.cells) overlaps |= column.count > 0;
      }
      return overlaps;
    };
    QVERIFY(shown.length().count > 0);
    QTRY_VERIFY_WITH_TIMEOUT(touches(), kPatience);
  }

  /// From two GPUs to the longest wait in a collective and what the other device did then: six actions.
  void walkToTheLongestCollectiveAndItsPartner() {
    const QString real = QString(JITTERSCOPE_DATA_DIR) + "/nsys/h100-2gpu/mfu_2gpu_before.sqlite";
    if (!QFile::exists(real)) QSKIP("the real sample is not here");
    window_->open({real});                                                  // 1
    QTRY_VERIFY_WITH_TIMEOUT(window_->bins()->model().rowCount() > 0, kPatience);
    type_filter("name ~ /nccl/");                                           // 2
    raise("dock.launches");                                                 // 3
    QTRY_VERIFY_WITH_TIMEOUT(rows_there() && *window_->launches()->model().total() > 0, kPatience);
    window_->launches()->setOrder({"duration", true});                      // 4, a click on the header
    QTRY_VERIFY_WITH_TIMEOUT(rows_there(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(cell(0, "short_name").contains("nccl", Qt::CaseInsensitive), kPatience);
    press_enter_on_first_launch();                                          // 5
    const auto longest = *window_->hub().state().launch;
    QTest::keyClick(window_.get(), Qt::Key_O);                              // 6
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch->row != longest.row, kPatience);
    const auto partner = *window_->hub().state().launch;
    QVERIFY(partner.track != longest.track);
    const auto shown = window_->timeline()->model().viewport.window();
    QVERIFY2(shown.begin <= longest.interval.begin && longest.interval.end <= shown.end, "both are shown");
    QVERIFY(shown.begin <= partner.interval.begin && partner.interval.end <= shown.end);
    QVERIFY(settled(*window_)); // the summary of the launch does not push it away
    const QString said = window_->statusBar()->currentMessage();
    QVERIFY2(said.contains("Of 2 that run it, ") && said.contains(" starts last: "), qPrintable(said));
    // From the one that waits to the one that it waits for.
    const bool waits = longest.interval.begin < partner.interval.begin;
    SelectionState state = window_->hub().state();
    state.launch = waits ? longest : partner;
    window_->hub().apply(state);
    QTest::keyClick(window_.get(), Qt::Key_O, Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().launch->row, (waits ? partner : longest).row, kPatience);
    QVERIFY(settled(*window_));
    QTest::keyClick(window_.get(), Qt::Key_O, Qt::ShiftModifier); // there it stays
    QVERIFY(settled(*window_));
    QCOMPARE(window_->hub().state().launch->row, (waits ? partner : longest).row);
  }

  /// From eight ranks to the one that the others wait for: it spends least time in collectives. Six actions.
  void walkToTheSlowestRank() {
    const QString real = QString(JITTERSCOPE_DATA_DIR) + "/kineto/dlrm-8rank/dlrm_kineto.tar.gz";
    if (!QFile::exists(real)) QSKIP("the real sample is not here");
    window_->open({real});                                                  // 1
    QTRY_VERIFY_WITH_TIMEOUT(window_->bins()->model().rowCount() > 0, kPatience);
    raise("dock.distribution");                                             // 2
    auto* group = window_->distribution_choices()->groupBox();
    QTRY_VERIFY_WITH_TIMEOUT(group->findData("rank") > 0, kPatience);
    group->setCurrentIndex(group->findData("rank"));                        // 3
    emit group->activated(group->currentIndex());
    type_filter("name ~ /nccl/");                                           // 4
    const auto& data = window_->distribution()->model().data;
    QTRY_VERIFY_WITH_TIMEOUT(data.groups.size() == 8 && data.selectedN > 0 && data.selectedN < 100, kPatience);
    const auto least = std::min_element(data.groups.begin(), data.groups.end(), [](const auto& a, const auto& b) { return *a.mean < *b.mean; });
    QCOMPARE(least->label, QString("7"));
    const auto least_n = least->n;
    const auto entries = views::distribution::groupEntries(window_->distribution()->rect(), window_->distribution()->model(),
                                                           window_->distribution()->viewStyle());
    QTest::mouseClick(window_->distribution(), Qt::LeftButton, {},
                      entries[std::size_t(least - data.groups.begin())].center().toPoint()); // 5
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, QString("name ~ /nccl/ and rank = 7"), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(data.selectedN, least_n, kPatience);
    QCOMPARE(data.groups.size(), std::size_t(8)); // the others stay, dimmed
  }

  /// From eight ranks to the collective for which most is waited, and what held the rank that came last: two actions.
  void walkToTheSlowestRankAndWhy() {
    const QString real = QString(JITTERSCOPE_DATA_DIR) + "/kineto/dlrm-8rank/dlrm_kineto.tar.gz";
    if (!QFile::exists(real)) QSKIP("the real sample is not here");
    window_->open({real});                                                  // 1
    QTRY_VERIFY_WITH_TIMEOUT(window_->bins()->model().rowCount() > 0, kPatience);
    auto* said = window_->findChild<MessageBar*>();
    QTest::keyClick(window_.get(), Qt::Key_O, Qt::ShiftModifier);           // 2
    QTRY_VERIFY_WITH_TIMEOUT(said->isVisible() && said->text().startsWith("Rank 7 comes last to 5 of the 8 collectives"), kPatience);
    QVERIFY2(said->text().contains("the host has not launched the next work yet"), qPrintable(said->text()));
    QVERIFY(said->text().contains("it was behind already") && said->text().contains("its recording begins 3.8 ms after"));
    // On a small screen the long answer scrolls, and leaves the timeline its room.
    const QSize size = window_->size();
    window_->resize(1280, 800);
    auto* scroll = said->findChild<QScrollArea*>();
    QTRY_VERIFY(scroll->verticalScrollBar()->isVisible() && said->height() < 130);
    QVERIFY2(window_->timeline()->height() > said->height(), qPrintable(QString::number(window_->timeline()->height())));
    window_->resize(size);
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch.has_value(), kPatience);
    const auto worst = *window_->hub().state().launch;
    const auto shown = window_->timeline()->model().viewport.window();
    QVERIFY2(shown.begin <= worst.interval.begin && worst.interval.end <= shown.end && shown.length().count > 5'000'000, "it and those that wait");
    // Of a collective that is chosen: what is so of this one comes first, then all.
    QTest::keyClick(window_.get(), Qt::Key_O);
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch->row != worst.row, kPatience);
    QVERIFY(settled(*window_));
    const QString order = window_->statusBar()->currentMessage();
    QVERIFY2(order.contains("Of 8 that run it, rank 7 starts last: 7.62 ms after the first (rank 1), 505 µs after the one before."), qPrintable(order));
    QTest::keyClick(window_.get(), Qt::Key_O, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(said->text().startsWith("Of 8 devices rank 7 comes last to collective 1 of 8"), kPatience);
    QVERIFY(said->text().contains("Rank 7 comes last to 5 of the 8 collectives"));
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().launch->row, worst.row, kPatience);
  }

  void theLogSaysWhatHappened() {
    open(at("trace.sqlite"));
    QVERIFY(window_->activity()->text().contains("trace.sqlite"));
    QTRY_COMPARE_WITH_TIMEOUT(window_->activity()->requests()->count(), 0, kPatience);
  }
};

QTEST_MAIN(InstrumentTest)
#include "instrument_test.moc"
