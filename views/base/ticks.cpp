#include "views/base/ticks.h"

#include <algorithm>
#include <cmath>

#include "views/base/format.h"

namespace jitterscope::views {

namespace {

double niceStep(double length, int maximum) {
  const double raw = length / std::max(maximum, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double m : {1.0, 2.0, 5.0}) {
    if (m * power >= raw * 0.999999) return m * power;
  }
  return 10 * power;
}

QString tickLabel(double value, double step, const QString& unit) {
  if (std::abs(value) < step * 1e-6) value = 0;
  if (unit == QLatin1String("ns")) return value == 0 ? QStringLiteral("0") : formatDuration(value, 6);
  if (unit.isEmpty() || unit == QLatin1String("%") || unit == QLatin1String("°C")) {
    const bool large = unit.isEmpty() && std::max(std::abs(value), step) >= 1e5;
    if (large) return value == 0 ? QStringLiteral("0") : formatSi(value, QString(), 4);
    const int decimals = step < 1 ? static_cast<int>(std::ceil(-std::log10(step) - 1e-9)) : 0;
    return formatFixed(value, std::clamp(decimals, 0, 9));
  }
  return value == 0 ? QStringLiteral("0") : formatSi(value, unit, 5);
}

// Removes trailing zeros: "20.0000 µs" as a tick label is noise.
QString shortened(QString label) {
  const auto space = label.indexOf(QLatin1Char(' '));
  QString number = space < 0 ? label : label.left(space);
  if (!number.contains(QLatin1Char('.'))) return label;
  while (number.endsWith(QLatin1Char('0'))) number.chop(1);
  if (number.endsWith(QLatin1Char('.'))) number.chop(1);
  return space < 0 ? number : number + label.mid(space);
}

} // namespace

std::vector<Tick> niceTicks(double low, double high, int maximum, const QString& unit) {
  std::vector<Tick> ticks;
  if (!(high > low) || maximum < 1 || !std::isfinite(high - low)) return ticks;
  double step = niceStep(high - low, maximum);
  auto first = static_cast<std::int64_t>(std::ceil(low / step - 1e-9));
  auto last = static_cast<std::int64_t>(std::floor(high / step + 1e-9));
  if (last - first + 1 > maximum) {
    step = niceStep(step * 1.5, 1);
    first = static_cast<std::int64_t>(std::ceil(low / step - 1e-9));
    last = static_cast<std::int64_t>(std::floor(high / step + 1e-9));
  }
  const bool plain = unit != QLatin1String("ns") && unit.isEmpty();
  for (auto i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    const QString label = tickLabel(value, step, unit);
    ticks.push_back({value, (value - low) / (high - low), plain ? label : shortened(label), true});
  }
  return ticks;
}

std::vector<Tick> logTicks(double low, double high, int maximum, const QString& unit) {
  std::vector<Tick> ticks;
  if (!(high > low) || !(low > 0) || maximum < 1) return ticks;
  const double l = std::log10(low);
  const double h = std::log10(high);
  const int first = static_cast<int>(std::floor(l + 1e-9));
  const int last = static_cast<int>(std::ceil(h - 1e-9));
  const int every = std::max(1, static_cast<int>(std::ceil((h - l) / maximum)));
  const bool fine = (h - l) * 3 <= maximum;
  for (int decade = first; decade <= last; ++decade) {
    for (const int m : {1, 2, 3, 4, 5, 6, 7, 8, 9}) {
      const double value = m * std::pow(10.0, decade);
      const double position = (std::log10(value) - l) / (h - l);
      if (position < -1e-9 || position > 1 + 1e-9) continue;
      const bool major = m == 1 ? decade % every == 0 : fine && (m == 2 || m == 5);
      if (!major && every > 1) continue;
      const QString label = major ? shortened(formatValue(value, unit, 4)) : QString();
      ticks.push_back({value, std::clamp(position, 0.0, 1.0), label, major});
    }
  }
  return ticks;
}

Nanoseconds timeStep(Nanoseconds length, int maximum) {
  const std::int64_t raw = std::max<std::int64_t>(1, length.count / std::max(maximum, 1));
  std::int64_t power = 1;
  while (power <= raw / 10) power *= 10;
  for (const std::int64_t m : {1, 2, 5}) {
    if (m * power >= raw) return {m * power};
  }
  return {10 * power};
}

std::vector<Tick> axisValueTicks(double low, double high, int maximum, const QString& unit, bool log) {
  if (!log) return niceTicks(low, high, maximum, unit);
  std::vector<Tick> ticks;
  for (const int more : {0, 1, 2}) { // allow slightly denser ticks before falling back
    ticks = logTicks(low, high, maximum + more, unit);
    if (std::count_if(ticks.begin(), ticks.end(), [](const Tick& tick) { return !tick.label.isEmpty(); }) >=
        2)
      return ticks;
  }
  ticks = niceTicks(low, high, std::min(maximum, 4), unit);
  for (auto& tick : ticks) tick.position = std::log(tick.value / low) / std::log(high / low);
  return ticks;
}

std::vector<Tick> timeTicks(Interval window, int maximum) {
  std::vector<Tick> ticks;
  if (window.empty() || maximum < 1) return ticks;
  const Nanoseconds step = timeStep(window.length(), maximum);
  const auto floorDiv = [](std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); };
  const auto length = static_cast<double>(window.length().count);
  // One unit for all labels, by the greatest time shown.
  const Nanoseconds reference{std::max(std::abs(window.begin.count), std::abs(window.end.count))};
  const TimeUnit unit = timeUnitFor(static_cast<double>(reference.count));
  int decimals = 0;
  for (double u = unit.nanoseconds; u > static_cast<double>(step.count) * 1.0000001 && decimals < 9;
       u /= 10) {
    ++decimals;
  }
  for (std::int64_t i = floorDiv(window.begin.count + step.count - 1, step.count);
       i * step.count < window.end.count; ++i) {
    const Nanoseconds time{i * step.count};
    const auto whole = time.count / static_cast<std::int64_t>(unit.nanoseconds);
    const auto rest = std::abs(time.count % static_cast<std::int64_t>(unit.nanoseconds));
    QString label = formatFixed(static_cast<double>(whole), 0);
    if (whole == 0 && time.count < 0) label = QStringLiteral("−0");
    if (decimals > 0) {
      const int places = static_cast<int>(std::ceil(std::log10(unit.nanoseconds / 1.5)));
      label +=
          QLatin1Char('.') + QString::number(rest).rightJustified(places, QLatin1Char('0')).left(decimals);
    }
    label += QLatin1Char(' ') + QString::fromUtf8(unit.name);
    ticks.push_back({static_cast<double>(time.count),
                     static_cast<double>((time - window.begin).count) / length, label, true});
  }
  return ticks;
}

std::vector<Tick> axisTicks(Interval window, int maximum, AxisUnit axis) {
  auto ticks = timeTicks(window, maximum);
  if (axis == AxisUnit::Launches)
    for (auto& tick : ticks) tick.label = formatFixed(tick.value, 0);
  return ticks;
}

} // namespace jitterscope::views
