#include <QFontMetricsF>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>
#include <QSet>
#include <QTest>
#include <array>
#include <cmath>

#include "tests/views/sample_data.h"
#include "views/base/painting.h"
#include "views/parallel/parallel_legend.h"
#include "views/parallel/parallel_painter.h"
#include "views/parallel/parallel_widget.h"
#include "views/table_parts/distinct_names.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

using Matrix = std::array<std::array<double, 3>, 3>;
constexpr Matrix kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
// Machado, Oliveira and Fernandes, IEEE TVCG 15 (2009), severity 1, on linear RGB.
constexpr Matrix kDeuteranopia = {
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kProtanopia = {
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};

std::array<double, 3> times(const Matrix& m, const std::array<double, 3>& v) {
  std::array<double, 3> out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out[i] += m[i][j] * v[j];
  return out;
}

/// CIE L*a*b* (D65) of a colour as seen with that deficiency.
std::array<double, 3> lab(const QColor& colour, const Matrix& eye) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  auto rgb = times(eye, {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())});
  for (auto& c : rgb) c = std::clamp(c, 0.0, 1.0);
  const Matrix toXyz = {
      {{.4124564, .3575761, .1804375}, {.2126729, .7151522, .0721750}, {.0193339, .1191920, .9503041}}};
  auto xyz = times(toXyz, rgb);
  const std::array<double, 3> white = {.95047, 1, 1.08883};
  for (std::size_t i = 0; i < 3; ++i) {
    const double v = xyz[i] / white[i];
    xyz[i] = v > 0.008856 ? std::cbrt(v) : 7.787 * v + 16.0 / 116;
  }
  return {116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])};
}

double difference(const QColor& a, const QColor& b, const Matrix& eye) {
  const auto x = lab(a, eye), y = lab(b, eye);
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

ParallelData classesNamed(const QStringList& names) {
  ParallelData data = sample::parallel();
  int colour = 0;
  for (const QString& name : names) {
    ParallelClass made;
    made.label = name;
    made.rows = 1234;
    made.colour = colour++;
    for (const auto& pair : data.pairs) made.pairs.push_back(pair.all);
    data.classes.push_back(made);
  }
  data.colouredBy = "by kernel:";
  return data;
}

QStringList longNames() {
  return {"DeviceRadixSortHistogramKernel",
          "DeviceRadixSortExclusiveSumKernel",
          "DeviceRadixSortOnesweepKernel",
          "DeviceSelectSweepKernel",
          "DeviceCompactInitKernel",
          "DeviceReduceSingleTileKernel",
          "DeviceReduceKernel",
          "other"};
}

QImage painted(const ParallelModel& model, const QSize& size, double scale) {
  QImage image(size * scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  QPainter painter(&image);
  parallel::paint(painter, QRectF(QPointF(), QSizeF(size)), model, ViewStyle::light());
  return image;
}

} // namespace

/// Meanings of colours and marks of parallel coordinates, with every colour vision and at every width.
class ParallelLegendTest : public QObject {
  Q_OBJECT

private slots:
  // Each brush may give other classes: with longer names, in two rows, or none.
  void axesStayWhereTheyAreWhileTheLegendChanges() {
    ParallelWidget view;
    view.resize(1100, 320);
    view.setData(classesNamed({"a", "b"}));
    QCOMPARE(parallel::legendRows(view.model(), view.viewStyle()), 1);
    const QRectF plot = view.model().plotRect();
    view.setData(classesNamed(longNames()));
    QCOMPARE(parallel::legendRows(view.model(), view.viewStyle()), 2);
    QCOMPARE(view.model().plotRect(), plot);
    view.setData(classesNamed({}));
    QCOMPARE(view.model().plotRect(), plot);
    view.setData(sample::parallel()); // no colours: the axes get the room back
    QCOMPARE(view.model().plotRect().bottom(), plot.bottom() + 2 * parallel::kLegendRow);
  }

  void classesAreDistinguishedByEveryEye() {
    constexpr int kColours = 8; // one of them for the rest
    for (const ViewStyle& style : {ViewStyle::light(), ViewStyle::dark(), ViewStyle::paper()})
      for (const Matrix& eye : {kNormal, kDeuteranopia, kProtanopia})
        for (int a = 0; a < kColours; ++a) {
          for (int b = a + 1; b < kColours; ++b) {
            const double swatches =
                difference(parallel::classColour(a, style), parallel::classColour(b, style), eye);
            QVERIFY2(swatches >= 16,
                     qPrintable(QString("swatches %1 and %2: ΔE %3").arg(a).arg(b).arg(swatches)));
            const double lines =
                difference(parallel::classTones(a, style).first, parallel::classTones(b, style).first, eye);
            QVERIFY2(lines >= 11, qPrintable(QString("lines %1 and %2: ΔE %3").arg(a).arg(b).arg(lines)));
          }
          // Also from the background, and from the grey of rows that are not selected.
          QVERIFY(difference(parallel::classTones(a, style).first, style.background, eye) >= 20);
          const double grey =
              difference(parallel::classTones(a, style).first, mix(style.background, style.quiet, 0.85), eye);
          QVERIFY2(grey >= 8, qPrintable(QString("line %1 and grey: ΔE %2").arg(a).arg(grey)));
        }
  }

  void linesHaveTheColoursOfTheLegend() {
    const ViewStyle style = ViewStyle::light();
    ParallelModel model;
    ParallelData data = classesNamed({"one"});
    data.classes.front().colour = 4;
    model.setData(data);
    model.setSize({900, 400});
    const QImage image = parallel::renderDensity(model, style, 1);
    int found = 0;
    const QColor requested = parallel::classColour(4, style);
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        found += difference(image.pixelColor(x, y), requested, kNormal) < 25;
    QVERIFY2(found > 500, qPrintable(QString::number(found)));
  }

  void everyTextOfALegendIsAnother() {
    const ViewStyle style = ViewStyle::light();
    for (const double width : {1400.0, 1000.0, 760.0, 560.0}) {
      const auto entries = parallel::legendOf(classesNamed(longNames()), width, style);
      QCOMPARE(entries.size(), std::size_t(8));
      QSet<QString> texts;
      for (const auto& entry : entries) {
        QVERIFY2(entry.row <= 1, qPrintable(QString::number(width)));
        QVERIFY2(entry.text.endsWith("(1,234)"), qPrintable(entry.text));
        QVERIFY(entry.x + metricsOf(style.font(FontRole::Small)).horizontalAdvance(entry.text) <= width);
        texts.insert(entry.text);
      }
      QCOMPARE(texts.size(), 8);
    }
    // Where there is room, names are complete.
    QCOMPARE(parallel::legendOf(classesNamed(longNames().mid(0, 2)), 1000, style)[0].text,
             QString("DeviceRadixSortHistogramKernel (1,234)"));
    ParallelModel model;
    model.setData(classesNamed(longNames()));
    model.setSize({1000, 400});
    QCOMPARE(parallel::legendRows(model, style), 2);
    const double before = model.plotRect().bottom();
    model.setLegendRows(2);
    QVERIFY(model.plotRect().bottom() <= before - 30); // the plot leaves room for the rows of the legend
  }

  void namesKeepWhatSetsThemApart() {
    const QFont font = ViewStyle::light().font();
    const QStringList names = longNames();
    for (const double width : {160.0, 90.0, 50.0, 24.0}) {
      const QStringList shown = distinctNames(names, font, width);
      QCOMPARE(QSet<QString>(shown.begin(), shown.end()).size(), names.size());
    }
    const QStringList two = {"memory operations of the kernel before it: time",
                             "memory operations of the kernel before it: size"};
    const QStringList shown = distinctNames(two, font, 120);
    QVERIFY2(shown[0].contains("time") && shown[1].contains("siz"), qPrintable(shown.join(" | ")));
    QCOMPARE(distinctNames({"same", "same"}, font, 100), QStringList({"same", "same"}));
    QCOMPARE(sharedWords({"at::native::reduce", "at::native::reshape"}), 12); // "re" is not a word of its own
    QCOMPARE(sharedWords({"at::native::reduce", "at::native"}), 4);
    QCOMPARE(sharedWords({"one"}), 0);
    QCOMPARE(sharedWords({"same", "same"}), 0);
    const QStringList lines = inLines("unified-memory migrations during the launch", font, 190, 2);
    QCOMPARE(lines.size(), 2);
    QCOMPARE(lines.join(' '), QString("unified-memory migrations during the launch"));
    QCOMPARE(inLines("short", font, 150, 2), QStringList({"short"}));
    // As many lines as needed, each within its width; only text beyond the last line is left out.
    const QStringList four = inLines("dram__bytes_read.sum.pct_of_peak_sustained_elapsed", font, 130, 4);
    QVERIFY2(four.size() > 2 && four.size() <= 4, qPrintable(four.join(" | ")));
    QCOMPARE(four.join(QString()), QString("dram__bytes_read.sum.pct_of_peak_sustained_elapsed"));
    for (const QString& line : four) QVERIFY(metricsOf(font).horizontalAdvance(line) <= 130);
    QVERIFY(inLines("dram__bytes_read.sum.pct_of_peak_sustained_elapsed", font, 130, 2)
                .last()
                .contains(QChar(0x2026)));
  }

  void everyCategoryIsNamedAsLongAsItCanBeRead() {
    const ViewStyle style = ViewStyle::light();
    ParallelData data;
    ParallelAxis names, number;
    names.key = names.title = "kernel";
    for (int i = 0; i < 30; ++i) names.categories << QString("kernel%1").arg(i);
    names.all.assign(30, 1);
    names.selected = names.all;
    number.key = number.title = "n";
    number.all.assign(10, 3);
    number.selected = number.all;
    data.axes = {names, number};
    data.pairs = {
        {"kernel", "n", 30, 10, std::vector<std::uint32_t>(300, 1), std::vector<std::uint32_t>(300, 1)}};
    data.rows = data.selectedRows = 30;
    ParallelModel model;
    model.setData(data);
    const QSize size(900, 480);
    model.setSize(size);
    const QImage image = painted(model, size, 1);
    // Left of the ticks, each category is labelled in its own rows of pixels.
    int labelled = 0;
    for (int c = 0; c < 30; ++c) {
      const double y = model.yAt(0, c);
      bool ink = false;
      for (int x = 4; x < model.axisX(0) - 6; ++x)
        for (int dy = -3; dy <= 3; ++dy) ink |= qGray(image.pixel(x, static_cast<int>(y) + dy)) < 110;
      labelled += ink;
    }
    QCOMPARE(labelled, 30);
  }

  void categoriesThatAFilterRemovedHaveNoPlace() {
    ParallelAxis axis;
    axis.key = axis.title = "kernel";
    axis.categories = {"a", "b", "c", "d", "e"};
    axis.all = {0, 5, 0, 7, 0};
    ParallelData data;
    data.axes = {axis};
    data.rows = 12;
    ParallelModel model;
    model.setData(data);
    model.setSize({400, 500});
    QCOMPARE(model.ticks(0).size(), std::size_t{2});
    QCOMPARE(ParallelModel::fraction(axis, 1), 0.25); // two halves of the axis
    QCOMPARE(ParallelModel::fraction(axis, 3), 0.75);
    for (const double at : {0.1, 0.25, 0.4, 0.6, 0.9})
      QVERIFY(std::abs(ParallelModel::fraction(axis, ParallelModel::valueAt(axis, at)) - at) < 1e-9);
    QCOMPARE(std::lround(ParallelModel::valueAt(axis, 0.6)), 3); // numbers of categories are unchanged
    const auto [low, high] = model.binSpan(0, 2);
    QCOMPARE(low, high);
    const auto [from, to] = model.binSpan(0, 3);
    QVERIFY(std::abs(std::abs(from - to) - model.valueRect().height() / 2) < 1e-6);
    model.addBrush("kernel", {2.6, 3.4});
    QVERIFY2(model.brushText(0, 0).startsWith("7 rows"), qPrintable(model.brushText(0, 0)));
  }

  void whiskersAreDarkerThanTheAxis() {
    ParallelData data = sample::parallel();
    ParallelModel model;
    model.setData(data);
    const QSize size(1200, 500);
    model.setSize(size);
    const QImage image = painted(model, size, 1);
    const int axis = [&] {
      for (int i = 0; i < model.order().size(); ++i)
        if (model.axis(i).categories.isEmpty()) return i;
      return -1;
    }();
    QVERIFY(axis >= 0);
    const int x = static_cast<int>(std::floor(model.axisX(axis)));
    const int whisker = static_cast<int>(std::lround(model.yAt(axis, model.quantile(axis, 0.95))));
    // The end of the whisker is drawn as a bar across the axis.
    int wide = 0;
    for (int dx = -4; dx <= 4; ++dx) wide += qGray(image.pixel(x + dx, whisker)) < 120;
    QVERIFY2(wide >= 8, qPrintable(QString::number(wide)));
  }

  void theDensityBarHasTheColoursOfTheLines() {
    const ViewStyle style = ViewStyle::light();
    ParallelModel model;
    ParallelData data = sample::parallel();
    const QSize size(1200, 400);
    const auto orange = [&] {
      model.setSize(size);
      const QImage image = painted(model, size, 1);
      int count = 0;
      for (int y = size.height() - 20; y < size.height() - 4; ++y)
        for (int px = 600; px < size.width(); ++px) {
          const QColor colour = image.pixelColor(px, y);
          count += colour.hue() >= 10 && colour.hue() <= 40 && colour.saturation() > 90;
        }
      return count;
    };
    model.setData(data);
    QCOMPARE(orange(), 0);
    data.selectedRows = data.rows / 2; // by a filter, not by a brush
    model.setData(data);
    QVERIFY(orange() > 100);
  }

  void symmetricLogHasZeroAndBothSides() {
    ParallelData data;
    ParallelAxis axis;
    axis.key = axis.title = "v";
    axis.unit = "ns";
    axis.minimum = -1000, axis.maximum = 1e6;
    axis.scale = AxisScale::SymmetricLog;
    axis.straightBelow = 10;
    const auto place = [](double v) { return std::copysign(std::log1p(std::abs(v) / 10), v); };
    for (int i = 0; i <= 128; ++i) {
      const double at = place(-1000) + (place(1e6) - place(-1000)) * i / 128;
      axis.edges.push_back(std::copysign(10 * std::expm1(std::abs(at)), at));
    }
    axis.all.assign(128, 1);
    data.axes = {axis};
    ParallelModel model;
    model.setData(data);
    model.setSize({400, 500});
    QStringList labels;
    for (const Tick& tick : model.ticks(0)) {
      labels << tick.label;
      QVERIFY(tick.position >= 0 && tick.position <= 1);
    }
    QVERIFY2(labels.contains("0"), qPrintable(labels.join(' ')));
    QVERIFY2(labels.size() >= 4, qPrintable(labels.join(' ')));
    // Small values have room: half of the axis is below a few microseconds.
    QVERIFY(ParallelModel::fraction(axis, 2000) > 0.5);
    QVERIFY(std::abs(ParallelModel::valueAt(axis, ParallelModel::fraction(axis, 333)) - 333) < 1);
  }
};

QTEST_MAIN(ParallelLegendTest)
#include "views_parallel_legend_test.moc"
