#include "views/base/rates.h"

#include <cmath>

namespace jitterscope::views {

double perMany(double value, QString& unit) {
  if (value == 0 || (unit != QLatin1String("Hz") && unit != QLatin1String("B"))) return 1;
  const QString base = unit;
  double factor = 1;
  for (const QLatin1String prefix : {QLatin1String("k"), QLatin1String("M"), QLatin1String("G")}) {
    if (std::abs(value * factor) >= 1) break;
    factor *= 1000, unit = prefix + base;
  }
  return factor;
}

} // namespace jitterscope::views
