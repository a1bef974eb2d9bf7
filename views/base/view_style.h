#pragma once

#include <QColor>
#include <QFont>
#include <QString>

namespace jitterscope::views {

enum class Theme { Light, Dark, Paper };
enum class FontRole { Small, Normal, Emphasis, Title };

/// All style parameters of a painting function. Lengths are logical pixels at 96 dpi; the
/// painter's transformation does the scaling, so one style serves screen, PNG at any scale, SVG and PDF.
struct ViewStyle {
  Theme theme = Theme::Light;
  QColor background; ///< window background
  QColor surface;    ///< cards, headers, panels
  QColor lane;       ///< background of every second row
  QColor grid;       ///< hairlines inside a plot
  QColor border;     ///< hairlines around areas
  QColor text;
  QColor mutedText;
  QColor faintText;  ///< decoration only: information never depends on it alone
  QColor accent;     ///< selected rows, kept bins, highlighted launch
  QColor accentText; ///< text on top of the accent
  QColor focus;      ///< brushed range, window frame, keyboard focus
  QColor quiet;      ///< unselected data
  QColor positive;   ///< positive effects (black on paper)
  QColor negative;   ///< negative effects (red)
  QColor warning;
  QString fontFamily; ///< empty: the application's font
  int smallPixels = 11;
  int normalPixels = 12;
  int titlePixels = 14;

  static ViewStyle light();
  static ViewStyle dark();
  /// White background, black lines: figures for reports.
  static ViewStyle paper();
  static ViewStyle of(Theme theme);

  bool isDark() const { return theme == Theme::Dark; }
  QFont font(FontRole role = FontRole::Normal) const;
  /// Background of a card that floats above a plot.
  QColor cardBackground() const;
  /// Drawn over content that is out of date.
  QColor veil() const;
};

/// a·(1−t) + b·t, per channel.
QColor mix(const QColor& a, const QColor& b, double t);
/// Black or white, whichever is readable as text on this colour.
QColor textOn(const QColor& ground);

} // namespace jitterscope::views
