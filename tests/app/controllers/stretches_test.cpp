#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QTest>
#include <QToolButton>

#include "app/controllers/causal/causal_group_list.h"
#include "app/controllers/parallel/parallel_controller.h"
#include "app/controllers/stretch_guide.h"
#include "app/widgets/stretch_bar.h"
#include "app/window/main_window.h"
#include "tests/app/patience.h"
#include "tests/app/session/own_places.h"
#include "tests/app/window/settled.h"
#include "tests/support/temporary_folder.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"
#include "views/parallel/parallel_widget.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

namespace {

constexpr std::int64_t kFar = 1'000'000'000'000; // ns between captures
constexpr int kEach = 300;                       // launches of a capture

} // namespace

/// Captures far apart on one axis, and several files as runs of one session.
class StretchesTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  std::unique_ptr<MainWindow> window_;

  QString at(const char* name) { return QString::fromStdString(folder_.file(name)); }
  // Launches of 10 to 12 µs plus `longer` ns, every 20 µs, starting at each of the given times.
  QString table(const char* name, const std::vector<std::int64_t>& beginnings, int longer = 0,
                int launches = kEach) {
    QFile file(at(name));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write("kernel,start_ns,end_ns\n");
    for (const auto begin : beginnings)
      for (int i = 0; i < launches; ++i) {
        const auto start = begin + i * 20'000;
        file.write(QString("%1,%2,%3\n")
                       .arg(i % 2 ? "stencil" : "reduce")
                       .arg(start)
                       .arg(start + 10'000 + longer + i % 7 * 300)
                       .toUtf8());
      }
    return at(name);
  }
  void open(const QStringList& files) {
    if (window_) window_->close();
    window_ = std::make_unique<MainWindow>(1);
    window_->resize(1366, 768);
    window_->show();
    window_->open(files, {"kernel=kernel"});
    QTRY_VERIFY_WITH_TIMEOUT(!window_->bins()->model().bins().bins.empty(), kPatience);
    QVERIFY(settled(*window_));
  }
  Interval window() { return window_->timeline()->model().viewport.window(); }
  QList<QToolButton*> buttons() { return window_->stretch_bar()->findChildren<QToolButton*>(); }

private slots:
  void initTestCase() { qputenv("JITTERSCOPE_CACHE", folder_.file("cache").c_str()); }
  void cleanupTestCase() { window_.reset(); }

  void aWidthOfBinsSuitsTheStretchesAndStaysCountable() {
    QCOMPARE(bin_width_for({2'000'000'000}, {4'000'000'000}), 1'000'000);  // 2,000 bins over all captures
    QCOMPARE(bin_width_for({85'000'000}, {2'447'000'000'000}), 5'000'000); // at most a million over the axis
    QCOMPARE(bin_width_for({1}, {10}), 1);
  }

  void theNextStretchIsAfterTheVisibleRange() {
    StretchBar bar;
    bar.set_stretches({{{0}, {10}}, {{500}, {510}}, {{990}, {1'000}}}, {{0}, {1'000}});
    QCOMPARE(bar.next({{0}, {1'000}})->begin.count,
             0); // if the whole run is visible, next() gives the first capture
    QCOMPARE(bar.previous({{0}, {1'000}})->begin.count, 990);
    QCOMPARE(bar.next({{-1}, {11}})->begin.count, 500);
    QCOMPARE(bar.previous({{500}, {510}})->begin.count, 0);
    QVERIFY(!bar.next({{980}, {1'001}}));
    QVERIFY(!bar.previous({{-1}, {11}}));
  }

  void aRunWithoutLongGapsHasNoBar() {
    open({table("dense.csv", {0})});
    QVERIFY(window_->stretch_bar()->isHidden());
    QCOMPARE(window_->session().bin_choices().width_ns, 0);
  }

  void capturesFarApartAreReachedByMouseAndKeysAndUndone() {
    open({table("sparse.csv", {0, kFar, 3 * kFar})});
    QVERIFY(!window_->stretch_bar()->isHidden());
    const auto stretches = window_->stretch_bar()->stretches();
    QCOMPARE(stretches.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) { // stretches end with their launches, to within a few µs
      const std::int64_t begin = std::array<std::int64_t, 3>{0, kFar, 3 * kFar}[i];
      QVERIFY(std::abs(stretches[i].begin.count - stretches[0].begin.count - begin) <= 3'000);
      QVERIFY(std::abs(stretches[i].length().count - (kEach - 1) * 20'000 - 11'500) <= 5'000);
    }
    const Interval whole = window();
    QCOMPARE(buttons().size(), 3);
    QTest::mouseClick(buttons()[1], Qt::LeftButton);
    QVERIFY(window().contains(stretches[1].begin) &&
            window().length().count < 2 * stretches[1].length().count);
    QVERIFY(buttons()[1]->isChecked() && !buttons()[0]->isChecked());
    window_->timeline()->setFocus();
    QTest::keyClick(window_->timeline(), Qt::Key_E);
    QVERIFY(window().contains(stretches[2].begin));
    QTest::keyClick(window_->timeline(), Qt::Key_E, Qt::ShiftModifier);
    QTest::keyClick(window_->timeline(), Qt::Key_E, Qt::ShiftModifier);
    QVERIFY(window().contains(stretches[0].begin));
    for (int i = 0; i < 4; ++i) QTest::keyClick(window_->timeline(), Qt::Key_Z);
    QCOMPARE(window(), whole);
  }

  void binsAreShortEnoughToRankInsideACapture() {
    const auto& bins = window_->bins()->model().bins();
    QVERIFY(bins.width.count <= 5'000'000);
    QVERIFY(bins.bins.size() > 3); // there are three captures, so at least one has several bins
  }

  void filesImportedTogetherAreRunsThatFiltersAndGroupsKnow() {
    open({table("first.csv", {0}), table("second.csv", {0}, 30'000)});
    QCOMPARE(run_column(window_->session().info()), std::string("run"));
    QVERIFY(window_->session().text_columns().contains("run")); // so distributions can be divided by run
    window_->filter_box()->setText("run = \"second\"");
    QTest::keyClick(window_->filter_box(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(window_->parallel()->model().data().selectedRows, std::uint64_t(kEach),
                              kPatience);
    QTest::keyClick(window_->timeline(), Qt::Key_Z);
    QTRY_COMPARE_WITH_TIMEOUT(window_->parallel()->model().data().selectedRows, std::uint64_t(2 * kEach),
                              kPatience);
  }

  void runsAreTwoColoursOfParallelCoordinates() {
    window_->parallel_controller()->colour_by_run();
    const auto& model = window_->parallel()->model();
    QTRY_COMPARE_WITH_TIMEOUT(model.data().classes.size(), 2U, kPatience);
    QStringList labels;
    for (const auto& each : model.data().classes) labels << each.label;
    labels.sort();
    QCOMPARE(labels, QStringList({"first", "second"}));
  }

  void fewRowsAreLinesOnlyWhenTheyAreChosenAndNotColoured() {
    open({table("few.csv", {0}, 0, 120)});
    const auto drawn = [&] { return window_->parallel()->lines().size(); };
    QCOMPARE(drawn(), std::size_t(0));
    window_->filter_box()->setText("stencil");
    QTest::keyClick(window_->filter_box(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(drawn(), std::size_t(60), kPatience);
    window_->parallel_controller()->colour_by("duration");
    QTRY_VERIFY_WITH_TIMEOUT(!window_->parallel()->model().data().classes.empty(), kPatience);
    QVERIFY(settled(*window_));
    QCOMPARE(drawn(), std::size_t(0));
  }
};

QTEST_MAIN(StretchesTest)
#include "stretches_test.moc"
