// The views in their many states, compared with pictures that were reviewed, light and
// dark. The program runs at the scales 1 and 2 against the same baselines (tests/golden/pictures.txt;
// picture_print.h describes their content). After an intended change:
// JITTERSCOPE_WRITE_BASELINES=tests/golden/pictures.txt views_baselines_test   writes them again;
// JITTERSCOPE_KEEP_PICTURES=FOLDER views_baselines_test                        keeps the pictures for
// inspection.

#include <QDir>
#include <QFile>
#include <QPainter>
#include <QTest>
#include <functional>
#include <map>
#include <memory>

#include "tests/views/base/picture_print.h"
#include "tests/views/sample_data.h"
#include "views/area/area_widget.h"
#include "views/base/export.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_painter.h"
#include "views/causal/causal_layout.h"
#include "views/causal/causal_multiples.h"
#include "views/causal/causal_painter.h"
#include "views/distribution/distribution_painter.h"
#include "views/evidence/evidence_painter.h"
#include "views/evidence/evidence_widget.h"
#include "views/heatmap/heat_map_painter.h"
#include "views/heatmap/heat_map_widget.h"
#include "views/parallel/parallel_painter.h"
#include "views/table/kernels_widget.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

constexpr QSize kSize{960, 480};
// In colour levels (0 … 255). Doubling the scale changes the mean by up to 0.6 and one part by up to 5.
constexpr double kMaxMean = 1.0, kMaxWorst = 8;

using Draw = std::function<QImage(const ViewStyle&, double scale)>;
using Pictures = std::map<QString, Draw>;

Draw painted(std::function<void(QPainter&, const QRectF&, const ViewStyle&)> paint) {
  return [paint](const ViewStyle& style, double scale) {
    return renderImage(kSize, scale, [&](QPainter& p, const QRectF& r) { paint(p, r, style); });
  };
}

template <class Widget>
Draw grabbed(std::function<void(Widget&)> fill) {
  return [fill](const ViewStyle& style, double) {
    Widget widget;
    widget.resize(kSize);
    widget.setViewStyle(style);
    widget.show();
    fill(widget);
    QTest::qWait(1);
    return widget.grab().toImage();
  };
}

void paintTimeline(QPainter& painter, const QRectF& rect, const ViewStyle& style, Interval window,
                   const std::function<void(TimelineModel&)>& change = {}) {
  TimelineModel model;
  model.setTracks(sample::tracks());
  model.viewport.setSpan(sample::kSpan);
  model.viewport.setWindow(window);
  model.names = sample::nameOf;
  model.setOverview(sample::overview());
  model.setData(sample::timeline(window, 900));
  if (change) change(model);
  timeline::paint(painter, rect, model, style);
}

constexpr Interval kClose{{96'000'000'000}, {96'010'000'000}};

// All decorations that a user can put on the lanes at once.
void decorate(TimelineModel& model) {
  const auto at = [](double share) {
    return kClose.begin + Nanoseconds{static_cast<std::int64_t>(share * 10'000'000)};
  };
  model.flags = {{at(0.2), "1"}, {at(0.7), "warm-up"}};
  model.ranges = {{{at(0.3), at(0.5)}, "step 12"}};
  model.brush = Interval{at(0.55), at(0.65)};
  model.measure = Measure{at(0.1), at(0.4), true, false, 200};
  model.cursor = at(0.8);
  std::vector<std::uint32_t> streams;
  for (const auto& track : model.tracks())
    if (track.kind == TrackKind::Stream) streams.push_back(track.id);
  if (streams.size() > 1) model.arrows = {{streams[0], at(0.25), streams[1], at(0.6), ArrowKind::Launch}};
}

CausalGraph keyed() {
  CausalGraph graph = sample::causal();
  for (auto& node : graph.nodes) node.key = QString("column %1").arg(node.id);
  return graph;
}

void paintGroups(QPainter& painter, const QRectF& rect, const ViewStyle& style) {
  CausalGraph flipped = keyed();
  flipped.edges[0].sign = -flipped.edges[0].sign;
  CausalMultiplesModel model;
  model.setGroups({{"all", keyed(), {}}, {"rank 0", flipped, {}}, {"rank 1", {}, "too few rows"}},
                  causalMeasure(style));
  causal::paintMultiples(painter, rect, model, style, 1);
}

Pictures pictures() {
  Pictures all;
  all["timeline, folded"] =
      painted([](auto& p, const auto& r, const auto& s) { paintTimeline(p, r, s, sample::kSpan); });
  all["timeline, launches"] =
      painted([](auto& p, const auto& r, const auto& s) { paintTimeline(p, r, s, kClose); });
  all["timeline, marks and measure"] =
      painted([](auto& p, const auto& r, const auto& s) { paintTimeline(p, r, s, kClose, decorate); });
  all["timeline, by stream"] = painted([](auto& p, const auto& r, const auto& s) {
    paintTimeline(p, r, s, kClose, [](TimelineModel& model) { model.colour.by = ColourBy::Stream; });
  });
  all["timeline, devices closed"] = painted([](auto& p, const auto& r, const auto& s) {
    paintTimeline(p, r, s, sample::kSpan, [](TimelineModel& model) {
      const auto tracks = model.tracks();
      for (const auto& track : tracks)
        if (track.kind == TrackKind::Device) model.setCollapsed(track.id, true);
    });
  });
  all["bins, one chosen"] = painted([](auto& p, const auto& r, const auto& s) {
    BinsModel model;
    model.setData(sample::bins());
    bins::paint(p, r, model, s, 3);
  });
  all["causal graph"] =
      painted([](auto& p, const auto& r, const auto& s) { causal::paint(p, r, sample::causal(), s); });
  all["causal graph, nothing found"] =
      painted([](auto& p, const auto& r, const auto& s) { causal::paint(p, r, sample::causalNothing(), s); });
  all["causal graphs of groups"] = painted(paintGroups);
  all["parallel coordinates"] = painted([](auto& p, const auto& r, const auto& s) {
    ParallelModel model;
    model.setData(sample::parallel());
    parallel::paint(p, r, model, s);
  });
  all["parallel coordinates, brushed"] = painted([](auto& p, const auto& r, const auto& s) {
    ParallelModel model;
    model.setData(sample::parallelSelected());
    model.setBrushes({{"bytes", {{8192, 2'097'152}}}});
    parallel::paint(p, r, model, s);
  });
  all["distribution"] = painted([](auto& p, const auto& r, const auto& s) {
    distribution::paint(p, r, sample::distribution(true), s);
  });
  all["distribution, by stream"] = painted([](auto& p, const auto& r, const auto& s) {
    distribution::paint(p, r, sample::distributionGrouped(), s);
  });
  all["heat map"] =
      painted([](auto& p, const auto& r, const auto& s) { heat_map::paint(p, r, sample::heatMap(), s); });
  all["heat map, on the screen"] = grabbed<HeatMapWidget>([](HeatMapWidget& widget) {
    widget.setData(sample::heatMap());
    const auto window = sample::heatMap().window;
    widget.setCursorTime(window.begin + Nanoseconds{window.length().count / 3});
  });
  for (const bool points : {false, true})
    all[points ? "evidence, rows" : "evidence, density"] =
        painted([points](auto& p, const auto& r, const auto& s) {
          EvidenceModel model;
          model.setData(sample::evidence(points));
          evidence::paint(p, r, model, s);
        });
  all["evidence, on the screen"] =
      grabbed<EvidenceWidget>([](EvidenceWidget& widget) { widget.setData(sample::evidence(true)); });
  all["kernels, on the screen"] =
      grabbed<KernelsWidget>([](KernelsWidget& widget) { widget.setKernels(sample::kernels()); });
  all["area, on the screen"] = grabbed<AreaWidget>([](AreaWidget& widget) {
    AreaData data;
    data.range = kClose;
    data.where = "all tracks";
    data.rows = data.whole = sample::kernels().rows;
    for (auto& row : data.whole) row.count *= 7;
    for (int i = 0; i < 6; ++i)
      data.tracks.push_back(
          {QString("stream %1").arg(i), "GPU 0", 100u * (i + 1), 1e6 * (i + 1), 9e5 * (i + 1)});
    widget.setArea(data);
  });
  return all;
}

QString baselinesFile() {
  return QStringLiteral(JITTERSCOPE_GOLDEN_DIR "/pictures.txt");
}

QByteArray keyOf(const QString& name, Theme theme) {
  return name.toUtf8() + (theme == Theme::Light ? " | light" : " | dark");
}

} // namespace

class BaselinesTest : public QObject {
  Q_OBJECT

  std::map<QByteArray, QByteArray> baselines_;

  static double scale() { return qEnvironmentVariable("QT_SCALE_FACTOR", "1").toDouble(); }
  static QImage draw(const QString& name, Theme theme) {
    return pictures().at(name)(ViewStyle::of(theme), scale());
  }

private slots:
  void initTestCase() {
    if (const QString path = qEnvironmentVariable("JITTERSCOPE_WRITE_BASELINES"); !path.isEmpty()) {
      QFile file(path);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(
          "# Mean colours of 24 x 12 parts of each picture; written by views_baselines_test, see there.\n");
      for (const auto& [name, picture] : pictures())
        for (const Theme theme : {Theme::Light, Theme::Dark})
          file.write(keyOf(name, theme) + " | " + printOf(draw(name, theme)) + '\n');
    }
    QFile file(baselinesFile());
    QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable("cannot read " + baselinesFile()));
    for (const auto& line : file.readAll().split('\n')) {
      const auto cut = line.lastIndexOf(" | ");
      if (cut > 0 && !line.startsWith('#')) baselines_[line.left(cut)] = line.mid(cut + 3).trimmed();
    }
  }

  void looksLikeTheBaseline_data() {
    QTest::addColumn<QString>("view");
    QTest::addColumn<int>("theme");
    for (const auto& [name, picture] : pictures())
      for (const Theme theme : {Theme::Light, Theme::Dark})
        QTest::newRow(keyOf(name, theme).constData()) << name << static_cast<int>(theme);
  }

  void looksLikeTheBaseline() {
    QFETCH(QString, view);
    QFETCH(int, theme);
    const auto key = keyOf(view, static_cast<Theme>(theme));
    QVERIFY2(baselines_.contains(key), "this picture has no baseline");
    const QImage image = draw(view, static_cast<Theme>(theme));
    if (const QString folder = qEnvironmentVariable("JITTERSCOPE_KEEP_PICTURES"); !folder.isEmpty())
      QVERIFY(QDir().mkpath(folder) &&
              image.save(folder + '/' + QString(key).replace(" | ", "-").replace(' ', '_') + ".png"));
    const auto apart = difference(printOf(image), baselines_.at(key));
    QVERIFY2(
        apart.mean < kMaxMean && apart.worst < kMaxWorst,
        qPrintable(
            QString("%1 levels apart, %2 in one part; examine the picture with JITTERSCOPE_KEEP_PICTURES")
                .arg(apart.mean)
                .arg(apart.worst)));
  }

  // The tolerance accepts another font, but not a change of content.
  void otherPicturesAreNoticed() {
    const auto all = pictures();
    for (const auto& [name, picture] : all)
      for (const auto& [other, unused] : all) {
        if (name == other || (name.startsWith("heat map") && other.startsWith("heat map")) ||
            (name.startsWith("evidence") && other.startsWith("evidence")))
          continue; // the same picture drawn by VTK and by QPainter
        const auto apart =
            difference(baselines_.at(keyOf(name, Theme::Light)), baselines_.at(keyOf(other, Theme::Light)));
        QVERIFY2(apart.mean >= kMaxMean || apart.worst >= kMaxWorst,
                 qPrintable(name + " and " + other + " are within the tolerance"));
      }
  }

  void aMissingPartIsNoticed() {
    QImage image = draw("bins, one chosen", Theme::Light);
    const auto whole = printOf(image);
    QPainter painter(&image);
    painter.fillRect(QRectF(0, 0, kSize.width() / 4.0, kSize.height() / 4.0), ViewStyle::light().background);
    painter.end();
    const auto apart = difference(whole, printOf(image));
    QVERIFY2(apart.mean >= kMaxMean || apart.worst >= kMaxWorst,
             qPrintable(QString("%1 %2").arg(apart.mean).arg(apart.worst)));
  }
};

QTEST_MAIN(BaselinesTest)
#include "views_baselines_test.moc"
