#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <set>

#include "tests/views/sample_data.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

struct Scene {
  KernelsWidget widget;
  Scene() {
    widget.resize(1280, 360);
    widget.show();
    widget.setKernels(sample::kernels());
  }
  QString name(int row) { return widget.table()->model()->index(row, KernelsModel::Name).data().toString(); }
};

} // namespace

class TableTest : public QObject {
  Q_OBJECT

private slots:
  void unitsAreInTheHeaders();
  void numbersAreRightAligned();
  void oneLaunchHasNoVariation();
  void sortsByValueNotByText();
  void theFirstClickOnANumberBringsTheGreatestUp();
  void chosenKernelsStayMarkedUnderNewNumbers();
  void notANumberSortsLast();
  void filterIsARegularExpression();
  void invalidExpressionsAreReadLiterally();
  void copyIsTabSeparated();
  void selectingEmitsIds();
  void hiddenKernelsStaySelected();
  void selectionFromOutsideIsSilent();
  void enterActivates();
  void namesWithoutRoomAreTheFunctions();
};

void TableTest::namesWithoutRoomAreTheFunctions() {
  const auto drawn = [](int width, const QString& middle) {
    KernelsWidget widget;
    widget.resize(width, 200);
    widget.show();
    KernelRow row;
    row.name = "void cub::detail::" + middle +
               "Kernel<cub::detail::Policy<unsigned int, unsigned long long>, int>(unsigned int*, unsigned "
               "long long*, int)";
    row.shortName = middle + "Kernel";
    row.count = 3;
    widget.setKernels({{row}, "whole run"});
    const auto index = widget.table()->model()->index(0, KernelsModel::Name);
    if (index.data().toString() != row.name || !index.data(Qt::ToolTipRole).toString().contains(row.name))
      return QImage();
    return widget.table()->viewport()->grab(widget.table()->visualRect(index)).toImage();
  };
  QVERIFY(!drawn(420, "Scan").isNull());
  QVERIFY2(drawn(420, "Scan") != drawn(420, "Sort"), "names that differ in the middle are drawn differently");

  // Instances of one template show where they differ.
  KernelsWidget widget;
  widget.resize(420, 300);
  widget.show();
  KernelsData data;
  for (const char* type : {"short", "float", "double", "int"}) {
    KernelRow row;
    row.id = static_cast<std::uint32_t>(data.rows.size());
    row.name = QString("void benchmark_func<%1, (int)256, 8u, 512u>(%1, %1 *, unsigned long long)").arg(type);
    row.shortName = "benchmark_func";
    data.rows.push_back(row);
  }
  widget.setKernels(data);
  std::set<QByteArray> pictures;
  for (int r = 0; r < 4; ++r) {
    QRect cell = widget.table()->visualRect(widget.table()->model()->index(r, KernelsModel::Name));
    cell.setLeft(cell.left() + 24); // without the colour swatch, which differs between rows
    const QImage image =
        widget.table()->viewport()->grab(cell).toImage().convertToFormat(QImage::Format_Mono);
    pictures.insert(QByteArray(reinterpret_cast<const char*>(image.constBits()), image.sizeInBytes()));
  }
  QCOMPARE(pictures.size(), std::size_t{4});
}

void TableTest::unitsAreInTheHeaders() {
  KernelsModel model;
  model.setData(sample::kernels());
  const auto header = [&](int c) { return model.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString(); };
  QCOMPARE(header(KernelsModel::P99), QString("P99 [µs]"));
  QCOMPARE(header(KernelsModel::Total), QString("Total [ms]"));
  QCOMPARE(header(KernelsModel::Share), QString("Share [%]"));
  // All duration columns share a unit.
  for (const int c : {KernelsModel::Mean, KernelsModel::P50, KernelsModel::Maximum})
    QVERIFY(header(c).endsWith("[µs]"));
}

void TableTest::numbersAreRightAligned() {
  KernelsModel model;
  model.setData(sample::kernels());
  for (int c = 0; c < KernelsModel::ColumnCount; ++c) {
    const auto alignment = model.index(0, c).data(Qt::TextAlignmentRole).toInt();
    QCOMPARE((alignment & Qt::AlignRight) != 0, c != KernelsModel::Name);
  }
}

void TableTest::oneLaunchHasNoVariation() {
  KernelsModel model;
  model.setData(sample::kernels());
  QCOMPARE(model.index(7, KernelsModel::Count).data().toString(), QString("1"));
  QCOMPARE(model.index(7, KernelsModel::Cv).data().toString(), QString("–"));
}

void TableTest::sortsByValueNotByText() {
  Scene scene;
  scene.widget.table()->sortByColumn(KernelsModel::Count, Qt::DescendingOrder);
  double before = 1e18;
  for (int r = 0; r < scene.widget.table()->model()->rowCount(); ++r) {
    const double value =
        scene.widget.table()->model()->index(r, KernelsModel::Count).data(KernelsModel::SortRole).toDouble();
    QVERIFY(value <= before);
    before = value;
  }
}

void TableTest::theFirstClickOnANumberBringsTheGreatestUp() {
  Scene scene;
  auto* header = scene.widget.table()->horizontalHeader();
  const auto click = [&](int column) {
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                      {header->sectionViewportPosition(column) + 20, header->height() / 2});
  };
  click(KernelsModel::Count);
  QCOMPARE(header->sortIndicatorSection(), int(KernelsModel::Count));
  QCOMPARE(header->sortIndicatorOrder(), Qt::DescendingOrder);
  click(KernelsModel::Name);
  QCOMPARE(header->sortIndicatorOrder(), Qt::AscendingOrder);
  QCOMPARE(header->visualIndex(KernelsModel::Variability), 1); // the default order column is visible
}

void TableTest::chosenKernelsStayMarkedUnderNewNumbers() {
  Scene scene;
  QSignalSpy selected(&scene.widget, &KernelsWidget::kernelSelected);
  QTableView* table = scene.widget.table();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                    table->visualRect(table->model()->index(1, 1)).center());
  const auto chosen = table->model()->index(1, 0).data(KernelsModel::IdRole).toUInt();
  scene.widget.setKernels(sample::kernels());
  QCOMPARE(selected.count(), 1);
  QCOMPARE(table->selectionModel()->selectedRows().size(), 1);
  QCOMPARE(table->selectionModel()->selectedRows().front().data(KernelsModel::IdRole).toUInt(), chosen);
  QTest::keyClick(table, Qt::Key_Down); // continues from the selected row
  QCOMPARE(table->selectionModel()->selectedRows().front().row(), 2);
}

void TableTest::notANumberSortsLast() {
  Scene scene;
  scene.widget.table()->sortByColumn(KernelsModel::Cv, Qt::DescendingOrder);
  QCOMPARE(scene.name(7), QString("optimizer step"));
}

void TableTest::filterIsARegularExpression() {
  Scene scene;
  QSignalSpy changed(&scene.widget, &KernelsWidget::nameFilterChanged);
  QTest::keyClicks(scene.widget.filterBox(), "^reset|NCCL");
  QCOMPARE(scene.widget.table()->model()->rowCount(), 2);
  QCOMPARE(changed.last().at(0).toString(), QString("^reset|NCCL"));
  scene.widget.filterBox()->clear();
  QCOMPARE(scene.widget.table()->model()->rowCount(), 8);
}

void TableTest::invalidExpressionsAreReadLiterally() {
  Scene scene;
  scene.widget.setNameFilter("kernel<4, Add(");
  QCOMPARE(scene.widget.table()->model()->rowCount(), 0);
  scene.widget.setNameFilter("traits<64, 128, 128, 4>>");
  QCOMPARE(scene.widget.table()->model()->rowCount(), 1);
}

void TableTest::copyIsTabSeparated() {
  Scene scene;
  scene.widget.setSelected({2});
  QTest::keyClick(scene.widget.table(), Qt::Key_C, Qt::ControlModifier);
  const QStringList lines = QGuiApplication::clipboard()->text().trimmed().split('\n');
  QCOMPARE(lines.size(), 2);
  QCOMPARE(lines[0].split('\t').size(), static_cast<int>(KernelsModel::ColumnCount));
  QCOMPARE(lines[0].split('\t')[2], QString("Total [ms]"));
  QCOMPARE(lines[1].split('\t')[0], QString("reset_d_changed"));
}

void TableTest::selectingEmitsIds() {
  Scene scene;
  QSignalSpy selected(&scene.widget, &KernelsWidget::kernelSelected);
  QTableView* table = scene.widget.table();
  const auto centre = [&](int row) { return table->visualRect(table->model()->index(row, 1)).center(); };
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, centre(1));
  QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::ControlModifier, centre(3));
  const auto ids = selected.last().at(0).value<QList<quint32>>();
  QCOMPARE(ids.size(), 2);
  QVERIFY(ids.contains(table->model()->index(3, 0).data(KernelsModel::IdRole).toUInt()));
}

void TableTest::hiddenKernelsStaySelected() {
  Scene scene;
  QSignalSpy selected(&scene.widget, &KernelsWidget::kernelSelected);
  scene.widget.setSelected({2});
  QTest::keyClicks(scene.widget.filterBox(), "NCCL");
  QCOMPARE(scene.widget.table()->model()->rowCount(), 1);
  QCOMPARE(selected.count(), 0);
  QTableView* table = scene.widget.table();
  const auto nccl = table->model()->index(0, 0).data(KernelsModel::IdRole).toUInt();
  const auto centre = table->visualRect(table->model()->index(0, 1)).center();
  scene.widget.filterBox()->clear();
  QCOMPARE(table->selectionModel()->selectedRows().size(), 1);
  QCOMPARE(table->selectionModel()->selectedRows().front().data(KernelsModel::IdRole).toUInt(), 2U);
  QCOMPARE(selected.count(), 0);
  QTest::keyClicks(scene.widget.filterBox(), "NCCL");
  QTest::keyPress(table, Qt::Key_Control); // extends the selection
  QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::ControlModifier, centre);
  const auto ids = selected.last().at(0).value<QList<quint32>>();
  QVERIFY(ids.contains(nccl));
}

void TableTest::selectionFromOutsideIsSilent() {
  Scene scene;
  QSignalSpy selected(&scene.widget, &KernelsWidget::kernelSelected);
  scene.widget.setSelected({0, 2});
  QCOMPARE(selected.count(), 0);
  QCOMPARE(scene.widget.table()->selectionModel()->selectedRows().size(), 2);
}

void TableTest::enterActivates() {
  Scene scene;
  QSignalSpy activated(&scene.widget, &KernelsWidget::kernelActivated);
  QTableView* table = scene.widget.table();
  table->setCurrentIndex(table->model()->index(2, 0));
  QTest::keyClick(table, Qt::Key_Return);
  QCOMPARE(activated.count(), 1);
  QCOMPARE(activated.first().at(0).toUInt(), table->model()->index(2, 0).data(KernelsModel::IdRole).toUInt());
}

QTEST_MAIN(TableTest)
#include "views_table_test.moc"
