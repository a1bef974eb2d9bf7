#include "app/window_main.h"

#include <QApplication>

#include "app/main_window.h"
#include "core/engine/placement.h"

namespace jitterscope::app {

int window_main(const QStringList& files, const QString& kernel_column) {
  MainWindow window(engine::place(0, engine::this_machine()).ranks);
  window.resize(1500, 950);
  window.show();
  if (!files.isEmpty()) window.open(files, kernel_column);
  return QApplication::exec();
}

} // namespace jitterscope::app
