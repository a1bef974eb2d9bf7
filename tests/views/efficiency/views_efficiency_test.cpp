#include <QComboBox>
#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <set>

#include "tests/views/base/mouse.h"
#include "views/base/colour_maps.h"
#include "views/base/export.h"
#include "views/base/painting.h"
#include "views/efficiency/efficiency_painter.h"
#include "views/efficiency/efficiency_widget.h"

using namespace jitterscope;
using namespace jitterscope::views;
using efficiency::Line;

namespace {

/// Three devices, T = 100 µs.
EfficiencyData example() {
  EfficiencyData data;
  data.range = {{1'000'000}, {1'100'000}};
  data.rangeText = "brushed range";
  const double us = 1'000;
  data.factors.push_back({"Device parallel efficiency", "m", "w", "p", -1, 31 / 60.0, (100 - 155 / 3.0) * us,
                          Interval{{1'000'000}, {1'010'000}}, 2, -1});
  data.factors.push_back({"load balance", "m", "w", "p", 0, 31 / 36.0, (60 - 155 / 3.0) * us,
                          Interval{{1'080'000}, {1'100'000}}, 2, 0});
  data.factors.push_back(
      {"communication", "m", "w", "p", 0, 2 / 3.0, 30 * us, Interval{{1'060'000}, {1'080'000}}, 1, -1});
  data.factors.push_back({"orchestration", "m", "", "", 0, 9 / 10.0, 10 * us, {}, -1, -1});
  const double parts[3][2] = {{60, 25}, {60, 30}, {35, 32}};
  for (int rank = 0; rank < 3; ++rank) {
    EfficiencyRow row;
    row.name = QString("rank %1 · GPU 0").arg(rank);
    row.device = true;
    if (rank < 2) row.track = static_cast<std::uint32_t>(10 + rank);
    row.parts = {parts[rank][0] * us, parts[rank][1] * us, 0, (100 - parts[rank][0] - parts[rank][1]) * us};
    data.rows.push_back(row);
  }
  data.rows.push_back({"rank 0", false, 20u, {50 * us, 20 * us, 30 * us, 0}, 0});
  data.notes = {
      "A note that is long enough to need several lines in a narrow view, as notes of traces often are."};
  return data;
}

double lightnessOf(const QColor& colour) {
  return colour.red() + colour.green() + colour.blue();
}

std::size_t lineOf(const efficiency::Layout& layout, Line::Kind kind, int index) {
  for (std::size_t l = 0; l < layout.lines.size(); ++l)
    if (layout.lines[l].kind == kind && layout.lines[l].index == index) return l;
  return layout.lines.size();
}

} // namespace

/// The view of efficiencies: positions of lines, bars, and clicks.
class EfficiencyTest : public QObject {
  Q_OBJECT

private slots:
  void lossesFollowTheUsefulTimeAndFillTheRest() {
    const auto data = example();
    const auto useful = efficiency::barOf(data, 0);
    QCOMPARE(useful.first, 0.0);
    QVERIFY(std::abs(useful.second - 31 / 60.0) < 1e-12);
    double end = useful.second;
    for (std::size_t f = 1; f < 4; ++f) {
      const auto bar = efficiency::barOf(data, f);
      QVERIFY(std::abs(bar.first - end) < 1e-12);
      end = bar.second;
    }
    QVERIFY(std::abs(end - 1) < 1e-12);
  }

  void theLegendHasEveryPartAtAnyWidth() {
    const auto data = example();
    const auto style = ViewStyle::light();
    for (double width = 240; width < 900; width += 20) {
      const auto layout = efficiency::layoutOf(data, width, style);
      const auto devices = efficiency::legendOf(data, true, layout.columns, width, style),
                 hosts = efficiency::legendOf(data, false, layout.columns, width, style);
      QStringList names;
      for (const auto& entry : devices) names << entry.text;
      QCOMPARE(names, QStringList({"kernels", "exposed communication", "idle"}));
      QCOMPARE(hosts.size(), std::size_t{3}); // useful, MPI, GPU runtime calls
      const QRectF heading = layout.lines[lineOf(layout, Line::Kind::DeviceHeadings, -1)].rect;
      for (const auto& entry : devices) {
        QVERIFY(entry.x + 12 + metricsOf(style.font(FontRole::Small)).horizontalAdvance(entry.text) < width);
        QVERIFY(efficiency::kHeadingLine + efficiency::kHeadingRow * entry.row <= heading.height());
      }
    }
  }

  void theTimelineHasItsScaleAndItsWholeHeadingAtAnyWidth() {
    auto data = example();
    for (int part = 0; part < 120; ++part)
      data.parts.push_back({{{1'000'000 + 800 * part}, {1'000'800 + 800 * part}}, {0.5, 0.5, 0.5, 0.5}});
    const auto style = ViewStyle::light();
    const auto metrics = metricsOf(style.font(FontRole::Small));
    for (double width = 380; width < 1000; width += 20) {
      const auto layout = efficiency::layoutOf(data, width, style);
      const auto heading = efficiency::timeHeadingOf(data, layout.columns, style);
      const double room = layout.columns.time.second - layout.columns.time.first;
      QVERIFY(heading.texts.join(' ').endsWith("in 120 parts of 800 ns"));
      for (const auto& text : heading.texts) QVERIFY(metrics.horizontalAdvance(text) <= room);
      QVERIFY(efficiency::scaleWidth(data, style) <= room);
      QVERIFY(efficiency::kHeadingLine + efficiency::kHeadingRow * heading.scaleRow <=
              layout.lines[lineOf(layout, Line::Kind::TimeHeadings, -1)].rect.height());
    }
  }

  void coloursSpanTheValuesOverTime() {
    auto data = example();
    QCOMPARE(efficiency::timeScaleOf(data), std::pair(0.0, 1.0)); // no values
    for (const double value : {0.912, 0.958, std::nan("")})
      data.parts.push_back({{{1'000'000}, {1'000'800}}, {value, 0.93}});
    const auto [low, high] = efficiency::timeScaleOf(data);
    QCOMPARE(efficiency::scaleEnd(low), QString("91 %"));
    QCOMPARE(efficiency::scaleEnd(high), QString("96 %"));
    data.parts.assign(1, {{{1'000'000}, {1'000'800}}, {1.0}}); // equal values
    QCOMPARE(efficiency::timeScaleOf(data), std::pair(0.99, 1.0));
  }

  void aPictureStatesItsTraceAndRange() {
    auto data = example();
    data.source = "trace.prv";
    QCOMPARE(efficiency::pictureTitleOf(data),
             QString("trace.prv · brushed range: 1.0000 – 1.1000 ms (100.0 µs)"));
    const auto style = ViewStyle::paper();
    QVERIFY(efficiency::pictureHeight(data, 500, style) > efficiency::layoutOf(data, 500, style).height);
  }

  void theBoldValueOfAPerfectRootFits() {
    const auto style = ViewStyle::light();
    const auto value = efficiency::layoutOf(example(), 400, style).columns.value;
    QVERIFY(metricsOf(style.font(FontRole::Emphasis)).horizontalAdvance("100.0 %") <=
            value.second - value.first);
  }

  void aFactorBelowAnotherLosesPartOfItsLoss() {
    EfficiencyData data;
    data.range = {{0}, {100}};
    data.factors = {{"host", "", "", "", -1, 0.5, 50, {}, -1, -1},
                    {"MPI", "", "", "", 0, 0.7, 30, {}, -1, -1},
                    {"balance", "", "", "", 1, 0.8, 10, {}, -1, -1},
                    {"communication", "", "", "", 1, 0.875, 20, {}, -1, -1},
                    {"offload", "", "", "", 0, 0.71, 20, {}, -1, -1}};
    QCOMPARE(efficiency::barOf(data, 1), std::pair(0.5, 0.8));
    QCOMPARE(efficiency::barOf(data, 2), std::pair(0.5, 0.6));
    QCOMPARE(efficiency::barOf(data, 3), std::pair(0.6, 0.8));
    QCOMPARE(efficiency::barOf(data, 4), std::pair(0.8, 1.0));
    QCOMPARE(efficiency::depthOf(data, 3), 2);
  }

  void linesNeitherOverlapNorLeaveTheView() {
    for (const double width : {260.0, 420.0, 640.0, 1400.0}) {
      const auto layout = efficiency::layoutOf(example(), width, ViewStyle::light());
      double bottom = 0;
      for (const auto& line : layout.lines) {
        QVERIFY(line.rect.top() >= bottom);
        bottom = line.rect.bottom();
      }
      QVERIFY(bottom <= layout.height);
      const auto& c = layout.columns;
      QVERIFY(c.title.second <= c.value.first && c.bar.second <= c.cost.first);
      QCOMPARE(c.stacked, width < 400);
      if (!c.stacked) QVERIFY(c.value.second <= c.bar.first);
      QVERIFY(c.rowTitle.second <= c.rowValue.first && c.rowValue.second <= c.rowBar.first);
      QVERIFY(c.rowBar.second <= width && c.time.second <= width);
      QVERIFY(c.cost.second <= width && c.where.second <= std::max(width, c.where.first));
      for (std::size_t l = 0; l < layout.lines.size(); ++l)
        if (layout.lines[l].kind == Line::Kind::Row)
          QCOMPARE(layout.at(layout.lines[l].rect.center()), std::optional(l));
    }
  }

  void aClickGoesToAMomentOrATrack() {
    EfficiencyCanvas canvas;
    canvas.resize(640, 400);
    canvas.setData(example());
    QSignalSpy factors(&canvas, &EfficiencyCanvas::factorChosen), rows(&canvas, &EfficiencyCanvas::rowChosen);
    const auto layout = efficiency::layoutOf(canvas.data(), canvas.width(), canvas.viewStyle());
    const auto click = [&](Line::Kind kind, int index) {
      QTest::mouseClick(&canvas, Qt::LeftButton, {},
                        layout.lines[lineOf(layout, kind, index)].rect.center().toPoint());
    };
    click(Line::Kind::Factor, 1);
    QCOMPARE(factors.size(), 1);
    QCOMPARE(factors[0][0].toInt(), 1);
    click(Line::Kind::Factor, 3); // this factor has no interval with a loss
    QCOMPARE(factors.size(), 1);
    click(Line::Kind::Row, 1);
    QCOMPARE(rows.size(), 1);
    QCOMPARE(rows[0][0].toInt(), 1);
  }

  void arrowsAndEnterDoTheSame() {
    EfficiencyCanvas canvas;
    canvas.resize(640, 400);
    canvas.setData(example());
    QSignalSpy factors(&canvas, &EfficiencyCanvas::factorChosen), rows(&canvas, &EfficiencyCanvas::rowChosen);
    QTest::keyClick(&canvas, Qt::Key_Down);
    QTest::keyClick(&canvas, Qt::Key_Down);
    QTest::keyClick(&canvas, Qt::Key_Return);
    QCOMPARE(factors.size(), 1);
    QCOMPARE(factors[0][0].toInt(), 1);
    for (int i = 0; i < 50; ++i) QTest::keyClick(&canvas, Qt::Key_Down); // stops at the last line
    QTest::keyClick(&canvas, Qt::Key_Return);
    QCOMPARE(rows.size(), 1);
    QCOMPARE(rows[0][0].toInt(), 3);
  }

  void theSwitchStatesWhatWasChosenAndFollowsTheData() {
    EfficiencyWidget view;
    view.resize(640, 400);
    QSignalSpy chosen(&view, &EfficiencyWidget::collectivesChosen);
    auto data = example();
    view.setData(data);
    QVERIFY(!view.collectivesUseful());
    data.collectivesUseful = true;
    view.setData(data);
    QVERIFY(view.collectivesUseful());
    QCOMPARE(chosen.size(), 0);
    view.collectivesBox()->setCurrentIndex(0);
    emit view.collectivesBox()->activated(0);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].toBool(), false);
  }

  void theCardStatesTheProductTheCostAndTheConvention() {
    const auto text = efficiency::cardOf(example(), {Line::Kind::Factor, 0, {}});
    QVERIFY2(text.contains("51.7 % = 86.1 % × 66.7 % × 90.0 %"), qPrintable(text));
    QVERIFY(text.contains("Collectives count as communication."));
    const auto row = efficiency::cardOf(example(), {Line::Kind::Row, 2, {}});
    QVERIFY2(row.contains("useful\t35.00 µs (35.0 %)"), qPrintable(row));
    QVERIFY2(row.contains("whole bar\t100.0 µs"), qPrintable(row));
  }

  // Undo of a zoom brings other lines below the pointer.
  void theHighlightStaysUnderThePointer() {
    EfficiencyCanvas canvas;
    canvas.resize(640, 600);
    canvas.show();
    auto data = example();
    canvas.setData(data);
    const auto place = [&](Line::Kind kind, int index) {
      const auto layout = efficiency::layoutOf(canvas.data(), canvas.width(), canvas.viewStyle());
      return std::pair(lineOf(layout, kind, index), layout);
    };
    const auto [row, layout] = place(Line::Kind::Row, 0);
    const QPointF at = layout.lines[row].rect.center();
    mouse::move(&canvas, at);
    QCOMPARE(canvas.current(), std::optional(row));
    data.parts.assign(3, {{{1'000'000}, {1'100'000}}, std::vector<double>(data.factors.size(), 0.5)});
    canvas.setData(data); // the rows move down
    QVERIFY(canvas.current().has_value());
    QVERIFY(canvas.current() != std::optional(place(Line::Kind::Row, 0).first));
    QVERIFY(place(Line::Kind::Row, 0).second.lines[*canvas.current()].rect.contains(at));
    QVERIFY(canvas.hoverText().isEmpty());
  }

  void namesValuesAndCostsFitAtAnyWidth() {
    auto data = example();
    data.factors[3].title = "MPI communication of hosts"; // longer than all titles
    const auto style = ViewStyle::light();
    const auto normal = metricsOf(style.font()), bold = metricsOf(style.font(FontRole::Emphasis)),
               small = metricsOf(style.font(FontRole::Small));
    const auto widthOf = [](const efficiency::Columns::Span& span) { return span.second - span.first; };
    for (double width = 290; width < 1000; width += 10) {
      const auto c = efficiency::layoutOf(data, width, style).columns;
      QVERIFY(widthOf(c.title) >= bold.horizontalAdvance(data.factors[0].title));
      QVERIFY(widthOf(c.title) >= 16 + normal.horizontalAdvance(data.factors[3].title));
      QVERIFY(widthOf(c.value) >= bold.horizontalAdvance("100.0 %"));
      QVERIFY(widthOf(c.cost) >= normal.horizontalAdvance("999.9 ms"));
      QVERIFY(widthOf(c.bar) >= small.horizontalAdvance(efficiency::barHeadingOf(data)));
      QVERIFY(widthOf(c.rowBar) >= 40);
    }
  }

  void barsUseTheWidthThatTheirPlacesLeave() {
    const auto c = efficiency::layoutOf(example(), 1400, ViewStyle::light()).columns;
    QVERIFY(c.bar.second - c.bar.first > 800); // the place is "p"
    QVERIFY(c.where.second > c.where.first);
  }

  void theTimelineHasATimeAxis() {
    auto data = example();
    const auto style = ViewStyle::light();
    QVERIFY(lineOf(efficiency::layoutOf(data, 600, style), Line::Kind::TimeAxis, -1) >=
            efficiency::layoutOf(data, 600, style).lines.size());
    data.parts.assign(1, {{{1'000'000}, {1'100'000}}, {0.5, 0.5, 0.5, 0.5}});
    const auto layout = efficiency::layoutOf(data, 600, style);
    const auto axis = lineOf(layout, Line::Kind::TimeAxis, -1);
    QVERIFY(axis < layout.lines.size() && axis > lineOf(layout, Line::Kind::Time, 3));
  }

  void anUndeterminedPartIsHatchedAndExplained() {
    auto data = example();
    for (int part = 0; part < 4; ++part)
      data.parts.push_back({{{1'000'000 + part * 25'000}, {1'025'000 + part * 25'000}},
                            {0.5, part < 2 ? 0.0 : std::nan(""), 1.0, 1.0}});
    QVERIFY(efficiency::undeterminedOf(data, 0).empty());
    QCOMPARE(efficiency::undeterminedOf(data, 1), (std::vector<Interval>{{{1'050'000}, {1'100'000}}}));
    for (const auto& style : {ViewStyle::light(), ViewStyle::dark()}) {
      const auto layout = efficiency::layoutOf(data, 640, style);
      const auto heading = efficiency::timeHeadingOf(data, layout.columns, style);
      QCOMPARE(heading.texts.last(), QString("hatched: not determined"));
      const auto image = renderImage(
          {640, 460}, 1, [&](QPainter& p, const QRectF& r) { efficiency::paint(p, r, data, style); });
      const double left = layout.columns.time.first, right = layout.columns.time.second;
      const auto coloursOf = [&](double from, double to) {
        std::set<QRgb> colours;
        const auto y = static_cast<int>(layout.lines[lineOf(layout, Line::Kind::Time, 1)].rect.center().y());
        for (auto x = static_cast<int>(left + from * (right - left)); x < left + to * (right - left); ++x)
          colours.insert(image.pixel(x, y));
        return colours;
      };
      QCOMPARE(coloursOf(0.1, 0.4), std::set<QRgb>{sequentialColour(0, style.theme).rgb()}); // 0 %
      const auto hatched = coloursOf(0.6, 0.9);
      QVERIFY(hatched.size() > 1 && hatched.contains(style.background.rgb()));
    }
  }

  void picturesOfThemesAndScalesDiffer() {
    const auto paint = [&](const ViewStyle& style, double scale) {
      return renderImage({640, 420}, scale,
                         [&](QPainter& p, const QRectF& r) { efficiency::paint(p, r, example(), style, 2); });
    };
    QVERIFY(paint(ViewStyle::light(), 1) != paint(ViewStyle::dark(), 1));
    QCOMPARE(paint(ViewStyle::light(), 2).size(), QSize(1280, 840));
  }

  // 96 equal parts, every third one at 100 %, in a band of another width: every mark has the same ink.
  void equalPartsOverTimeAreEquallyWide() {
    auto data = example();
    constexpr int kParts = 96;
    for (int part = 0; part < kParts; ++part)
      data.parts.push_back({{{1'000'000 + part * 1'000}, {1'001'000 + part * 1'000}},
                            std::vector<double>(data.factors.size(), part % 3 == 0 ? 1.0 : 0.0)});
    const auto style = ViewStyle::light();
    for (const double scale : {1.0, 2.0}) {
      const QSizeF size(640, 460);
      const auto layout = efficiency::layoutOf(data, size.width(), style);
      const auto image = renderImage(
          size.toSize(), scale, [&](QPainter& p, const QRectF& r) { efficiency::paint(p, r, data, style); });
      const auto& line = layout.lines[lineOf(layout, Line::Kind::Time, 0)];
      const auto& time = layout.columns.time;
      const int y = static_cast<int>(line.rect.center().y() * scale);
      const double dark = lightnessOf(sequentialColour(1, style.theme)),
                   light = lightnessOf(sequentialColour(0, style.theme)),
                   pixels = (time.second - time.first) * scale / kParts;
      for (int part = 3; part < kParts - 2; part += 3) {
        double ink = 0;
        for (auto x = static_cast<int>(time.first * scale + (part - 1) * pixels);
             x < static_cast<int>(time.first * scale + (part + 2) * pixels); ++x)
          ink += (light - lightnessOf(image.pixelColor(x, y))) / (light - dark);
        QVERIFY2(std::abs(ink - pixels) < 0.15 * pixels, qPrintable(QString("%1: %2").arg(part).arg(ink)));
      }
    }
  }

  void anEmptyViewStatesWhy() {
    EfficiencyWidget view;
    view.setData({});
    view.setMessage("Waiting");
    QVERIFY(view.data().empty());
    QCOMPARE(view.canvas()->message(), QString("Waiting"));
  }
};

QTEST_MAIN(EfficiencyTest)
#include "views_efficiency_test.moc"
