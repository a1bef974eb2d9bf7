// What is chosen in one view, as the others show it: filters, areas, groups, kernels, launches out of sight, keys.

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

#include "app/command_palette.h"
#include "app/distribution_panel.h"
#include "app/group_filter.h"
#include "app/main_window.h"
#include "app/message_bar.h"
#include "app/selection_words.h"
#include "app/timeline_docks.h"
#include "tests/app/own_places.h"
#include "tests/app/settled.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/views/mouse.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"
#include "views/distribution/distribution_painter.h"
#include "views/distribution/distribution_widget.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"
#include "views/timeline/area_widget.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

namespace {
constexpr int kPatience = 120000;
constexpr std::uint64_t kLaunches = 4000;
} // namespace

class LinkedViewsTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  QString trace_ = QString::fromStdString(folder_.file("trace.sqlite"));
  std::unique_ptr<MainWindow> window_;

  views::TimelineWidget* timeline() { return window_->timeline(); }
  const views::TimelineModel& model() { return window_->timeline()->model(); }
  const views::AreaData& area() { return window_->timeline_docks()->area()->area(); }
  const SelectionState& state() { return window_->hub().state(); }
  const views::DistributionData& distribution() { return window_->distribution()->model().data; }
  static std::uint64_t sum(const std::vector<views::KernelRow>& rows) {
    std::uint64_t n = 0;
    for (const auto& row : rows) n += row.count;
    return n;
  }
  std::uint64_t in_table() { return sum(window_->kernels()->model().kernels().rows); }
  void type_filter(const QString& text) {
    window_->filter_box()->setText(text);
    QTest::keyClick(window_->filter_box(), Qt::Key_Return);
  }
  void raise(const char* name) {
    auto* dock = window_->findChild<QDockWidget*>(name);
    QVERIFY(dock);
    dock->show();
    dock->raise();
  }
  /// Shift+drag over the first stream.
  void choose_area() {
    const auto& tracks = model().tracks();
    const auto stream = std::find_if(tracks.begin(), tracks.end(), [](const auto& track) { return track.kind == views::TrackKind::Stream; });
    QVERIFY(stream != tracks.end());
    timeline()->showTrack(stream->id);
    const auto* row = model().layout().rowOf(model().trackIndex(stream->id));
    QVERIFY(row);
    const QRectF rect = model().rowRect(*row);
    views::mouse::drag(*timeline(), QPointF(rect.left() + rect.width() * 0.3, rect.center().y()).toPoint(),
                       QPointF(rect.left() + rect.width() * 0.7, rect.center().y()).toPoint(), Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(area().tracks.size(), std::size_t{1}, kPatience);
    QVERIFY(sum(area().rows) > 0);
  }
  void click_row(QTableView* table, int row) {
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(row, 1)).center());
  }
  /// A launch of the last device, whose row is folded or below what fits.
  void first_launches_by_device() {
    raise("dock.launches");
    window_->launches()->setOrder({"device", true});
    auto& launches = window_->launches()->model();
    QTRY_VERIFY_WITH_TIMEOUT(launches.rowCount() > 0 && launches.numberAt(0).has_value(), kPatience);
    QVERIFY(settled(*window_));
  }
  void divide_by_device() {
    raise("dock.distribution");
    auto* box = window_->distribution_choices()->groupBox();
    box->setCurrentIndex(box->findData("device"));
    emit box->activated(box->currentIndex());
    QTRY_COMPARE_WITH_TIMEOUT(distribution().groups.size(), std::size_t{4}, kPatience);
    QVERIFY(settled(*window_));
  }
  bool chosen_is_in_sight() {
    const auto* row = model().layout().rowOf(model().trackIndex(state().launch->track));
    return row && model().visible(*row) && model().tracks()[std::size_t(row->track)].id == state().launch->track;
  }

private slots:
  void initTestCase() {
    generator::Options options;
    options.launches = kLaunches;
    options.devices = 4;
    options.streams = 8;
    options.causes = {generator::Cause::Migration};
    QVERIFY(generator::generate(options, trace_.toStdString(), {}).has_value());
  }
  void init() {
    window_ = std::make_unique<MainWindow>(1);
    window_->resize(1400, 760);
    window_->show();
    window_->open({trace_});
    QTRY_VERIFY_WITH_TIMEOUT(!model().data().tracks.empty(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(in_table(), kLaunches, kPatience);
  }
  void cleanup() {
    window_->close();
    window_.reset();
  }

  void theClearButtonTakesTheFilterAway() {
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

  void aCorrectedFilterTakesItsComplaintAway() {
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
    const auto wanted = area().rows.front().count;
    window_->hub().apply(one);
    QTRY_COMPARE_WITH_TIMEOUT(area().rows.size(), std::size_t{1}, kPatience);
    QCOMPARE(sum(area().rows), wanted);
    QCOMPARE(area().tracks.size(), std::size_t{1}); // the same tracks
    // Its tracks too: the stream has as many launches as its kernel.
    QCOMPARE(area().tracks.front().events, wanted);
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
    QCOMPARE(model().brushTracks.size(), std::size_t{1}); // drawn over the track that is counted
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

  void anAreaInsideALaunchSaysWhatRunsThere() {
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
    bool told = false;
    for (const auto* label : window_->timeline_docks()->area()->findChildren<QLabel*>())
      told |= label->text().startsWith(QString("no launch starts here, n = %1 reach into it").arg(*area().runningThrough));
    QVERIFY(told);
  }

  void aGroupNarrowsTheFilterAndTheOthersStayInSight() {
    type_filter("duration > 5us");
    QTRY_VERIFY_WITH_TIMEOUT(in_table() < kLaunches, kPatience);
    divide_by_device();
    QCOMPARE(distribution().groups.size(), std::size_t{4});
    const auto group = distribution().groups[1];
    const auto click = [&](std::size_t which) {
      const auto entries = views::distribution::groupEntries(window_->distribution()->rect(), window_->distribution()->model(),
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
    click(2); // another group in its place
    QTRY_COMPARE_WITH_TIMEOUT(distribution().selectedN, other.n, kPatience);
    click(2); // a second click takes it back
    QTRY_COMPARE_WITH_TIMEOUT(state().where, QString("duration > 5us"), kPatience);
  }

  // What was chosen by a click is still the chosen group when the filter was typed on, or typed otherwise.
  void aGroupStaysChosenInAFilterThatWasEdited() {
    divide_by_device();
    QCOMPARE(distribution().groups.size(), std::size_t{4});
    const auto groups = distribution().groups;
    const QString other = QString(groups[2].filter).replace(" = ", "==");
    const auto only_chosen = [&](const QString& filter) {
      return std::all_of(distribution().groups.begin(), distribution().groups.end(),
                         [&](const auto& each) { return each.dimmed == (each.filter != filter); });
    };
    const QStringList typed = {groups[2].filter + " and duration > 5us", "duration > 5us and stream is not missing and " + other,
                               "duration between 5us and 1s and (" + other + ")"};
    for (const auto& text : typed) {
      type_filter(text);
      QTRY_COMPARE_WITH_TIMEOUT(state().where, text, kPatience);
      QTRY_VERIFY2_WITH_TIMEOUT(distribution().selectedN < groups[2].n && only_chosen(groups[2].filter), qPrintable(text), kPatience);
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
    QCOMPARE(state().kernels, std::vector<std::uint32_t>{kernel}); // the table of kernels marks it
    QTRY_VERIFY_WITH_TIMEOUT(chosen(), kPatience);
    emit window_->distribution()->groupChosen(groups[1].filter);
    QVERIFY(state().kernels.empty());
    for (const auto& text : {groups[1].filter + " and device = 1", "name = \"" + name + "\" and device = 1"}) {
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
    QCOMPARE(with_group("(name ~ /(x/) and run = \"a \\\" b\"", "run", "run = \"c\""), QString("name ~ /(x/ and run = \"c\""));
    // Two bracketed parts are no narrowing of one.
    QCOMPARE(with_group("(a) or (b) and rank = 6", "rank", "rank = 6"), QString("((a) or (b) and rank = 6) and rank = 6"));
    // In its place, wherever it stands.
    QCOMPARE(with_group("rank==6 and name ~ /x and y/", "rank", "rank = 7"), QString("rank = 7 and name ~ /x and y/"));
    QCOMPARE(with_group("a > 1 and (rank in (6) and b < 2)", "rank", "rank = 6"), QString("a > 1 and b < 2"));
    QCOMPARE(with_group("t between 1us and 2us and rank = 6", "rank", "rank = 6"), QString("t between 1us and 2us"));
    QVERIFY(!split_group("rank = 6 or a", "rank") && !split_group("not rank = 6", "rank") && !split_group("rank > 6", "rank"));
    QVERIFY(!split_group("rank = 6 and (", "rank") && !split_group("rank = size", "rank") && !split_group("", "rank"));
    QVERIFY(!split_group("rank = 6 and", "rank") && !split_group("()", "rank") && !split_group(") and rank = 6 and (", "rank"));
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

  void aLaunchChosenInATableComesInSight() {
    window_->timeline()->setWindow({model().viewport.span().begin, model().viewport.span().begin + Nanoseconds{1'000'000}});
    first_launches_by_device();
    click_row(window_->launches()->table(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(state().launch.has_value(), kPatience);
    QVERIFY(chosen_is_in_sight());
    const auto shown = model().viewport.window();
    const auto launch = state().launch->interval;
    QVERIFY(shown.begin <= launch.begin && launch.end <= shown.end);
  }

  void foldedGroupsOpenForAChosenLaunch() {
    for (const auto& track : model().tracks())
      if (track.parent < 0) timeline()->setTrackCollapsed(track.id, true);
    first_launches_by_device();
    for (const int row : {0, 1}) {
      click_row(window_->launches()->table(), row);
      QTRY_COMPARE_WITH_TIMEOUT(state().launch ? std::optional(state().launch->row) : std::nullopt,
                                window_->launches()->model().numberAt(row), kPatience);
      QVERIFY(chosen_is_in_sight());
    }
    for (const auto& track : model().tracks())
      if (track.parent < 0) timeline()->setTrackCollapsed(track.id, true);
    QTest::keyClick(window_.get(), Qt::Key_F);
    QVERIFY(chosen_is_in_sight());
    QTest::keyClick(window_.get(), Qt::Key_O);
    const auto from = state().launch->track;
    QTRY_VERIFY_WITH_TIMEOUT(state().launch->track != from, kPatience);
    QVERIFY(chosen_is_in_sight());
  }

  void keysOfTheTimelineWorkFromATable() {
    raise("dock.launches");
    auto* table = window_->launches()->table();
    QTRY_VERIFY_WITH_TIMEOUT(window_->launches()->model().numberAt(0).has_value(), kPatience);
    QVERIFY(settled(*window_));
    click_row(table, 0);
    QTRY_VERIFY_WITH_TIMEOUT(state().launch.has_value(), kPatience);
    table->setFocus();
    const auto before = model().viewport.window();
    QTest::keyClick(table, Qt::Key_W);
    QVERIFY(model().viewport.window().length() < before.length());
    QTest::keyClick(table, Qt::Key_S);
    const auto first = state().launch->row;
    QTest::keyClick(table, Qt::Key_BracketRight);
    QTRY_VERIFY_WITH_TIMEOUT(state().launch->row != first, kPatience);
    table->setFocus();
    QTest::keyClick(table, Qt::Key_R);
    QVERIFY(model().measuring && timeline()->hasFocus());
    QTest::keyClick(timeline(), Qt::Key_Escape);
    // Where text is typed they are letters.
    const auto zoomed = model().viewport.window();
    window_->filter_box()->setFocus();
    QTest::keyClicks(window_->filter_box(), "was");
    QCOMPARE(window_->filter_box()->text(), QString("was"));
    QCOMPARE(model().viewport.window(), zoomed);
  }

  void aClickOnABinGoesThere() {
    QTRY_VERIFY_WITH_TIMEOUT(window_->bins()->model().rowCount() > 0, kPatience);
    QVERIFY(settled(*window_));
    click_row(window_->bins()->table(), 0);
    QVERIFY(state().bin.has_value());
    const auto bin = state().bin->interval;
    const auto shown = model().viewport.window();
    QVERIFY(shown.begin <= bin.begin && bin.end <= shown.end);
    QVERIFY(shown.length() < model().viewport.span().length());
    window_->hub().undo(); // one step
    QVERIFY(!state().bin.has_value());
  }

  void thePaletteGoesToTimesAndToTheLongestLaunch() {
    auto* palette = window_->palette_dialog();
    const auto open = [&](const QString& text) {
      QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
      QVERIFY(QTest::qWaitFor([&] { return palette->isVisible(); }, kPatience));
      QTest::keyClicks(palette->edit(), text);
    };
    const Interval span = window_->session().tracks().launch_span;
    const auto wanted = span.begin.count + span.length().count / 2;
    timeline()->setWindow({span.begin, span.begin + Nanoseconds{1'000'000}});
    open(QString::number(wanted / 1000) + " us");
    QTest::keyClick(palette->edit(), Qt::Key_Return);
    QVERIFY(state().window.has_value());
    const auto shown = model().viewport.window();
    QVERIFY(std::abs((shown.begin.count + shown.end.count) / 2 - wanted) < 2'000);
    open("zzzz");
    QCOMPARE(palette->list()->model()->rowCount(), 1);
    QVERIFY(palette->list()->model()->index(0, 0).data().toString().startsWith("Nothing found"));
    QTest::keyClick(palette->edit(), Qt::Key_Return); // does nothing, and does not crash
    palette->close();
    const auto& kernels = window_->kernels()->model().kernels().rows;
    const auto& kernel = *std::max_element(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.maximum < b.maximum; });
    open(kernel.name + ": longest");
    QTest::keyClick(palette->edit(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(state().launch.has_value(), kPatience);
    QCOMPARE(static_cast<double>(state().launch->interval.length().count), kernel.maximum);
    QVERIFY(chosen_is_in_sight());
  }

  void thePaletteFindsKernelsThatAreNotSelected() {
    const auto all = window_->kernels()->model().kernels().rows;
    QVERIFY(all.size() > 1);
    type_filter("kernel = " + QString::number(all.front().id));
    QTRY_COMPARE_WITH_TIMEOUT(window_->kernels()->model().kernels().rows.size(), std::size_t{1}, kPatience);
    auto* palette = window_->palette_dialog();
    const auto found = [&](const QString& text) {
      QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
      if (!QTest::qWaitFor([&] { return palette->isVisible(); }, kPatience)) return QStringList();
      QTest::keyClicks(palette->edit(), text);
      QStringList shown;
      for (int i = 0; i < palette->list()->model()->rowCount(); ++i) shown << palette->list()->model()->index(i, 0).data().toString();
      return shown;
    };
    const auto& other = all.back();
    const QStringList kernels = found(other.name);
    QVERIFY2(kernels.contains("kernel  " + other.name), qPrintable(other.name + ":\n" + kernels.join("\n")));
    palette->close();
    const QStringList bins = found("bin ");
    QVERIFY(std::any_of(bins.begin(), bins.end(), [](const QString& text) { return text.startsWith("bin "); }));
    QVERIFY(std::none_of(bins.begin(), bins.end(), [](const QString& text) { return text.contains("bin  bin"); }));
    palette->close();
    QVERIFY(found(other.name + ": longest").contains("launch  " + other.name + ": longest launch"));
    QTest::keyClick(palette->edit(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(state().launch.has_value(), kPatience);
  }

  void afterAJumpKeysAreTheTimelines() {
    type_filter("duration > 1us");
    QTRY_COMPARE_WITH_TIMEOUT(state().where, QString("duration > 1us"), kPatience);
    window_->activateWindow();
    window_->filter_box()->setFocus();
    QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(window_->filter_box()));
    auto* palette = window_->palette_dialog();
    QTest::keyClick(window_->filter_box(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(palette->isVisible(), kPatience);
    QTest::keyClicks(palette->edit(), "longest launch");
    QTest::keyClick(palette->edit(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(state().launch.has_value(), kPatience);
    QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(timeline()));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_O);
    QCOMPARE(window_->filter_box()->text(), QString("duration > 1us"));
  }

  void escapeLeavesTheFilterBoxBeforeItClearsTheSelection() {
    type_filter("duration > 1us");
    QTRY_COMPARE_WITH_TIMEOUT(state().where, QString("duration > 1us"), kPatience);
    window_->activateWindow();
    window_->filter_box()->setFocus();
    QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(window_->filter_box()));
    QTest::keyClick(window_->filter_box(), Qt::Key_Escape);
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(timeline()));
    QCOMPARE(state().where, QString("duration > 1us"));
    QCOMPARE(window_->filter_box()->text(), QString("duration > 1us"));
    QTest::keyClick(timeline(), Qt::Key_Escape);
    QVERIFY(state().where.isEmpty());
  }

  // The engine is busy: that nothing is selected is known only after the question for causes was put.
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

  void aComplaintGoesWhenTheQuestionIsAnswered() {
    emit window_->session().failed(Error{ErrorKind::BadInput, "it cannot be told", {}, {}, {}}, "Bins");
    QVERIFY(window_->messages()->isVisible());
    emit window_->session().answered("Timeline");
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
        pixels += std::abs(at.red() - frame.red()) + std::abs(at.green() - frame.green()) + std::abs(at.blue() - frame.blue()) < 60;
      }
    QVERIFY2(pixels > 20, qPrintable(QString::number(pixels)));
    window_->set_theme(views::Theme::Light);
  }

  void selectionsAreToldByNamesAndRoundedValues() {
    SelectionState chosen;
    chosen.kernels = {3};
    chosen.brushes["migration_ns"] = {{205.46521739130435, 6604.239130434783}};
    const SelectionNames names{{}, views::AxisUnit::Time, [](std::uint32_t k) { return QString("solve%1").arg(k); },
                               [](const QString& column) { return column == "migration_ns" ? QString("ns") : QString(); }};
    QCOMPARE(selection_words(chosen, names), QString("kernel solve3 · migration during launch between 205.5 ns and 6.604 µs"));
    chosen.brushes = {{"stream", {{0.6, 2.4}}}};
    chosen.kernels = {1, 2, 3};
    SelectionNames with_codes = names;
    with_codes.codes = {{"stream", {7, 13, 14}}};
    QCOMPARE(selection_words(chosen, with_codes), QString("3 kernels · stream 13, 14"));
  }
};

QTEST_MAIN(LinkedViewsTest)
#include "linked_views_test.moc"
