#pragma once

#include <QSize>

class QScreen;

namespace jitterscope::app {

/// Whether the sizes in the settings are of a screen of this size, in logical pixels: those of another
/// screen, or of another scale, are too small or too large on this one. True without sizes.
bool sizes_are_of(const QScreen& screen);
/// Room for a window on a screen, without its title bar.
QSize room_on(const QScreen& screen);
void remember_screen(const QScreen& screen);

} // namespace jitterscope::app
