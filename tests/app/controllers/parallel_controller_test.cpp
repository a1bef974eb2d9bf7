#include <QDialog>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <algorithm>

#include "app/controllers/parallel/parallel_controller.h"
#include "app/window/main_window.h"
#include "app/window/view_exports.h"
#include "tests/app/controllers/parallel_window.h"
#include "tests/app/window/settled.h"
#include "tests/views/base/mouse.h"
#include "views/base/flow_layout.h"
#include "views/base/format.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// Columns, scales, colours and brushes of parallel coordinates in the whole window.
class ParallelControllerTest : public QObject, ParallelWindow {
  Q_OBJECT

private slots:
  void initTestCase() { open_window(); }
  void cleanupTestCase() { window_.reset(); }

  void columnsAreFoundByTypingAndBecomeAxes() {
    controller().choose_columns();
    auto* picker = controller().picker();
    QVERIFY(picker != nullptr);
    const int all = picker->visible_rows();
    QVERIFY(all > 10);
    QTest::keyClicks(picker->search(), "gap");
    QVERIFY(picker->visible_rows() >= 1 && picker->visible_rows() < all);
    picker->search()->clear();
    picker->choose({"duration", "gap_ns", "kernel_variability"});
    picker->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->click();
    QTRY_COMPARE_WITH_TIMEOUT(model().order(), QStringList({"duration", "gap_ns", "kernel_variability"}),
                              kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(model().pair(0) && model().pair(1), kPatience);
  }

  void causesArePreselected() {
    controller().choose_columns();
    auto* picker = controller().picker();
    for (auto* button : picker->findChildren<QPushButton*>())
      if (button->text() == "By causal contribution") button->click();
    QVERIFY(picker->chosen().size() >= 2);
    QCOMPARE(picker->chosen().last(), QString("kernel_variability"));
    for (auto* button : picker->findChildren<QPushButton*>())
      if (button->text() == "By spread") button->click();
    QTRY_VERIFY_WITH_TIMEOUT(!picker->chosen().contains("kernel_variability"), kPatience);
    picker->reject();
  }

  void scalesChangeAtOnceAndStay() {
    controller().set_scale("duration", "rank");
    QTRY_COMPARE_WITH_TIMEOUT(axis("duration").scale, views::AxisScale::Rank, kPatience);
    QVERIFY(axis("duration").edges.size() > 3);
    controller().set_scale("duration", "linear");
    QTRY_COMPARE_WITH_TIMEOUT(axis("duration").scale, views::AxisScale::Linear, kPatience);
  }

  void brushesAreJoinedInvertedKeptAndExcludedUndoably() {
    auto& hub = window_->hub();
    controller().set_range("duration", -1, 0, 1e5);
    controller().set_range("gap_ns", -1, 0, 1e3);
    QTRY_VERIFY_WITH_TIMEOUT(model().data().selectedRows < 5000, kPatience);
    QVERIFY(settled(*window_));
    const auto both = model().data().selectedRows;
    controller().set_logic({true, false});
    QTRY_VERIFY_WITH_TIMEOUT(model().data().selectedRows > both, kPatience);
    const auto any = model().data().selectedRows;
    controller().set_logic({true, true});
    wait_for_rows(5000 - any);
    controller().set_logic({true, false});
    wait_for_rows(any);
    controller().keep(true);
    QVERIFY(hub.state().brushes.empty());
    QVERIFY(hub.state().where.startsWith("not ("));
    wait_for_rows(5000 - any);
    hub.undo();
    wait_for_rows(any);
    while (hub.canUndo()) hub.undo();
    wait_for_rows(5000);
  }

  void numbersCanBeTyped() {
    controller().type_range("duration", -1);
    auto* dialog = window_->findChild<QDialog*>("range");
    QVERIFY(dialog != nullptr);
    const auto edits = dialog->findChildren<QLineEdit*>();
    QCOMPARE(edits.size(), 2);
    edits[0]->setText("1us");
    edits[1]->setText("20000");
    dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->click();
    QCOMPARE(window_->hub().state().brushes.at("duration"), (std::vector<views::ValueRange>{{1000, 20000}}));
    window_->hub().undo();
    wait_for_rows(5000);
  }

  void coloursDivideTheRows() {
    controller().colour_by("duration");
    QTRY_VERIFY_WITH_TIMEOUT(model().data().classes.size() >= 2, kPatience);
    std::uint64_t sum = 0;
    for (const auto& each : model().data().classes) sum += each.rows;
    QCOMPARE(sum, std::uint64_t{5000});
    QVERIFY(!model().data().classes.front().label.isEmpty());
    controller().colour_by({});
    QTRY_VERIFY_WITH_TIMEOUT(model().data().classes.empty(), kPatience);
  }

  void everyBrushedRowHasAColourAndSoHasAColumnThatIsNoAxis() {
    // Coloured by a column without an axis: axes are not requested again.
    const QStringList axes = model().order();
    QVERIFY(!axes.contains("stream"));
    controller().colour_by("stream");
    QTRY_VERIFY_WITH_TIMEOUT(model().data().classes.size() >= 2, kPatience);
    QCOMPARE(model().order(), axes);
    controller().set_range("duration", -1, 0, 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(model().data().selectedRows < 5000, kPatience);
    QVERIFY(settled(*window_));
    std::uint64_t sum = 0;
    for (const auto& each : model().data().classes) {
      QVERIFY2(each.rows > 0, qPrintable(each.label)); // every class has brushed rows
      sum += each.rows;
    }
    QCOMPARE(sum, model().data().selectedRows);
    window_->hub().undo();
    controller().colour_by({});
    wait_for_rows(5000);
    // Any column can be found by typing.
    controller().choose_colour();
    QVERIFY(controller().colours_list());
    QTest::keyClicks(controller().colours_list()->edit(), "stream");
    QTest::keyClick(controller().colours_list()->edit(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(model().data().classes.size() >= 2, kPatience);
    controller().colour_by({});
    QTRY_VERIFY_WITH_TIMEOUT(model().data().classes.empty(), kPatience);
  }

  void keptRowsAreAllThatThereIs() {
    const double maximum = axis("duration").maximum;
    controller().set_range("duration", -1, 0, 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(model().data().selectedRows < 5000, kPatience);
    QVERIFY(settled(*window_));
    QCOMPARE(model().data().rows, std::uint64_t{5000}); // a brush leaves the other rows grey
    QCOMPARE(axis("duration").maximum, maximum);
    const auto some = model().data().selectedRows;
    controller().keep(false);
    QTRY_COMPARE_WITH_TIMEOUT(model().data().rows, some, kPatience);
    QVERIFY(settled(*window_));
    QCOMPARE(model().data().selectedRows, some);
    QVERIFY(!model().selects());
    QVERIFY(axis("duration").maximum <= 20'000); // the axis covers only these rows
    QVERIFY2(model().countText().contains("kept of 5,000"), qPrintable(model().countText()));
    std::uint64_t in_table = 0; // both tables, of kernels and of launches, show this number
    for (const auto& row : window_->kernels()->model().kernels().rows) in_table += row.count;
    QCOMPARE(in_table, some);
    window_->findChild<QDockWidget*>("dock.launches")->raise();
    QTRY_COMPARE_WITH_TIMEOUT(window_->launches()->model().total().value_or(0), static_cast<qint64>(some),
                              kPatience);
    window_->findChild<QDockWidget*>("dock.parallel")->raise();
    while (window_->hub().canUndo()) window_->hub().undo();
    QTRY_COMPARE_WITH_TIMEOUT(model().data().rows, std::uint64_t{5000}, kPatience);
  }

  void theExportStatesWhichSizeIsEnough() {
    const QStringList before = model().order();
    controller().set_axes({"stream", "duration", "gap_ns", "grid_x", "registers", "concurrency",
                           "queue_delay_ns", "kernel_variability"});
    QTRY_COMPARE_WITH_TIMEOUT(model().order().size(), 8, kPatience);
    QVERIFY(settled(*window_));
    const QString advice = advice_of(*window_, "Parallel coordinates", {30, 60, 8, 300});
    QVERIFY2(advice.contains(" in a width of 30 mm.") && advice.contains("Use fewer axes"),
             qPrintable(advice));
    const double enough = advice.section("a width of at least ", 1).section(' ', 0, 0).toDouble();
    QVERIFY(enough > 30 && enough < 200);
    QVERIFY(advice_of(*window_, "Parallel coordinates", {enough, 60, 8, 300}).isEmpty());
    QVERIFY(advice_of(*window_, "Kernels", {30, 60, 8, 300}).isEmpty());
    QVERIFY(advice_of(*window_, "Timeline", {170, 30, 8, 300}).contains(" mm shows all"));
    QVERIFY(advice_of(*window_, "Timeline", {170, 1000, 8, 300}).isEmpty());
    QVERIFY(advice_of(*window_, "Causal graph", {30, 20, 8, 300}).contains(" gives 8 pt"));
    ExportDialog dialog({{"Parallel coordinates", [](QPainter&, const QRectF&, const views::ViewStyle&) {}}},
                        "Parallel coordinates", views::Theme::Light);
    dialog.set_advice(
        [this](const QString& view, const PaperSize& size) { return advice_of(*window_, view, size); });
    QVERIFY(dialog.advice().isEmpty());
    dialog.widthBox()->setValue(30);
    QCOMPARE(dialog.advice(), advice);
    controller().set_axes({"short_name", "duration"});
    QTRY_COMPARE_WITH_TIMEOUT(model().order().size(), 2, kPatience);
    QVERIFY(settled(*window_));
    const QString low = advice_of(*window_, "Parallel coordinates", {170, 25, 8, 300});
    QVERIFY2(low.contains(" names are shown, those with the most rows; ") && low.contains(" mm shows all."),
             qPrintable(low));
    const double high = low.section("a height of ", -1).section(' ', 0, 0).toDouble();
    QVERIFY(high > 25 && high < 120);
    QVERIFY(advice_of(*window_, "Parallel coordinates", {170, high, 8, 300}).isEmpty());
    controller().set_axes(before);
    QTRY_COMPARE_WITH_TIMEOUT(model().order(), before, kPatience);
  }

  void twoSelectionsAreCompared() {
    controller().set_range("duration", -1, 0, 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(model().data().selectedRows < 5000, kPatience);
    const auto a = model().data().selectedRows;
    controller().remember_selection();
    window_->hub().undo();
    wait_for_rows(5000);
    controller().set_range("duration", -1, 20'000, 1e12);
    QTRY_VERIFY_WITH_TIMEOUT(model().data().selectedRows < 5000, kPatience);
    controller().compare_with_remembered();
    QTRY_COMPARE_WITH_TIMEOUT(model().data().classes.size(), std::size_t{2}, kPatience);
    QCOMPARE(model().data().classes[0].rows, a);
    controller().colour_by({});
    while (window_->hub().canUndo()) window_->hub().undo();
    wait_for_rows(5000);
  }

  void twoBinsAreCompared() {
    const auto select = [&](std::size_t rank) {
      const auto& ranked = window_->bins()->model().bins();
      const auto& bin = ranked.bins[rank];
      emit window_->bins()->binSelected(bin.index, {bin.start, bin.start + ranked.width});
    };
    select(0);
    QTRY_VERIFY_WITH_TIMEOUT(model().data().selectedRows < 5000, kPatience);
    const auto a = model().data().selectedRows;
    controller().remember_selection();
    select(1);
    QVERIFY(settled(*window_));
    controller().compare_with_remembered();
    QTRY_COMPARE_WITH_TIMEOUT(model().data().classes.size(), std::size_t{2}, kPatience);
    QCOMPARE(model().data().classes[0].rows, a);
    controller().colour_by({});
    while (window_->hub().canUndo()) window_->hub().undo();
    wait_for_rows(5000);
  }

  void axesAreHiddenPinnedAndOrdered() {
    controller().hide_axis("gap_ns");
    QTRY_COMPARE_WITH_TIMEOUT(model().order(), QStringList({"duration", "kernel_variability"}), kPatience);
    controller().set_axes({"duration", "stream", "kernel_variability", "gap_ns", "relative_variability"});
    QTRY_COMPARE_WITH_TIMEOUT(model().order().size(), 5, kPatience);
    controller().pin_axis("stream");
    QCOMPARE(model().order().first(), QString("stream"));
    controller().order_by(false);
    // Ordering keeps all axes, the pinned one first, and counts every pair.
    QTRY_VERIFY_WITH_TIMEOUT(model().pair(0) && model().pair(1) && model().pair(2) && model().pair(3),
                             kPatience);
    QVERIFY(settled(*window_));
    QCOMPARE(model().order().size(), 5);
    QCOMPARE(model().order().first(), QString("stream"));
    auto menu = controller().menu_of("duration");
    QVERIFY(menu->actions().size() > 5);
  }

  void aHandfulOfSelectedRowsIsDrawnAsLines() {
    controller().set_axes({"short_name", "stream", "duration", "kernel_variability"});
    QTRY_COMPARE_WITH_TIMEOUT(model().order().size(), 4, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(model().pair(0) && model().pair(2), kPatience);
    QVERIFY(window_->parallel()->lines().empty());
    // Selects the slowest launches, fewer than two hundred, so that they are drawn as lines.
    const auto durations = axis("duration"); // a copy: later answers replace the axes
    controller().set_range("duration", -1, views::ParallelModel::valueAt(durations, 0.97), durations.maximum);
    QTRY_VERIFY_WITH_TIMEOUT(model().data().selectedRows < 200, kPatience);
    const auto rows = model().data().selectedRows;
    QVERIFY(rows > 0);
    QTRY_COMPARE_WITH_TIMEOUT(window_->parallel()->lines().size(), std::size_t(rows), kPatience);
    for (const auto& line : window_->parallel()->lines()) {
      QVERIFY(line.faint);
      QVERIFY(line.values.at("duration") >= views::ParallelModel::valueAt(durations, 0.97));
      QVERIFY(line.values.at("short_name") < axis("short_name").categories.size() ||
              axis("short_name").categories.isEmpty());
    }
    window_->hub().undo();
    wait_for_rows(5000);
    QTRY_VERIFY_WITH_TIMEOUT(window_->parallel()->lines().empty(), kPatience);
  }

  void theLaunchesUnderThePointerAreDrawnAndChosen() {
    auto* view = window_->parallel();
    view->setPinned({});
    controller().set_axes({"start", "stream", "duration"});
    QTRY_COMPARE_WITH_TIMEOUT(model().order().size(), 3, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(model().pair(0) && model().pair(1), kPatience);
    const QRectF values = model().valueRect();
    const auto at = [&](int position, double share) {
      return QPointF(model().axisX(position), values.bottom() - share * values.height());
    };
    // The slowest launches are at the upper end of the duration axis.
    views::mouse::move(view, at(2, 1.0));
    QTRY_VERIFY_WITH_TIMEOUT(!view->nearLines().empty(), kPatience);
    const auto slowest = view->nearLines().front();
    QVERIFY(std::abs(slowest.values.at("duration") - axis("duration").maximum) <= 1);
    QVERIFY(slowest.row >= 0 && slowest.start.has_value() && !slowest.label.isEmpty());
    QVERIFY(view->hoverText().contains(slowest.label.left(20)));
    // A stream has many rows: a few of them are shown, with the total.
    const int stream = 0;
    const double place = views::placeOf(model(), 1, stream);
    views::mouse::move(view, at(1, place));
    const QString all = views::formatCount(axis("stream").all[stream]) + " launches here";
    QTRY_VERIFY2_WITH_TIMEOUT(view->hoverText().contains(all), qPrintable(view->hoverText()), kPatience);
    QCOMPARE(view->nearLines().size(), std::size_t(views::kMaxNearLines));
    QTest::mouseClick(view, Qt::LeftButton, {}, at(1, place).toPoint());
    QTRY_COMPARE_WITH_TIMEOUT(model().data().selectedRows, std::uint64_t(views::kMaxNearLines), kPatience);
    QVERIFY2(window_->hub().state().filter().startsWith("row in ("),
             qPrintable(window_->hub().state().filter()));
    QTRY_COMPARE_WITH_TIMEOUT(view->lines().size(), std::size_t(views::kMaxNearLines) + 1,
                              kPatience); // the lines near the pointer, and the line of the selected launch
    window_->hub().undo();
    wait_for_rows(5000);
    // Between axes the pointer hits lines: here that of the slowest launch, three quarters of the way.
    const QPointF left(model().axisX(1), model().yAt(1, slowest.values.at("stream"))), right = at(2, 1.0);
    views::mouse::move(view, left + (right - left) * 0.75);
    const auto near = [&](auto&& requested) {
      return std::any_of(view->nearLines().begin(), view->nearLines().end(), requested);
    };
    QTRY_VERIFY_WITH_TIMEOUT(near([&](const auto& line) { return line.row == slowest.row; }), kPatience);
    // Only brushed rows are hit: some at the lower end of the duration, none at the upper end.
    const double half = axis("duration").maximum / 2;
    controller().set_range("duration", -1, 0, half);
    QTRY_VERIFY_WITH_TIMEOUT(model().data().selectedRows < 5000, kPatience);
    views::mouse::move(view, at(2, 0.0));
    QTRY_VERIFY_WITH_TIMEOUT(near([](const auto&) { return true; }), kPatience);
    QVERIFY(!near([&](const auto& line) { return line.values.at("duration") > half; }));
    views::mouse::move(view, at(2, 0.99));
    QVERIFY(settled(*window_)); // the rows near the pointer are known
    QVERIFY(view->nearLines().empty());
    window_->hub().undo();
    wait_for_rows(5000);
  }

  void keysStepThroughTheRowsOfAnAxis() {
    auto* view = window_->parallel();
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(view, &leave);
    window_->hub().apply({});
    QVERIFY(settled(*window_)); // no pending answer can clear the row stepped to
    view->setFocus();
    QTest::keyClick(view, Qt::Key_Right);
    QTest::keyClick(view, Qt::Key_Right); // the last axis: duration
    const auto step = [&](std::initializer_list<Qt::Key> keys, Qt::KeyboardModifiers modifiers = {}) {
      for (const auto key : keys) QTest::keyClick(view, key, modifiers);
      QVERIFY(settled(*window_));
      QCOMPARE(view->nearLines().size(), std::size_t{1});
    };
    const auto stepped = [&] { return view->nearLines().front(); };
    step({Qt::Key_Up}, Qt::ControlModifier);
    if (QTest::currentTestFailed()) return;
    const auto largest = stepped();
    QVERIFY(std::abs(largest.values.at("duration") - axis("duration").maximum) <= 1);
    step({Qt::Key_Down, Qt::Key_Down});
    if (QTest::currentTestFailed()) return;
    const auto third = stepped();
    QVERIFY(third.row != largest.row);
    QVERIFY(third.values.at("duration") <= largest.values.at("duration"));
    step({Qt::Key_Down});
    if (QTest::currentTestFailed()) return;
    QVERIFY(stepped().row != third.row);
    QVERIFY(stepped().values.at("duration") <= third.values.at("duration"));
    const auto chosen = stepped().row;
    QTest::keyClick(view, Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch &&
                                 window_->hub().state().launch->row == static_cast<std::uint64_t>(chosen),
                             kPatience);
    QVERIFY(window_->hub().state().brushes.empty());
    window_->hub().undo();
  }

  void theFiguresAreAClickAway() {
    for (const auto& figure : parallel_figures()) {
      controller().show_figure(figure);
      QTRY_VERIFY_WITH_TIMEOUT(model().order().contains(figure.needs) &&
                                   model().order().last() == "kernel_variability",
                               kPatience);
      QTRY_VERIFY_WITH_TIMEOUT(model().data().classes.size() > 1, kPatience);
      QCOMPARE(window_->session().causal_choices().target, std::string("kernel_variability"));
      std::uint64_t coloured = 0;
      for (const auto& each : model().data().classes) coloured += each.rows;
      QCOMPARE(coloured, std::uint64_t{5000});
    }
    const auto kinds = axis("copy_kind").categories;
    QVERIFY(kinds.contains("none") && kinds.contains("migration-host-to-device"));
    controller().colour_by({});
    QTRY_VERIFY_WITH_TIMEOUT(model().data().classes.empty(), kPatience);
  }

  void theToolsFlowIntoRowsWhereThereIsNoRoom() {
    auto* panel = controller().panel();
    QVERIFY2(panel->minimumSizeHint().width() <= 330,
             qPrintable(QString::number(panel->minimumSizeHint().width())));
    QWidget narrow; // the layout alone, without the panel
    auto* flow = new views::FlowLayout(6);
    narrow.setLayout(flow);
    for (int i = 0; i < 6; ++i) flow->addWidget(new QPushButton("A tool"));
    QVERIFY(flow->heightForWidth(150) > flow->heightForWidth(1000));
    narrow.resize(150, 400);
    narrow.show();
    const auto buttons = narrow.findChildren<QPushButton*>();
    const auto inside = [&] {
      return std::all_of(buttons.begin(), buttons.end(),
                         [&](auto* each) { return narrow.rect().contains(each->geometry()); });
    };
    QTRY_VERIFY_WITH_TIMEOUT(inside(), kPatience);
  }

  void theSessionFileKeepsAxesScalesColoursAndBrushes() {
    controller().set_axes({"stream", "duration", "gap_ns"});
    QTRY_COMPARE_WITH_TIMEOUT(model().order().size(), 3, kPatience);
    controller().set_scale("duration", "rank");
    QTRY_COMPARE_WITH_TIMEOUT(axis("duration").scale, views::AxisScale::Rank, kPatience);
    window_->parallel()->setOrder({"gap_ns", "stream", "duration"});
    QTRY_VERIFY_WITH_TIMEOUT(model().pair(0) && model().pair(1), kPatience);
    window_->parallel()->setInverted("gap_ns", true);
    controller().colour_by("stream");
    controller().set_range("duration", -1, 0, 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(model().data().selectedRows < 5000 && model().data().classes.size() > 1,
                             kPatience);
    const auto rows = model().data().selectedRows;
    const auto classes = model().data().classes.size();
    const QString path = QString::fromStdString(folder_.file("a.jsession"));
    QVERIFY(window_->save_session(path).has_value());

    window_ = std::make_unique<MainWindow>(1);
    window_->resize(1500, 950);
    window_->show();
    window_->open({path});
    QTRY_COMPARE_WITH_TIMEOUT(model().order(), QStringList({"gap_ns", "stream", "duration"}), kPatience);
    wait_for_rows(rows);
    QTRY_COMPARE_WITH_TIMEOUT(model().data().classes.size(), classes, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(axis("duration").scale, views::AxisScale::Rank, kPatience);
    QVERIFY(model().inverted("gap_ns") && !model().inverted("stream"));
    QCOMPARE(model().brushes().at("duration"), (std::vector<views::ValueRange>{{0, 20'000}}));
    // Settings of a session for columns that no longer exist are ignored.
    controller().restore({{"axes", {"duration", "gone", "stream"}},
                          {"pinned", "gone"},
                          {"colour", {{"by", "axis"}, {"key", "gone"}}}});
    QTRY_COMPARE_WITH_TIMEOUT(model().order(), QStringList({"duration", "stream"}), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(model().data().classes.empty(), kPatience);
    controller().restore({{"axes", 3}});
    QCOMPARE(model().order(), QStringList({"duration", "stream"}));
  }
};

QTEST_MAIN(ParallelControllerTest)
#include "parallel_controller_test.moc"
