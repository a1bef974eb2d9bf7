#include "views/base/format.h"

#include <QLocale>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

namespace jitterscope::views {

namespace {

constexpr int kMaxDigits = 7; ///< maximum number of digits for the ends of a narrow range
const QString kNothing = QStringLiteral("–");

constexpr std::array<TimeUnit, 4> kTimeUnits = {{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

int decimalsFor(double magnitude, int digits) {
  if (magnitude <= 0) return 0;
  const int before = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  return std::clamp(digits - before, 0, 9);
}

QString trimmed(QString number) {
  if (!number.contains(QLatin1Char('.'))) return number;
  while (number.endsWith(QLatin1Char('0'))) number.chop(1);
  if (number.endsWith(QLatin1Char('.'))) number.chop(1);
  return number;
}

// Number with `digits` significant digits; insignificant zeros are kept, so that columns align. A value that
// rounds up to 1000 of its unit is left to the caller.
QString significant(double value, int digits) {
  return formatFixed(value, decimalsFor(std::abs(value), digits));
}

double roundedTo(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

// False for units that take no prefix: "kMHz" and "kblocks" are not units.
bool acceptsPrefix(const QString& unit) {
  static const QStringList base = {QStringLiteral("B"),   QStringLiteral("B/s"),    QStringLiteral("Hz"),
                                   QStringLiteral("W"),   QStringLiteral("J"),      QStringLiteral("FLOP/s"),
                                   QStringLiteral("bit"), QStringLiteral("FLOP"),   QStringLiteral("bit/s"),
                                   QStringLiteral("V"),   QStringLiteral("instr/s")};
  return base.contains(unit);
}

} // namespace

QString csvField(QString text) {
  const auto needs = [](QChar c) { return c == u',' || c == u'"' || c == u'\n' || c == u'\r'; };
  if (std::none_of(text.begin(), text.end(), needs)) return text;
  return QLatin1Char('"') + text.replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"');
}

QString exactNumber(double value) {
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= 1e-6 && size < 1e16);
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  return QString::fromLatin1(text.data(), end.ptr - text.data());
}

QString formatFixed(double value, int decimals) {
  if (!std::isfinite(value)) return kNothing;
  static const QLocale locale(QLocale::English, QLocale::UnitedStates);
  QString text = locale.toString(value, 'f', decimals);
  if (text.startsWith(QLatin1Char('-'))) text.replace(0, 1, QStringLiteral("−"));
  return text;
}

QString formatCount(std::uint64_t count) {
  static const QLocale locale(QLocale::English, QLocale::UnitedStates);
  return locale.toString(static_cast<qulonglong>(count));
}

TimeUnit timeUnitFor(double largestNanoseconds) {
  TimeUnit unit = kTimeUnits[0];
  for (const auto& u : kTimeUnits) {
    if (std::abs(largestNanoseconds) >= u.nanoseconds) unit = u;
  }
  return unit;
}

QString formatDuration(double nanoseconds, int digits) {
  if (!std::isfinite(nanoseconds)) return kNothing;
  const double value = roundedTo(nanoseconds, digits);
  const TimeUnit unit = timeUnitFor(value);
  QString number = significant(value / unit.nanoseconds, digits);
  if (unit.nanoseconds == 1) number = trimmed(number);
  return number + QLatin1Char(' ') + QString::fromUtf8(unit.name);
}

QString formatDuration(Nanoseconds duration, int digits) {
  return formatDuration(static_cast<double>(duration.count), digits);
}

namespace {

/// "1.0500": a time in a unit, with as many decimals as the resolution justifies. Exact in int64: whole units
/// and the remainder separately, so that a run of days still shows single ns.
QString timeNumber(Nanoseconds time, Nanoseconds resolution, const TimeUnit& unit) {
  const auto per = static_cast<std::int64_t>(unit.nanoseconds);
  int decimals = 0;
  auto step = static_cast<double>(std::max<std::int64_t>(resolution.count, 1));
  for (double u = unit.nanoseconds; u > step * 1.0000001 && decimals < 9; u /= 10) ++decimals;
  std::int64_t scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  scale = std::min(scale, per);
  const std::int64_t grain = per / scale;
  const std::int64_t magnitude = time.count < 0 ? -time.count : time.count;
  const std::int64_t rounded = (magnitude + grain / 2) / grain;
  QString text = formatCount(static_cast<std::uint64_t>(rounded / scale));
  if (scale > 1) {
    int places = 0;
    for (auto s = scale; s > 1; s /= 10) ++places;
    text += QLatin1Char('.') + QString::number(rounded % scale).rightJustified(places, QLatin1Char('0'));
  }
  if (time.count < 0 && rounded != 0) text.prepend(QStringLiteral("−"));
  return text;
}

} // namespace

QString formatTime(Nanoseconds time, Nanoseconds resolution) {
  const TimeUnit unit = timeUnitFor(static_cast<double>(time.count));
  return timeNumber(time, resolution, unit) + QLatin1Char(' ') + QString::fromUtf8(unit.name);
}

QString formatTimeRange(const Interval& range) {
  const Nanoseconds step{std::max<std::int64_t>(range.length().count / 1000, 1)};
  const auto size = [](Nanoseconds time) { return std::abs(static_cast<double>(time.count)); };
  const TimeUnit unit = timeUnitFor(std::max(size(range.begin), size(range.end)));
  const QString begin = range.begin.count == 0 ? QStringLiteral("0") : timeNumber(range.begin, step, unit);
  return QStringLiteral("%1 – %2 %3")
      .arg(begin, timeNumber(range.end, step, unit), QString::fromUtf8(unit.name));
}

QString formatSi(double value, const QString& unit, int digits) {
  if (!std::isfinite(value)) return kNothing;
  struct Prefix {
    const char* name;
    double factor;
  };
  static constexpr std::array<Prefix, 5> prefixes = {
      {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}};
  const double rounded = roundedTo(value, digits);
  if (!unit.isEmpty() && !acceptsPrefix(unit)) {
    return trimmed(significant(rounded, digits)) + QLatin1Char(' ') + unit;
  }
  Prefix prefix = prefixes[0];
  for (const auto& p : prefixes) {
    constexpr double kRounding = 1 + 1e-12; // 999,999,999.9999999 Hz is 1 GHz
    if (std::abs(rounded) * kRounding >= p.factor && (p.factor != 1e3 || !unit.isEmpty())) prefix = p;
  }
  if (unit.isEmpty() && std::abs(value) < 1e6 && value == std::round(value)) return formatFixed(value, 0);
  if (unit.isEmpty() && std::abs(rounded) < 1e6) return trimmed(significant(rounded, std::max(digits, 6)));
  const QString tail = QString::fromLatin1(prefix.name) + unit;
  const QString number = trimmed(significant(rounded / prefix.factor, digits));
  return tail.isEmpty() ? number : number + QLatin1Char(' ') + tail;
}

QString formatValue(double value, const QString& unit, int digits) {
  if (!std::isfinite(value)) return kNothing;
  if (unit == QLatin1String("ns")) return formatDuration(value, digits);
  if (unit == QString::fromUtf8("ns²")) {
    const TimeUnit of = timeUnitFor(std::sqrt(std::abs(value)));
    return trimmed(significant(value / of.nanoseconds / of.nanoseconds, digits)) + QLatin1Char(' ') +
           QString::fromUtf8(of.name) + QString::fromUtf8("²");
  }
  if (unit == QLatin1String("%"))
    return formatFixed(value, decimalsFor(std::abs(value), digits > 4 ? digits : 3)) + QStringLiteral(" %");
  if (unit == QLatin1String("°C")) return trimmed(significant(value, digits)) + QStringLiteral(" °C");
  return formatSi(value, unit, digits);
}

QString formatRange(double low, double high, const QString& unit, int digits) {
  while (digits < kMaxDigits && low != high &&
         formatValue(low, unit, digits) == formatValue(high, unit, digits))
    ++digits;
  QString from = formatValue(low, unit, digits);
  const QString to = formatValue(high, unit, digits);
  const auto suffix = [](const QString& text) { return text.section(QLatin1Char(' '), 1); };
  if (suffix(from) == suffix(to)) from = from.section(QLatin1Char(' '), 0, 0);
  return from + QStringLiteral(" – ") + to;
}

QString formatPercent(double share, int decimals) {
  if (!std::isfinite(share)) return kNothing;
  const double minimum = std::pow(10.0, -decimals) / 100;
  if (share > 0 && share < minimum / 2)
    return QStringLiteral("< ") + formatFixed(minimum * 100, decimals) + QStringLiteral(" %");
  return formatFixed(share * 100, decimals) + QStringLiteral(" %");
}

QString formatPlace(Nanoseconds place, Nanoseconds resolution, AxisUnit axis) {
  if (axis == AxisUnit::Time) return formatTime(place, resolution);
  return QStringLiteral("launch ") + formatFixed(static_cast<double>(place.count), 0);
}

QString formatLength(Nanoseconds length, AxisUnit axis) {
  if (axis == AxisUnit::Time) return formatDuration(length);
  return formatFixed(static_cast<double>(length.count), 0) +
         (length.count == 1 ? QStringLiteral(" launch") : QStringLiteral(" launches"));
}

std::optional<double> readValue(const QString& text, const QString& unit) {
  static const QRegularExpression kForm(QStringLiteral(
      "^\\s*([+\\-−]?[0-9][0-9,]*(?:\\.[0-9]*)?(?:[eE][+\\-]?[0-9]+)?|[+\\-−]?\\.[0-9]+)\\s*(\\S*)\\s*$"));
  const auto match = kForm.match(text);
  if (!match.hasMatch()) return std::nullopt;
  const double value =
      match.captured(1).remove(QLatin1Char(',')).replace(QChar(0x2212), QLatin1Char('-')).toDouble();
  const QString suffix = match.captured(2);
  if (suffix.isEmpty() || suffix == unit) return value;
  static const std::map<QString, double> kTimes = {{"ns", 1},   {"us", 1e3}, {"µs", 1e3},   {"μs", 1e3},
                                                   {"ms", 1e6}, {"s", 1e9},  {"min", 60e9}, {"h", 3600e9}};
  static const std::map<QString, double> kPrefixes = {{"k", 1e3},  {"K", 1e3},  {"M", 1e6}, {"G", 1e9},
                                                      {"T", 1e12}, {"m", 1e-3}, {"µ", 1e-6}};
  if (unit == QLatin1String("ns")) {
    const auto found = kTimes.find(suffix);
    return found == kTimes.end() ? std::nullopt : std::optional(value * found->second);
  }
  const QString prefix = !unit.isEmpty() && suffix.endsWith(unit) ? suffix.chopped(unit.size()) : suffix;
  const auto found = kPrefixes.find(prefix);
  return found == kPrefixes.end() ? std::nullopt : std::optional(value * found->second);
}

} // namespace jitterscope::views
