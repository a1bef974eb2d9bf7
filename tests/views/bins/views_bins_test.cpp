#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <algorithm>

#include "tests/views/base/mouse.h"
#include "tests/views/sample_data.h"
#include "views/base/painting.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_painter.h"
#include "views/bins/bins_strip.h"
#include "views/bins/bins_widget.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

struct Scene {
  BinsWidget widget;

  Scene() {
    widget.resize(900, 500);
    widget.show();
    widget.setBins(sample::bins());
    QTest::qWait(1);
  }
  QPoint row(int r) {
    return widget.table()->visualRect(widget.table()->model()->index(r, BinsModel::Start)).center();
  }
  std::uint32_t bin(int r) const { return widget.model().bins().bins[static_cast<std::size_t>(r)].index; }
};

QLabel* labelled(const QWidget& widget, const QString& name) {
  for (auto* label : widget.findChildren<QLabel*>())
    if (label->accessibleName() == name) return label;
  return nullptr;
}

} // namespace

class BinsTest : public QObject {
  Q_OBJECT

private slots:
  void headlineNamesMetricStatisticWidthShareAndN();
  void rowsStateRankStartCountAndValueWithUnit();
  void stripKeepsEveryKeptBinVisible();
  void theHeadlineCountsWhileTheThresholdIsDragged();
  void theChosenRowIsReadableAfterAChangeOfTheme();
  void valuesAreVisibleInANarrowDock();
  void aMillionBinsAreShown();
  void clickSelects();
  void doubleClickActivates();
  void arrowsAndEnterWork();
  void stripClickSelectsAndDoubleClickZooms();
  void selectionFromOutsideIsSilent();
  void newDataKeepsTheSelection();
  void sortingKeepsRankAndSelection();
  void aLowDockShowsAtLeastFourRows();
  void copyIncludesTheWholeList();
  void reasonsAreSortedListedAndChosenTogether();
  void aLongNameInAReasonWrapsAndDoesNotWidenTheDock();
  void namesInReasonsAreInQuotes();
};

void BinsTest::headlineNamesMetricStatisticWidthShareAndN() {
  BinsModel model;
  model.setData(sample::bins());
  QCOMPARE(
      model.headline(),
      QString("kernel variability, sum per bin · bins of 77.68 ms · top 1 %: 20 of 2,000 non-empty bins · "
              "n = 84,213 launches"));
}

void BinsTest::rowsStateRankStartCountAndValueWithUnit() {
  BinsModel model;
  BinsData data = sample::bins();
  data.bins.resize(2);
  data.bins[0] = {5, {1'500'000'000}, 12, 2'500'000, 0.4, true, "because"};
  data.bins[1] = {9, {2'500'000'000}, 3, 1'250'000, 0.2, false, {}};
  model.setData(data);
  const auto text = [&](int r, int c) { return model.index(r, c).data().toString(); };
  QCOMPARE(text(0, BinsModel::Rank), QString("1"));
  QCOMPARE(text(0, BinsModel::Start), QString("1.500 s"));
  QCOMPARE(text(0, BinsModel::Launches), QString("12"));
  QCOMPARE(text(0, BinsModel::Value), QString("2.500 ms"));
  QCOMPARE(model.index(1, 0).data(BinsModel::BarRole).toDouble(), 0.5);
  const QString tip = model.index(0, 0).data(Qt::ToolTipRole).toString();
  QVERIFY(tip.contains("40.0 %") && tip.contains("n = 12") && tip.contains("because"));
}

void BinsTest::stripKeepsEveryKeptBinVisible() {
  const BinsData data = sample::bins();
  for (const int columns : {97, 300, 5000}) {
    const auto strip = stripColumns(data, columns);
    std::size_t kept = 0;
    for (const StripColumn& column : strip) {
      QVERIFY(column.present || columns > 2000);
      kept += column.kept ? 1 : 0;
    }
    if (columns >= 2000) QVERIFY(kept >= 20);
    for (const BinRow& bin : data.bins) {
      if (!bin.kept) continue;
      const double middle = static_cast<double>(bin.start.count + data.width.count / 2) /
                            static_cast<double>(data.span.length().count);
      QVERIFY(strip[static_cast<std::size_t>(middle * columns)].kept);
    }
  }
}

void BinsTest::theHeadlineCountsWhileTheThresholdIsDragged() {
  Scene scene;
  auto* strip = scene.widget.strip();
  const auto& model = scene.widget.model();
  const auto labels = scene.widget.findChildren<QLabel*>();
  const auto reported = [&] {
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel* each) { return each->text() == forLines(model.headline()); });
  };
  const auto plot = bins::stripPlot(strip->rect(), strip->viewStyle());
  const auto y = bins::thresholdY(strip->rect(), model, strip->viewStyle());
  QVERIFY(y && reported());
  QSignalSpy chosen(&scene.widget, &BinsWidget::keptCountChosen);
  const QPoint at(static_cast<int>(plot.center().x()), static_cast<int>(*y));
  QTest::mousePress(strip, Qt::LeftButton, {}, at);
  for (int place = at.y() + 2; place < plot.bottom(); place += 4) {
    const auto before = model.keptCount();
    mouse::move(strip, QPoint(at.x(), place), Qt::LeftButton);
    QVERIFY(model.keptCount() >= before);
    QVERIFY2(reported(), qPrintable(model.headline()));
  }
  QVERIFY(model.keptCount() > 20);
  QCOMPARE(chosen.count(), 0); // until the button is released
  QTest::mouseRelease(strip, Qt::LeftButton, {}, at);
  QCOMPARE(chosen.count(), 1);
}

void BinsTest::aMillionBinsAreShown() {
  BinsData data;
  data.width = {1000};
  data.span = {{0}, {1'000'000'000}};
  data.unit = "ns";
  for (std::uint32_t b = 0; b < 1'000'000; ++b)
    data.bins.push_back({b, {b * 1000LL}, 1, 1e6 - b, -1, b < 20, {}});
  BinsWidget widget;
  widget.resize(800, 400);
  widget.show();
  QElapsedTimer timer;
  timer.start();
  widget.setBins(data);
  widget.grab();
  qInfo("a million bins, shown: %lld ms", static_cast<long long>(timer.elapsed()));
  QCOMPARE(widget.model().rowCount(), 1'000'000);
}

void BinsTest::clickSelects() {
  Scene scene;
  QSignalSpy selected(&scene.widget, &BinsWidget::binSelected);
  QTest::mouseClick(scene.widget.table()->viewport(), Qt::LeftButton, {}, scene.row(3));
  QCOMPARE(selected.count(), 1);
  QCOMPARE(selected.first().at(0).toUInt(), scene.bin(3));
  QCOMPARE(selected.first().at(1).value<Interval>(), scene.widget.model().intervalOf(3));
}

void BinsTest::doubleClickActivates() {
  Scene scene;
  QSignalSpy activated(&scene.widget, &BinsWidget::binActivated);
  QTest::mouseClick(scene.widget.table()->viewport(), Qt::LeftButton, {}, scene.row(2));
  QTest::mouseDClick(scene.widget.table()->viewport(), Qt::LeftButton, {}, scene.row(2));
  QCOMPARE(activated.count(), 1);
  QCOMPARE(activated.first().at(0).toUInt(), scene.bin(2));
}

void BinsTest::arrowsAndEnterWork() {
  Scene scene;
  scene.widget.setSelected(scene.bin(0));
  QSignalSpy selected(&scene.widget, &BinsWidget::binSelected);
  QSignalSpy activated(&scene.widget, &BinsWidget::binActivated);
  QTest::keyClick(scene.widget.table(), Qt::Key_Down);
  QCOMPARE(selected.count(), 1);
  QCOMPARE(selected.first().at(0).toUInt(), scene.bin(1));
  QTest::keyClick(scene.widget.table(), Qt::Key_Return);
  QCOMPARE(activated.count(), 1);
  QCOMPARE(activated.first().at(0).toUInt(), scene.bin(1));
  QTest::keyClick(scene.widget.table(), Qt::Key_Up);
  QCOMPARE(selected.last().at(0).toUInt(), scene.bin(0));
}

void BinsTest::stripClickSelectsAndDoubleClickZooms() {
  Scene scene;
  QSignalSpy selected(&scene.widget, &BinsWidget::binSelected);
  QSignalSpy activated(&scene.widget, &BinsWidget::binActivated);
  const QPoint point = scene.widget.strip()->pointOf(scene.bin(4)).toPoint();
  QTest::mouseClick(scene.widget.strip(), Qt::LeftButton, {}, point);
  QCOMPARE(selected.count(), 1);
  QCOMPARE(selected.first().at(0).toUInt(), scene.bin(4));
  QTest::mouseDClick(scene.widget.strip(), Qt::LeftButton, {}, point);
  QCOMPARE(activated.count(), 1);
  QCOMPARE(activated.first().at(0).toUInt(), scene.bin(4));
}

void BinsTest::selectionFromOutsideIsSilent() {
  Scene scene;
  QSignalSpy selected(&scene.widget, &BinsWidget::binSelected);
  scene.widget.setSelected(scene.bin(100));
  QCOMPARE(selected.count(), 0);
  QCOMPARE(scene.widget.table()->currentIndex().row(), 100);
  scene.widget.setSelected({});
  QVERIFY(!scene.widget.table()->selectionModel()->hasSelection());
  QCOMPARE(selected.count(), 0);
}

void BinsTest::newDataKeepsTheSelection() {
  Scene scene;
  const std::uint32_t bin = scene.bin(7);
  scene.widget.setSelected(bin);
  QSignalSpy selected(&scene.widget, &BinsWidget::binSelected);
  BinsData data = sample::bins();
  std::reverse(data.bins.begin(), data.bins.end());
  scene.widget.setBins(data);
  QCOMPARE(selected.count(), 0);
  QCOMPARE(scene.bin(scene.widget.table()->currentIndex().row()), bin);
}

void BinsTest::sortingKeepsRankAndSelection() {
  Scene scene;
  const std::uint32_t bin = scene.bin(7);
  scene.widget.setSelected(bin);
  QSignalSpy selected(&scene.widget, &BinsWidget::binSelected);
  scene.widget.table()->sortByColumn(BinsModel::Start, Qt::AscendingOrder);
  const BinsModel& model = scene.widget.model();
  for (int r = 1; r < 200; ++r) QVERIFY(model.binAt(r - 1).start < model.binAt(r).start);
  const int row = scene.widget.table()->currentIndex().row();
  QCOMPARE(model.binAt(row).index, bin);
  QCOMPARE(model.index(row, BinsModel::Rank).data().toString(), QString("8"));
  QCOMPARE(model.rowOf(bin), std::optional<int>(row));
  QVERIFY(model.intervalOf(row).begin == model.binAt(row).start);
  QCOMPARE(selected.count(), 0);
}

void BinsTest::theChosenRowIsReadableAfterAChangeOfTheme() {
  Scene scene;
  scene.widget.setSelected(scene.bin(2));
  for (const Theme theme : {Theme::Dark, Theme::Light, Theme::Dark}) {
    const ViewStyle style = ViewStyle::of(theme);
    scene.widget.setViewStyle(style);
    const QImage image = scene.widget.table()->viewport()->grab().toImage();
    const QRect cell =
        scene.widget.table()->visualRect(scene.widget.table()->model()->index(2, BinsModel::Start));
    const double ratio = image.devicePixelRatio();
    const QColor ground =
        image.pixelColor(QPointF((cell.left() + 3) * ratio, cell.center().y() * ratio).toPoint());
    const auto apart = [](const QColor& a, const QColor& b) {
      return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
    };
    QVERIFY2(apart(ground, style.text) > 300, qPrintable(ground.name()));
    QVERIFY2(apart(ground, style.background) > 20 && apart(ground, style.background) < 200,
             qPrintable(ground.name()));
  }
}

void BinsTest::valuesAreVisibleInANarrowDock() {
  Scene scene;
  scene.widget.resize(360, 400);
  QTest::qWait(1);
  const auto* table = scene.widget.table();
  const QRect value = table->visualRect(table->model()->index(0, BinsModel::Value));
  QVERIFY2(value.right() <= table->viewport()->width(),
           qPrintable(QString("%1 of %2").arg(value.right()).arg(table->viewport()->width())));
  // The reason of a bin's rank is shown for the selected bin.
  QVERIFY(table->isColumnHidden(BinsModel::Why));
  const auto* why = labelled(scene.widget, QStringLiteral("Reason for the rank"));
  QVERIFY(why && !why->isVisible());
  scene.widget.table()->selectRow(1);
  QVERIFY(why->isVisible());
  QCOMPARE(why->text(), forLines(scene.widget.model().reasonText(1)));
  QVERIFY(table->model()->index(1, BinsModel::Why).data().toString().isEmpty());
  QCOMPARE(table->model()->headerData(BinsModel::Rank, Qt::Horizontal, Qt::DisplayRole).toString(),
           QString("Rank"));
  scene.widget.resize(285, 400);
  QTest::qWait(1);
  QVERIFY(table->isColumnHidden(BinsModel::Launches) && !table->isColumnHidden(BinsModel::Rank));
  QCOMPARE(table->model()->headerData(BinsModel::Rank, Qt::Horizontal, Qt::DisplayRole).toString(),
           QString("#"));
  QCOMPARE(table->model()->headerData(BinsModel::Rank, Qt::Horizontal, Qt::ToolTipRole).toString(),
           QString("Rank"));
  // Titles are never cut off: where there is no room for both, only the statistic is shown.
  for (int width = 240; width < 700; width += 20) {
    scene.widget.resize(width, 400);
    QTest::qWait(1);
    const auto title =
        table->model()->headerData(BinsModel::Value, Qt::Horizontal, Qt::DisplayRole).toString();
    QVERIFY2(table->fontMetrics().horizontalAdvance(title) <= table->columnWidth(BinsModel::Value),
             qPrintable(QString("%1 at %2: %3 of %4, visible %5")
                            .arg(title)
                            .arg(width)
                            .arg(table->fontMetrics().horizontalAdvance(title))
                            .arg(table->columnWidth(BinsModel::Value))
                            .arg(table->viewport()->width())));
    QVERIFY(table->visualRect(table->model()->index(0, BinsModel::Value)).right() <=
            table->viewport()->width());
  }
  scene.widget.resize(240, 400);
  QTest::qWait(1);
  QVERIFY(table->isColumnHidden(BinsModel::Launches));
  QVERIFY(table->visualRect(table->model()->index(0, BinsModel::Value)).right() <=
          table->viewport()->width());
  scene.widget.setReasons(
      {{scene.bin(0), {"GPC clock", "GPC clock 0.71 GHz, elsewhere 1.41 GHz", 60, false}}});
  for (const int width : {380, 605, 900}) {
    scene.widget.resize(width, 400);
    QTest::qWait(1);
    const QRect reason = table->visualRect(table->model()->index(0, BinsModel::Why));
    QVERIFY(std::abs(reason.right() + 1 - table->viewport()->width()) <= 1);
    QVERIFY(reason.width() > table->columnWidth(BinsModel::Value));
  }
  QVERIFY(table->model()
              ->index(0, BinsModel::Why)
              .data(Qt::ToolTipRole)
              .toString()
              .contains("elsewhere 1.41 GHz"));
  QCOMPARE(table->columnWidth(BinsModel::Value), 250);
  QVERIFY(!table->isColumnHidden(BinsModel::Why) && !table->isColumnHidden(BinsModel::Launches) &&
          !why->isVisible());
}

void BinsTest::aLowDockShowsAtLeastFourRows() {
  Scene scene;
  scene.widget.setReasons(
      {{scene.bin(0), {"x", QString("waits for other devices ").repeated(8), 60, false}}});
  scene.widget.resize(360, 270);
  scene.widget.setSelected(scene.bin(0));
  QTest::qWait(1);
  const auto* table = scene.widget.table();
  QVERIFY(table->viewport()->height() >= 4 * table->rowHeight(0));
  QVERIFY2(scene.widget.height() <= 270, qPrintable(QString::number(scene.widget.height())));
}

void BinsTest::copyIncludesTheWholeList() {
  Scene scene;
  QTest::keyClick(scene.widget.table(), Qt::Key_C, Qt::ControlModifier);
  const QStringList lines = QGuiApplication::clipboard()->text().trimmed().split('\n');
  QCOMPARE(lines.size(), 2001);
  QVERIFY(lines[1].startsWith("1\t"));
}

// Reasons: a clock for bins 0, 2 and 4, copies for bin 1, none for the others.
void BinsTest::aLongNameInAReasonWrapsAndDoesNotWidenTheDock() {
  Scene scene;
  scene.widget.resize(300, 500); // the reason is below the table
  BinsData data = sample::bins();
  data.metric = QStringLiteral("metric_") + QString(120, QLatin1Char('m'));
  for (auto& bin : data.bins)
    bin.why = QStringLiteral("void attention_<float, ") + QString(120, QLatin1Char('k'));
  scene.widget.setBins(std::move(data));
  scene.widget.setSelected(scene.bin(0));
  auto* why = labelled(scene.widget, QStringLiteral("Reason for the rank"));
  QVERIFY(why && !why->isHidden());
  QVERIFY(why->text().contains("<float")); // plain text, not HTML
  QCOMPARE(why->textFormat(), Qt::PlainText);
  QTest::qWait(1);
  QVERIFY2(scene.widget.minimumSizeHint().width() < 250,
           qPrintable(QString::number(scene.widget.minimumSizeHint().width())));
  QCOMPARE(scene.widget.width(), 300);
}

void BinsTest::namesInReasonsAreInQuotes() {
  Scene scene;
  BinReason reason;
  reason.text = "different work: `sm80_gemm` instead of `fft`";
  scene.widget.setReasons({{scene.bin(0), reason}});
  const auto& model = scene.widget.model();
  const QString words = "different work: “sm80_gemm” instead of “fft”";
  QVERIFY2(model.reasonText(0).startsWith(words), qPrintable(model.reasonText(0)));
  QCOMPARE(model.index(0, BinsModel::Why).data().toString(), words);
}

void BinsTest::reasonsAreSortedListedAndChosenTogether() {
  Scene scene;
  auto& model = scene.widget.model();
  const auto bins = model.bins().bins;
  QVERIFY(bins.size() > 5);
  const auto reason = [](const char* cause, double percent) {
    return BinReason{cause, QString(cause) + " differs", percent};
  };
  scene.widget.setReasons({{bins[0].index, {"GPC clock", "GPC clock differs", 80, true}},
                           {bins[1].index, reason("copies", 60)},
                           {bins[2].index, reason("GPC clock", 97)},
                           {bins[3].index, {"", "nothing recorded explains it", std::nan("")}},
                           {bins[4].index, reason("GPC clock", std::nan(""))}});
  const auto at = [&](int row) { return model.binAt(row).index; };
  const auto all = model.rowCount();
  model.sort(BinsModel::Why, Qt::AscendingOrder);
  const std::vector<std::size_t> order = {2, 0, 4, 1, 3};
  for (std::size_t i = 0; i < order.size(); ++i) QCOMPARE(at(static_cast<int>(i)), bins[order[i]].index);
  QCOMPARE(model.index(0, BinsModel::Why).data().toString(), QString("GPC clock differs"));
  QVERIFY(model.reasonText(0).startsWith("GPC clock differs (97 % of the excess)"));
  QVERIFY2(model.reasonText(1).startsWith("less time than elsewhere: GPC clock differs (80 % of"),
           qPrintable(model.reasonText(1)));
  QVERIFY(model.reasonText(2).startsWith("GPC clock differs") && !model.reasonText(2).contains("excess"));
  // The menu of a bin offers to select the bins with the same reason.
  QSignalSpy chosen(&scene.widget, &BinsWidget::causeChosen);
  const auto with_menu = [&](int row, auto use) {
    QTimer::singleShot(0, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (menu) use(menu->actions()), menu->close();
    });
    emit scene.widget.table()->customContextMenuRequested(
        scene.widget.table()->visualRect(model.index(row, 0)).center());
    QTest::qWait(20);
  };
  with_menu(1, [&](const QList<QAction*>& actions) { actions.at(0)->trigger(); });
  QCOMPARE(chosen.size(), 1);
  QCOMPARE(chosen.at(0).at(0).toString(), QString("GPC clock"));
  QCOMPARE(chosen.at(0).at(1).value<std::vector<Interval>>().size(), std::size_t{3});
  with_menu(1, [&](const QList<QAction*>& actions) { actions.at(1)->trigger(); });
  QCOMPARE(model.rowCount(), 3);
  QVERIFY(model.headline().contains("3 of them shown: GPC clock"));
  QVERIFY(!model.rowOf(bins[1].index));
  scene.widget.setReasons({{bins[5].index, reason("GPC clock", 50)}}); // a reason that arrived later
  QCOMPARE(model.rowCount(), 4);
  with_menu(0, [&](const QList<QAction*>& actions) { actions.last()->trigger(); });
  QCOMPARE(model.rowCount(), all);
}

QTEST_MAIN(BinsTest)
#include "views_bins_test.moc"
