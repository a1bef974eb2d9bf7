#pragma once

#include <QColor>
#include <QString>
#include <array>
#include <vector>

#include "core/base/time.h"

namespace jitterscope::views {

/// Excess duration of launches over time, by kind of cause: content of the strip below the time axis.
struct WhyData {
  static constexpr std::size_t kKinds = 9;
  struct Kind {
    QString column;     ///< launch column that a click filters by
    double minimum = 0; ///< threshold in that column: launches slowed down by the cause have more [ns]
  };
  Interval window;
  std::vector<std::array<float, kKinds>> columns; ///< by time column: excess per ns [ns/ns]; < 0: faster than
                                                  ///< typical
  std::array<Kind, kKinds> kinds;                 ///< kinds of cause, in stacking order
};

/// Hit test result in the strip.
struct WhyHit {
  int kind = -1;   ///< index in WhyData::kinds of the nearest part, −1: none nearby
  int column = -1; ///< index in WhyData::columns
};

namespace timeline {
inline constexpr double kWhyHeight = 56; ///< height of the strip, if there is room
}

} // namespace jitterscope::views
