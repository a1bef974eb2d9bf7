// Shows the performance model of files in a real window without a display and saves pictures of it:
//   jitterscope-model-pictures FOLDER light|dark FILES…      (QT_SCALE_FACTOR=2 for the double scale)

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QTest>

#include <cstdio>

#include "app/window/main_window.h"
#include "tests/app/window/settled.h"
#include "views/model/model_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  const auto arguments = QApplication::arguments();
  if (arguments.size() < 4) return std::fprintf(stderr, "usage: FOLDER light|dark FILES…\n"), 1;
  MainWindow window(1);
  window.set_theme(arguments[2] == "dark" ? views::Theme::Dark : views::Theme::Light);
  const auto size = qEnvironmentVariable("JITTERSCOPE_WINDOW", "1600x1000").split('x');
  window.resize(size.value(0).toInt(), size.value(1).toInt());
  window.show();
  auto* dock = window.findChild<QDockWidget*>("dock.model");
  dock->show();
  dock->raise();
  window.open(arguments.mid(3));
  auto* view = window.widget<views::ModelWidget>("model");
  const auto shown = [&] {
    return window.session().has_session() && (!view->data().empty() || !view->data().missing.isEmpty());
  };
  if (!QTest::qWaitFor(shown, 120'000)) return std::fprintf(stderr, "no predictions after 120 s\n"), 1;
  if (!settled(window)) return std::fprintf(stderr, "the window is still computing\n"), 1;
  const auto save = [&](const QString& name, QWidget* of) {
    of->grab().save(arguments[1] + "/" + arguments[2] + "-" + name + ".png");
  };
  save("window", &window);
  dock->setFloating(true);
  dock->resize(1180, 620);
  for (int c = 0; c < view->chartBox()->count(); ++c) {
    view->chartBox()->setCurrentIndex(c);
    emit view->chartBox()->activated(c);
    if (!view->canvas()->layout().marks.empty()) view->open(view->canvas()->layout().marks.front().index);
    if (!settled(window)) return 1;
    save("chart-" + QString::number(c), view);
  }
  if (view->data().kernels.empty()) return window.close(), 0;
  view->setChart(views::model::Chart::Scatter);
  view->gpuBox()->setCurrentIndex(view->gpuBox()->findData("MI300X"));
  emit view->gpuBox()->activated(0);
  if (!QTest::qWaitFor([&] { return !view->data().asked.isEmpty(); }, 60'000))
    return std::fprintf(stderr, "no answer to the what-if question after 60 s\n"), 1;
  if (!settled(window)) return 1;
  view->open(0);
  save("what-if", view);
  window.close();
  return 0;
}
