#include "app/widgets/theme.h"

#include <QApplication>
#include <QPalette>

#include "app/engine/settings.h"
#include "app/widgets/framed_style.h"

namespace jitterscope::app {

views::ViewStyle apply_theme(views::Theme theme) {
  const auto style = views::ViewStyle::of(theme);
  QApplication::setStyle(new FramedStyle);
  QPalette palette;
  palette.setColor(QPalette::Window, style.surface);
  palette.setColor(QPalette::WindowText, style.text);
  palette.setColor(QPalette::Base, style.background);
  palette.setColor(QPalette::AlternateBase, style.lane);
  palette.setColor(QPalette::Text, style.text);
  palette.setColor(QPalette::Button, style.surface);
  palette.setColor(QPalette::ButtonText, style.text);
  palette.setColor(QPalette::ToolTipBase, style.cardBackground());
  palette.setColor(QPalette::ToolTipText, style.text);
  palette.setColor(QPalette::PlaceholderText, style.mutedText);
  palette.setColor(QPalette::Highlight, style.focus);
  palette.setColor(QPalette::HighlightedText, style.isDark() ? QColor(Qt::black) : QColor(Qt::white));
  palette.setColor(QPalette::Link, style.focus);
  for (auto role : {QPalette::Text, QPalette::ButtonText, QPalette::WindowText})
    palette.setColor(QPalette::Disabled, role, style.mutedText);
  QApplication::setPalette(palette);
  return style;
}

views::Theme saved_theme() {
  const auto saved = settings().value("theme").toString();
  if (saved == "dark") return views::Theme::Dark;
  if (saved == "light") return views::Theme::Light;
  return QApplication::palette().color(QPalette::Window).lightness() < 128 ? views::Theme::Dark
                                                                           : views::Theme::Light;
}

void save_theme(views::Theme theme) {
  settings().setValue("theme", theme == views::Theme::Dark ? "dark" : "light");
}

} // namespace jitterscope::app
