#include "app/command/dry_run_output.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "app/engine/row_texts.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/ticks.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

double ns(const json& seconds) {
  return 1e9 * seconds.get<double>();
}

std::string duration_text(const json& seconds) {
  return views::formatDuration(ns(seconds)).toStdString();
}

std::string bytes(const json& count) {
  return views::formatValue(count.get<double>(), "B").toStdString();
}

std::string percent(const json& share) {
  return views::formatPercent(share.get<double>()).toStdString();
}

struct Point {
  double ranks = 0, ns = 0;
};
struct Line {
  QString name;
  QColor colour;
  bool dashed = false;
  std::vector<Point> points;
};

std::vector<Line> lines_of(const json& document, const views::ViewStyle& style) {
  Line strong{"strong scaling", style.text, false, {}}, ideal{"ideal", style.mutedText, true, {}},
      weak{"weak scaling", style.accent, false, {}}, talk{"messages only", style.negative, false, {}};
  const auto& runs = document.at("runs");
  const double alone = ns(runs[0].at("predicted_s"));
  for (const auto& run : runs) {
    const double ranks = run.at("ranks").get<double>();
    strong.points.push_back({ranks, ns(run.at("predicted_s"))});
    ideal.points.push_back({ranks, alone / ranks});
    if (const double us = ns(run.at("communication_s")); us > 0) talk.points.push_back({ranks, us});
    if (run.contains("weak")) weak.points.push_back({ranks, ns(run.at("weak").at("predicted_s"))});
  }
  return {ideal, strong, weak, talk};
}

/// Coordinates in a plot with two logarithmic axes.
class Axes {
public:
  Axes(const QRectF& plot, const std::vector<Line>& lines) : plot_(plot) {
    for (const auto& line : lines)
      for (const auto& point : line.points) {
        max_ranks_ = std::max(max_ranks_, point.ranks);
        low_ = std::min(low_, point.ns);
        high_ = std::max(high_, point.ns);
      }
    low_ *= 0.7;
    high_ *= 1.4;
  }
  double x(double ranks) const {
    return plot_.left() + std::log(ranks) / std::log(max_ranks_) * plot_.width();
  }
  double y(double ns) const {
    return plot_.bottom() - std::log(ns / low_) / std::log(high_ / low_) * plot_.height();
  }
  double low() const { return low_; }
  double high() const { return high_; }
  const QRectF& plot() const { return plot_; }

private:
  QRectF plot_;
  double max_ranks_ = 2, low_ = 1e300, high_ = 0;
};

void paint_axes(QPainter& painter, const Axes& axes, const json& document, const views::ViewStyle& style) {
  const auto& plot = axes.plot();
  painter.setFont(style.font(views::FontRole::Small));
  const int last = static_cast<int>(std::floor(std::log10(axes.high())));
  for (int power = static_cast<int>(std::ceil(std::log10(axes.low()))); power <= last; ++power) {
    const double decade = std::pow(10, power);
    const double y = std::round(axes.y(decade));
    views::drawHairline(painter, {plot.left(), y}, {plot.right(), y}, style.grid);
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(0, y - 9, plot.left() - 6, 18), Qt::AlignRight | Qt::AlignVCenter,
                     views::formatDuration(decade));
  }
  for (const auto& run : document.at("runs")) {
    const double x = std::round(axes.x(run.at("ranks").get<double>()));
    views::drawHairline(painter, {x, plot.bottom()}, {x, plot.bottom() + 5}, style.mutedText);
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(x - 40, plot.bottom() + 5, 80, 18), Qt::AlignCenter,
                     QString::number(run.at("ranks").get<int>()));
  }
  painter.drawText(QRectF(plot.left(), plot.bottom() + 22, plot.width(), 18), Qt::AlignCenter, "ranks");
}

void paint_line(QPainter& painter, const Axes& axes, const Line& line) {
  QPen pen(line.colour, 1.5);
  if (line.dashed) pen.setDashPattern({4, 3});
  painter.setPen(pen);
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const QPointF at(axes.x(line.points[i].ranks), axes.y(line.points[i].ns));
    if (i > 0) painter.drawLine(QPointF(axes.x(line.points[i - 1].ranks), axes.y(line.points[i - 1].ns)), at);
    if (!line.dashed) painter.drawEllipse(at, 2.5, 2.5);
  }
}

void paint_legend(QPainter& painter, const QRectF& plot, const std::vector<Line>& lines,
                  const views::ViewStyle& style) {
  double x = plot.left();
  const QFontMetricsF metrics(painter.font());
  for (const auto& line : lines) {
    QPen pen(line.colour, 1.5);
    if (line.dashed) pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(x, plot.top() - 14), QPointF(x + 22, plot.top() - 14));
    painter.setPen(style.text);
    painter.drawText(QPointF(x + 28, plot.top() - 10), line.name);
    x += 28 + metrics.horizontalAdvance(line.name) + 24;
  }
}

QString title_of(const json& document) {
  return row_text(QString("Bins of %1 launches, predicted from measured work and the K-model of messages"))
      .arg(views::formatCount(document.at("rows").get<std::uint64_t>()));
}

} // namespace

Expected<std::vector<int>> parse_rank_list(const std::string& text) {
  std::vector<int> ranks;
  const char* at = text.data();
  const char* end = at + text.size();
  for (;;) {
    int number = 0;
    const auto [next, problem] = std::from_chars(at, end, number);
    if (problem != std::errc() || (next != end && *next != ','))
      return failure(ErrorKind::BadUse, "\"" + text + "\" is not a list of numbers of ranks", {}, "--dry-run",
                     "Example: 128,256,512,1024.");
    ranks.push_back(number);
    if (next == end) return ranks;
    at = next + 1;
  }
}

void print_dry_run(const json& document) {
  fmt::print("dry run: {} rows in {} bins; {} ranks per node; messages: {}\n",
             document.at("rows").get<std::int64_t>(), document.at("bins").get<std::int64_t>(),
             document.at("ranks_per_node").get<int>(), document.at("network").get<std::string>());
  fmt::print("{:>6} {:>10} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8} {:>8} {:>10} {:>10} {:>10} {:>10} {:>10} "
             "{:>8} {:>6}\n",
             "ranks", "rows each", "slowest", "root extra", "messages", "predicted", "speedup", "effic.",
             "sent", "bytes sent", "to root", "root mem.", "rank mem.", "weak", "effic.", "same");
  for (const auto& run : document.at("runs")) {
    const auto& compute = run.at("compute_s");
    const auto weak = run.find("weak");
    fmt::print("{:>6} {:>10} {:>10} {:>10} {:>10} {:>10} {:>8.1f} {:>8} {:>8} {:>10} {:>10} {:>10} {:>10} "
               "{:>10} {:>8} {:>6}\n",
               run.at("ranks").get<int>(), run.at("rows_per_rank").get<std::int64_t>(),
               duration_text(compute.at("slowest")), duration_text(compute.at("root_alone")),
               duration_text(run.at("communication_s")), duration_text(run.at("predicted_s")),
               run.at("speedup").get<double>(), percent(run.at("efficiency")),
               run.at("messages").get<std::int64_t>(), bytes(run.at("bytes")), bytes(run.at("bytes_to_root")),
               bytes(run.at("root_peak_bytes")), bytes(run.at("other_peak_bytes")),
               weak == run.end() ? "" : duration_text(weak->at("predicted_s")),
               weak == run.end() ? "" : percent(weak->at("efficiency")),
               run.at("same_answer").get<bool>() ? "yes" : "NO");
  }
}

views::PaintFunction dry_run_plot(const json& document, const views::ViewStyle& style) {
  return [document, style](QPainter& painter, const QRectF& rect) {
    painter.fillRect(rect, style.background);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(style.font(views::FontRole::Title));
    painter.setPen(style.text);
    painter.drawText(QRectF(rect.left() + 16, rect.top() + 8, rect.width() - 32, 24),
                     Qt::AlignLeft | Qt::AlignVCenter, title_of(document));
    const auto lines = lines_of(document, style);
    const Axes axes(rect.adjusted(72, 64, -32, -48), lines);
    paint_axes(painter, axes, document, style);
    paint_legend(painter, axes.plot(), lines, style);
    for (const auto& line : lines) paint_line(painter, axes, line);
  };
}

} // namespace jitterscope::app
