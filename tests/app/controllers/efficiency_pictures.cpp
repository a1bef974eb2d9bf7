// Shows the efficiencies of a trace in a real window without a display and saves pictures of it:
//   jitterscope-efficiency-pictures FOLDER light|dark FILES…      (QT_SCALE_FACTOR=2 for the double scale)

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QTest>

#include <cstdio>

#include "app/window/main_window.h"
#include "views/efficiency/efficiency_widget.h"
#include "views/timeline/timeline_widget.h"

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
  auto* dock = window.findChild<QDockWidget*>("dock.efficiency");
  dock->raise();
  window.open(arguments.mid(3));
  auto* view = window.widget<views::EfficiencyWidget>("efficiency");
  if (!QTest::qWaitFor([&] { return !view->data().empty(); }, 120'000))
    return std::fprintf(stderr, "no efficiencies after 120 s\n"), 1;
  QTest::qWait(2'000);
  const auto save = [&](const char* name, QWidget* of) {
    of->grab().save(arguments[1] + "/" + arguments[2] + "-" + name + ".png");
  };
  save("window", &window);
  const auto all = view->data().range;
  const auto tenth = all.length().count / 10;
  SelectionState state = window.hub().state();
  state.brush = Interval{all.begin + Nanoseconds{4 * tenth}, all.begin + Nanoseconds{5 * tenth}};
  window.hub().apply(state);
  QTest::qWait(1'500);
  view->collectivesBox()->setCurrentIndex(1);
  emit view->collectivesBox()->activated(1);
  QTest::qWait(1'500);
  QTest::keyClick(view->canvas(), Qt::Key_Down);
  QTest::keyClick(view->canvas(), Qt::Key_Down);
  QTest::qWait(300);
  save("brushed", &window);
  dock->setFloating(true);
  dock->resize(980, 560);
  QTest::qWait(500);
  save("alone", view);
  window.close();
  return 0;
}
