#include "views/model/model_chart.h"

#include <QFontMetricsF>
#include <algorithm>
#include <limits>
#include <numeric>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"

namespace jitterscope::views::model {
namespace {

constexpr double kLine = 20, kNear = 9; // height of a line, hit radius of the pointer
constexpr double kLeft = 70, kBottom = 44, kTop = 30, kRight = 16;

/// Smallest and largest of positive values.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  void add(double value) {
    if (!(value > 0) || std::isinf(value)) return;
    low = std::min(low, value), high = std::max(high, value);
  }
  bool empty() const { return high <= 0; }
  LogAxis axis(double margin) const {
    const double wide = std::max(high / low, 1.5);
    const double more = std::pow(wide, margin);
    return {low / more, std::max(high, low * 1.5) * more};
  }
};

QRectF plotOf(const QRectF& rect) {
  return rect.adjusted(kLeft, kTop, -kRight, -kBottom);
}

void layScatter(const ModelData& data, Layout& out) {
  Extent both;
  for (const auto& k : data.kernels)
    if (k.measured > 0)
      for (const double value : {k.measured, k.predicted, k.asRecorded()}) both.add(value);
  if (both.empty()) {
    out.reason =
        data.kernels.empty() ? QString() : Text::tr("No launch of a predicted kernel has a measured time");
    return;
  }
  out.x = out.y = both.axis(0.06);
  for (std::size_t i = 0; i < data.kernels.size(); ++i) {
    const auto& k = data.kernels[i];
    if (!(k.measured > 0) || !(k.predicted > 0)) continue;
    out.marks.push_back(
        {static_cast<int>(i), out.place(k.measured, k.predicted), out.place(k.measured, k.asRecorded()), {}});
  }
}

void layMessages(const ModelData& data, Layout& out) {
  Extent both;
  for (const auto& m : data.messages) both.add(m.measured), both.add(m.predicted);
  if (both.empty()) return;
  out.x = out.y = both.axis(0.06);
  for (std::size_t i = 0; i < data.messages.size(); ++i) {
    const auto& m = data.messages[i];
    if (!(m.measured > 0) || !(m.predicted > 0)) continue;
    const auto at = out.place(m.measured, m.predicted);
    out.marks.push_back({static_cast<int>(i), at, at, {}});
  }
}

void layErrors(const ModelData& data, const QRectF& rect, const ViewStyle& style, int first, Layout& out) {
  const auto order = errorOrder(data);
  if (order.empty()) {
    out.reason =
        data.kernels.empty() ? QString() : Text::tr("No launch of a predicted kernel has a measured time");
    return;
  }
  const auto metrics = metricsOf(style.font());
  double names = 0;
  for (const int i : order)
    names =
        std::max(names, metrics.horizontalAdvance(briefName(data.kernels[static_cast<std::size_t>(i)].name)));
  names = std::min(names + 8, 0.38 * rect.width());
  const double number = metrics.horizontalAdvance(QStringLiteral("+999.9 %")) + 8;
  out.plot = rect.adjusted(12 + names, kTop, -12 - number, -kBottom);
  for (const int i : order)
    out.span = std::max(out.span, std::abs(data.kernels[static_cast<std::size_t>(i)].error()));
  out.span = std::clamp(out.span, 2 * kBand, 2.0);
  const int room = std::max(1, static_cast<int>(out.plot.height() / kLine));
  const int count = static_cast<int>(order.size());
  first = std::clamp(first, 0, std::max(0, count - room));
  for (int line = 0; line < room && first + line < count; ++line) {
    const int index = order[static_cast<std::size_t>(first + line)];
    const double error =
        std::clamp(data.kernels[static_cast<std::size_t>(index)].error(), -out.span, out.span);
    const QRectF whole(rect.left() + 6, out.plot.top() + line * kLine, rect.width() - 12, kLine);
    const double middle = out.plot.center().x();
    out.marks.push_back({index,
                         {middle + error / out.span * out.plot.width() / 2, whole.center().y()},
                         {middle, whole.center().y()},
                         whole});
  }
  out.hidden = count - first - static_cast<int>(out.marks.size());
}

struct RooflineKind {
  double peak = NAN;
  bool instructions = false;
  double work(const ModelKernel& k) const { return instructions ? k.instructions : k.flops; }
  /// Time measured, or predicted for the what-if [ns].
  static double time(const ModelKernel& k) { return std::isnan(k.before) ? k.measured : k.predicted; }
};

void layRoofline(const ModelData& data, std::size_t device, bool instructions, Layout& out) {
  if (device >= data.devices.size()) return;
  const auto& gpu = data.devices[device];
  const RooflineKind kind{instructions ? gpu.instructionRate : gpu.flopRate, instructions};
  Extent intensity, rate;
  struct Point {
    int index;
    double x, y;
  };
  std::vector<Point> points;
  for (std::size_t i = 0; i < data.kernels.size(); ++i) {
    const auto& k = data.kernels[i];
    if (k.device != device || k.bytes.empty() || !(kind.time(k) > 0) || !(kind.work(k) > 0) ||
        !(k.bytes.back() > 0))
      continue;
    points.push_back(
        {static_cast<int>(i), kind.work(k) / k.bytes.back(), kind.work(k) / (kind.time(k) * 1e-9)});
    intensity.add(points.back().x), rate.add(points.back().y);
  }
  if (points.empty()) {
    out.reason = instructions
                     ? Text::tr("The memory traffic of the measured kernels of %1 is unknown").arg(gpu.name)
                     : Text::tr("The launches lack counters of floating-point "
                                "operations.\nThe instruction roofline does not need them.");
    return;
  }
  const double memory = gpu.bandwidths.empty() ? NAN : gpu.bandwidths.back();
  if (kind.peak > 0) rate.add(kind.peak);
  if (kind.peak > 0 && memory > 0) intensity.add(kind.peak / memory); // keeps the ridge point visible
  out.x = intensity.axis(0.12);
  out.y = rate.axis(0.08);
  for (const auto& p : points) {
    const auto at = out.place(p.x, p.y);
    out.marks.push_back({p.index, at, at, {}});
  }
  for (std::size_t l = 0; l < gpu.bandwidths.size(); ++l) {
    const double b = gpu.bandwidths[l];
    if (!(b > 0)) continue;
    const double end = kind.peak > 0 ? std::min(out.x.high, kind.peak / b) : out.x.high;
    const double begin = std::max(out.x.low, out.y.low / b); // clipped to the plot
    if (end <= begin) continue;
    out.ceilings.push_back(
        {QStringLiteral("%1 %2").arg(gpu.levels.value(static_cast<int>(l)), formatSi(b, "B/s", 3)),
         out.place(begin, begin * b), out.place(end, end * b)});
  }
  if (kind.peak > 0)
    out.ceilings.push_back({instructions ? Text::tr("%1 instructions/s").arg(formatSi(kind.peak, {}, 3))
                                         : formatSi(kind.peak, "FLOP/s", 3),
                            out.place(std::max(out.x.low, kind.peak / std::max(memory, 1e-30)), kind.peak),
                            out.place(out.x.high, kind.peak)});
}

void layRun(const ModelData& data, const QRectF& rect, const ViewStyle& style, Layout& out) {
  const auto metrics = metricsOf(style.font());
  double names = 0;
  for (const auto& run : data.runs) {
    names = std::max(names, metrics.horizontalAdvance(run.title));
    out.span = std::max(out.span, run.total());
  }
  names = std::min(names + 10, 0.4 * rect.width());
  out.plot = rect.adjusted(12 + names, kTop, -12 - metrics.horizontalAdvance(QStringLiteral("999.9 ms")) - 8,
                           -kBottom);
  const double high =
      std::min(34.0, out.plot.height() / std::max<double>(1, static_cast<double>(data.runs.size())));
  for (std::size_t i = 0; i < data.runs.size(); ++i) {
    const QRectF whole(rect.left() + 6, out.plot.top() + static_cast<double>(i) * high, rect.width() - 12,
                       high);
    const double end =
        out.plot.left() + (out.span > 0 ? data.runs[i].total() / out.span : 0) * out.plot.width();
    out.marks.push_back(
        {static_cast<int>(i), {end, whole.center().y()}, {out.plot.left(), whole.center().y()}, whole});
  }
}

QString line(const QString& name, const QString& value) {
  return QStringLiteral("\n%1\t%2").arg(name, value);
}

QString kernelCard(const ModelData& data, const ModelKernel& k) {
  QString text = k.name + line(Text::tr("configuration"), k.configuration) +
                 line(Text::tr("launches"), formatCount(static_cast<std::uint64_t>(k.launches))) +
                 line(Text::tr("measured"), formatDuration(k.measured, 4));
  if (!std::isnan(k.before)) text += line(Text::tr("analytical, as recorded"), formatDuration(k.before, 4));
  text += line(data.asked.isEmpty() ? Text::tr("predicted") : Text::tr("predicted, %1").arg(data.asked),
               formatDuration(k.predicted, 4));
  if (k.predicted != k.analytical) text += line(Text::tr("analytical"), formatDuration(k.analytical, 4));
  if (std::isnan(k.before)) text += line(Text::tr("error"), signedPercent(k.error()));
  text +=
      line(Text::tr("bottleneck"), k.bottleneck) +
      line(
          Text::tr("MWP / CWP / resident warps"),
          QStringLiteral("%1 / %2 / %3").arg(k.mwp, 0, 'f', 1).arg(k.cwp, 0, 'f', 1).arg(k.warps, 0, 'f', 0));
  if (k.extrapolated) text += Text::tr("\nnot corrected: the correction does not apply to this kernel");
  return text;
}

QString messageCard(const ModelMessage& m) {
  return m.operation + line(Text::tr("between"), m.distance) +
         line(Text::tr("messages"), formatCount(static_cast<std::uint64_t>(m.count))) +
         line(Text::tr("size"), formatSi(m.bytes, "B", 4)) +
         line(Text::tr("concurrency k"), QString::number(m.concurrency, 'f', 2)) +
         line(Text::tr("measured"), formatDuration(m.measured, 4)) +
         line(Text::tr("predicted"), formatDuration(m.predicted, 4)) +
         line(Text::tr("error"), signedPercent(m.error()));
}

QString runCard(const ModelData& data, const ModelRun& run) {
  QString text = run.title + line(Text::tr("time"), formatDuration(run.total(), 4));
  for (const auto part : data.shownRunParts())
    text += line(runPart(part).name,
                 QStringLiteral("%1 (%2)").arg(formatDuration(run.parts[part], 4),
                                               formatPercent(run.parts[part] / std::max(run.total(), 1.0))));
  if (!data.runs.empty() && &run != &data.runs.front() && run.total() > 0)
    text += line(Text::tr("speedup"),
                 QStringLiteral("%1 ×").arg(data.runs.front().total() / run.total(), 0, 'f', 2));
  return text;
}

} // namespace

QPointF Layout::place(double xValue, double yValue) const {
  return {plot.left() + x.position(xValue) * plot.width(),
          plot.bottom() - y.position(yValue) * plot.height()};
}

std::optional<std::size_t> Layout::at(QPointF point) const {
  std::optional<std::size_t> best;
  double nearest = kNear * kNear;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (!marks[i].line.isEmpty()) {
      if (marks[i].line.contains(point)) return i;
      continue;
    }
    const auto away = marks[i].at - point;
    const double distance = QPointF::dotProduct(away, away);
    if (distance <= nearest) nearest = distance, best = i;
  }
  return best;
}

Layout layoutOf(const ModelData& data, Chart chart, const QRectF& rect, const ViewStyle& style,
                std::size_t device, int first) {
  Layout out;
  out.chart = chart;
  out.plot = plotOf(rect);
  if (out.plot.width() < 40 || out.plot.height() < 30) return out;
  switch (chart) {
  case Chart::Scatter:
    layScatter(data, out);
    break;
  case Chart::Errors:
    layErrors(data, rect, style, first, out);
    break;
  case Chart::Roofline:
  case Chart::InstructionRoofline:
    layRoofline(data, device, chart == Chart::InstructionRoofline, out);
    break;
  case Chart::Messages:
    layMessages(data, out);
    break;
  case Chart::Run:
    layRun(data, rect, style, out);
    break;
  }
  return out;
}

std::vector<int> errorOrder(const ModelData& data) {
  std::vector<int> order;
  for (std::size_t i = 0; i < data.kernels.size(); ++i)
    if (data.kernels[i].measured > 0 && data.kernels[i].predicted > 0) order.push_back(static_cast<int>(i));
  const auto unexplained = [&](int i) {
    const auto& k = data.kernels[static_cast<std::size_t>(i)];
    return std::abs(k.predicted - k.measured) * static_cast<double>(k.launches);
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return unexplained(a) > unexplained(b); });
  return order;
}

QString titleOf(Chart chart) {
  switch (chart) {
  case Chart::Scatter:
    return Text::tr("Predicted and measured");
  case Chart::Errors:
    return Text::tr("Error by kernel");
  case Chart::Roofline:
    return Text::tr("Roofline");
  case Chart::InstructionRoofline:
    return Text::tr("Instruction roofline");
  case Chart::Messages:
    return Text::tr("Messages");
  case Chart::Run:
    break;
  }
  return Text::tr("Whole run");
}

QString titleOf(ModelBound bound) {
  switch (bound) {
  case ModelBound::Compute:
    return Text::tr("compute");
  case ModelBound::Latency:
    return Text::tr("latency");
  case ModelBound::L1:
    return QStringLiteral("L1");
  case ModelBound::L2:
    return QStringLiteral("L2");
  case ModelBound::Dispatch:
    return Text::tr("dispatch");
  case ModelBound::Memory:
    break;
  }
  return Text::tr("memory");
}

QColor colourOf(ModelBound bound, const ViewStyle& style) {
  return categoryColour(static_cast<std::uint32_t>(bound), style.theme);
}

QString cardOf(const ModelData& data, Chart chart, int index) {
  const auto at = static_cast<std::size_t>(index);
  if (chart == Chart::Messages) return messageCard(data.messages.at(at));
  if (chart == Chart::Run) return runCard(data, data.runs.at(at));
  return kernelCard(data, data.kernels.at(at));
}

QString signedPercent(double share) {
  if (!std::isfinite(share)) return QStringLiteral("–");
  return (share < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
         QStringLiteral("%1 %").arg(100 * std::abs(share), 0, 'f', 1);
}

} // namespace jitterscope::views::model
