#pragma once

#include <cstdint>
#include <vector>

namespace jitterscope::views {

/// A band from pixels [leftBegin, leftEnd) at the left edge to [rightBegin, rightEnd) at the right one.
struct Band {
  double leftBegin = 0;
  double leftEnd = 0;
  double rightBegin = 0;
  double rightEnd = 0;
  std::uint32_t weight = 0;
};

/// Sums the weights of all bands in every pixel, column-major (column·height + y). Each band adds its weight
/// to the pixels of its slanted stripe, at least one per column: +w at the first, −w after the last, then a
/// running sum down the column. Cost: bands · columns + pixels, independent of the number of rows.
std::vector<std::int32_t> rasteriseBands(const std::vector<Band>& bands, int columns, int height);

} // namespace jitterscope::views
