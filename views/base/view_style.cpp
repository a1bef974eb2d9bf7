#include "views/base/view_style.h"

#include <cmath>

#include <QGuiApplication>

namespace jitterscope::views {

ViewStyle ViewStyle::light() {
  ViewStyle s;
  s.theme = Theme::Light;
  s.background = QColor(0xFFFFFF);
  s.surface = QColor(0xF6F7F9);
  s.lane = QColor(0xFAFBFC);
  s.grid = QColor(0xECEEF1);
  s.border = QColor(0xD5D9DF);
  s.text = QColor(0x1B2028);
  s.mutedText = QColor(0x5A6370);
  s.faintText = QColor(0xA3ABB6);
  s.accent = QColor(0xD1540A);
  s.accentText = QColor(0xFFFFFF);
  s.focus = QColor(0x1769C2);
  s.quiet = QColor(0xB4BDC9);
  s.positive = QColor(0x16191E);
  s.negative = QColor(0xC8232C);
  s.warning = QColor(0x9A6700);
  return s;
}

ViewStyle ViewStyle::dark() {
  ViewStyle s;
  s.theme = Theme::Dark;
  s.background = QColor(0x14171C);
  s.surface = QColor(0x1C2027);
  s.lane = QColor(0x171B21);
  s.grid = QColor(0x262B33);
  s.border = QColor(0x363D47);
  s.text = QColor(0xE6E9EE);
  s.mutedText = QColor(0xA0A9B6);
  s.faintText = QColor(0x667080);
  s.accent = QColor(0xFF9A3D);
  s.accentText = QColor(0x1A1208);
  s.focus = QColor(0x5AA9FF);
  s.quiet = QColor(0x4C5665);
  s.positive = QColor(0xF2F4F7);
  s.negative = QColor(0xFF6B66);
  s.warning = QColor(0xE3B341);
  return s;
}

ViewStyle ViewStyle::paper() {
  ViewStyle s = light();
  s.theme = Theme::Paper;
  s.surface = QColor(0xFFFFFF);
  s.lane = QColor(0xFFFFFF);
  s.border = QColor(0xB8BEC6);
  s.text = QColor(Qt::black);
  s.mutedText = QColor(0x3C434D);
  s.positive = QColor(Qt::black);
  return s;
}

ViewStyle ViewStyle::of(Theme theme) {
  if (theme == Theme::Dark) return dark();
  return theme == Theme::Paper ? paper() : light();
}

QFont ViewStyle::font(FontRole role) const {
  QFont font = fontFamily.isEmpty() ? QGuiApplication::font() : QFont(fontFamily);
  font.setBold(false);
  font.setPixelSize(role == FontRole::Small   ? smallPixels
                    : role == FontRole::Title ? titlePixels
                                              : normalPixels);
  if (role == FontRole::Emphasis || role == FontRole::Title) font.setWeight(QFont::Bold);
  return font;
}

QColor ViewStyle::cardBackground() const {
  return isDark() ? QColor(0x272D36) : QColor(0xFFFFFF);
}

QColor ViewStyle::veil() const {
  QColor colour = background;
  colour.setAlpha(170);
  return colour;
}

QColor mix(const QColor& a, const QColor& b, double t) {
  const auto at = [t](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * t)); };
  return QColor(at(a.red(), b.red()), at(a.green(), b.green()), at(a.blue(), b.blue()),
                at(a.alpha(), b.alpha()));
}

QColor textOn(const QColor& ground) {
  return qGray(ground.rgb()) > 140 ? QColor(0x14171C) : QColor(0xFFFFFF);
}

} // namespace jitterscope::views
