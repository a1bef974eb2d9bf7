// The window with a trace and its answer, without a display, as a small PNG for the README:
//   jitterscope-window-picture TRACE PICTURE.png

#include <QApplication>
#include <QTest>
#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "app/window/main_window.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

namespace {

/// The 256 most frequent colours: they suffice for the views and take a third of the bytes.
QList<QRgb> frequent_colours(const QImage& image) {
  std::map<QRgb, int> uses;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) ++uses[image.pixel(x, y)];
  std::vector<std::pair<int, QRgb>> order;
  for (const auto& [colour, count] : uses) order.emplace_back(count, colour);
  std::sort(order.begin(), order.end(), std::greater<>());
  QList<QRgb> colours;
  for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 256); ++k) colours << order[k].second;
  return colours;
}

} // namespace

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
  const QImage picture = window.grab().toImage().convertToFormat(QImage::Format_RGB32);
  const QImage small = picture.convertToFormat(QImage::Format_Indexed8, frequent_colours(picture),
                                               Qt::ThresholdDither | Qt::AvoidDither);
  return small.save(argv[2], "PNG", 0) ? 0 : 3;
}
