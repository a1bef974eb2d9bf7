#include "views/heatmap/heat_map_model.h"

#include <algorithm>
#include <cmath>

#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::views {

double HeatMapModel::drawn(double value) const {
  return data.logScale ? std::log10(std::max(value, 1e-300)) : value;
}

std::uint64_t HeatMapModel::greatest() const {
  return data.counts.empty() ? 0 : *std::max_element(data.counts.begin(), data.counts.end());
}

std::uint64_t HeatMapModel::countAt(Cell cell) const {
  const auto at = static_cast<std::size_t>(cell.row) * static_cast<std::size_t>(data.columns) +
                  static_cast<std::size_t>(cell.column);
  return at < data.counts.size() ? data.counts[at] : 0;
}

double HeatMapModel::shade(std::uint64_t count) const {
  if (count == 0) return 0;
  const auto maximum = static_cast<double>(greatest());
  return maximum <= 1 ? 1 : 0.18 + 0.82 * std::log(static_cast<double>(count)) / std::log(maximum);
}

std::optional<HeatMapModel::Cell> HeatMapModel::cellAt(QPointF point) const {
  if (data.empty() || !plot.contains(point)) return std::nullopt;
  const double x = (point.x() - plot.left()) / plot.width(), y = (plot.bottom() - point.y()) / plot.height();
  return Cell{std::clamp(static_cast<int>(x * data.columns), 0, data.columns - 1),
              std::clamp(static_cast<int>(y * data.rows()), 0, data.rows() - 1)};
}

Interval HeatMapModel::timeOf(int column) const {
  const auto edge = [&](int c) {
    return Nanoseconds{
        data.window.begin.count +
        static_cast<std::int64_t>(static_cast<Int128>(data.window.length().count) * c / data.columns)};
  };
  return {edge(column), edge(column + 1)};
}

Nanoseconds HeatMapModel::timeAt(double x) const {
  const double part = std::clamp((x - plot.left()) / plot.width(), 0.0, 1.0);
  return {data.window.begin.count +
          static_cast<std::int64_t>(std::llround(part * static_cast<double>(data.window.length().count)))};
}

double HeatMapModel::xAt(Nanoseconds time) const {
  return plot.left() + static_cast<double>((time - data.window.begin).count) /
                           static_cast<double>(std::max<std::int64_t>(data.window.length().count, 1)) *
                           plot.width();
}

double HeatMapModel::valueAt(double y) const {
  const double part = std::clamp((plot.bottom() - y) / plot.height(), 0.0, 1.0);
  const double low = drawn(data.edges.front()), high = drawn(data.edges.back());
  const double value = low + part * (high - low);
  return data.logScale ? std::pow(10.0, value) : value;
}

double HeatMapModel::yAt(double value) const {
  const double low = drawn(data.edges.front()), high = drawn(data.edges.back());
  return plot.bottom() - (drawn(value) - low) / (high - low) * plot.height();
}

std::vector<Tick> HeatMapModel::xTicks() const {
  return axisTicks(data.window, std::max(2, static_cast<int>(plot.width() / 70)), data.axis);
}

std::vector<Tick> HeatMapModel::yTicks() const {
  const int preferred = std::max(2, static_cast<int>(plot.height() / 36));
  return axisValueTicks(data.edges.front(), data.edges.back(), preferred, data.unit, data.logScale);
}

QString HeatMapModel::counts() const {
  const QString n = Text::tr("n = %1").arg(formatCount(data.n));
  return data.outside > 0 ? Text::tr("%1, %2 at or below 0").arg(n, formatCount(data.outside)) : n;
}

QString HeatMapModel::cellText(Cell cell) const {
  const auto time = timeOf(cell.column);
  const auto row = static_cast<std::size_t>(cell.row);
  const auto count = countAt(cell);
  return formatPlace(time.begin, time.length(), data.axis) + QStringLiteral(" + ") +
         formatLength(time.length(), data.axis) + Text::tr("\nvalue\t") +
         formatRange(data.edges[row], data.edges[row + 1], data.unit, 4) +
         Text::tr("\nlaunches\t%1 (%2 of n)")
             .arg(formatCount(count),
                  formatPercent(static_cast<double>(count) /
                                    static_cast<double>(std::max<std::uint64_t>(data.n, 1)),
                                2));
}

} // namespace jitterscope::views
