// Selections of one view as the others show them: filters, areas, groups, kernels, hidden launches.

#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <csignal>

#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/distribution_panel.h"
#include "app/controllers/timeline_docks.h"
#include "app/engine/group_filter.h"
#include "app/session/selection_words.h"
#include "app/widgets/message_bar.h"
#include "app/window/main_window.h"
#include "tests/app/window/linked_window.h"
#include "views/area/area_widget.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_widget.h"
#include "views/devices/device_map_widget.h"
#include "views/distribution/distribution_painter.h"
#include "views/distribution/distribution_widget.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

class LinkedViewsTest : public QObject, LinkedWindow {
  Q_OBJECT

private slots:
  void initTestCase() { make_trace(); }
  void init() { open_window(); }
  void cleanup() { close_window(); }

  void theClearButtonRemovesTheFilter() {
    type_filter("duration > 9us");
    QTRY_VERIFY_WITH_TIMEOUT(in_table() < kLaunches, kPatience);
    auto* clear = window_->filter_box()->findChild<QToolButton*>();
    QVERIFY(clear);
    QTest::mouseClick(clear, Qt::LeftButton);
    QVERIFY(window_->filter_box()->text().isEmpty());
    QVERIFY(state().where.isEmpty());
    QTRY_COMPARE_WITH_TIMEOUT(in_table(), kLaunches, kPatience);
    window_->hub().undo();
    QCOMPARE(window_->filter_box()->text(), QString("duration > 9us"));
  }

  void aDeviceOfTheMapIsSelectedInAllViewsAndTheMapStays() {
    generator::Options options;
    options.launches = kLaunches, options.devices = 8, options.streams = 8;
    options.causes = {generator::Cause::Migration};
    const QString eight = QString::fromStdString(folder_.file("eight.sqlite"));
    QVERIFY(generator::generate(options, eight.toStdString(), {}).has_value());
    window_->open({eight});
    auto* map = window_->causal_controller()->devices();
    QTRY_COMPARE_WITH_TIMEOUT(map->data().devices.size(), std::size_t{8}, kPatience);
    QVERIFY(settled(*window_));
    const auto all = window_->causal()->graph().n;
    emit map->deviceChosen(1);
    QTRY_VERIFY_WITH_TIMEOUT(in_table() < kLaunches, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(window_->causal()->graph().n < all, kPatience);
    QVERIFY(settled(*window_));
    QCOMPARE(map->data().devices.size(), std::size_t{8});
  }

  void aCorrectedFilterRemovesItsMessage() {
    type_filter("duration >");
    QTRY_VERIFY_WITH_TIMEOUT(window_->messages()->isVisible(), kPatience);
    type_filter("duration > 9us");
    QTRY_COMPARE_WITH_TIMEOUT(state().where, QString("duration > 9us"), kPatience);
    QVERIFY(!window_->messages()->isVisible());
    type_filter("duration >");
    QTRY_VERIFY_WITH_TIMEOUT(window_->messages()->isVisible(), kPatience);
    window_->filter_box()->clear();
    QVERIFY(!window_->messages()->isVisible());
  }

  void theAreaFollowsTheFilter() {
    choose_area();
    const auto before = sum(area().rows);
    const auto kernels = area().rows.size();
    QVERIFY(kernels > 1);
    SelectionState one = state();
    one.kernels = {area().rows.front().id};
    const auto requested = area().rows.front().count;
    window_->hub().apply(one);
    QTRY_COMPARE_WITH_TIMEOUT(area().rows.size(), std::size_t{1}, kPatience);
    QCOMPARE(sum(area().rows), requested);
    QCOMPARE(area().tracks.size(), std::size_t{1}); // the kernel does not change the area's tracks
    QCOMPARE(area().tracks.front().events, requested);
    QVERIFY(!area().tracks.front().unfiltered);
    window_->hub().undo();
    QTRY_COMPARE_WITH_TIMEOUT(sum(area().rows), before, kPatience);
    QCOMPARE(area().tracks.front().events, before);
  }

  void theAreaComesBackByUndoAndWithASession() {
    choose_area();
    const auto rows = sum(area().rows);
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(area().range.empty(), kPatience);
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(state().brush.has_value());
    QTRY_COMPARE_WITH_TIMEOUT(sum(area().rows), rows, kPatience);
    QCOMPARE(model().brushTracks.size(), std::size_t{1}); // the track of the counted launches
    const QString saved = QString::fromStdString(folder_.file("area.jsession"));
    QVERIFY(window_->save_session(saved).has_value());
    const auto range = area().range;
    window_->close();
    window_ = std::make_unique<MainWindow>(1);
    window_->show();
    window_->open({saved});
    QTRY_COMPARE_WITH_TIMEOUT(area().range, range, kPatience);
    QVERIFY(sum(area().rows) >= rows);
  }

  void anAreaInsideALaunchNamesTheLaunch() {
    raise("dock.launches");
    window_->launches()->setOrder({"duration", true});
    auto* table = window_->launches()->table();
    QTRY_VERIFY_WITH_TIMEOUT(window_->launches()->model().numberAt(0).has_value(), kPatience);
    QVERIFY(settled(*window_));
    click_row(table, 0);
    QTRY_VERIFY_WITH_TIMEOUT(state().launch.has_value(), kPatience);
    SelectionState inside = state();
    const auto launch = state().launch->interval;
    inside.brush = Interval{launch.begin + Nanoseconds{10}, launch.begin + Nanoseconds{11}};
    inside.where = "stream is not missing";
    window_->hub().apply(inside);
    QTRY_VERIFY_WITH_TIMEOUT(area().runningThrough.has_value(), kPatience);
    QVERIFY(*area().runningThrough >= 1);
    bool reported = false;
    for (const auto* label : window_->timeline_docks()->area()->findChildren<QLabel*>())
      reported |=
          label->text().startsWith(QString("no launch starts here, n = %1 launches extend into this area")
                                       .arg(*area().runningThrough));
    QVERIFY(reported);
  }

  void aGroupNarrowsTheFilterAndTheOthersStayVisible() {
    type_filter("duration > 5us");
    QTRY_VERIFY_WITH_TIMEOUT(in_table() < kLaunches, kPatience);
    divide_by_device();
    QCOMPARE(distribution().groups.size(), std::size_t{4});
    const auto group = distribution().groups[1];
    const auto click = [&](std::size_t which) {
      const auto entries =
          views::distribution::groupEntries(window_->distribution()->rect(), window_->distribution()->model(),
                                            window_->distribution()->viewStyle());
      QTest::mouseClick(window_->distribution(), Qt::LeftButton, {}, entries[which].center().toPoint());
    };
    click(1);
    QCOMPARE(state().where, "duration > 5us and " + group.filter);
    QTRY_COMPARE_WITH_TIMEOUT(distribution().selectedN, group.n, kPatience);
    QCOMPARE(distribution().groups.size(), std::size_t{4});
    for (const auto& each : distribution().groups) QCOMPARE(each.dimmed, each.filter != group.filter);
    QTRY_COMPARE_WITH_TIMEOUT(in_table(), group.n, kPatience);
    const auto other = distribution().groups[2];
    click(2); // another group replaces the first
    QTRY_COMPARE_WITH_TIMEOUT(distribution().selectedN, other.n, kPatience);
    click(2); // a second click removes the group
    QTRY_COMPARE_WITH_TIMEOUT(state().where, QString("duration > 5us"), kPatience);
  }

  // A group selected by a click stays selected after its filter was extended or reformatted.
  void aGroupStaysChosenInAFilterThatWasEdited() {
    divide_by_device();
    QCOMPARE(distribution().groups.size(), std::size_t{4});
    const auto groups = distribution().groups;
    const QString other = QString(groups[2].filter).replace(" = ", "==");
    const auto only_chosen = [&](const QString& filter) {
      return std::all_of(distribution().groups.begin(), distribution().groups.end(),
                         [&](const auto& each) { return each.dimmed == (each.filter != filter); });
    };
    const QStringList typed = {groups[2].filter + " and duration > 5us",
                               "duration > 5us and stream is not missing and " + other,
                               "duration between 5us and 1s and (" + other + ")"};
    for (const auto& text : typed) {
      type_filter(text);
      QTRY_COMPARE_WITH_TIMEOUT(state().where, text, kPatience);
      QTRY_VERIFY2_WITH_TIMEOUT(distribution().selectedN < groups[2].n && only_chosen(groups[2].filter),
                                qPrintable(text), kPatience);
      QCOMPARE(distribution().groups.size(), std::size_t{4});
      QVERIFY(settled(*window_));
    }
    window_->hub().undo();
    QTRY_VERIFY_WITH_TIMEOUT(only_chosen(groups[2].filter), kPatience);
    QCOMPARE(state().where, typed[1]);
  }

  void aKernelIsTheChosenGroupHoweverItWasChosen() {
    raise("dock.distribution");
    auto* box = window_->distribution_choices()->groupBox();
    box->setCurrentIndex(box->findData("kernel"));
    emit box->activated(box->currentIndex());
    QTRY_VERIFY_WITH_TIMEOUT(distribution().groups.size() > 2, kPatience);
    QVERIFY(settled(*window_));
    const auto groups = distribution().groups;
    const auto kernel = static_cast<std::uint32_t>(groups[1].filter.section(" = ", 1).toUInt());
    const QString name = window_->session().tracks().names.value(static_cast<int>(kernel));
    const auto chosen = [&] {
      return distribution().groups.size() == groups.size() && distribution().title.contains(name) &&
             std::all_of(distribution().groups.begin(), distribution().groups.end(),
                         [&](const auto& each) { return each.dimmed == (each.filter != groups[1].filter); });
    };
    emit window_->distribution()->groupChosen(groups[1].filter);
    QCOMPARE(state().kernels, std::vector<std::uint32_t>{kernel}); // highlighted in the table of kernels
    QTRY_VERIFY_WITH_TIMEOUT(chosen(), kPatience);
    emit window_->distribution()->groupChosen(groups[1].filter);
    QVERIFY(state().kernels.empty());
    for (const auto& text :
         {groups[1].filter + " and device = 1", "name = \"" + name + "\" and device = 1"}) {
      type_filter(text);
      QTRY_COMPARE_WITH_TIMEOUT(state().where, text, kPatience);
      QTRY_VERIFY2_WITH_TIMEOUT(chosen(), qPrintable(text), kPatience);
    }
  }

  void partsOfAGroupFilter() {
    QCOMPARE(with_group("", "rank", "rank = 6"), QString("rank = 6"));
    QCOMPARE(with_group("rank = 6", "rank", "rank = 6"), QString());
    QCOMPARE(with_group("rank = 6", "rank", "rank = 7"), QString("rank = 7"));
    QCOMPARE(with_group("a or b", "rank", "rank = 6"), QString("(a or b) and rank = 6"));
    QCOMPARE(with_group("(a or b) and rank = 6", "rank", "rank = 6"), QString("a or b"));
    QCOMPARE(with_group("(name ~ /(x/) and run = \"a \\\" b\"", "run", "run = \"c\""),
             QString("name ~ /(x/ and run = \"c\""));
    // A filter that starts and ends with a parenthesis may still consist of two parts.
    QCOMPARE(with_group("(a) or (b) and rank = 6", "rank", "rank = 6"),
             QString("((a) or (b) and rank = 6) and rank = 6"));
    // The condition of the group is replaced or removed at any place in the filter.
    QCOMPARE(with_group("rank==6 and name ~ /x and y/", "rank", "rank = 7"),
             QString("rank = 7 and name ~ /x and y/"));
    QCOMPARE(with_group("a > 1 and (rank in (6) and b < 2)", "rank", "rank = 6"), QString("a > 1 and b < 2"));
    QCOMPARE(with_group("t between 1us and 2us and rank = 6", "rank", "rank = 6"),
             QString("t between 1us and 2us"));
    QVERIFY(!split_group("rank = 6 or a", "rank") && !split_group("not rank = 6", "rank") &&
            !split_group("rank > 6", "rank"));
    QVERIFY(!split_group("rank = 6 and (", "rank") && !split_group("rank = size", "rank") &&
            !split_group("", "rank"));
    QVERIFY(!split_group("rank = 6 and", "rank") && !split_group("()", "rank") &&
            !split_group(") and rank = 6 and (", "rank"));
  }

  void aChosenKernelStaysAmongTheOthers() {
    raise("dock.kernels");
    auto* table = window_->kernels()->table();
    const int kernels = table->model()->rowCount();
    QVERIFY(kernels > 2);
    click_row(table, 1);
    QTRY_COMPARE_WITH_TIMEOUT(state().kernels.size(), std::size_t{1}, kPatience);
    const auto first = state().kernels.front();
    QVERIFY(settled(*window_));
    QCOMPARE(table->model()->rowCount(), kernels);
    QCOMPARE(in_table(), kLaunches);
    QCOMPARE(table->selectionModel()->selectedRows().size(), 1);
    double shares = 0;
    for (const auto& row : window_->kernels()->model().kernels().rows) shares += row.share;
    QVERIFY(std::abs(shares - 1) < 1e-9);
    QVERIFY(distribution().selectedN < kLaunches); // the other views follow
    QTest::keyClick(table, Qt::Key_Down);
    QTRY_VERIFY_WITH_TIMEOUT(state().kernels.size() == 1 && state().kernels.front() != first, kPatience);
    QCOMPARE(table->selectionModel()->selectedRows().front().row(), 2);
  }

  void aLaunchChosenInATableBecomesVisible() {
    window_->timeline()->setWindow(
        {model().viewport.span().begin, model().viewport.span().begin + Nanoseconds{1'000'000}});
    first_launches_by_device();
    click_row(window_->launches()->table(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(state().launch.has_value(), kPatience);
    QVERIFY(chosen_is_visible());
    const auto shown = model().viewport.window();
    const auto launch = state().launch->interval;
    QVERIFY(shown.begin <= launch.begin && launch.end <= shown.end);
  }

  void aBinScrollsToTheTracksOfItsLaunches() {
    const auto last = std::ranges::find_if(model().tracks().rbegin(), model().tracks().rend(),
                                           [](const auto& t) { return t.kind == views::TrackKind::Device; });
    const auto is_visible = [&] {
      return model().visible(*model().layout().rowOf(model().trackIndex(last->id)));
    };
    type_filter("device = 3");
    QTRY_COMPARE_WITH_TIMEOUT(state().where, QString("device = 3"), kPatience);
    QVERIFY(settled(*window_));
    QVERIFY(!is_visible());
    click_row(window_->bins()->table(), 0);
    QVERIFY(state().bin.has_value());
    QTRY_VERIFY_WITH_TIMEOUT(is_visible(), kPatience);
  }

  void foldedGroupsOpenForAChosenLaunch() {
    for (const auto& track : model().tracks())
      if (track.parent < 0) timeline()->setTrackCollapsed(track.id, true);
    first_launches_by_device();
    for (const int row : {0, 1}) {
      click_row(window_->launches()->table(), row);
      QTRY_COMPARE_WITH_TIMEOUT(state().launch ? std::optional(state().launch->row) : std::nullopt,
                                window_->launches()->model().numberAt(row), kPatience);
      QVERIFY(chosen_is_visible());
    }
    for (const auto& track : model().tracks())
      if (track.parent < 0) timeline()->setTrackCollapsed(track.id, true);
    QTest::keyClick(window_.get(), Qt::Key_F);
    QVERIFY(chosen_is_visible());
    QTest::keyClick(window_.get(), Qt::Key_O);
    const auto from = state().launch->track;
    QTRY_VERIFY_WITH_TIMEOUT(state().launch->track != from, kPatience);
    QVERIFY(chosen_is_visible());
  }

  // The engine is stopped when the causes are requested, and reports the empty selection only afterwards.
  void causesOfAnEmptySelectionAreNotThoseOfNoKernels() {
    QVERIFY(settled(*window_));
    SelectionState chosen;
    const Interval span = window_->session().tracks().launch_span;
    chosen.bin = BinChoice{0, {span.begin, span.begin + Nanoseconds{span.length().count / 10}}};
    window_->hub().apply(chosen);
    QVERIFY(settled(*window_));
    const auto engine = static_cast<pid_t>(window_->session().engine().processId());
    QVERIFY(engine > 0);
    QCOMPARE(::kill(engine, SIGSTOP), 0);
    const auto go_on = qScopeGuard([engine] { ::kill(engine, SIGCONT); });
    QSignalSpy asked(&window_->session(), &SessionController::causal_waiting);
    chosen.where = "name ~ /no such kernel/";
    window_->hub().apply(chosen);
    QTRY_VERIFY_WITH_TIMEOUT(!asked.isEmpty(), kPatience);
    QCOMPARE(::kill(engine, SIGCONT), 0);
    QVERIFY(settled(*window_));
    QVERIFY2(!window_->messages()->isVisible(), qPrintable(window_->messages()->text()));
  }

  void aMessageDisappearsWhenTheInputIsCorrected() {
    auto fields = window_->bins()->parentWidget()->findChildren<QLineEdit*>();
    const auto width = std::ranges::find_if(
        fields, [](const auto* field) { return field->toolTip().startsWith("Length of a bin"); });
    QVERIFY(width != fields.end());
    (*width)->setText("abc");
    QTest::keyClick(*width, Qt::Key_Return);
    QVERIFY(window_->messages()->isVisible());
    (*width)->setText("10000");
    QTest::keyClick(*width, Qt::Key_Return);
    QVERIFY(!window_->messages()->isVisible());
    QCOMPARE((*width)->text(), QString("10us"));
  }

  void aFilterShowsTheUnitsOfItsNumbers() {
    type_filter("duration > 9000 and stream >= 0");
    QTRY_COMPARE_WITH_TIMEOUT(state().where, QString("duration > 9000ns and stream >= 0"), kPatience);
    QCOMPARE(window_->filter_box()->text(), state().where);
  }

  void aFileNamedTwiceIsOpenedOnce() {
    window_->open({trace_, trace_});
    QTRY_VERIFY_WITH_TIMEOUT(window_->messages()->isVisible(), kPatience);
    QVERIFY2(window_->messages()->text().contains("opened once"), qPrintable(window_->messages()->text()));
    QCOMPARE(window_->session().files(), QStringList{trace_});
  }

  void aMessageDisappearsWhenTheRequestSucceeds() {
    emit window_->session().failed(Error{ErrorKind::BadInput, "the bins cannot be computed", {}, {}, {}},
                                   "Some bins", "bins"); // the shown name has no effect
    QVERIFY(window_->messages()->isVisible());
    emit window_->session().answered("timeline");
    QVERIFY(window_->messages()->isVisible());
    window_->session().set_bin_choices(window_->session().bin_choices());
    QTRY_VERIFY_WITH_TIMEOUT(!window_->messages()->isVisible(), kPatience);
  }

  void emptyCheckBoxesHaveAFrameInTheDark() {
    window_->set_theme(views::Theme::Dark);
    auto* box = window_->distribution_choices()->findChild<QCheckBox*>();
    QVERIFY(box);
    box->setChecked(false);
    raise("dock.distribution");
    QTest::qWait(50);
    const QImage picture = box->grab().toImage();
    const QColor frame = box->palette().color(QPalette::PlaceholderText);
    int pixels = 0;
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 0; x < std::min(picture.width(), 20); ++x) {
        const QColor at = picture.pixelColor(x, y);
        pixels += std::abs(at.red() - frame.red()) + std::abs(at.green() - frame.green()) +
                      std::abs(at.blue() - frame.blue()) <
                  60;
      }
    QVERIFY2(pixels > 20, qPrintable(QString::number(pixels)));
    window_->set_theme(views::Theme::Light);
  }

  void selectionsAreReportedByNamesAndRoundedValues() {
    SelectionState chosen;
    chosen.kernels = {3};
    chosen.brushes["migration_ns"] = {{205.46521739130435, 6604.239130434783}};
    const SelectionNames names{
        {},
        views::AxisUnit::Time,
        [](std::uint32_t k) { return QString("solve%1").arg(k); },
        [](const QString& column) { return column == "migration_ns" ? QString("ns") : QString(); }};
    QCOMPARE(selection_words(chosen, names),
             QString("kernel solve3 · migration during launch between 205.5 ns and 6.604 µs"));
    chosen.brushes = {{"stream", {{0.6, 2.4}}}};
    chosen.kernels = {1, 2, 3};
    SelectionNames with_codes = names;
    with_codes.codes = {{"stream", {7, 13, 14}}};
    QCOMPARE(selection_words(chosen, with_codes), QString("3 kernels · stream 13, 14"));
  }
};

QTEST_MAIN(LinkedViewsTest)
#include "linked_views_test.moc"
