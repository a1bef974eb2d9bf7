#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "views/base/export.h"
#include "views/devices/device_map_painter.h"
#include "views/devices/device_map_widget.h"

using namespace jitterscope::views;

namespace {

/// Four GPUs in each of three nodes of two cabinets, and five without a position; the first is far above the
/// others.
DeviceMapData fleet() {
  DeviceMapData data;
  data.target = "runtime", data.targetUnit = "ms", data.unit = "GPUs", data.column = "uuid",
  data.placeColumns = {"cabinet", "node"};
  for (int i = 0; i < 29; ++i) {
    DeviceCell cell{QString("gpu %1").arg(i), {}, 10 + i, 100, i == 0 ? 40.0 : std::sin(i), -1, 1};
    cell.places =
        i < 24 ? QStringList{i < 12 ? "c1" : "c2", QString::number(i / 4 % 3 + 9)} : QStringList{"", ""};
    data.devices.push_back(cell);
  }
  return data;
}

} // namespace

/// The map of devices: positions of the cells, colours, tooltips and clicks.
class DevicesTest : public QObject {
  Q_OBJECT

private slots:
  void devicesOfOnePlaceAreInItsColumnAndRow() {
    const auto data = fleet();
    const auto layout = device_map::layoutOf(data, QRectF(0, 0, 600, 300), ViewStyle::light());
    QCOMPARE(layout.cells.size(), data.devices.size());
    QVERIFY(layout.cells[0].right() < layout.cells[12].left()); // cabinets side by side
    QVERIFY(layout.cells[0].bottom() <= layout.cells[4].top()); // node 9 above node 10 above node 11
    QVERIFY(layout.cells[4].bottom() <= layout.cells[8].top());
    QCOMPARE(layout.cells[0].left(), layout.cells[4].left());
    QVERIFY(layout.cells[12].right() < layout.cells[24].left()); // unknown places last
    for (std::size_t a = 0; a < layout.cells.size(); ++a) {
      QVERIFY(!layout.cells[a].isEmpty());
      QCOMPARE(layout.at(layout.cells[a].center()), std::optional(a));
    }
    QStringList labels;
    for (const auto& label : layout.labels) labels << label.text;
    QCOMPARE(labels, QStringList({"c1", "c2", "unknown", "9", "10", "11"}));
  }

  void devicesWithoutPlacesFillAGrid() {
    auto data = fleet();
    data.placeColumns.clear();
    const auto layout = device_map::layoutOf(data, QRectF(0, 0, 600, 300), ViewStyle::light());
    for (std::size_t a = 0; a < layout.cells.size(); ++a)
      for (std::size_t b = a + 1; b < layout.cells.size(); ++b) {
        const QRectF both = layout.cells[a].intersected(layout.cells[b]);
        QVERIFY(both.width() * both.height() < 1e-6);
      }
  }

  void devicesWithoutADifferenceAreNoReasonToLook() {
    auto data = fleet();
    QVERIFY(device_map::differ(data));
    for (auto& device : data.devices) device.difference = 1e-9;
    QVERIFY(!device_map::differ(data));
    QCOMPARE(device_map::extremeOf(data), 0.1); // percent
    QVERIFY(!device_map::differ({}));
  }

  void oneFarDeviceDoesNotTakeTheColoursOfTheOthers() { QVERIFY(device_map::extremeOf(fleet()) < 2); }

  void picturesOfBothThemesDiffer() {
    const auto paint = [&](const ViewStyle& style) {
      return renderImage({600, 300}, 2,
                         [&](QPainter& p, const QRectF& r) { device_map::paint(p, r, fleet(), style, 3); });
    };
    QVERIFY(paint(ViewStyle::light()) != paint(ViewStyle::dark()));
    QCOMPARE(paint(ViewStyle::light()).size(), QSize(1200, 600));
  }

  void aClickOrEnterChoosesADevice() {
    DeviceMapWidget map;
    map.resize(600, 300);
    map.setData(fleet());
    QSignalSpy chosen(&map, &DeviceMapWidget::deviceChosen);
    const auto layout = device_map::layoutOf(map.data(), map.rect(), map.viewStyle());
    QTest::mouseClick(&map, Qt::LeftButton, {}, layout.cells[13].center().toPoint());
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.at(0).at(0).toInt(), 13);
    QTest::keyClick(&map, Qt::Key_Right);
    QTest::keyClick(&map, Qt::Key_Return);
    QCOMPARE(chosen.size(), 2);
    QCOMPARE(chosen.at(1).at(0).toInt(), 14);
    QVERIFY(map.cardOf(14).contains("rank\t15 of 29"));
    QVERIFY(map.cardOf(28).contains("cabinet\tunknown"));
  }

  void theTitleStatesNAndLargeCellsAreNamed() {
    DeviceMapData data;
    data.target = "duration", data.unit = "GPUs", data.column = "device";
    data.devices = {{"0", {}, 1'000, 1, 0, 0, 0}, {"node-a", {}, 234, 1, 0, 0, 0}};
    QCOMPARE(device_map::titleOf(data),
             QString("Duration of 2 GPUs, n = 1,234, relative to the mean of all"));
    data.logarithm = true;
    QVERIFY(device_map::titleOf(data).endsWith("relative to the geometric mean of all"));
    const ViewStyle style;
    QCOMPARE(device_map::labelOf(data, 0, {200, 40}, style), QString("device 0"));
    QCOMPARE(device_map::labelOf(data, 0, {24, 40}, style), QString("0"));
    QCOMPARE(device_map::labelOf(data, 1, {200, 40}, style), QString("node-a"));
    QVERIFY(device_map::labelOf(data, 1, {24, 40}, style).isEmpty());
    QVERIFY(device_map::labelOf(data, 0, {200, 8}, style).isEmpty());
  }

  void aCardNamesTheDeviceAndStatesWhatIsCompared() {
    DeviceMapData data;
    data.target = "duration", data.targetUnit = "ns", data.unit = "devices", data.column = "device",
    data.placeColumns = {"node", "rank"};
    data.devices = {{"0", {"n1", "2"}, 100, 27'886, 2.98, 2, 4},
                    {"5", {"n1", ""}, 100, 29'763, -0.72, -2, 1}};
    DeviceMapWidget map;
    map.setData(data);
    QVERIFY2(map.cardOf(0).startsWith("device 0 of rank 2\n"), qPrintable(map.cardOf(0)));
    QVERIFY2(map.cardOf(1).startsWith("device 5 of n1\n"), qPrintable(map.cardOf(1)));
    QVERIFY2(map.cardOf(0).contains("mean duration\t27.89 µs\n"), qPrintable(map.cardOf(0)));
    QVERIFY2(map.cardOf(0).contains("difference from the mean\t+2.98 % (95 % interval 2.00 to 4.00 %)"),
             qPrintable(map.cardOf(0)));
    QVERIFY2(map.cardOf(1).contains("\t−0.72 % (95 % interval −2.00 to 1.00 %)"), qPrintable(map.cardOf(1)));
    data.logarithm = true, data.devices[1].difference = std::nan("");
    map.setData(data);
    QVERIFY2(
        map.cardOf(0).contains("geometric mean duration\t27.89 µs\ndifference from the geometric mean\t"),
        qPrintable(map.cardOf(0)));
    QVERIFY2(map.cardOf(1).contains("\tnot compared\n"), qPrintable(map.cardOf(1)));
    QCOMPARE(device_map::extremeOf(data), 2.98);
    data.sameConfigurations = true; // device 0 has the lower mean and the higher difference
    map.setData(data);
    QVERIFY2(map.cardOf(0).contains("difference for the same configurations\t+2.98 %"),
             qPrintable(map.cardOf(0)));
  }
};

QTEST_MAIN(DevicesTest)
#include "views_devices_test.moc"
