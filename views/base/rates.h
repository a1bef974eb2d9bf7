#pragma once

#include <QString>

namespace jitterscope::views {

/// Scales small rates: "−0.00001 ns per Hz" is −10 ns per MHz. Returns the factor for a value per hertz or
/// byte and replaces its unit (kHz … GHz, kB … GB), so that the value becomes at least 1 if possible. 1 for
/// other units and for 0.
double perMany(double value, QString& unit);

} // namespace jitterscope::views
