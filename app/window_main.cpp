#include "app/window_main.h"

#include <QApplication>
#include <thread>

#include "app/main_window.h"

namespace jitterscope::app {

int window_main(const QStringList& files, const QString& kernel_column) {
  MainWindow window(static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u)));
  window.resize(1500, 950);
  window.show();
  if (!files.isEmpty()) window.open(files, kernel_column);
  return QApplication::exec();
}

} // namespace jitterscope::app
