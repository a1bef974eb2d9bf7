#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>

#include <functional>

#include "tests/views/base/mouse.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"
#include "views/table_parts/name_column.h"
#include "views/table_parts/tsv.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

std::vector<LaunchesColumn> columns() {
  return {{"start", "start", "ns", "when it began", LaunchesColumn::Kind::Number},
          {"name", "name", "", "the kernel", LaunchesColumn::Kind::Text},
          {"stream", "stream", "", "where it ran", LaunchesColumn::Kind::Category},
          {"duration", "duration", "ns", "how long it took", LaunchesColumn::Kind::Number}};
}

/// Rows [first, first + count) of a table of `total` launches: row r is session row 10 r.
LaunchesPage page(qint64 total, qint64 first, qint64 count) {
  LaunchesPage made;
  made.total = total;
  made.first = first;
  made.columns = columns();
  made.values.resize(4);
  made.texts = {{}, {"even", "odd"}, {}, {}};
  for (qint64 r = first; r < std::min(first + count, total); ++r) {
    made.numbers.push_back(static_cast<std::uint64_t>(10 * r));
    made.values[0].push_back(static_cast<double>(r) * 1000);
    made.values[1].push_back(static_cast<double>(r % 2));
    made.values[2].push_back(7);
    made.values[3].push_back(r == 3 ? std::nan("") : 12'345);
  }
  return made;
}

/// A table whose requests are answered at once.
struct Scene {
  LaunchesWidget widget;
  qint64 total;
  int asked = 0;
  LaunchesOrder order;
  std::vector<std::function<void()>> held; ///< delayed answers
  bool holds = false;

  explicit Scene(qint64 rows) : total(rows) {
    widget.resize(700, 300);
    QObject::connect(&widget, &LaunchesWidget::rowsRequested, &widget,
                     [this](qint64 first, qint64 count, const LaunchesOrder& requested, const QStringList&,
                            quint64 round) {
                       ++asked;
                       order = requested;
                       const auto answer = [this, first, count, round, of = total] {
                         widget.addPage(page(of, first, count), round);
                       };
                       holds ? held.push_back(answer) : answer();
                     });
    widget.show();
    widget.setAvailable(columns(), {"start", "name", "stream", "duration"});
    widget.selectionChanged("whole run");
  }
  QString cell(int row, int column) { return widget.model().index(row, column).data().toString(); }
  bool loaded() { return widget.model().rowCount() > 0 && cell(0, 0) != "…"; }
};

} // namespace

class LaunchesTest : public QObject {
  Q_OBJECT

private slots:
  void aModelKnowsOnlyThePartsThatItWasGiven() {
    LaunchesModel model;
    model.setColumns(columns());
    QVERIFY(!model.total());
    QCOMPARE(model.missing().second, LaunchesModel::kPartRows);
    model.addPage(page(1'000'000'000, 0, 512));
    model.setView(0, 20);
    QCOMPARE(model.rowCount(), 20);
    QCOMPARE(model.missing().second, 0);
    QCOMPARE(model.numberAt(19), std::optional<std::uint64_t>(190));
    model.setView(500'000'000, 20);
    QCOMPARE(model.index(0, 0).data().toString(), QString("…"));
    const auto [first, count] = model.missing();
    QVERIFY(first <= 500'000'000 && first + count > 500'000'019);
    model.addPage(page(1'000'000'000, first, count));
    QCOMPARE(model.missing().second, 0);
    QCOMPARE(model.numberAt(500'000'000), std::optional<std::uint64_t>(5'000'000'000));
  }

  void oldPartsLeave() {
    LaunchesModel model;
    model.setColumns(columns());
    model.addPage(page(1'000'000, 0, 256));
    model.setView(0, 10);
    for (qint64 part = 1; part <= qint64(LaunchesModel::kParts); ++part)
      model.addPage(page(1'000'000, part * 256, 256));
    QVERIFY(!model.numberAt(0));
    QVERIFY(model.numberAt(256));
  }

  void pagesThatDoNotMeetPartsAreCutToThem() {
    LaunchesModel model;
    model.setColumns(columns());
    model.addPage(page(700, 100, 600)); // only rows 256 … 511 and the last part are complete
    QVERIFY(!model.numberAt(100));
    QVERIFY(model.numberAt(256));
    QVERIFY(model.numberAt(699));
    QVERIFY(!model.numberAt(700));
  }

  void kernelsOfOneTemplateNeverLookTheSame() {
    LaunchesWidget widget;
    widget.resize(420, 300);
    widget.setAvailable(columns(), {"start", "name", "stream", "duration"});
    QSignalSpy requested(&widget, &LaunchesWidget::rowsRequested);
    widget.show();
    QTRY_VERIFY(!requested.isEmpty());
    auto rows = page(40, 0, 40);
    rows.texts[1] = {"void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, "
                     "add>>(int, T2, T3)",
                     "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, "
                     "mul>>(int, T2, T3)"};
    widget.addPage(rows, requested.back().at(4).toULongLong());
    QTRY_COMPARE(widget.model().rowCount() > 4, true);
    const auto name = [&](int row) {
      return widget.table()
          ->viewport()
          ->grab(widget.table()->visualRect(widget.table()->model()->index(row, 1)))
          .toImage();
    };
    QVERIFY(widget.table()->fontMetrics().horizontalAdvance(rows.texts[1].front()) >
            widget.table()->columnWidth(1));
    QVERIFY(name(0) != name(1));
    QStandardItemModel two(2, 1);
    for (int row : {0, 1}) two.setItem(row, 0, new QStandardItem(rows.texts[1][row]));
    QTableView table;
    table.resize(220, 120);
    table.setModel(&two);
    const NameColumn column(table, 0, 0);
    table.setColumnWidth(0, 160);
    table.show();
    const auto drawn = [&](int row) {
      return table.viewport()->grab(table.visualRect(two.index(row, 0))).toImage();
    };
    table.clearFocus();
    QVERIFY(drawn(0) != drawn(1));
    two.item(1)->setText(rows.texts[1][0]);
    QVERIFY(drawn(0) == drawn(1));
  }

  void launchesThatRunAtTheCursorAreMarked() {
    Scene scene(100); // row r runs from 1,000 r ns for 12,345 ns; row 3 has no duration
    QTRY_VERIFY(scene.loaded());
    const auto marked = [&] {
      QList<int> rows;
      for (int r = 0; r < scene.widget.model().rowCount(); ++r)
        if (scene.widget.model().index(r, 0).data(LaunchesModel::AtCursorRole).toBool()) rows << r;
      return rows;
    };
    QVERIFY(marked().isEmpty());
    const auto plain = scene.widget.grab().toImage();
    scene.widget.setCursorTime(Nanoseconds{3'000});
    QCOMPARE(marked(), (QList<int>{0, 1, 2, 3}));
    QVERIFY(scene.widget.grab().toImage() != plain);
    scene.widget.setCursorTime(Nanoseconds{3'500});
    QCOMPARE(marked(), (QList<int>{0, 1, 2}));
    scene.widget.setCursorTime(std::nullopt);
    QVERIFY(marked().isEmpty());
    QCOMPARE(scene.widget.grab().toImage(), plain);
  }

  void hoveringALaunchShowsItsStart() {
    Scene scene(100);
    QTRY_VERIFY(scene.loaded());
    QSignalSpy reported(&scene.widget, &LaunchesWidget::cursorMoved);
    auto* viewport = scene.widget.table()->viewport();
    mouse::move(viewport, scene.widget.table()->visualRect(scene.widget.model().index(2, 1)).center());
    QCOMPARE(reported.count(), 1);
    QCOMPARE(reported.front().front().value<std::optional<Nanoseconds>>(), std::optional(Nanoseconds{2'000}));
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(viewport, &leave);
    QVERIFY(!reported.back().front().value<std::optional<Nanoseconds>>());
  }

  void cellsStateValuesWithUnits() {
    Scene scene(100);
    QTRY_VERIFY(scene.loaded());
    QCOMPARE(scene.cell(2, 1), QString("even"));
    QCOMPARE(scene.cell(2, 2), QString("7"));
    QVERIFY(scene.cell(2, 3).contains("12.345"));
    QCOMPARE(scene.cell(3, 3), QString("–"));
  }

  void scrollingRequestsOnlyVisibleRows() {
    Scene scene(300'000'000);
    QTRY_VERIFY(scene.loaded());
    const int before = scene.asked;
    scene.widget.scrollBar()->setValue(200'000'000);
    QTRY_VERIFY(scene.loaded());
    QCOMPARE(scene.widget.model().top(), 200'000'000);
    QVERIFY(scene.asked - before <= 2);
    QTest::qWait(100);
    QVERIFY2(scene.asked - before <= 2, "no rows are requested without scrolling");
  }

  void keysMoveThroughAnyTable() {
    Scene scene(100'000);
    QTRY_VERIFY(scene.loaded());
    QSignalSpy chosen(&scene.widget, &LaunchesWidget::launchSelected);
    QTest::keyClick(scene.widget.table(), Qt::Key_Down);
    QCOMPARE(chosen.last().at(0).toULongLong(), 0ull);
    QTest::keyClick(scene.widget.table(), Qt::Key_Down);
    QCOMPARE(chosen.last().at(0).toULongLong(), 10ull);
    QTest::keyClick(scene.widget.table(), Qt::Key_End);
    QTRY_VERIFY(scene.loaded());
    QCOMPARE(scene.widget.model().top() + scene.widget.model().rowCount(), 100'000);
    QTRY_COMPARE(chosen.last().at(0).toULongLong(), 999'990ull); // selected when its row has arrived
    QTest::keyClick(scene.widget.table(), Qt::Key_Home);
    QCOMPARE(scene.widget.model().top(), 0);
    QSignalSpy activated(&scene.widget, &LaunchesWidget::launchActivated);
    QTest::keyClick(scene.widget.table(), Qt::Key_Return);
    QCOMPARE(activated.count(), 1);
  }

  void aClickOnAHeaderSortsTheLargestFirst() {
    Scene scene(1'000);
    QTRY_VERIFY(scene.loaded());
    auto* header = scene.widget.table()->horizontalHeader();
    emit header->sectionClicked(3);
    QTRY_VERIFY(scene.loaded());
    QCOMPARE(scene.order, (LaunchesOrder{"duration", true}));
    emit header->sectionClicked(3);
    QTRY_COMPARE(scene.order, (LaunchesOrder{"duration", false}));
    emit header->sectionClicked(1);
    QTRY_COMPARE(scene.order, (LaunchesOrder{"name", false}));
  }

  void rowsOfAnEarlierOrderAreDropped() {
    Scene scene(1'000);
    QTRY_VERIFY(scene.loaded());
    scene.holds = true;
    scene.widget.setOrder({"duration", true});
    QTRY_COMPARE(scene.held.size(), std::size_t{1});
    scene.widget.setOrder({"name", false});
    scene.held.front()(); // before the table has sent a new request
    QVERIFY(!scene.loaded());
    QTRY_COMPARE(scene.held.size(), std::size_t{2});
    QCOMPARE(scene.order, (LaunchesOrder{"name", false}));
    scene.held.front()(); // after the new request
    QVERIFY(!scene.loaded());
    scene.held.back()();
    QVERIFY(scene.loaded());
  }

  void theHubsLaunchIsMarkedAndScrolledTo() {
    Scene scene(100'000);
    QTRY_VERIFY(scene.loaded());
    QSignalSpy chosen(&scene.widget, &LaunchesWidget::launchSelected);
    scene.widget.setSelected(500'000, 50'000);
    QTRY_VERIFY(scene.loaded());
    const auto rows = scene.widget.table()->selectionModel()->selectedRows();
    QCOMPARE(rows.size(), 1);
    QCOMPARE(rows.front().data(LaunchesModel::NumberRole).toULongLong(), 500'000ull);
    QCOMPARE(chosen.count(), 0);
  }

  void restoredColumnsAreShownAsSoonAsTheyExist() {
    auto all = columns();
    all.push_back({"busy", "busy", "", "a metric", LaunchesColumn::Kind::Number});
    for (const bool replaced : {false, true}) {
      Scene scene(1'000);
      scene.widget.restore({{"start", "busy"}, {"busy", true}});
      QCOMPARE(scene.widget.shownColumns(), QStringList{"start"});
      if (replaced) scene.widget.setAvailable(columns(), {"start", "name"}); // another session
      scene.widget.setAvailable(all, scene.widget.shownColumns());
      QCOMPARE(scene.widget.shownColumns(),
               replaced ? QStringList({"start", "name"}) : QStringList({"start", "busy"}));
      QCOMPARE(scene.widget.order() == (LaunchesOrder{"busy", true}), !replaced);
    }
  }

  void aLaunchOfTheHubReplacesAJumpThatHasNotArrived() {
    Scene scene(100'000);
    QTRY_VERIFY(scene.loaded());
    scene.holds = true;
    QTest::keyClick(scene.widget.table(), Qt::Key_End, Qt::ControlModifier);
    QTRY_VERIFY(!scene.held.empty());
    QSignalSpy chosen(&scene.widget, &LaunchesWidget::launchSelected);
    scene.widget.setSelected(30);
    for (const auto& answer : scene.held) answer();
    QCOMPARE(chosen.count(), 0);
  }

  void hiddenTablesSendNoRequests() {
    Scene scene(1'000);
    QTRY_VERIFY(scene.loaded());
    scene.widget.hide();
    const int before = scene.asked;
    scene.widget.selectionChanged("bin 3");
    QTest::qWait(80);
    QCOMPARE(scene.asked, before);
    scene.widget.show();
    QTRY_VERIFY(scene.loaded());
  }

  void copyingGivesTabSeparatedText() {
    Scene scene(5);
    QTRY_VERIFY(scene.loaded());
    QTest::keyClick(scene.widget.table(), Qt::Key_C, Qt::ControlModifier);
    const QString text = QGuiApplication::clipboard()->text();
    QCOMPARE(text.count('\n'), 6);
    QVERIFY(text.startsWith("start\tname\tstream\tduration"));
  }

  void csvQuotesWhatNeedsIt() {
    LaunchesModel model;
    model.setColumns(columns());
    auto rows = page(2, 0, 2);
    rows.texts[1] = {"a<int, \"b\">", "plain"};
    model.addPage(rows);
    model.setView(0, 2);
    const QString csv = toCsv(model);
    QVERIFY(csv.contains("\"a<int, \"\"b\"\">\""));
    QVERIFY(csv.contains(",plain,"));
  }
};

QTEST_MAIN(LaunchesTest)
#include "views_launches_test.moc"
