#pragma once

#include <QColor>
#include <QString>
#include <array>
#include <vector>

#include "core/base/time.h"

namespace jitterscope::views {

/// Excess of launches along time, by kind of cause: what the strip below the time axis shows.
struct WhyData {
  static constexpr std::size_t kKinds = 9;
  struct Kind {
    QString column;   ///< of launches: what a click filters by
    double least = 0; ///< of that column: launches that the cause slowed down have more [ns]
  };
  Interval window;
  std::vector<std::array<float, kKinds>>
      columns;                    ///< by column of time: excess per time, ns/ns; below 0: less than usual
  std::array<Kind, kKinds> kinds; ///< in the order in which they are stacked
};

/// A part of the strip.
struct WhyHit {
  int kind = -1;   ///< of WhyData: of the part that is nearest, −1: none is near
  int column = -1; ///< of WhyData
};

namespace timeline {
inline constexpr double kWhyHeight = 56; ///< of the strip, where there is room
}

} // namespace jitterscope::views
