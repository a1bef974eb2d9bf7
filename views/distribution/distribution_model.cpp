#include "views/distribution/distribution_model.h"

#include <algorithm>
#include <cmath>

#include "views/base/format.h"
#include "views/base/text.h"

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
  const auto& bars = heights();
  return bars.empty() ? 0 : *std::max_element(bars.begin(), bars.end());
}

std::uint64_t DistributionModel::reached() const {
  // All rows have a scale of their own if their highest bar exceeds that of the selection by this factor.
  constexpr std::uint64_t kFlat = 6;
  const std::uint64_t all = greatest();
  const auto& some = selectedHeights();
  if (data.logHeights || some.empty()) return all;
  std::uint64_t maximum = *std::max_element(some.begin(), some.end());
  if (!data.time)
    for (const auto& group : data.groups)
      if (!group.dimmed && !group.counts.empty())
        maximum = std::max(maximum, *std::max_element(group.counts.begin(), group.counts.end()));
  return maximum > 0 && maximum * kFlat < all ? maximum : all;
}

double DistributionModel::drawnHeight(double amount) const {
  if (!data.logHeights) return amount;
  return amount > 0 ? std::max(0.0, std::log10(amount) + 0.3) : 0;
}

double DistributionModel::drawnHeightOfAll(double amount) const {
  if (!twoScales()) return drawnHeight(amount);
  return drawnHeight(amount) / drawnHeight(static_cast<double>(greatest())) *
         drawnHeight(static_cast<double>(reached()));
}

double DistributionModel::drawnTop() const {
  return drawnHeight(static_cast<double>(std::max<std::uint64_t>(reached(), 1))) * 1.06;
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
  return plot.bottom() - std::min(drawnHeight(count) / drawnTop(), 1.0) * plot.height();
}

int DistributionModel::binAt(double x) const {
  if (data.empty() || x < plot.left() || x > plot.right()) return -1;
  const double value = valueAt(x);
  const auto above = std::upper_bound(data.edges.begin(), data.edges.end(), value);
  const auto bin = static_cast<int>(above - data.edges.begin()) - 1;
  return std::clamp(bin, 0, static_cast<int>(data.all.size()) - 1);
}

std::vector<Tick> DistributionModel::xTicks() const {
  const int preferred = std::max(2, static_cast<int>(plot.width() / 84));
  return axisValueTicks(data.edges.front(), data.edges.back(), preferred, data.unit, data.logScale);
}

std::vector<Tick> DistributionModel::yTicks() const {
  const auto maximum = static_cast<double>(std::max<std::uint64_t>(reached(), 1));
  const int preferred = std::max(2, static_cast<int>(plot.height() / 42));
  const QString unit = data.time ? QStringLiteral("ns") : QString();
  auto ticks = data.logHeights ? logTicks(1, std::max(maximum * 1.2, 2.0), preferred, unit)
                               : niceTicks(0, maximum * 1.06, preferred, unit);
  std::erase_if(ticks, [](const Tick& t) { return t.value != std::floor(t.value); });
  if (!data.time)
    for (Tick& tick : ticks)
      if (tick.label.endsWith(QStringLiteral(".0"))) tick.label.chop(2); // counts are integers for any step
  return ticks;
}

std::vector<DistributionLine> DistributionModel::lines() const {
  std::vector<DistributionLine> result;
  if (data.q1) result.push_back({QStringLiteral("q1"), *data.q1, true});
  if (data.median) result.push_back({QT_TRANSLATE_NOOP("Distribution", "median"), *data.median, false});
  if (data.q3) result.push_back({QStringLiteral("q3"), *data.q3, true});
  if (data.mean) result.push_back({QT_TRANSLATE_NOOP("Distribution", "mean"), *data.mean, false});
  return result;
}

QString DistributionModel::headline() const {
  QStringList counts{Text::tr("n = %1").arg(formatCount(data.n))};
  if (!data.selected.empty()) counts << Text::tr("%1 selected").arg(formatCount(data.selectedN));
  if (data.missing > 0) counts << Text::tr("%1 without a value").arg(formatCount(data.missing));
  if (data.outside > 0) counts << Text::tr("%1 at or below 0").arg(formatCount(data.outside));
  return data.title + QStringLiteral("   ") + counts.join(QStringLiteral(", "));
}

std::vector<DistributionFact> DistributionModel::facts() const {
  std::vector<DistributionFact> facts;
  const auto add = [&](const QString& name, const std::optional<double>& value) {
    if (value) facts.push_back({name, formatValue(*value, data.unit)});
  };
  facts.push_back({QStringLiteral("n"), formatCount(data.selectedN)});
  add(QT_TRANSLATE_NOOP("Distribution", "mean"), data.mean);
  if (!data.modes.empty()) {
    const auto& counts = data.selected.empty() ? data.all : data.selected;
    const auto highest =
        std::max_element(data.modes.begin(), data.modes.end(), [&](const auto& a, const auto& b) {
          return counts[static_cast<std::size_t>(a.bin)] < counts[static_cast<std::size_t>(b.bin)];
        });
    const auto bin = static_cast<std::size_t>(highest->bin);
    facts.push_back({QT_TRANSLATE_NOOP("Distribution", "mode"),
                     formatRange(data.edges[bin], data.edges[bin + 1], data.unit)});
  }
  add(QStringLiteral("σ"), data.std);
  if (data.cv) facts.push_back({QT_TRANSLATE_NOOP("Distribution", "CV"), formatPercent(*data.cv)});
  add(QT_TRANSLATE_NOOP("Distribution", "min"), data.minimum);
  for (const auto& each : data.percentiles) {
    const int decimals = each.percent == std::floor(each.percent) ? 0 : 1;
    add(QStringLiteral("P") + QString::number(each.percent, 'f', decimals), each.value);
  }
  add(QT_TRANSLATE_NOOP("Distribution", "max"), data.maximum);
  return facts;
}

QString DistributionModel::modesText() const {
  if (data.modes.size() < 2 || data.selectedN == 0) return {};
  QStringList parts;
  for (const auto& mode : data.modes) {
    const auto bin = static_cast<std::size_t>(mode.bin);
    const double middle = data.logScale ? std::sqrt(data.edges[bin] * data.edges[bin + 1])
                                        : (data.edges[bin] + data.edges[bin + 1]) / 2;
    parts << Text::tr("%1 around %2")
                 .arg(formatPercent(static_cast<double>(mode.n) / static_cast<double>(data.selectedN), 0),
                      formatValue(middle, data.unit, 3));
  }
  return Text::tr("%1 modes: ").arg(data.modes.size()) + parts.join(QStringLiteral(", "));
}

QString DistributionModel::binText(int bin) const {
  if (bin < 0 || bin >= static_cast<int>(data.all.size())) return {};
  const auto i = static_cast<std::size_t>(bin);
  const auto share = [&](std::uint64_t count) {
    return formatPercent(data.n > 0 ? static_cast<double>(count) / static_cast<double>(data.n) : 0, 2);
  };
  QString text = formatRange(data.edges[i], data.edges[i + 1], data.unit, 4);
  text += Text::tr("\nAll\t%1 (%2 of n)").arg(formatCount(data.all[i]), share(data.all[i]));
  if (i < data.selected.size()) text += Text::tr("\nSelected\t%1").arg(formatCount(data.selected[i]));
  if (i < data.allTime.size())
    text += Text::tr("\nTime\t%1").arg(formatDuration(static_cast<double>(data.allTime[i])));
  for (const auto& group : data.groups)
    if (i < group.counts.size() && group.counts[i] > 0)
      text += QStringLiteral("\n%1\t%2").arg(group.label, formatCount(group.counts[i]));
  return text;
}

} // namespace jitterscope::views
