// Fills every view with sample data and saves pictures in light and dark, of the live widgets at the scale
// factor that QT_SCALE_FACTOR sets and of the exports (PNG, SVG, PDF). For inspection, not a test.

#include <QApplication>
#include <QDir>
#include <QPixmap>
#include <cstdio>
#include <functional>

#include "tests/views/sample_data.h"
#include "views/base/export.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_painter.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_painter.h"
#include "views/causal/causal_widget.h"
#include "views/distribution/distribution_painter.h"
#include "views/distribution/distribution_widget.h"
#include "views/parallel/parallel_painter.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_widget.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::views;

namespace {

class Gallery {
public:
  Gallery(QString folder, ViewStyle style, QString suffix)
      : folder_(std::move(folder)), style_(std::move(style)), suffix_(std::move(suffix)) {}

  void timelines() {
    TimelineWidget widget;
    show(widget, {1280, 560});
    widget.setTracks(sample::tracks(), sample::kSpan);
    widget.setNames(sample::nameOf);
    widget.setOverview(sample::overview());
    widget.setMessage({});
    widget.setData(sample::timeline(sample::kSpan, widget.pixelColumns()));
    const Interval bin{{96'400'000'000}, {96'478'000'000}};
    widget.setSelectedBin(bin);
    save(widget, "timeline-run");
    const Interval close{{96'420'000'000}, {96'426'000'000}};
    widget.setWindow(close);
    widget.setData(sample::timeline(close, widget.pixelColumns()));
    widget.setBrush(Interval{{96'421'200'000}, {96'422'900'000}});
    widget.setFlags({{{96'424'100'000}, "warm-up ends"}});
    for (const TrackContent& track : widget.model().data().tracks) {
      if (track.trackId != 105) continue;
      const TimelineBar bar = track.bars[track.bars.size() / 2];
      widget.setSelection(105, bar.row, {bar.begin, bar.end});
      widget.setArrows({{103, {bar.begin.count - 300'000}, 105, bar.begin}});
    }
    widget.showHoverCard({620, 230}, "ampere_sgemm_128x64_tn\nStart\t96.423 118 204 s\nDuration\t112.4 "
                                     "µs\nMean of configuration\t96.1 µs (n = 1,204)\nVariability\t16.3 µs");
    save(widget, "timeline-close");
    exported("timeline", {1200, 520},
             [&](QPainter& p, const QRectF& r) { timeline::paint(p, r, widget.model(), style_); });
    TimelineWidget empty;
    show(empty, {600, 200});
    save(empty, "timeline-empty");
  }

  void lists() {
    BinsWidget bins;
    bins.setViewStyle(style_);
    bins.resize(900, 480);
    bins.show();
    bins.setBins(sample::bins());
    bins.setSelected(bins.model().bins().bins[2].index);
    save(bins, "bins");
    exported("bins", {900, 480},
             [&](QPainter& p, const QRectF& r) { bins::paint(p, r, bins.model(), style_, bins.selected()); });
    KernelsWidget table;
    table.setViewStyle(style_);
    table.resize(1280, 320);
    table.show();
    table.setKernels(sample::kernels());
    table.setSelected({2});
    save(table, "kernels");
  }

  void causes() {
    CausalWidget widget;
    widget.setViewStyle(style_);
    widget.resize(1180, 560);
    widget.show();
    widget.setGraph(sample::causal());
    save(widget, "causal");
    widget.setSelectedEdge(2, 8);
    save(widget, "causal-selected");
    exported("causal", {1180, 560},
             [&](QPainter& p, const QRectF& r) { causal::paint(p, r, sample::causal(), style_); });
    widget.setGraph(sample::causalNothing());
    save(widget, "causal-nothing");
  }

  void plots() {
    ParallelWidget parallel;
    show(parallel, {1180, 380});
    parallel.setData(sample::parallel());
    save(parallel, "parallel");
    parallel.setData(sample::parallelSelected());
    parallel.setBrushes({{"bytes", {{8192, 2'097'152}}}});
    parallel.setLines({{{{"device", 1},
                         {"blocks", 512},
                         {"clock", 1320},
                         {"bytes", 524'288},
                         {"gap", 4000},
                         {"duration", 52'000}},
                        "launch"}});
    save(parallel, "parallel-brushed");
    exported("parallel", {1180, 380}, [&](QPainter& p, const QRectF& r) {
      parallel::paint(p, r, parallel.model(), style_, parallel.lines());
    });
    DistributionWidget distribution;
    show(distribution, {620, 320});
    for (const bool logScale : {false, true}) {
      distribution.setData(sample::distribution(logScale));
      save(distribution, logScale ? "distribution-log" : "distribution");
    }
    exported("distribution", {620, 320}, [&](QPainter& p, const QRectF& r) {
      distribution::paint(p, r, sample::distribution(true), style_);
    });
  }

private:
  void show(RasterView& view, QSize size) {
    view.setViewStyle(style_);
    view.resize(size);
    view.show();
    QApplication::processEvents();
  }

  void save(QWidget& widget, const QString& name) {
    QApplication::processEvents();
    widget.grab().save(folder_ + "/" + name + suffix_ + ".png");
  }

  void exported(const QString& name, QSize size, const PaintFunction& paint) {
    for (const char* ending : {".png", ".svg", ".pdf"}) {
      const auto done = exportPicture(folder_ + "/export-" + name + suffix_ + ending, size, 2, name, paint);
      if (!done) std::fprintf(stderr, "%s\n", describe(done.error()).c_str());
    }
  }

  QString folder_;
  ViewStyle style_;
  QString suffix_;
};

} // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("gallery");
  QDir().mkpath(folder);
  const QString scale = QStringLiteral("@%1").arg(application.devicePixelRatio());
  for (const Theme theme : {Theme::Light, Theme::Dark}) {
    Gallery gallery(folder, ViewStyle::of(theme), (theme == Theme::Dark ? "-dark" : "-light") + scale);
    gallery.timelines();
    gallery.lists();
    gallery.causes();
    gallery.plots();
  }
  std::printf("pictures in %s\n", qPrintable(folder));
  return 0;
}
