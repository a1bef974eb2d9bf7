#pragma once

#include <QString>

#include "views/base/view_style.h"

namespace jitterscope::app {

/// Applies a theme to the whole application (Fusion style, palette) and returns the style of its views.
views::ViewStyle apply_theme(views::Theme theme);

/// The theme chosen by the user, else according to the desktop's palette.
views::Theme saved_theme();
void save_theme(views::Theme theme);

} // namespace jitterscope::app
