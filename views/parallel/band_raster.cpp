#include "views/parallel/band_raster.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::views {

std::vector<std::int32_t> rasteriseBands(const std::vector<Band>& bands, int columns, int height) {
  std::vector<std::int32_t> pixels;
  if (columns <= 0 || height <= 0) return pixels;
  // One row more than pixels: where −w falls after the last pixel.
  const auto stride = static_cast<std::size_t>(height) + 1;
  std::vector<std::int32_t> steps(static_cast<std::size_t>(columns) * stride, 0);
  const double across = columns > 1 ? columns - 1 : 1;
  for (const Band& band : bands) {
    if (band.weight == 0) continue;
    const auto w = static_cast<std::int32_t>(std::min<std::uint32_t>(band.weight, 1u << 30));
    double top = std::min(band.leftBegin, band.leftEnd);
    double bottom = std::max(band.leftBegin, band.leftEnd);
    const double topStep = (std::min(band.rightBegin, band.rightEnd) - top) / across;
    const double bottomStep = (std::max(band.rightBegin, band.rightEnd) - bottom) / across;
    for (int x = 0; x < columns; ++x, top += topStep, bottom += bottomStep) {
      const int first = std::clamp(static_cast<int>(std::floor(top + 1e-6)), 0, height - 1);
      const int end = std::clamp(static_cast<int>(std::ceil(bottom - 1e-6)), first + 1, height);
      std::int32_t* column = steps.data() + static_cast<std::size_t>(x) * stride;
      column[first] += w;
      column[end] -= w;
    }
  }
  pixels.resize(static_cast<std::size_t>(columns) * static_cast<std::size_t>(height));
  for (int x = 0; x < columns; ++x) {
    const std::int32_t* from = steps.data() + static_cast<std::size_t>(x) * stride;
    std::int32_t* to = pixels.data() + static_cast<std::size_t>(x) * static_cast<std::size_t>(height);
    std::int32_t sum = 0;
    for (int y = 0; y < height; ++y) {
      sum += from[y];
      to[y] = sum;
    }
  }
  return pixels;
}

} // namespace jitterscope::views
