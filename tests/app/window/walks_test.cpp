#include <QComboBox>
#include <QFile>
#include <QScrollArea>
#include <QScrollBar>
#include <QStatusBar>

#include "app/controllers/distribution_panel.h"
#include "app/widgets/message_bar.h"
#include "tests/app/session/own_places.h"
#include "tests/app/window/driven_window.h"
#include "views/causal/causal_widget.h"
#include "views/distribution/distribution_painter.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// From opening a real file to its main findings, in few actions; comments with numbers count them.
class WalksTest : public QObject, DrivenWindow {
  Q_OBJECT

private slots:
  void init() { new_window(); }
  void cleanup() { close(); }

  /// From opening a run with migrations to the launches that overlap one: four actions.
  void walkToTheLaunchesThatOverlapAMigration() {
    const QString real = QString(JITTERSCOPE_DATA_DIR) + "/nsys/rtx3090-20runs/report12.sqlite";
    if (!QFile::exists(real)) QSKIP("the real trace is not available");
    window_->open({real}); // 1
    QTRY_VERIFY_WITH_TIMEOUT(!window_->causal()->graph().empty(), kPatience);
    QVERIFY(window_->causal()->graph().sentences.value(0).contains("migration"));
    // The capture starts long before the first launch: undo returns to the range shown on opening, not to
    // all.
    const auto range = [&] { return window_->timeline()->model().viewport.window(); };
    const Interval first = range();
    QTest::keyClick(window_.get(), Qt::Key_Home);
    QVERIFY(range().length().count > 2 * first.length().count);
    window_->hub().undo();
    QCOMPARE(range(), first);
    QVERIFY(!window_->hub().canUndo());
    type_filter("migration_ns > 0"); // 2
    raise("dock.launches");          // 3
    auto& model = window_->launches()->model();
    QTRY_VERIFY_WITH_TIMEOUT(rows_there() && *model.total() < 6434, kPatience);
    QVERIFY(*model.total() > 0);
    press_enter_on_first_launch(); // 4
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

  /// Six actions from opening a trace of two GPUs to its longest collective and the launch on the other
  /// device at that time.
  void walkToTheLongestCollectiveAndItsPartner() {
    const QString real = QString(JITTERSCOPE_DATA_DIR) + "/nsys/h100-2gpu/mfu_2gpu_before.sqlite";
    if (!QFile::exists(real)) QSKIP("the real trace is not available");
    window_->open({real}); // 1
    QTRY_VERIFY_WITH_TIMEOUT(window_->bins()->model().rowCount() > 0, kPatience);
    type_filter("name ~ /nccl/"); // 2
    raise("dock.launches");       // 3
    QTRY_VERIFY_WITH_TIMEOUT(rows_there() && *window_->launches()->model().total() > 0, kPatience);
    window_->launches()->setOrder({"duration", true}); // 4, a click on the header
    QTRY_VERIFY_WITH_TIMEOUT(rows_there(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(cell(0, "short_name").contains("nccl", Qt::CaseInsensitive), kPatience);
    press_enter_on_first_launch(); // 5
    const auto longest = *window_->hub().state().launch;
    QTest::keyClick(window_.get(), Qt::Key_O); // 6
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch->row != longest.row, kPatience);
    const auto partner = *window_->hub().state().launch;
    QVERIFY(partner.track != longest.track);
    const auto shown = window_->timeline()->model().viewport.window();
    QVERIFY2(shown.begin <= longest.interval.begin && longest.interval.end <= shown.end,
             "the range contains both launches");
    QVERIFY(shown.begin <= partner.interval.begin && partner.interval.end <= shown.end);
    QVERIFY(settled(*window_)); // no later summary replaces the message about partners
    const QString said = window_->statusBar()->currentMessage();
    QVERIFY2(said.contains("Of the 2 devices that run this collective, ") && said.contains(" starts last: "),
             qPrintable(said));
    // From the launch that waits to the launch that it waits for.
    const bool waits = longest.interval.begin < partner.interval.begin;
    SelectionState state = window_->hub().state();
    state.launch = waits ? longest : partner;
    window_->hub().apply(state);
    QTest::keyClick(window_.get(), Qt::Key_O, Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().launch->row, (waits ? partner : longest).row, kPatience);
    QVERIFY(settled(*window_));
    QTest::keyClick(window_.get(), Qt::Key_O, Qt::ShiftModifier); // again: the selection does not move
    QVERIFY(settled(*window_));
    QCOMPARE(window_->hub().state().launch->row, (waits ? partner : longest).row);
  }

  /// From eight ranks to the one that the others wait for, which spends the least time in collectives. Five
  /// actions.
  void walkToTheSlowestRank() {
    const QString real = QString(JITTERSCOPE_DATA_DIR) + "/kineto/dlrm-8rank/dlrm_kineto.tar.gz";
    if (!QFile::exists(real)) QSKIP("the real trace is not available");
    window_->open({real}); // 1
    QTRY_VERIFY_WITH_TIMEOUT(window_->bins()->model().rowCount() > 0, kPatience);
    raise("dock.distribution"); // 2
    auto* group = window_->distribution_choices()->groupBox();
    QTRY_VERIFY_WITH_TIMEOUT(group->findData("rank") > 0, kPatience);
    group->setCurrentIndex(group->findData("rank")); // 3
    emit group->activated(group->currentIndex());
    type_filter("name ~ /nccl/"); // 4
    const auto& data = window_->distribution()->model().data;
    QTRY_VERIFY_WITH_TIMEOUT(data.groups.size() == 8 && data.selectedN > 0 && data.selectedN < 100,
                             kPatience);
    const auto minimum = std::min_element(data.groups.begin(), data.groups.end(),
                                          [](const auto& a, const auto& b) { return *a.mean < *b.mean; });
    QCOMPARE(minimum->label, QString("7"));
    const auto min_n = minimum->n;
    const auto entries =
        views::distribution::groupEntries(window_->distribution()->rect(), window_->distribution()->model(),
                                          window_->distribution()->viewStyle());
    QTest::mouseClick(window_->distribution(), Qt::LeftButton, {},
                      entries[std::size_t(minimum - data.groups.begin())].center().toPoint()); // 5
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, QString("name ~ /nccl/ and rank = 7"), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(data.selectedN, min_n, kPatience);
    QCOMPARE(data.groups.size(), std::size_t(8)); // the others stay, dimmed
  }

  /// From eight ranks to the collective with the longest waits, and what delayed the rank that came last: two
  /// actions.
  void walkToTheSlowestRankAndWhy() {
    const QString real = QString(JITTERSCOPE_DATA_DIR) + "/kineto/dlrm-8rank/dlrm_kineto.tar.gz";
    if (!QFile::exists(real)) QSKIP("the real trace is not available");
    window_->open({real}); // 1
    QTRY_VERIFY_WITH_TIMEOUT(window_->bins()->model().rowCount() > 0, kPatience);
    auto* said = window_->findChild<MessageBar*>();
    QTest::keyClick(window_.get(), Qt::Key_O, Qt::ShiftModifier); // 2
    QTRY_VERIFY_WITH_TIMEOUT(said->isVisible() &&
                                 said->text().startsWith("Rank 7 arrives last at 5 of the 8 collectives"),
                             kPatience);
    QVERIFY2(said->text().contains("the host has not launched the next work yet"), qPrintable(said->text()));
    QVERIFY(said->text().contains("it was already late") &&
            said->text().contains("its recording begins 3.8 ms after"));
    // On a small screen the long answer scrolls, and the timeline keeps its height.
    const QSize size = window_->size();
    window_->resize(1280, 800);
    auto* scroll = said->findChild<QScrollArea*>();
    QTRY_VERIFY(scroll->verticalScrollBar()->isVisible() && said->height() < 130);
    QVERIFY2(window_->timeline()->height() > said->height(),
             qPrintable(QString::number(window_->timeline()->height())));
    window_->resize(size);
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch.has_value(), kPatience);
    const auto worst = *window_->hub().state().launch;
    const auto shown = window_->timeline()->model().viewport.window();
    QVERIFY2(shown.begin <= worst.interval.begin && worst.interval.end <= shown.end &&
                 shown.length().count > 5'000'000,
             "the range contains the late launch and those that wait for it");
    // For a selected collective: its own findings come first, then those of all collectives.
    QString order; // messages disappear after a time
    connect(window_->statusBar(), &QStatusBar::messageChanged, this,
            [&](const QString& text) { order += text; });
    QTest::keyClick(window_.get(), Qt::Key_O);
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch->row != worst.row, kPatience);
    QVERIFY(settled(*window_));
    disconnect(window_->statusBar(), nullptr, this, nullptr);
    QVERIFY2(order.contains("Of the 8 devices that run this collective, rank 7 starts last: 7.62 ms after "
                            "the first (rank 1), 505 µs "
                            "after the previous one."),
             qPrintable(order));
    QTest::keyClick(window_.get(), Qt::Key_O, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(
        said->text().startsWith("Of 8 devices, rank 7 arrives last at collective 1 of 8"), kPatience);
    QVERIFY(said->text().contains("Rank 7 arrives last at 5 of the 8 collectives"));
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().launch->row, worst.row, kPatience);
  }
};

QTEST_MAIN(WalksTest)
#include "walks_test.moc"
