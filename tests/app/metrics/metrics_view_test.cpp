#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDockWidget>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPointer>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

#include "app/metrics/cfg_dialog.h"
#include "app/metrics/metric_answer.h"
#include "app/metrics/metric_editor.h"
#include "app/metrics/metric_library.h"
#include "app/metrics/metric_text_edit.h"
#include "app/metrics/metric_tracks.h"
#include "app/metrics/metrics_controller.h"
#include "app/session/selection_words.h"
#include "app/widgets/message_bar.h"
#include "app/window/main_window.h"
#include "core/efficiency/metrics/syntax.h"
#include "tests/app/metrics/metrics_window.h"
#include "tests/support/real_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/views/base/mouse.h"
#include "views/base/colour_maps.h"
#include "views/base/export.h"
#include "views/metrics/metric_histogram.h"
#include "views/metrics/metrics_painter.h"
#include "views/metrics/metrics_widget.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// The view of metrics in the window: axis, cursor and brush shared with all other views, levels, scales, the
/// editor, and metrics as tracks of the timeline.
class MetricsViewTest : public MetricsWindow {
  Q_OBJECT

  MetricsController* controller() { return window_->metrics_controller(); }

private slots:
  void beginsWithMetricsOfDevices() {
    QCOMPARE(view()->panels().size(), std::size_t{4});
    QCOMPARE(panel(0).title, QString("GPU busy"));
    QCOMPARE(panel(0).level, QString("device"));
    QVERIFY(panel(0).values.objects.size() > 1);
  }

  void followsTheWindowAndTheBrush() {
    auto state = window_->hub().state();
    const auto span = window_->session().tracks().launch_span;
    state.window = Interval{span.begin, span.begin + Nanoseconds{span.length().count / 4}};
    state.brush = Interval{span.begin, span.begin + Nanoseconds{span.length().count / 8}};
    window_->hub().apply(state);
    QTRY_VERIFY_WITH_TIMEOUT(filled(), kPatience);
    QCOMPARE(panel(0).values.range, *state.window);
    QCOMPARE(view()->canvas()->model().brush, state.brush);
    emit view()->canvas()->windowChosen(span);
    QCOMPARE(window_->hub().state().window, std::optional(span));
    QTRY_VERIFY_WITH_TIMEOUT(filled(), kPatience);
    window_->hub().undo();
    QTRY_VERIFY_WITH_TIMEOUT(filled(), kPatience);
    QCOMPARE(panel(0).values.range, *state.window);
    QVERIFY(settled(*window_));
  }

  void curvesHaveNumbersAndRowsOfColoursHaveARamp() {
    views::metrics::Model model;
    model.viewport = views::Viewport();
    views::MetricPanel of = panel(0);
    const auto style = views::ViewStyle::light();
    const QRectF rect(0, 0, 700, 400);
    const auto colours_in_header = [&](int objects) {
      auto& values = of.values;
      values.objects.clear();
      for (int i = 0; i < objects; ++i) values.objects << QString("GPU %1").arg(i);
      values.columns = 1;
      values.average.assign(static_cast<std::size_t>(objects), 0.5);
      values.minimum = values.maximum = values.average;
      model.panels = {of};
      model.layout(rect, style);
      QImage image(rect.size().toSize(), QImage::Format_RGB32);
      QPainter painter(&image);
      views::metrics::paint(painter, rect, model, style);
      const auto& place = model.places.front();
      const QRect legend =
          views::metrics::legendRect({0, place.top, rect.width(), place.header}, of, style).toRect();
      const QRgb strongest = views::sequentialColour(1, style.theme).rgb();
      int found = 0;
      for (int y = legend.top(); y <= legend.bottom(); ++y)
        for (int x = legend.left(); x <= legend.right(); ++x) found += image.pixel(x, y) == strongest;
      return found;
    };
    QCOMPARE(colours_in_header(1), 0);
    QVERIFY(colours_in_header(40) > 0);
  }

  void objectsThatShareARowShowTheirMeanOrTheirMaximum() {
    constexpr int kObjects = 640;
    views::metrics::Model model;
    views::MetricPanel of;
    of.values.range = {{0}, {100}};
    of.values.columns = 1;
    for (int i = 0; i < kObjects; ++i) {
      of.values.objects << QString("rank %1").arg(i);
      of.values.average.push_back(i % 10 < 7 ? 1 : 0);
    }
    of.values.minimum = of.values.maximum = of.values.average;
    model.panels = {of};
    model.layout({0, 0, 700, 400}, views::ViewStyle::light());
    const int lanes = model.places.front().lanes;
    QVERIFY(lanes < kObjects);
    const auto mean = [&] {
      double sum = 0;
      for (int lane = 0; lane < lanes; ++lane)
        sum += views::metrics::valueAt(model.panels[0], model.objectsOf(0, lane), 0).shown;
      return sum / lanes;
    };
    QVERIFY2(std::abs(mean() - 0.7) < 0.02, qPrintable(QString::number(mean())));
    QCOMPARE(views::metrics::mergingText(model, 0), QString("rows: mean of up to 5 objects"));
    model.panels[0].mergedMaximum = true;
    QVERIFY(mean() > 0.95);
    QCOMPARE(views::metrics::mergingText(model, 0), QString("rows: maximum of up to 5 objects"));
    views::metrics::Model few;
    of.values.objects = {"rank 0"};
    few.panels = {of};
    few.layout({0, 0, 700, 400}, views::ViewStyle::light());
    QVERIFY(views::metrics::mergingText(few, 0).isEmpty());
  }

  void aCurveOnPaperIsAFewShapes() {
    constexpr int kColumns = 2'000;
    views::metrics::Model model;
    views::MetricPanel of;
    of.values.range = {{0}, {kColumns}};
    of.values.columns = kColumns;
    of.values.objects = {"GPU 0"};
    for (int i = 0; i < kColumns; ++i) of.values.average.push_back(0.3 + 0.5 * (i / 100 % 2));
    of.values.minimum.assign(kColumns, 0);
    of.values.maximum.assign(kColumns, 1);
    model.panels = {of};
    model.viewport.setSpan(of.values.range);
    model.viewport.setWindow(of.values.range);
    const auto path = QString::fromStdString(folder_.file("curve.svg"));
    QVERIFY(views::exportPicture(path, {1400, 200}, 1, "curve", [&](QPainter& painter, const QRectF& rect) {
      model.layout(rect, views::ViewStyle::paper());
      views::metrics::paint(painter, rect, model, views::ViewStyle::paper());
    }));
    QVERIFY2(QFile(path).size() < 30'000, qPrintable(QString::number(QFile(path).size())));
  }

  void aMetricWithoutObjectsStatesWhatTheTraceDoesNotHave() {
    views::MetricPanel of;
    QVERIFY(views::metrics::stateText(of).contains("Waiting"));
    engine::answers::MetricAnswer answer;
    answer.of = std::make_unique<engine::answers::MetricDescriptionAnswer>();
    answer.of->title = "Active kernels", answer.of->level = "device", answer.of->levels = {"device"};
    answer.of->range_ns = {{0}, {10}}, answer.of->not_recorded = {"kernels"};
    answer.columns = 5;
    QVERIFY(read_metric(engine::Answer(answer), of));
    answer.average = {1};
    QVERIFY(!read_metric(engine::Answer(answer), of));
    QCOMPARE(views::metrics::stateText(of), QString("The trace has no kernels."));
    for (const auto& metric : shipped_metrics())
      QVERIFY2(metric.of_gpu == (metric.name != "useful" && metric.name != "burst-duration"),
               qPrintable(metric.name));
    QVERIFY(new_metric(true) != new_metric(false));
    QVERIFY(efficiency::metrics::parse(new_metric(false))->title == "New metric");
  }

  void aRemovedMetricComesBack() {
    const auto before = controller()->state();
    controller()->remove(1);
    QCOMPARE(controller()->state().size(), before.size() - 1);
    auto* bar = window_->findChild<MessageBar*>();
    QVERIFY(bar->isVisible() && bar->text().contains("was removed"));
    bar->button()->click();
    QCOMPARE(controller()->state().dump(), before.dump());
    QTRY_VERIFY_WITH_TIMEOUT(filled(), kPatience);
  }

  void theEditorAsksBeforeTextIsLost() {
    controller()->edit(-1);
    auto* editor = controller()->editor();
    editor->reject(); // unchanged
    QVERIFY(!editor->isVisible());
    controller()->edit(-1);
    editor->text_edit()->setPlainText("count(kernels)");
    const auto answer = [&](QMessageBox::StandardButton button) {
      editor->reject(); // as Escape does
      auto* question = editor->findChild<QMessageBox*>();
      QVERIFY(question && editor->isVisible());
      question->button(button)->click();
      QTRY_VERIFY(!editor->findChild<QMessageBox*>());
    };
    answer(QMessageBox::Cancel);
    QVERIFY(editor->isVisible());
    QCOMPARE(editor->text_edit()->toPlainText(), QString("count(kernels)"));
    answer(QMessageBox::Discard);
    QVERIFY(!editor->isVisible());
    QVERIFY(settled(*window_));
  }

  void sharesTheCursorWithTheTimeline() {
    const auto time = window_->hub().state().window->begin + Nanoseconds{1000};
    emit window_->timeline()->cursorMoved(time);
    QCOMPARE(view()->canvas()->model().cursor, std::optional(time));
    emit window_->timeline()->cursorMoved(std::nullopt);
    QVERIFY(!view()->canvas()->model().cursor);
  }

  void levelsAndScalesAreChosen() {
    controller()->set_level(0, "application");
    QTRY_COMPARE_WITH_TIMEOUT(panel(0).values.objects.size(), 1, kPatience);
    QCOMPARE(panel(0).level, QString("application"));
    controller()->set_scale(0, views::MetricScale{0, 8});
    controller()->copy_scale(0);
    controller()->paste_scale(1);
    QCOMPARE(panel(1).scale, std::optional(views::MetricScale{0, 8}));
    controller()->set_level(0, "device");
    QTRY_VERIFY_WITH_TIMEOUT(panel(0).values.objects.size() > 1, kPatience);
    controller()->set_scale(1, std::nullopt);
  }

  void theEditorMarksErrorsAndPreviews() {
    controller()->edit(-1);
    auto* editor = controller()->editor();
    QVERIFY(editor && editor->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!editor->preview().values.empty(), kPatience);
    QCOMPARE(editor->problem_label()->text(), "per " + editor->preview().level);
    QCOMPARE(editor->text_edit()->horizontalScrollBar()->maximum(), 0);
    editor->text_edit()->setPlainText("sum(\n  cuont(kernels) per device)");
    QCOMPARE(editor->text_edit()->marked()->line, 2);
    QCOMPARE(editor->text_edit()->marked()->column, 3);
    QVERIFY(editor->problem_label()->text().contains("Did you mean \"count\""));
    QVERIFY(!editor->use_button()->isEnabled());
    editor->text_edit()->setPlainText("value(kernels[durations > 5us], duration)");
    QVERIFY(editor->use_button()->isEnabled()); // the syntax is valid; this session has no such attribute
    QTRY_VERIFY_WITH_TIMEOUT(editor->text_edit()->marked().has_value(), kPatience);
    QCOMPARE(editor->text_edit()->marked()->column, 15);
    QVERIFY(!editor->use_button()->isEnabled());
    const auto* preview = editor->findChild<views::MetricsCanvas*>();
    QVERIFY(preview->isStale());
    editor->text_edit()->setPlainText("count(kernels)");
    QVERIFY(editor->use_button()->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(!preview->isStale(), kPatience);
    editor->text_edit()->setPlainText({});
    QTest::keyClicks(editor->text_edit(), "act");
    QTRY_COMPARE(editor->text_edit()->completer()->currentCompletion(), QString("active"));
    editor->text_edit()->setPlainText("title = \"Own\"; count(kernels)");
    const auto before = view()->panels().size();
    editor->use_button()->click();
    QCOMPARE(view()->panels().size(), before + 1);
    QTRY_COMPARE_WITH_TIMEOUT(panel(before).title, QString("Own"), kPatience);
    controller()->remove(static_cast<int>(before));
    QCOMPARE(view()->panels().size(), before);
  }

  void anAddedMetricIsShown() {
    const auto before = view()->panels().size();
    auto* canvas = view()->canvas();
    canvas->setScroll(0);
    controller()->add("title = \"Not here\"; value(kernels[durations > 5us], duration)");
    const int added = static_cast<int>(before);
    QCOMPARE(canvas->current(), added);
    QVERIFY(canvas->highlights(added));
    const auto visible = [&] {
      const auto& model = canvas->model();
      const auto& place = model.places.at(before);
      return place.top >= model.scroll && place.bottom() <= model.scroll + canvas->height() - model.axis + 8;
    };
    QVERIFY(canvas->model().scroll > 0 && visible());
    QTRY_VERIFY_WITH_TIMEOUT(!panel(before).problem.isEmpty(), kPatience);
    QCOMPARE(views::metrics::titleOf(panel(before)), QString("Not here")); // although it has no values
    controller()->remove(added);
    controller()->add("count(kernels)"); // its height changes with its values
    QTRY_VERIFY_WITH_TIMEOUT(!panel(before).values.empty(), kPatience);
    QVERIFY(visible());
    QCOMPARE(views::metrics::titleOf(panel(before)), QString("count(kernels)"));
    QTRY_VERIFY(!canvas->highlights(added));
    controller()->remove(added);
    canvas->setScroll(0);
    QVERIFY(settled(*window_));
  }

  void aMetricIsATrackOfTheTimeline() {
    const auto before = window_->timeline()->model().tracks().size();
    window_->metric_tracks()->add(shipped_metric("gpu-busy")->text, {});
    QTRY_VERIFY_WITH_TIMEOUT(window_->timeline()->model().tracks().size() > before, kPatience);
    const auto devices = static_cast<std::size_t>(panel(0).values.objects.size());
    QCOMPARE(window_->timeline()->model().tracks().size(), before + devices);
    const auto id = window_->timeline()->model().tracks().front().id;
    QVERIFY(id >= kFirstMetricTrack);
    QTRY_VERIFY_WITH_TIMEOUT(window_->timeline()->model().content(id) &&
                                 !window_->timeline()->model().content(id)->counter.empty(),
                             kPatience);
    window_->metric_tracks()->remove_all();
    QCOMPARE(window_->timeline()->model().tracks().size(), before);
    QVERIFY(settled(*window_));
  }

  // Values as the engine merges counters: a row shows where the mean, or the maximum, is in the range of its
  // tracks.
  void metricsShareRowsOfPixels() {
    const auto content = [](std::uint32_t id, double highest, std::vector<double> means) {
      views::TrackContent of;
      of.trackId = id;
      of.counterMaximum = highest;
      for (const double mean : means)
        of.counter.push_back({0, static_cast<float>(mean), static_cast<float>(2 * mean), mean >= 0});
      return of;
    };
    constexpr auto kFirst = kFirstMetricTrack;
    const std::map<std::uint32_t, views::TrackContent> contents = {
        {kFirst, content(kFirst, 10, {0, 5, -1})}, {kFirst + 1, content(kFirst + 1, 20, {10, 10, -1})}};
    views::MergedCells cells;
    cells.query.columns = 3;
    cells.query.blocks = {{0, 3, {{kFirst, kFirst + 1}, {5, kFirst}, {}, {kFirst}}}};
    cells.shares = {0, 0, 0, 7, 7, 7, 0, 0, 0, 0, 0, 0};
    for (const auto& [merging, expected] : std::map<views::Merging, std::vector<std::uint8_t>>{
             {views::Merging::Dominant, {64, 96, 0, 7, 7, 7, 0, 0, 0, 1, 128, 0}},
             {views::Merging::Mean, {64, 96, 0, 7, 7, 7, 0, 0, 0, 1, 128, 0}},
             {views::Merging::Maximum, {255, 255, 0, 7, 7, 7, 0, 0, 0, 1, 255, 0}}}) {
      cells.query.merging = merging;
      auto merged = cells;
      add_metrics(merged, contents);
      QVERIFY(merged.shares == expected);
    }
    QVERIFY(metrics_in(cells.query) == std::vector<std::uint32_t>({kFirst, kFirst + 1}));
  }

  void metricsAreSeenWhenAllTracksFit() {
    auto* timeline = window_->timeline();
    const auto heights = timeline->model().heights();
    window_->metric_tracks()->add(shipped_metric("gpu-busy")->text, {});
    QTRY_VERIFY_WITH_TIMEOUT(timeline->model().tracks().front().id >= kFirstMetricTrack, kPatience);
    for (const auto merging : {views::Merging::Mean, views::Merging::Maximum}) {
      timeline->setHeights({false, 0.05, merging, true});
      QVERIFY(timeline->model().merges());
      const auto shown = [&] {
        const auto& merged = timeline->model().merged();
        std::size_t first = 0;
        for (const auto& block : merged.query.blocks)
          for (const auto& row : block.rows) {
            const auto columns = static_cast<std::size_t>(merged.query.columns);
            if (!row.empty() && row.front() >= kFirstMetricTrack && merged.query.merging == merging &&
                merged.shares.size() >= first + columns &&
                *std::max_element(&merged.shares[first], &merged.shares[first] + columns) > 200)
              return true;
            first += columns;
          }
        return false;
      };
      QTRY_VERIFY_WITH_TIMEOUT(shown(), kPatience);
    }
    window_->metric_tracks()->remove_all();
    timeline->setHeights(heights);
    QVERIFY(settled(*window_));
  }

  void aMetricIsAColumnOfLaunches() {
    QMenu menu;
    controller()->fill_menu(&menu, 0);
    QAction* add = nullptr;
    for (auto* action : menu.actions())
      if (action->text() == "Add as &Column") add = action;
    QVERIFY(add);
    add->trigger();
    auto& session = window_->session();
    const auto is_column = [&](const std::string& name) {
      for (const auto& column : session.info().at("columns"))
        if (column.at("name") == name) return column.at("chosen").get<bool>();
      return false;
    };
    const auto name = panel(0).title;
    QVERIFY(!name.isEmpty());
    auto column = name.toStdString();
    std::ranges::replace(column, ' ', '_');
    QTRY_VERIFY_WITH_TIMEOUT(is_column(column), kPatience);
    // The new column works in filters and is stored in sessions.
    session.check_filter(QString::fromStdString(column) + " >= 0");
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, QString::fromStdString(column) + " >= 0",
                              kPatience);
    window_->hub().undo();
    QCOMPARE(session.chosen_columns().at("metrics").size(), std::size_t{1});
    session.set_columns(nlohmann::json::object());
    QTRY_VERIFY_WITH_TIMEOUT(!is_column(column), kPatience);
    QVERIFY(settled(*window_));
  }

  void windowsOfParaverBecomePanels() {
    const auto path = QString::fromStdString(folder_.file("own.cfg"));
    QFile cfg(path);
    QVERIFY(cfg.open(QIODevice::WriteOnly));
    cfg.write("< NEW DISPLAYING WINDOW Busy >\nwindow_name Busy\nwindow_level task\n"
              "window_selected_functions { 4, { {task, Adding Sign}, {thread, Last Evt Val}, {evt_type, =}, "
              "{evt_value, All} } }\nwindow_filter_module evt_type 1 63000006\n"
              "< NEW DISPLAYING WINDOW Gaps >\nwindow_name Gaps\n"
              "window_selected_functions { 1, { {thread, Recv BandWidth} } }\n");
    cfg.close();
    QString problem;
    const auto heard = connect(controller(), &MetricsController::problem, this,
                               [&](const QString& text) { problem = text; });
    const auto before = view()->panels().size();
    controller()->add_cfg(path);
    QCOMPARE(view()->panels().size(), before + 1);
    QVERIFY2(problem.contains("\"Gaps\" is not supported") && problem.contains("Recv BandWidth"),
             qPrintable(problem));
    QTRY_VERIFY_WITH_TIMEOUT(filled(), kPatience);
    QCOMPARE(panel(before).title, QString("Busy"));
    controller()->remove(static_cast<int>(before));
    disconnect(heard);
    QVERIFY(settled(*window_));
  }

  void manyWindowsOfParaverAreAChoice() {
    const auto path = QString::fromStdString(folder_.file("many.cfg"));
    QFile cfg(path);
    QVERIFY(cfg.open(QIODevice::WriteOnly));
    for (int window = 0; window < 6; ++window)
      cfg.write(QByteArray("< NEW DISPLAYING WINDOW Busy %1 >\nwindow_name Busy %1\nwindow_level task\n"
                           "window_selected_functions { 4, { {task, Adding Sign}, {thread, Last Evt Val}, "
                           "{evt_type, =}, {evt_value, All} } }\nwindow_filter_module evt_type 1 63000006\n")
                    .replace("%1", QByteArray::number(window)));
    cfg.write("< NEW DISPLAYING WINDOW Gaps >\nwindow_name Gaps\n"
              "window_selected_functions { 1, { {thread, Recv BandWidth} } }\n");
    cfg.close();
    const auto before = view()->panels().size();
    controller()->add_cfg(path);
    QCOMPARE(view()->panels().size(), before);
    QPointer<CfgDialog> dialog = window_->findChild<CfgDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QCOMPARE(dialog->list()->count(), 7);
    QVERIFY(!dialog->add_button()->isEnabled());
    QVERIFY(dialog->list()->item(6)->text().startsWith("Gaps (not supported: "));
    QVERIFY(!(dialog->list()->item(6)->flags() & Qt::ItemIsUserCheckable));
    dialog->list()->item(1)->setCheckState(Qt::Checked);
    dialog->list()->item(4)->setCheckState(Qt::Checked);
    dialog->add_button()->click();
    QCOMPARE(view()->panels().size(), before + 2);
    QCOMPARE(panel(before).title, QString("Busy 1"));
    QCOMPARE(panel(before + 1).title, QString("Busy 4"));
    for (int added = 0; added < 2; ++added) controller()->remove(static_cast<int>(before));
    QTRY_VERIFY(!dialog);
    QVERIFY(settled(*window_));
  }

  void sessionsKeepThePanels() {
    controller()->set_scale(0, views::MetricScale{0, 2});
    const auto kept = controller()->state();
    controller()->remove(0);
    controller()->restore(kept);
    QCOMPARE(controller()->state().dump(), kept.dump());
    QTRY_VERIFY_WITH_TIMEOUT(filled(), kPatience);
    QCOMPARE(panel(0).scale, std::optional(views::MetricScale{0, 2}));
    QVERIFY(settled(*window_));
  }

  void thePreviewFollowsTheTrace() {
    controller()->edit(-1);
    auto* editor = controller()->editor();
    editor->text_edit()->setPlainText("any(active(kernels) per device)");
    QTRY_COMPARE_WITH_TIMEOUT(editor->preview().values.objects.size(), std::size_t{2}, kPatience);
    generator::Options options;
    options.launches = 1'000;
    options.devices = 3;
    const auto path = folder_.file("three.sqlite");
    QVERIFY(generator::generate(options, path, {}).has_value());
    window_->open({QString::fromStdString(path)});
    QTRY_COMPARE_WITH_TIMEOUT(editor->preview().values.objects.size(), std::size_t{3}, kPatience);
    editor->text_edit()->setPlainText({});
    editor->reject();
    QVERIFY(settled(*window_));
  }

  void withoutAGpuItsMetricsAreLast() {
    const auto titles = [this] {
      auto* menu = view()->addButton()->menu();
      emit menu->aboutToShow();
      QStringList all;
      for (const auto* action : menu->actions())
        if (!action->isSeparator()) all << action->text();
      return all;
    };
    QVERIFY(titles().indexOf("GPU busy") < titles().indexOf("&New Metric…"));
    const auto path = real_data("paraver/epoch-mpi/epoch_2proc.prv.gz");
    if (path.empty()) QSKIP("the real trace is not available");
    controller()->restore(nlohmann::json::array());
    window_->open({QString::fromStdString(path)});
    QTRY_VERIFY_WITH_TIMEOUT(window_->windowTitle().contains("epoch"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(filled(), kPatience);
    QVERIFY(titles().indexOf("GPU busy") > titles().indexOf("&New Metric…"));
    QVERIFY(titles().indexOf("Useful") < titles().indexOf("&New Metric…"));
    controller()->add(shipped_metric("active-kernels")->text);
    const auto last = view()->panels().size() - 1;
    QTRY_COMPARE_WITH_TIMEOUT(views::metrics::stateText(panel(last)), QString("The trace has no kernels."),
                              kPatience);
    QVERIFY(settled(*window_));
  }
};

QTEST_MAIN(MetricsViewTest)
#include "metrics_view_test.moc"
