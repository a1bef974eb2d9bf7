// Opens traces in the real window without a display and saves pictures after each step of the main
// workflow:
//   jitterscope-screenshots FOLDER light|dark FILES…
// QT_SCALE_FACTOR=2 doubles the scale, JITTERSCOPE_WINDOW=1366x768 sets the size. JITTERSCOPE_STEPS=2 stops
// after parallel coordinates, 3 saves only selections in linked views, 4 only every view in the style for
// paper.

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <functional>

#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/distribution_panel.h"
#include "app/controllers/parallel/parallel_controller.h"
#include "app/export/export_dialog.h"
#include "app/widgets/command_palette.h"
#include "app/window/main_window.h"
#include "app/window/view_exports.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_canvas.h"
#include "views/causal/causal_multiples.h"
#include "views/causal/causal_widget.h"
#include "views/distribution/distribution_widget.h"
#include "views/evidence/evidence_widget.h"
#include "views/evidence/whatif_widget.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_widget.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

namespace {

void raise_docks(MainWindow& window, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (auto* dock = window.findChild<QDockWidget*>(name)) {
      dock->show();
      dock->raise();
    }
  QTest::qWait(1500);
}

/// Saves pictures of an area with a filter, a selected kernel, a selected group, a launch selected in the
/// table, and a palette without results.
void save_linked_views(MainWindow& window, const std::function<void(const char*)>& save) {
  const auto apply = [&](const std::function<void(SelectionState&)>& edit) {
    SelectionState state;
    edit(state);
    window.hub().apply(state);
    QTest::qWait(2500);
  };
  const Interval span = window.session().tracks().launch_span;
  const auto part = [&](double share) {
    return span.begin +
           Nanoseconds{static_cast<std::int64_t>(static_cast<double>(span.length().count) * share)};
  };
  raise_docks(window, {"dock.area", "dock.distribution"});
  apply([&](SelectionState& s) { s.brush = Interval{part(0.4), part(0.45)}; });
  window.timeline()->setCursorTime(part(0.425));
  save("7-area");
  const auto& kernels = window.kernels()->model().kernels().rows;
  if (kernels.empty()) return;
  apply([&](SelectionState& s) { s.kernels = {kernels.back().id}; });
  raise_docks(window, {"dock.kernels"});
  save("7-kernel");
  auto* group = window.distribution_choices()->groupBox();
  group->setCurrentIndex(std::max(group->findData("rank"), std::max(group->findData("stream"), 0)));
  emit group->activated(group->currentIndex());
  QTest::qWait(2000);
  const auto groups = window.distribution()->model().data.groups;
  if (!groups.empty()) emit window.distribution()->groupChosen(groups.front().filter);
  QTest::qWait(2500);
  save("7-group");
  apply([](SelectionState&) {});
  raise_docks(window, {"dock.launches"});
  window.launches()->setOrder({"duration", true});
  QTest::qWait(2000);
  auto* table = window.launches()->table();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                    table->visualRect(table->model()->index(0, 1)).center());
  QTest::qWait(1500);
  QTest::keyClick(&window, Qt::Key_F);
  QTest::qWait(1500);
  save("7-launch");
  QTest::keyClick(&window, Qt::Key_O);
  QTest::qWait(1500);
  save("7-partner");
  apply([](SelectionState&) {});
  QTest::keyClick(&window, Qt::Key_O, Qt::ShiftModifier);
  QTest::qWait(2500);
  save("7-last");
}

/// Saves every view in the style for paper, 85 mm and 170 mm wide.
void save_exports(MainWindow& window, const QString& folder) {
  for (const auto& [name, paint] : pictures_of(window))
    for (const double width : {85.0, 170.0}) {
      const QString file =
          QString("%1/paper-%2-%3").arg(folder, QString(name).replace(' ', '-').remove(':')).arg(width);
      for (const char* ending : {".svg", ".pdf", ".png"})
        if (const auto saved =
                export_view(file + ending, name, paint, {width, width > 100 ? 90.0 : 65.0, 8, 200},
                            views::ViewStyle::paper());
            !saved)
          qWarning("%s: %s", qPrintable(name), describe(saved.error()).c_str());
    }
}

} // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  if (argc < 4) return 1;
  const QString folder = argv[1];
  QStringList files;
  for (int i = 3; i < argc; ++i) files << argv[i];
  MainWindow window(2);
  window.set_theme(QString(argv[2]) == "dark" ? views::Theme::Dark : views::Theme::Light);
  const auto size = qEnvironmentVariable("JITTERSCOPE_WINDOW", "1600x1000").split('x');
  window.resize(size.value(0).toInt(), size.value(1).toInt());
  window.show();
  const auto save = [&](const char* name) {
    QTest::qWait(500);
    window.grab().save(folder + "/" + argv[2] + "-" + name + ".png");
  };
  save("0-empty");
  bool answered = false; // true after a graph, or the message that there is none
  QObject::connect(&window.session(), &SessionController::causal, &window, [&] { answered = true; });
  QObject::connect(&window.session(), &SessionController::causal_impossible, &window,
                   [&] { answered = true; });
  window.open(files);
  if (!QTest::qWaitFor([&] { return answered; }, 120000)) {
    save("1-failed");
    return 2;
  }
  save("1-open");
  if (qEnvironmentVariableIntValue("JITTERSCOPE_STEPS") == 3) {
    save_linked_views(window, save);
    return 0;
  }
  const bool on_paper = qEnvironmentVariableIntValue("JITTERSCOPE_STEPS") == 4;
  const auto& graph = window.causal()->graph();
  if (!graph.edges.empty()) { // the strongest edge and its evidence
    window.causal()->canvas()->setFocus();
    QTest::keyClick(window.causal()->canvas(), Qt::Key_Down);
    if (QTest::qWaitFor([&] { return !window.causal_controller()->evidence()->model().empty(); }, 60000))
      save("1-evidence");
    QTest::keyClick(window.causal_controller()->evidence()->canvas(), Qt::Key_H);
    save("1-evidence-measured");
    for (auto* dock : window.findChildren<QDockWidget*>())
      if (dock->objectName() == "dock.what_if") dock->raise();
    if (!graph.contributions.empty())
      if (const auto* node = graph.node(graph.contributions.front().node))
        window.causal_controller()->what_if()->setFeature(node->key);
    save("1-what-if");
    if (on_paper) {
      save_exports(window, folder);
      return 0;
    }
    QTest::keyClick(window.causal()->canvas(), Qt::Key_Escape);
    for (auto* dock : window.findChildren<QDockWidget*>())
      if (dock->objectName() == "dock.parallel") dock->raise();
  }
  if (on_paper) {
    save_exports(window, folder);
    return 0;
  }
  auto* parallel = window.parallel();
  if (!parallel->model().empty()) { // saves it brushed, then coloured by the axis with the fewest values
    const auto brushes = [&] { return window.hub().state(); }();
    const auto last = parallel->model().axis(static_cast<int>(parallel->model().order().size()) - 1);
    const double low = views::ParallelModel::valueAt(last, 0.6);
    window.parallel_controller()->set_range(last.key, -1, low, last.maximum);
    QTest::qWait(1500);
    save("4-parallel-brushed");
    window.hub().apply(brushes);
    QString key = last.key;
    for (const auto& each : parallel->model().data().axes)
      if (each.categories.size() > 1 && each.categories.size() <= 8) key = each.key;
    window.parallel_controller()->colour_by(key);
    QTest::qWait(1500);
    save("4-parallel-coloured");
    window.parallel_controller()->colour_by({});
    QTest::qWait(1000);
    const int left = static_cast<int>(parallel->model().order().size()) - 2;
    for (const double share : {0.5, 0.4, 0.3, 0.2, 0.1}) { // the rows at the pointer
      const QRectF values = parallel->model().valueRect();
      QTest::mouseMove(
          parallel,
          QPointF(parallel->model().axisX(left + 1), values.bottom() - share * values.height()).toPoint());
      if (QTest::qWaitFor([&] { return !parallel->nearLines().empty(); }, 1000)) break;
    }
    save("4-parallel-near");
    for (const auto& figure : parallel_figures()) {
      window.parallel_controller()->show_figure(figure);
      QTest::qWait(1500);
      save(("4-figure-" + figure.name.toStdString()).c_str());
    }
    window.parallel_controller()->colour_by({});
    QTest::qWait(1000);
    window.parallel_controller()->set_range(last.key, -1, views::ParallelModel::valueAt(last, 0.97),
                                            last.maximum);
    QTest::qWait(1500);
    save("4-parallel-lines");
    window.hub().apply(brushes);
    window.parallel_controller()->show_bins(true);
    QTest::qWait(1500);
    window.parallel_controller()->set_range("bin kept", -1, 0.5, 1.5);
    QTest::qWait(500);
    save("4-parallel-bins");
    window.hub().apply(brushes);
    window.parallel_controller()->show_bins(false);
    QTest::qWait(1000);
  }
  if (qEnvironmentVariableIntValue("JITTERSCOPE_STEPS") == 2) return 0;
  auto* choice = window.causal_controller()->group_choice();
  for (const int by : {1, 2, 3}) { // per kernel, else per rank, else per run
    choice->setCurrentIndex(by);
    emit choice->activated(by);
    const auto& groups = window.causal_controller()->multiples()->model().groups();
    const auto waiting = [](const views::CausalGroup& group) { return group.message.contains("…"); };
    if (!QTest::qWaitFor([&] { return !groups.empty(); }, 3000)) continue;
    if (!QTest::qWaitFor([&] { return std::none_of(groups.begin(), groups.end(), waiting); }, 120000))
      return 3;
    for (auto* dock : window.findChildren<QDockWidget*>())
      if (dock->objectName() == "dock.causal") window.resizeDocks({dock}, {1000}, Qt::Horizontal);
    save("5-groups");
    for (auto* dock : window.findChildren<QDockWidget*>())
      if (dock->objectName() == "dock.causal") window.resizeDocks({dock}, {500}, Qt::Horizontal);
    break;
  }
  choice->setCurrentIndex(0);
  emit choice->activated(0);
  if (window.bins()->table()->model()->rowCount() == 0) return 0;
  auto* table = window.bins()->table();
  const auto at = table->visualRect(table->model()->index(0, 1)).center();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, at);
  QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, at);
  QTest::qWait(2500);
  save("2-top-bin");
  const auto raise = [&](std::initializer_list<const char*> names) { raise_docks(window, names); };
  raise({"dock.kernels", "dock.distribution"});
  save("3-tables");
  SelectionState whole; // selects the whole run
  whole.window = window.session().tracks().launch_span;
  window.hub().apply(whole);
  QTest::qWait(1500);
  raise({"dock.launches", "dock.heat_map"});
  save("4-launches");
  auto* group = window.distribution_choices()->groupBox();
  group->setCurrentIndex(group->findData("configuration"));
  emit group->activated(group->currentIndex());
  window.pin("distribution");
  raise({"dock.distribution"});
  save("5-pinned");
  QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  QTest::qWait(300);
  window.palette_dialog()->grab().save(folder + "/" + argv[2] + "-6-palette.png");
  return 0;
}
