// Bins as the rows of parallel coordinates.

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QMenu>
#include <QTableView>
#include <algorithm>

#include "app/window/view_exports.h"
#include "tests/app/controllers/parallel_window.h"
#include "tests/app/window/settled.h"
#include "tests/views/base/mouse.h"
#include "views/base/format.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

class ParallelBinsTest : public QObject, ParallelWindow {
  Q_OBJECT

private slots:
  void initTestCase() { open_window(); }
  void cleanupTestCase() { window_.reset(); }

  void binsCanBeTheRowsAndTheirBrushIsASelectionOfTimes() {
    const QStringList axes = model().order();
    controller().show_bins(true);
    QTRY_COMPARE_WITH_TIMEOUT(model().data().rowsName, QString("bins"), kPatience);
    const auto bins = model().data().rows;
    QVERIFY(bins > 20);
    QCOMPARE(model().order(), BinCoordinates::default_axes());
    controller().set_range("bin kept", -1, 0.5, 1.5); // the bins that the ranking kept
    QVERIFY(model().data().selectedRows > 0 && model().data().selectedRows < bins);
    const auto& state = window_->hub().state();
    QVERIFY(!state.bin_times.empty());
    QVERIFY(state.selects() && state.filter().isEmpty());
    controller().show_bins(false);
    QTRY_COMPARE_WITH_TIMEOUT(model().data().rowsName, QString("launches"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(model().data().selectedRows > 0 && model().data().selectedRows < 5000,
                             kPatience);
    QCOMPARE(model().order(), axes);
    // An additional brush on launches: both apply, and each is removed separately.
    const auto of_bins = model().data().selectedRows;
    controller().set_range("duration", -1, 0, 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(model().data().selectedRows < of_bins, kPatience);
    window_->hub().undo();
    wait_for_rows(of_bins);
    window_->hub().undo();
    QVERIFY(window_->hub().state().bin_times.empty());
    wait_for_rows(5000);
  }

  void theSelectedBinIsALine() {
    controller().show_bins(true);
    QTRY_COMPARE_WITH_TIMEOUT(model().data().rowsName, QString("bins"), kPatience);
    QVERIFY(settled(*window_));
    QVERIFY(window_->parallel()->lines().empty());
    auto* table = window_->bins()->table();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(table->model()->index(0, views::BinsModel::Start)).center());
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().bin.has_value(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(window_->parallel()->lines().size(), std::size_t{1}, kPatience);
    const auto& line = window_->parallel()->lines().front();
    QCOMPARE(line.start, std::optional(window_->hub().state().bin->interval.begin));
    QVERIFY(!line.faint && line.values.contains("bin median"));
    window_->hub().undo();
    QVERIFY(window_->parallel()->lines().empty());
    controller().show_bins(false);
    QTRY_COMPARE_WITH_TIMEOUT(model().data().rowsName, QString("launches"), kPatience);
  }

  void binsAreColouredComparedOrderedAndMet() {
    auto* view = window_->parallel();
    controller().show_bins(true);
    QTRY_COMPARE_WITH_TIMEOUT(model().data().rowsName, QString("bins"), kPatience);
    QVERIFY(settled(*window_));
    const auto bins = model().data().rows;
    controller().colour_by("bin kept");
    QCOMPARE(model().data().classes.size(), std::size_t{2});
    QCOMPARE(model().data().classes[0].rows + model().data().classes[1].rows, bins);
    QCOMPARE(model().data().classes[0].label, QString("discarded"));
    controller().colour_by("bin median");
    QVERIFY(model().data().classes.size() > 2);
    // Compares two selections of bins in two colours.
    controller().set_range("bin kept", -1, 0.5, 1.5);
    const auto kept = model().data().selectedRows;
    controller().remember_selection();
    window_->hub().undo();
    controller().set_range("bin kept", -1, -0.5, 0.5);
    controller().compare_with_remembered();
    QCOMPARE(model().data().classes.size(), std::size_t{2});
    QCOMPARE(model().data().classes[0].rows, kept);
    QCOMPARE(model().data().classes[1].rows, bins - kept);
    controller().colour_by({});
    window_->hub().undo();
    // Ordering by association keeps all axes and counts the pairs of the new order.
    QStringList order = model().order();
    controller().order_by(false);
    QCOMPARE(model().order().size(), order.size());
    QCOMPARE(QSet<QString>(model().order().begin(), model().order().end()),
             QSet<QString>(order.begin(), order.end()));
    QTRY_VERIFY_WITH_TIMEOUT(model().pair(0) && model().pair(static_cast<int>(order.size()) - 2), kPatience);
    // A bin under the pointer is a line; a click chooses it.
    const int sum = model().position("bin sum");
    const QPointF top(model().axisX(sum), model().valueRect().top());
    views::mouse::move(view, top);
    QTRY_VERIFY_WITH_TIMEOUT(!view->nearLines().empty() && view->nearLines().front().label.startsWith("bin "),
                             kPatience);
    QTest::mouseClick(view, Qt::LeftButton, {}, top.toPoint());
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().bin || !window_->hub().state().bin_times.empty(),
                             kPatience);
    window_->hub().undo();
    controller().show_bins(false);
    QTRY_COMPARE_WITH_TIMEOUT(model().data().rowsName, QString("launches"), kPatience);
  }

  void theSavedTableHasTheAxesAsColumns() {
    const auto first_line = [&](const QString& name) {
      const QString path = QString::fromStdString(folder_.file(name.toStdString()));
      window_->save_table_to("Parallel coordinates", path);
      QFile file(path);
      if (!QTest::qWaitFor([&] { return file.exists(); }, kPatience) || !file.open(QIODevice::ReadOnly))
        return QByteArray();
      return file.readLine().trimmed();
    };
    const auto launches = first_line("launches.csv").split(',');
    QCOMPARE(launches.size(), model().order().size());
    for (int i = 0; i < launches.size(); ++i)
      QVERIFY2(launches[i].startsWith(model().order()[i].toUtf8()), launches[i].constData());
    controller().show_bins(true);
    QTRY_COMPARE_WITH_TIMEOUT(model().data().rowsName, QString("bins"), kPatience);
    const auto bins = first_line("bins.csv").split(',');
    QCOMPARE(bins.size(), model().order().size());
    for (int i = 0; i < bins.size(); ++i)
      QVERIFY2(bins[i].startsWith(model().axis(i).title.toUtf8()), bins[i].constData());
    QCOMPARE(csv_of_view(*window_, "Parallel coordinates")->count("\r\n"),
             qsizetype(model().data().selectedRows) + 1);
    controller().show_bins(false);
    QTRY_COMPARE_WITH_TIMEOUT(model().data().rowsName, QString("launches"), kPatience);
  }
};

QTEST_MAIN(ParallelBinsTest)
#include "parallel_bins_test.moc"
