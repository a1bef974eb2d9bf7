// Where keys, bins and the palette lead, and which view has the keyboard focus afterwards.

#include <QListView>
#include <QScopeGuard>
#include <QSignalSpy>

#include "app/widgets/command_palette.h"
#include "app/widgets/message_bar.h"
#include "tests/app/window/linked_window.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

class JumpsTest : public QObject, LinkedWindow {
  Q_OBJECT

private slots:
  void initTestCase() { make_trace(); }
  void init() { open_window(); }
  void cleanup() { close_window(); }

  void thePaletteGoesToTimesAndToTheLongestLaunch() {
    auto* palette = window_->palette_dialog();
    const auto open = [&](const QString& text) {
      QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
      QVERIFY(QTest::qWaitFor([&] { return palette->isVisible(); }, kPatience));
      QTest::keyClicks(palette->edit(), text);
    };
    const Interval span = window_->session().tracks().launch_span;
    const auto requested = span.begin.count + span.length().count / 2;
    timeline()->setWindow({span.begin, span.begin + Nanoseconds{1'000'000}});
    open(QString::number(requested / 1000) + " us");
    QTest::keyClick(palette->edit(), Qt::Key_Return);
    QVERIFY(state().window.has_value());
    const auto shown = model().viewport.window();
    QVERIFY(std::abs((shown.begin.count + shown.end.count) / 2 - requested) < 2'000);
    open("zzzz");
    QCOMPARE(palette->list()->model()->rowCount(), 1);
    QVERIFY(palette->list()->model()->index(0, 0).data().toString().startsWith("Nothing found"));
    QTest::keyClick(palette->edit(), Qt::Key_Return); // does nothing, and does not crash
    palette->close();
    const auto& kernels = window_->kernels()->model().kernels().rows;
    const auto& kernel = *std::max_element(
        kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.maximum < b.maximum; });
    open(kernel.name + ": longest");
    QTest::keyClick(palette->edit(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(state().launch.has_value(), kPatience);
    QCOMPARE(static_cast<double>(state().launch->interval.length().count), kernel.maximum);
    QVERIFY(chosen_is_visible());
  }

  void homeAndEndMoveInAFocusedTable() {
    raise("dock.bins");
    auto* table = window_->bins()->table();
    table->setFocus();
    table->setCurrentIndex(table->model()->index(3, 1));
    QTest::keyClick(table, Qt::Key_End);
    QCOMPARE(table->currentIndex().row(), table->model()->rowCount() - 1);
    QTest::keyClick(table, Qt::Key_Home);
    QCOMPARE(table->currentIndex().row(), 0);
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
      for (int i = 0; i < palette->list()->model()->rowCount(); ++i)
        shown << palette->list()->model()->index(i, 0).data().toString();
      return shown;
    };
    const auto& other = all.back();
    const QStringList kernels = found(other.name);
    QVERIFY2(kernels.contains("kernel  " + other.name), qPrintable(other.name + ":\n" + kernels.join("\n")));
    palette->close();
    const QStringList bins = found("bin ");
    QVERIFY(
        std::any_of(bins.begin(), bins.end(), [](const QString& text) { return text.startsWith("bin "); }));
    QVERIFY(std::none_of(bins.begin(), bins.end(),
                         [](const QString& text) { return text.contains("bin  bin"); }));
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
    // In a text field the keys type letters.
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
    window_->hub().undo(); // the jump was one step of the history
    QVERIFY(!state().bin.has_value());
  }
};

QTEST_MAIN(JumpsTest)
#include "jumps_test.moc"
