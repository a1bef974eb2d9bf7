#pragma once

#include <QString>
#include <vector>

#include "core/base/time.h"
#include "views/base/format.h"

namespace jitterscope::views {

struct Tick {
  double value = 0;    ///< in the axis' own units (time axes: ns)
  double position = 0; ///< 0 at the axis' start, 1 at its end
  QString label;       ///< empty for minor ticks
  bool major = true;
};

/// Steps 1, 2, 5 × 10^k, at most `maximum` ticks inside [low, high]; none when the interval is empty.
std::vector<Tick> niceTicks(double low, double high, int maximum, const QString& unit = {});

/// Decades (and 2, 5 when few decades are shown) inside [low, high]; low must be > 0.
std::vector<Tick> logTicks(double low, double high, int maximum, const QString& unit = {});

/// Returns logTicks if `log`, unless the interval is too short for two labelled ones: then niceTicks, at
/// logarithmic positions. Returns niceTicks otherwise.
std::vector<Tick> axisValueTicks(double low, double high, int maximum, const QString& unit, bool log);

/// Ticks of a time axis: steps 1, 2, 5 × 10^k ns, labels with common precision and unit. Values are exact
/// multiples of the step (int64 arithmetic).
std::vector<Tick> timeTicks(Interval window, int maximum);

/// timeTicks for an axis that may count launches instead: labels are then launch numbers.
std::vector<Tick> axisTicks(Interval window, int maximum, AxisUnit axis);

/// The step of timeTicks.
Nanoseconds timeStep(Nanoseconds length, int maximum);

} // namespace jitterscope::views
