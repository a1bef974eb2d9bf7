#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTextBrowser>
#include <algorithm>

#include "app/controllers/activity_view.h"
#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/distribution_panel.h"
#include "app/controllers/timeline_docks.h"
#include "app/export/export_dialog.h"
#include "app/session/session_file.h"
#include "app/widgets/command_palette.h"
#include "app/widgets/message_bar.h"
#include "app/window/spec/table_pictures.h"
#include "app/window/view_exports.h"
#include "tests/app/session/own_places.h"
#include "tests/app/window/driven_window.h"
#include "tests/views/base/mouse.h"
#include "views/base/export.h"
#include "views/bins/bins_painter.h"
#include "views/bins/bins_strip.h"
#include "views/causal/causal_canvas.h"
#include "views/causal/causal_widget.h"
#include "views/distribution/distribution_painter.h"
#include "views/evidence/evidence_widget.h"
#include "views/evidence/whatif_widget.h"
#include "views/heatmap/heat_map_widget.h"
#include "views/table/kernels_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;
using views::LaunchesModel;

/// The linked views around the timeline, the session's files and the tools of the window.
class InstrumentTest : public QObject, DrivenWindow {
  Q_OBJECT

private slots:
  void initTestCase() { make_trace(); }
  void init() { new_window(); }
  void cleanup() { close(); }

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
    // The click selected the longest launch of the run.
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
    QVERIFY(settled(*window_)); // the second launch is selected
    QTest::keyClick(table, Qt::Key_Return);
    const auto shown = [&] { return window_->timeline()->model().viewport.window(); };
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().window &&
                                 shown().length().count <=
                                     window_->hub().state().launch->interval.length().count * 4 + 1000,
                             kPatience);
  }

  void theHeatMapShowsAllLaunchesAndItsBrushSelects() {
    open(at("trace.sqlite"));
    raise("dock.heat_map");
    auto* map = window_->widget<views::HeatMapWidget>("heat_map");
    QTRY_COMPARE_WITH_TIMEOUT(map->model().data.n, kLaunches, kPatience);
    const auto plot = map->model().plot.toRect();
    views::mouse::drag(*map, plot.topLeft() + QPoint(2, 2), plot.center());
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().brush && !window_->hub().state().brushes.empty(),
                             kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(launches_in_table() < kLaunches, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(map->model().data.n, launches_in_table(), kPatience);
    window_->hub().undo();
    QTRY_COMPARE_WITH_TIMEOUT(map->model().data.n, kLaunches, kPatience);
  }

  void theHeatMapShowsTheSelectedBinAcrossItsWidth() {
    open(at("trace.sqlite"));
    raise("dock.heat_map");
    auto* map = window_->widget<views::HeatMapWidget>("heat_map");
    QTRY_COMPARE_WITH_TIMEOUT(map->model().data.n, kLaunches, kPatience);
    const Interval whole = map->model().data.window;
    auto* table = window_->bins()->table();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(table->model()->index(0, views::BinsModel::Start)).center());
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().bin.has_value(), kPatience);
    const Interval bin = window_->hub().state().bin->interval;
    QTRY_VERIFY_WITH_TIMEOUT(map->model().data.window != whole, kPatience);
    const Interval shown = map->model().data.window;
    QVERIFY(shown.begin <= bin.begin && bin.end <= shown.end &&
            shown.length().count < 2 * bin.length().count);
    QVERIFY(map->model().data.n > 0 && map->model().data.n < kLaunches);
    window_->hub().undo();
    QTRY_COMPARE_WITH_TIMEOUT(map->model().data.window, whole, kPatience);
  }

  void theDistributionAcceptsAnyMetricGroupsAndTime() {
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
    // A brush on this column selects exactly the launches in it.
    const auto plot = window_->distribution()->model().plot.toRect();
    views::mouse::drag(*window_->distribution(), {plot.center().x(), plot.center().y()},
                       {plot.right() - 2, plot.center().y()});
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
    views::mouse::drag(*strip, {int(plot.center().x()), int(*y)},
                       {int(plot.center().x()), int(plot.bottom() - 3)});
    QVERIFY(model.keptCount() > before);
    const auto requested = static_cast<std::int64_t>(model.keptCount());
    QCOMPARE(window_->session().bin_choices().top_count, requested);
    QSignalSpy answered(&window_->session(), &SessionController::bins);
    QTRY_VERIFY_WITH_TIMEOUT(answered.count() > 0, kPatience);
    QCOMPARE(static_cast<std::int64_t>(model.keptCount()), requested);
  }

  void theWindowKeepsTheSizeRequested() {
    new_window();
    QTest::qWait(50);
    QCOMPARE(window_->size(), QSize(1500, 950));
    open(at("trace.sqlite"));
    QCOMPARE(window_->size(), QSize(1500, 950));
  }

  void aSavedSessionBringsBackEverything() {
    open(at("trace.sqlite"));
    window_->bins()->model();
    auto state = window_->hub().state();
    state.where = "duration > 9us";
    state.brush = Interval{window_->session().tracks().launch_span.begin,
                           window_->session().tracks().launch_span.begin +
                               Nanoseconds{window_->session().tracks().launch_span.length().count / 2}};
    window_->hub().apply(state);
    QTRY_VERIFY_WITH_TIMEOUT(launches_in_table() < kLaunches, kPatience);
    QVERIFY(settled(*window_));
    const auto selected = launches_in_table();
    window_->session().set_distribution_choices({"kernel_variability", true, false, false, "stream"});
    window_->causal_controller()->knowledge().forbid("gap_ns", "kernel_variability");
    auto* kernels = window_->widget<views::KernelsWidget>("kernels");
    kernels->setNameFilter("gemm|reduce");
    kernels->setSort("Cv", Qt::AscendingOrder);
    QVERIFY(window_->save_session(at("work.jsession")).has_value());
    window_->close();
    new_window();
    window_->open({at("work.jsession")});
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, state.where, kPatience);
    QCOMPARE(window_->hub().state().brush->end, state.brush->end);
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), selected, kPatience);
    QCOMPARE(window_->session().distribution_choices().group_by, std::string("stream"));
    QCOMPARE(window_->causal_controller()->knowledge().statements().size(), 1);
    QCOMPARE(window_->distribution_choices()->groupBox()->currentData().toString(), QString("stream"));
    kernels = window_->widget<views::KernelsWidget>("kernels");
    QCOMPARE(kernels->filterBox()->text(), QString("gemm|reduce"));
    QCOMPARE(kernels->sortColumn(), QString("Cv"));
    QCOMPARE(kernels->sortOrder(), Qt::AscendingOrder);
  }

  // What stood in for a missing column is not a choice of the user; what the files lost is said.
  void aDamagedTraceOfTheHostDoesNotChangeTheQuestionOfTheNext() {
    QFile host(at("host.json"));
    QVERIFY(host.open(QIODevice::WriteOnly));
    const QByteArray event = "{'ph':'X','cat':'cpu_op','name':'add','pid':5,'tid':6,'ts':1,'dur':2},";
    QByteArray text = "{'traceEvents':[" + event + event + event.left(20);
    host.write(text.replace('\'', '"'));
    host.close();
    new_window();
    window_->open({at("host.json")});
    QTRY_VERIFY_WITH_TIMEOUT(window_->messages()->isVisible(), kPatience);
    QVERIFY2(window_->messages()->text().contains("truncated"), qPrintable(window_->messages()->text()));
    QVERIFY(window_->session().bin_choices().metric != "kernel_variability");
    open(at("trace.sqlite"));
    QVERIFY(!window_->messages()->isVisible());
    QCOMPARE(window_->session().bin_choices().metric, std::string("kernel_variability"));
    QCOMPARE(window_->session().causal_choices().target, std::string("kernel_variability"));
  }

  void aSavedSessionIsRestoredOverItsOwnOpenTrace() {
    open(at("trace.sqlite"));
    const auto filter = [&](const char* where) {
      auto state = window_->hub().state();
      state.where = where;
      window_->hub().apply(state);
    };
    filter("duration > 9us");
    QVERIFY(window_->save_session(at("over.jsession")).has_value());
    filter("duration > 20us");
    QVERIFY(settled(*window_));
    window_->open({at("over.jsession")});
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, QString("duration > 9us"), kPatience);
    QCOMPARE(window_->session_file(), at("over.jsession"));
  }

  void aSessionIsNotSavedIntoTheFileOfAnotherTrace() {
    open(at("trace.sqlite"));
    QVERIFY(window_->save_session(at("first.jsession")).has_value());
    QCOMPARE(window_->session_file(), at("first.jsession"));
    QVERIFY(QFile::copy(at("trace.sqlite"), at("other.sqlite")));
    QSignalSpy opened(&window_->session(), &SessionController::opened);
    window_->open({at("other.sqlite")});
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kPatience);
    QVERIFY(window_->session_file().isEmpty());
    QVERIFY(settled(*window_));
  }

  // The selection has too few launches, so the answer is about all launches of their kernels.
  void aReopenedSessionGivesTheSameAnswer() {
    const QString real = QString(JITTERSCOPE_DATA_DIR) + "/nsys/rtx3090-20runs/report12.sqlite";
    if (!QFile::exists(real)) QSKIP("the real sample is not here");
    window_->open({real});
    QTRY_VERIFY_WITH_TIMEOUT(window_->bins()->model().rowCount() > 1, kPatience);
    QVERIFY(settled(*window_));
    const auto& bins = window_->bins()->model().bins();
    const auto& second = bins.bins[1];
    auto state = window_->hub().state();
    state.bin = BinChoice{second.index, {second.start, second.start + bins.width}};
    state.where = "name ~ /reset/";
    window_->hub().apply(state);
    const auto graph = [&] { return window_->causal()->graph(); };
    QTRY_VERIFY_WITH_TIMEOUT(graph().remark.contains("selected kernels"), kPatience);
    QVERIFY(settled(*window_));
    const auto live = graph();
    QVERIFY(!live.moment.isEmpty());
    QVERIFY(window_->save_session(at("moment.jsession")).has_value());
    for (int time = 0; time < 2; ++time) {
      new_window();
      window_->open({at("moment.jsession")});
      QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, state.where, kPatience);
      QTRY_VERIFY_WITH_TIMEOUT(!graph().remark.isEmpty(), kPatience);
      QVERIFY(settled(*window_));
      QCOMPARE(graph().remark, live.remark);
      QCOMPARE(graph().moment, live.moment);
      QCOMPARE(graph().sentences, live.sentences);
    }
  }

  void aSessionWithoutItsTraceIsReported() {
    QFile::copy(at("trace.sqlite"), at("gone.sqlite"));
    open(at("gone.sqlite"));
    QVERIFY(window_->save_session(at("gone.jsession")).has_value());
    QFile::remove(at("gone.sqlite"));
    new_window();
    window_->open({at("gone.jsession")});
    QTRY_VERIFY_WITH_TIMEOUT(
        window_->messages()->isVisible() && window_->messages()->text().contains("gone.sqlite"), kPatience);
  }

  void aKilledWindowIsBroughtBack() {
    open(at("trace.sqlite"));
    auto state = window_->hub().state();
    state.where = "duration > 7us";
    window_->hub().apply(state);
    const QString autosaved = QString::fromLocal8Bit(qgetenv("JITTERSCOPE_STATE")) + "/autosave";
    QTRY_VERIFY_WITH_TIMEOUT(!QDir(autosaved).entryList({"*.jsession"}, QDir::Files).isEmpty(), kPatience);
    QVERIFY(settled(*window_));
    views::rest(2'000); // longer than the delay of saving changes
    const auto files = QDir(autosaved).entryInfoList({"*.jsession"}, QDir::Files);
    QCOMPARE(files.size(), 1);
    QVERIFY(QFile::copy(files.front().absoluteFilePath(), autosaved + "/dead.jsession"));
    window_->close(); // a normal end removes the autosaved session
    new_window();
    QVERIFY2(window_->messages()->text().contains("closed unexpectedly"),
             qPrintable(window_->messages()->text()));
    open(at("trace.sqlite")); // as if it had been named on the command line
    QVERIFY2(window_->messages()->isVisible() && window_->messages()->text().contains("closed unexpectedly"),
             qPrintable(window_->messages()->text()));
    QTest::mouseClick(window_->messages()->button(), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, QString("duration > 7us"), kPatience);
    window_->close();
    new_window();
    QVERIFY(!window_->messages()->isVisible());
    QVERIFY(QDir(autosaved).entryList({"*.jsession", "*.left"}, QDir::Files).isEmpty());
  }

  void aFilterThatIsBeingTypedStays() {
    open(at("trace.sqlite"));
    auto* filter = window_->findChild<QLineEdit*>("filter");
    QTest::keyClicks(filter, "duratoin > 7us");
    QTest::keyClick(filter, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(window_->messages()->text().contains("duratoin"), kPatience);
    auto state = window_->hub().state();
    const auto middle = state.window->begin + Nanoseconds{state.window->length().count / 2};
    state.window = Interval{state.window->begin, middle};
    window_->hub().apply(state); // a zoom, to look up a name
    QCOMPARE(filter->text(), QString("duratoin > 7us"));
    QVERIFY(window_->messages()->isVisible());
    filter->setText("duration > 7us");
    QTest::keyClick(filter, Qt::Key_Return);
    filter->clear(); // before the answer
    QVERIFY(settled(*window_));
    QVERIFY(window_->hub().state().where.isEmpty());
  }

  void theLaunchesTableIsRestored() {
    open(at("trace.sqlite"));
    window_->launches()->showColumns({"duration", "stream"});
    window_->launches()->setOrder({"duration", true});
    QVERIFY(window_->save_session(at("table.jsession")).has_value());
    new_window();
    window_->open({at("table.jsession")});
    QTRY_COMPARE_WITH_TIMEOUT(window_->launches()->shownColumns(), (QStringList{"duration", "stream"}),
                              kPatience);
    QVERIFY(window_->launches()->order() == (views::LaunchesOrder{"duration", true}));
  }

  void thePaletteRunsCommandsAndGoesToKernels() {
    open(at("trace.sqlite"));
    QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    auto* palette = window_->palette_dialog();
    QTRY_VERIFY_WITH_TIMEOUT(palette->isVisible(), kPatience);
    const auto kernel = window_->kernels()->model().kernels().rows.front();
    QTest::keyClicks(palette->edit(), kernel.name);
    QTest::keyClick(palette->edit(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().kernels, std::vector<std::uint32_t>{kernel.id},
                              kPatience);
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
    QVERIFY2(causal->isHidden(), "a new window restores the layout of the last one");
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
    QVERIFY(std::abs(png.width() - 170 / 25.4 * 300) < 4); // pixels of 170 mm at 300 dpi
    ExportDialog wrong({{"Distribution", paint}}, "Distribution", views::Theme::Light);
    wrong.pathEdit()->setText(at("no/such/folder/picture.png"));
    wrong.accept();
    QVERIFY2(wrong.result() != int(QDialog::Accepted), "the dialog stays open and shows the error");
  }

  // Every view, including tables, lists and the import report, can be exported as a picture and as CSV.
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
    window_->causal_controller()->knowledge().ignore({"gap_ns"});
    QTRY_VERIFY_WITH_TIMEOUT(window_->causal_controller()->what_if()->canvas()->shown().answer.has_value(),
                             kPatience);
    QVERIFY(settled(*window_));
    const auto pictures = pictures_of(*window_);
    for (const char* name : {"Kernels", "Launches", "Ranked bins as a table", "Area: kernels", "Area: tracks",
                             "Marks", "Knowledge", "Activity", "Import report", "What if"}) {
      QVERIFY2(pictures.contains(name), name);
      const QString file = at("table.svg");
      QVERIFY(export_view(file, name, pictures.at(name), {85, 60, 8, 300}, views::ViewStyle::paper())
                  .has_value());
      QFile written(file);
      QVERIFY(written.open(QIODevice::ReadOnly));
      const QByteArray svg = written.readAll();
      QVERIFY2(svg.contains("<text") && svg.contains("width=\"321px\""), name); // 85 mm in logical pixels
      if (QString(name) == "Launches") continue; // its rows come from the engine
      const auto csv = csv_of_view(*window_, name);
      QVERIFY2(csv && csv->count("\r\n") > (QString(name) == "Import report" ? 0 : 1), name);
    }
    // Every picture has a background.
    for (const auto& [name, paint] : pictures) {
      const auto image =
          views::renderImage(QSize(400, 60), 1, [&painted = paint](QPainter& painter, const QRectF& rect) {
            painted(painter, rect, views::ViewStyle::paper());
          });
      for (const QPoint corner : {QPoint(0, 0), QPoint(399, 0), QPoint(0, 59), QPoint(399, 59)})
        QVERIFY2(qAlpha(image.pixel(corner)) == 255, qPrintable(name));
    }
    // Columns that a narrow table hides, and rows outside the visible part.
    const auto svg_of = [&](const QString& name) {
      const QString file = at("wide.svg");
      if (!export_view(file, name, pictures.at(name), {300, 60, 8, 300}, views::ViewStyle::paper()))
        return QByteArray();
      QFile written(file);
      return written.open(QIODevice::ReadOnly) ? written.readAll() : QByteArray();
    };
    QVERIFY(svg_of("Ranked bins as a table").contains(">Why<"));
    QVERIFY(svg_of("Launches").contains(" of 5,000 rows"));
    QVERIFY(csv_of_view(*window_, "Marks")->contains("here,"));
    QVERIFY(csv_of_view(*window_, "Knowledge")->contains("gap_ns,,ignored"));
    ExportDialog dialog(pictures, "Area", views::Theme::Light);
    QCOMPARE(dialog.viewBox()->currentText(), QString("Area: kernels"));
    dialog.set_tables(
        [this](const QString& view, const QString& path) { window_->save_table_to(view, path); });
    dialog.pathEdit()->setText(at("area.csv"));
    dialog.accept();
    QCOMPARE(dialog.result(), int(QDialog::Accepted));
    QVERIFY(QFile(at("area.csv")).size() > 100);
  }

  void aPictureOfATextStatesThatTheTextContinues() {
    QTextBrowser browser;
    browser.setPlainText(QString("a line of the text\n").repeated(20));
    const auto svg_of = [&](double height) {
      const QString file = at("text.svg");
      if (!export_view(file, "Details", painter_of(&browser), {80, height, 8, 300},
                       views::ViewStyle::paper()))
        return QByteArray();
      QFile written(file);
      return written.open(QIODevice::ReadOnly) ? written.readAll() : QByteArray();
    };
    QVERIFY(!svg_of(120).contains("continues"));
    QVERIFY2(svg_of(30).contains("The text continues. A height of "), svg_of(30).constData());
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
    QCOMPARE(lines.size(), qsizetype(kLaunches) + 2); // the header, and the end of the last line
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
    QTRY_VERIFY_WITH_TIMEOUT(!window_->causal_controller()->evidence()->model().empty(), kPatience);
    QStringList widths;
    for (const auto* dock : window_->findChildren<QDockWidget*>())
      widths << QString("%1 %2").arg(dock->objectName()).arg(dock->minimumSizeHint().width());
    QVERIFY2(window_->minimumSizeHint().width() <= 1366,
             qPrintable(QString("%1: %2").arg(window_->minimumSizeHint().width()).arg(widths.join(", "))));
  }

  void theLogStatesWhatHappened() {
    open(at("trace.sqlite"));
    QVERIFY(window_->activity()->text().contains("trace.sqlite"));
    QTRY_COMPARE_WITH_TIMEOUT(window_->activity()->requests()->count(), 0, kPatience);
  }
};

QTEST_MAIN(InstrumentTest)
#include "instrument_test.moc"
