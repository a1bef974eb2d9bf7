#pragma once

#include <QString>

namespace jitterscope::views {

/// "−0.00001 ns per Hz" is −10 ns per MHz: the factor by which a value per hertz or byte is multiplied, and
/// its unit, so that there is a digit before the point. 1 for other units and for 0.
double perMany(double value, QString& unit);

} // namespace jitterscope::views
