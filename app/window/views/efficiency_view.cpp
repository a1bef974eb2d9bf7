#include <QComboBox>
#include <QLineEdit>
#include <QMainWindow>
#include <QPainter>

#include "app/controllers/efficiency_controller.h"
#include "app/export/view_csv.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/window_views.h"
#include "app/window/views/view_list.h"
#include "views/efficiency/efficiency_painter.h"
#include "views/efficiency/efficiency_widget.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {
namespace {

using views::EfficiencyWidget;

ViewExports exports_of(EfficiencyWidget* efficiency) {
  ViewExports exports;
  exports.pictures = [efficiency](Pictures& pictures, const QString& title) {
    if (efficiency->data().empty()) return;
    pictures[title] = [efficiency](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      views::efficiency::paintPicture(p, r, efficiency->data(), s);
    };
  };
  exports.csv = [efficiency](const QString&) { return csv_of(efficiency->data()); };
  return exports;
}

QDockWidget* pin_efficiency(ViewContext& context, const ViewSpec& spec, EfficiencyWidget* shown) {
  if (shown->data().factors.empty()) return nullptr;
  auto* widget = new EfficiencyWidget;
  auto* dock = context.pinned.show({spec, widget, style_of(widget), exports_of(widget)});
  for (QWidget* fixed : std::initializer_list<QWidget*>{widget->referenceBox(), widget->idealField(),
                                                        widget->ranksField(), widget->devicesField()})
    fixed->hide(); // each would need a new answer
  widget->setCollectivesUseful(shown->collectivesUseful());
  widget->collectivesBox()->setEnabled(false); // the other convention would need a new answer
  widget->setData(shown->data());
  return dock;
}

View make_efficiency(ViewContext& context) {
  auto* efficiency = new EfficiencyWidget(&context.window);
  auto* controller = context.parts.efficiency_controller =
      new EfficiencyController(context.hub, context.session, efficiency, &context.window);
  View view = view_of(efficiency);
  view.connect = [&context, controller] {
    QObject::connect(controller, &EfficiencyController::track_requested, context.parts.timeline,
                     &views::TimelineWidget::showTrack);
  };
  view.pin = [&context, efficiency](const ViewSpec& spec) {
    return pin_efficiency(context, spec, efficiency);
  };
  view.save = [controller](nlohmann::json& views) { views["efficiencies"] = controller->state(); };
  view.restore = [controller](const nlohmann::json& views, const SelectionState&) {
    if (const auto state = views.find("efficiencies"); state != views.end()) controller->restore(*state);
  };
  view.exports = exports_of(efficiency);
  view.needed_height = [efficiency](const PaperSize& size) {
    if (efficiency->data().empty()) return 0.0;
    const auto style = with_font(views::ViewStyle::paper(), size.font_pt);
    return views::efficiency::pictureHeight(efficiency->data(), size.width_mm * kPixelsOfMillimetre, style);
  };
  return view;
}

} // namespace

ViewSpec efficiency_view() {
  return {"efficiency", QT_TRANSLATE_NOOP("Jitterscope", "Efficiencies"), "efficiency",
          DockPlace{.area = Qt::RightDockWidgetArea, .tabbed_on = "causal"}, make_efficiency};
}

} // namespace jitterscope::app
