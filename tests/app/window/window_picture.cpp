// The window with a trace and its answer, without a display, as a small PNG for the README:
//   jitterscope-window-picture TRACE PICTURE.png

#include <QApplication>
#include <QTest>

#include "app/window/main_window.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  if (argc != 3) return 1;
  constexpr QSize kSize(1440, 900);
  constexpr int kPatience = 120000, kSettled = 4000; // ms
  MainWindow window(1);
  window.resize(kSize);
  window.set_theme(views::Theme::Light);
  window.show();
  window.open({argv[1]});
  const auto ready = [&] {
    return window.bins()->model().rowCount() > 0 && !window.causal()->graph().empty();
  };
  if (!QTest::qWaitFor(ready, kPatience)) return 2;
  QTest::qWait(kSettled);
  // 256 colours suffice for the views and take a third of the bytes.
  const QImage picture =
      window.grab().toImage().convertToFormat(QImage::Format_Indexed8, Qt::ThresholdDither | Qt::AvoidDither);
  return picture.save(argv[2], "PNG", 0) ? 0 : 3;
}
