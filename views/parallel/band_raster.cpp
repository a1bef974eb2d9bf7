#include "views/parallel/band_raster.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::views {

namespace {

// Positions along a column as fixed-point numbers with 32 fractional bits: rounding is then a shift, and the
// error of a thousand steps is far below a pixel.
constexpr int kBehind = 32;
constexpr std::int64_t kAlmostNothing =
    std::int64_t{1} << 12; // a millionth of a pixel: adjacent borders must not touch a third pixel

std::int64_t place(double pixels) {
  return static_cast<std::int64_t>(
      std::llround(std::clamp(pixels, -1e6, 1e6) * static_cast<double>(std::int64_t{1} << kBehind)));
}

} // namespace

std::vector<std::int32_t> rasteriseBands(const std::vector<Band>& bands, int columns, int height) {
  std::vector<std::int32_t> pixels;
  if (columns <= 0 || height <= 0) return pixels;
  // One row more than pixels, for a −w after the last pixel.
  const auto stride = static_cast<std::size_t>(height) + 1;
  std::vector<std::int32_t> steps(static_cast<std::size_t>(columns) * stride, 0);
  const int across = columns > 1 ? columns - 1 : 1;
  for (const Band& band : bands) {
    if (band.weight == 0) continue;
    const auto w = static_cast<std::int32_t>(std::min<std::uint32_t>(band.weight, 1u << 30));
    std::int64_t top = place(std::min(band.leftBegin, band.leftEnd)),
                 bottom = place(std::max(band.leftBegin, band.leftEnd));
    const std::int64_t topStep = (place(std::min(band.rightBegin, band.rightEnd)) - top) / across;
    const std::int64_t bottomStep = (place(std::max(band.rightBegin, band.rightEnd)) - bottom) / across;
    top += kAlmostNothing;
    bottom += (std::int64_t{1} << kBehind) - 1 - kAlmostNothing;
    std::int32_t* column = steps.data();
    for (int x = 0; x < columns; ++x, top += topStep, bottom += bottomStep, column += stride) {
      const int first = std::clamp(static_cast<int>(top >> kBehind), 0, height - 1);
      const int end = std::clamp(static_cast<int>(bottom >> kBehind), first + 1, height);
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
