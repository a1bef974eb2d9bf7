#include "views/base/colour_maps.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace jitterscope::views {

namespace {

// Mostly from Paul Tol's "bright" and "muted" schemes, ordered so that neighbouring ids differ most.
constexpr std::array<QRgb, 10> kHues = {0x4477AA, 0xCC6677, 0x228833, 0xDDAA33, 0xAA4499,
                                        0x66AACC, 0x885533, 0x8877DD, 0x44AA99, 0x999933};

QColor along(const std::vector<QColor>& stops, double t) {
  const double at = std::clamp(t, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  return mix(stops[low], stops[low + 1], at - static_cast<double>(low));
}

std::vector<QRgb> table(int size, const std::vector<QColor>& stops) {
  std::vector<QRgb> result(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    const double t = size > 1 ? static_cast<double>(i) / (size - 1) : 1.0;
    result[static_cast<std::size_t>(i)] = qPremultiply(along(stops, t).rgba());
  }
  return result;
}

QColor withAlpha(QColor colour, int alpha) {
  colour.setAlpha(alpha);
  return colour;
}

} // namespace

QColor categoryColour(std::uint32_t id, Theme theme) {
  const QColor hue(kHues[id % kHues.size()]);
  const auto round = (id / kHues.size()) % 3;
  const QColor base = theme == Theme::Dark ? mix(hue, Qt::white, 0.14) : hue;
  if (round == 1) return mix(base, Qt::white, 0.34);
  if (round == 2) return mix(base, Qt::black, 0.30);
  return base;
}

QColor dimmedColour(const QColor& colour, const ViewStyle& style) {
  const int grey = qGray(colour.rgb());
  return mix(mix(colour, QColor(grey, grey, grey), 0.6), style.background, 0.68);
}

QColor sequentialColour(double t, Theme theme) {
  static const std::vector<QColor> light = {QColor(0xE3ECF5), QColor(0xA9C8E4), QColor(0x5E9BCB),
                                            QColor(0x2468A6), QColor(0x0B2F60)};
  static const std::vector<QColor> dark = {QColor(0x1E2C3D), QColor(0x24527F), QColor(0x3B83BD),
                                           QColor(0x7FBBE6), QColor(0xE4F3FD)};
  return along(theme == Theme::Dark ? dark : light, t);
}

QColor divergingColour(double t, Theme theme) {
  static const std::vector<QColor> light = {QColor(0x1A5FA3), QColor(0x86B3DA), QColor(0xF0F0EE),
                                            QColor(0xEBA178), QColor(0xB7410E)};
  static const std::vector<QColor> dark = {QColor(0x74B7F2), QColor(0x315F8C), QColor(0x2A2D31),
                                           QColor(0x9A5329), QColor(0xFFA566)};
  return along(theme == Theme::Dark ? dark : light, (t + 1) / 2);
}

std::vector<QRgb> sequentialTable(int size, const ViewStyle& style) {
  std::vector<QColor> stops;
  for (int i = 0; i <= 8; ++i) stops.push_back(sequentialColour(i / 8.0, style.theme));
  auto result = table(size, stops);
  if (!result.empty()) result[0] = 0;
  return result;
}

std::vector<QRgb> accentTable(int size, const ViewStyle& style) {
  const QColor deep =
      style.isDark() ? mix(style.accent, Qt::white, 0.55) : mix(style.accent, Qt::black, 0.38);
  auto result = table(size, {withAlpha(style.accent, 70), withAlpha(style.accent, 190), style.accent, deep});
  if (!result.empty()) result[0] = 0;
  return result;
}

} // namespace jitterscope::views
