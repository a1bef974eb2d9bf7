#include "app/export/metrics_picture.h"

#include <algorithm>
#include <cmath>

#include "app/export/recorded_part.h"
#include "app/metrics/metric_answer.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/messages/selection.h"
#include "core/engine/messages/timeline_options.h"
#include "views/base/text.h"
#include "views/metrics/metrics_painter.h"

namespace jitterscope::app {
namespace {

using views::Text;

constexpr int kHistogramRow = 18; // px, height of an object's row
constexpr int kMinHistogram = 220, kMaxHistogram = 1'200;

/// Completes options of a metric with its definition, level and range.
template <class Options>
Expected<engine::Answer> ask(BlockingEngine& engine, const views::MetricPanel& metric, const Interval& range,
                             Options options, const Job& job) {
  options.text = metric.text;
  options.level = metric.level.toStdString();
  set_range(options, range);
  return engine.run(options, job);
}

/// The recorded part of the requested range, else all recorded time.
Expected<Interval> range_of(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  auto answer = engine.run(engine::TracksOptions(), job);
  if (!answer) return forward(answer.error());
  auto tracks = decode_tracks(*answer);
  if (!tracks) return forward(tracks.error());
  if (request.range) return recorded_part(*request.range, tracks->span, tracks->axis);
  return tracks->span;
}

/// The metric of a histogram: the only one, else as in the window (metrics::histogramPanel).
Expected<views::MetricPanel> histogram_metric(BlockingEngine& engine, const PictureRequest& request,
                                              const Interval& range, const Job& job) {
  constexpr std::int64_t kColumns = 200;
  for (std::size_t p = 0; p < request.metrics.size() && request.metrics.size() > 1; ++p) {
    const engine::MetricOptions options{.columns = std::min(kColumns, range.length().count), .fit = true};
    auto answer = ask(engine, request.metrics[p], range, options, job);
    if (!answer) return forward(answer.error());
    auto panel = request.metrics[p];
    if (auto read = read_metric(*answer, panel); !read) return forward(read.error());
    if (panel.varies()) return request.metrics[p];
  }
  return request.metrics.front();
}

} // namespace

Expected<Picture> metrics_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  auto range = range_of(engine, request, job);
  if (!range) return forward(range.error());
  views::metrics::Model model;
  model.panels = request.metrics;
  if (request.merging)
    for (auto& panel : model.panels) panel.mergedMaximum = request.merging == views::Merging::Maximum;
  model.viewport.setSpan(*range);
  model.viewport.setWindow(*range);
  // The names and scales of one column determine the width of the plot, which has a column for each pixel.
  std::int64_t columns = 1;
  for (const bool last : {false, true}) {
    for (std::size_t p = 0; p < model.panels.size(); ++p) {
      auto answer = ask(engine, request.metrics[p], *range,
                        engine::MetricOptions{.columns = columns, .fit = true}, job);
      if (!answer) return forward(answer.error());
      if (auto read = read_metric(*answer, model.panels[p]); !read) return forward(read.error());
    }
    model.layout({0, 0, static_cast<double>(request.size.width()), 1e6}, request.style);
    if (!last)
      columns = std::clamp<std::int64_t>(std::lround(model.viewport.width() * request.scale), 1,
                                         range->length().count);
  }
  const auto needed = static_cast<int>(std::ceil(model.height + model.axis));
  Picture made{views::PaintFunction([model, style = request.style](QPainter& painter, const QRectF& rect) {
                 auto shown = model;
                 shown.layout(rect, style);
                 views::metrics::paint(painter, rect, shown, style);
               }),
               with_height(request.size, needed)};
  made.left_out = shown_at(needed, made.size);
  return made;
}

Expected<Picture> histogram_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  auto range = range_of(engine, request, job);
  if (!range) return forward(range.error());
  const auto& bins = request.histogram_bins;
  engine::MetricHistogramOptions options{
      .bins = bins.count, .low = bins.low, .high = bins.high, .logarithmic = bins.logarithmic};
  auto shown = cell_statistic(request.cell_statistic).value_or(cell_statistics().front());
  if (shown.of_data && request.data_metric.empty()) shown = cell_statistics().front();
  if (shown.of_data) options.data = request.data_metric;
  auto metric = histogram_metric(engine, request, *range, job);
  if (!metric) return forward(metric.error());
  auto answer = ask(engine, *metric, *range, options, job)
                    .and_then(engine::table_of<engine::answers::MetricHistogramAnswer>);
  if (!answer) return forward(answer.error());
  const auto words = request.range ? Text::tr("chosen range") : Text::tr("whole trace");
  auto data = histogram_of(*answer, *metric, shown, words, title_in(request.data_metric));
  const int height =
      std::clamp(static_cast<int>(data.objects.size()) * kHistogramRow + 60, kMinHistogram, kMaxHistogram);
  return Picture{views::PaintFunction(
                     [data = std::move(data), style = request.style](QPainter& painter, const QRectF& rect) {
                       views::metrics::paintHistogram(painter, rect, data, style);
                     }),
                 with_height(request.size, height)};
}

} // namespace jitterscope::app
