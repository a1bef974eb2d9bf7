#pragma once

#include <QString>
#include <cstdint>
#include <optional>

#include "core/base/time.h"

namespace jitterscope::views {

/// Duration in the unit that fits, with `digits` significant digits: "12.4 µs", "155.36 s", "0 ns".
QString formatDuration(Nanoseconds duration, int digits = 4);
QString formatDuration(double nanoseconds, int digits = 4);

/// A timestamp with as many decimals as `resolution` (the length of a pixel or a tick step) justifies:
/// "155.360 s" for a resolution of 1 ms. The unit is chosen by the time's magnitude.
QString formatTime(Nanoseconds time, Nanoseconds resolution);

/// "0.0570 – 1.0000 ms": both ends of a range in one unit and with the same precision, 1/1000 of its length.
QString formatTimeRange(const Interval& range);

/// Unit of the axis that all views share: time in ns, or launch numbers for a table without times.
enum class AxisUnit : std::uint8_t { Time, Launches };

/// A position on the axis: "155.360 s", or "launch 1,234".
QString formatPlace(Nanoseconds place, Nanoseconds resolution, AxisUnit axis);
/// A length on the axis: "12.4 µs", or "20 launches".
QString formatLength(Nanoseconds length, AxisUnit axis);

/// "1,234,567": thousands separated by commas, as in all of the program's output.
QString formatCount(std::uint64_t count);

/// Value with SI prefix where the unit takes one: 1.5e9, "B/s" → "1.5 GB/s"; 1980, "MHz" → "1,980 MHz". No
/// prefix for an empty unit below 1e6.
QString formatSi(double value, const QString& unit, int digits = 4);

/// Any value with its unit: "ns" as a duration, "%" as a percentage, else formatSi. Not a number: "–".
QString formatValue(double value, const QString& unit, int digits = 4);

/// "1.4101 – 1.4104 GHz": both ends of a range with as many digits as distinguish them, at least `digits`,
/// at most 7; the unit is written once where both ends have the same.
QString formatRange(double low, double high, const QString& unit, int digits = 3);

/// 0.4213 → "42.1 %"; a non-zero share that would round to zero: "< 0.1 %".
QString formatPercent(double share, int decimals = 1);

/// Unit shared by all values of a column, so that its header can name it once.
struct TimeUnit {
  const char* name = "ns";
  double nanoseconds = 1;
};
TimeUnit timeUnitFor(double largestNanoseconds);

/// The fewest digits that read back as exactly this number: "1234.56", "1e+20". For filters and tables, never
/// for labels.
QString exactNumber(double value);
/// Parses a typed value of a unit: plain, with the unit, or with a related unit ("5000us" for ns, "2M").
std::optional<double> readValue(const QString& text, const QString& unit);
/// A text as a field of a line of CSV (RFC 4180): in quotes where it needs them.
QString csvField(QString text);

/// Plain number with `decimals` places and thousands separators.
QString formatFixed(double value, int decimals);

} // namespace jitterscope::views
