#include "app/window/screen_sizes.h"

#include <QScreen>

#include "app/engine/settings.h"

namespace jitterscope::app {
namespace {

constexpr const char* kScreen = "window/screen";

} // namespace

bool sizes_are_of(const QScreen& screen) {
  const auto kept = settings().value(kScreen);
  return !kept.isValid() || kept.toSize() == screen.availableGeometry().size();
}

QSize room_on(const QScreen& screen) {
  constexpr QSize kTitleBar{0, 36};
  return screen.availableGeometry().size() - kTitleBar;
}

void remember_screen(const QScreen& screen) {
  settings().setValue(kScreen, screen.availableGeometry().size());
}

} // namespace jitterscope::app
