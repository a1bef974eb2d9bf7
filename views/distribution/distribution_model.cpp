#include "views/distribution/distribution_model.h"

#include <algorithm>
#include <cmath>

#include "views/base/format.h"

namespace jitterscope::views {

double DistributionModel::drawn(double value) const {
  return data.logScale ? std::log10(std::max(value, 1e-300)) : value;
}

double DistributionModel::drawnLow() const {
  return drawn(data.edges.front());
}

double DistributionModel::drawnHigh() const {
  return drawn(data.edges.back());
}

std::uint64_t DistributionModel::greatest() const {
  return data.all.empty() ? 0 : *std::max_element(data.all.begin(), data.all.end());
}

double DistributionModel::xAt(double value) const {
  const double length = drawnHigh() - drawnLow();
  return plot.left() + (length > 0 ? (drawn(value) - drawnLow()) / length : 0.5) * plot.width();
}

double DistributionModel::valueAt(double x) const {
  const double t = std::clamp((x - plot.left()) / plot.width(), 0.0, 1.0);
  const double value = drawnLow() + t * (drawnHigh() - drawnLow());
  return data.logScale ? std::pow(10.0, value) : value;
}

double DistributionModel::yAt(double count) const {
  const auto most = static_cast<double>(std::max<std::uint64_t>(greatest(), 1));
  return plot.bottom() - count / (most * 1.06) * plot.height();
}

int DistributionModel::binAt(double x) const {
  if (data.empty() || x < plot.left() || x > plot.right()) return -1;
  const double value = valueAt(x);
  const auto above = std::upper_bound(data.edges.begin(), data.edges.end(), value);
  const auto bin = static_cast<int>(above - data.edges.begin()) - 1;
  return std::clamp(bin, 0, static_cast<int>(data.all.size()) - 1);
}

std::vector<Tick> DistributionModel::xTicks() const {
  const int wanted = std::max(2, static_cast<int>(plot.width() / 84));
  return data.logScale ? logTicks(data.edges.front(), data.edges.back(), wanted, data.unit)
                       : niceTicks(data.edges.front(), data.edges.back(), wanted, data.unit);
}

std::vector<Tick> DistributionModel::yTicks() const {
  const auto most = static_cast<double>(std::max<std::uint64_t>(greatest(), 1)) * 1.06;
  auto ticks = niceTicks(0, most, std::max(2, static_cast<int>(plot.height() / 42)));
  std::erase_if(ticks, [](const Tick& t) { return t.value != std::floor(t.value); });
  return ticks;
}

std::vector<DistributionLine> DistributionModel::lines() const {
  std::vector<DistributionLine> result;
  if (data.q1) result.push_back({QStringLiteral("q1"), *data.q1, true});
  if (data.median) result.push_back({QStringLiteral("median"), *data.median, false});
  if (data.q3) result.push_back({QStringLiteral("q3"), *data.q3, true});
  if (data.mean) result.push_back({QStringLiteral("mean"), *data.mean, false});
  return result;
}

QString DistributionModel::headline() const {
  QString text = data.title + QStringLiteral("   n = ") + formatCount(data.n);
  if (!data.selected.empty()) text += QStringLiteral(", selected ") + formatCount(data.selectedN);
  return text;
}

QString DistributionModel::binText(int bin) const {
  if (bin < 0 || bin >= static_cast<int>(data.all.size())) return {};
  const auto i = static_cast<std::size_t>(bin);
  const auto share = [&](std::uint64_t count) {
    return formatPercent(data.n > 0 ? static_cast<double>(count) / static_cast<double>(data.n) : 0, 2);
  };
  QString text = formatValue(data.edges[i], data.unit) + QStringLiteral(" – ") +
                 formatValue(data.edges[i + 1], data.unit);
  text += QStringLiteral("\nAll\t%1 (%2 of n)").arg(formatCount(data.all[i]), share(data.all[i]));
  if (i < data.selected.size()) text += QStringLiteral("\nSelected\t%1").arg(formatCount(data.selected[i]));
  return text;
}

} // namespace jitterscope::views
