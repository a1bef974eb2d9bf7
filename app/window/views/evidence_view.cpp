// Views that the causal controller makes: evidence behind an edge, what-if, background knowledge, devices.

#include <QDockWidget>
#include <QMainWindow>
#include <QPainter>
#include <QStandardItemModel>
#include <memory>

#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/causal/knowledge_panel.h"
#include "app/controllers/causal/what_if_answers.h"
#include "app/export/view_csv.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/table_pictures.h"
#include "app/window/spec/window_views.h"
#include "app/window/views/view_list.h"
#include "views/base/text.h"
#include "views/devices/device_map_painter.h"
#include "views/devices/device_map_widget.h"
#include "views/evidence/evidence_painter.h"
#include "views/evidence/evidence_widget.h"
#include "views/evidence/whatif_painter.h"
#include "views/evidence/whatif_widget.h"

namespace jitterscope::app {
namespace {

using views::EvidenceWidget;
using views::Text;
using views::WhatIfWidget;

/// A widget of the controller, which sets its style and messages. Its dock is shown when the controller
/// requests it.
View view_of_controller(CausalController* controller, QWidget* widget) {
  View view;
  view.widget = widget;
  view.docked = [controller, widget](QDockWidget& dock) {
    QObject::connect(controller, &CausalController::requested, &dock, [widget, &dock](QWidget* requested) {
      if (requested == widget) reveal(dock);
    });
  };
  return view;
}

ViewExports exports_of(EvidenceWidget* evidence) {
  ViewExports exports;
  exports.pictures = [evidence](Pictures& pictures, const QString& title) {
    if (evidence->model().empty()) return;
    pictures[title] = [evidence](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      views::evidence::paint(p, r, evidence->model(), s);
    };
  };
  exports.csv = [evidence](const QString&) { return csv_of(evidence->model().data()); };
  return exports;
}

QDockWidget* pin_evidence(ViewContext& context, const ViewSpec& spec) {
  const auto& shown = context.parts.causal_controller->evidence()->model();
  if (shown.empty()) return nullptr;
  auto data = shown.data();
  data.canSelect = false; // the selection it refers to may have changed
  auto* widget = new EvidenceWidget;
  auto* dock = context.pinned.show({spec, widget, style_of(widget), exports_of(widget)});
  widget->setData(std::move(data));
  return dock;
}

View make_evidence(ViewContext& context) {
  auto* controller = context.parts.causal_controller;
  View view = view_of_controller(controller, controller->evidence());
  view.pin = [&context](const ViewSpec& spec) { return pin_evidence(context, spec); };
  view.exports = exports_of(controller->evidence());
  return view;
}

ViewExports exports_of(WhatIfWidget* what_if) {
  ViewExports exports;
  exports.pictures = [what_if](Pictures& pictures, const QString& title) {
    if (!what_if->canvas()->shown().answer) return;
    pictures[title] = [what_if](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      views::what_if::paint(p, r, what_if->canvas()->shown(), s);
    };
  };
  exports.csv = [what_if](const QString&) { return csv_of(what_if->canvas()->shown()); };
  return exports;
}

// Keeps the answer and its launch, and starts with the visible cause and value; both can be
// changed.
QDockWidget* pin_what_if(ViewContext& context, const ViewSpec& spec) {
  auto* controller = context.parts.causal_controller;
  auto* shown = controller->what_if();
  if (!controller->answers() || shown->feature().isEmpty()) return nullptr;
  auto* widget = new WhatIfWidget;
  QObject::connect(widget, &WhatIfWidget::asked, &context.pinned,
                   [widget, answers = controller->answers()->for_another_view()](const QString& feature,
                                                                                 double value) mutable {
                     answers.show(*widget, feature, value);
                   });
  auto* dock = context.pinned.show({spec, widget, style_of(widget), exports_of(widget)});
  widget->setData(shown->canvas()->shown().data);
  widget->setFeature(shown->feature());
  widget->setValue(shown->value());
  return dock;
}

View make_what_if(ViewContext& context) {
  auto* controller = context.parts.causal_controller;
  View view = view_of_controller(controller, controller->what_if());
  view.pin = [&context](const ViewSpec& spec) { return pin_what_if(context, spec); };
  view.exports = exports_of(controller->what_if());
  return view;
}

std::shared_ptr<QStandardItemModel> statements(const CausalKnowledge& knowledge) {
  auto model = std::make_shared<QStandardItemModel>();
  model->setHorizontalHeaderLabels({Text::tr("Statement")});
  for (const auto& statement : knowledge.statements()) model->appendRow(new QStandardItem(statement));
  return model;
}

/// Exports of the view and of its duplicates, which show the same statements.
ViewExports exports_of(CausalKnowledge& knowledge) {
  ViewExports exports;
  exports.pictures = [&knowledge](Pictures& pictures, const QString& title) {
    if (!knowledge.value().empty())
      pictures[title] = painter_of(statements(knowledge), Text::tr("Stated background knowledge"));
  };
  exports.csv = [&knowledge](const QString&) { return csv_of(knowledge.value()); };
  return exports;
}

QDockWidget* pin_knowledge(ViewContext& context, const ViewSpec& spec) {
  auto* controller = context.parts.causal_controller;
  auto* panel = new KnowledgePanel(controller->knowledge(), nullptr);
  QObject::connect(panel, &KnowledgePanel::problem, controller, &CausalController::problem);
  return context.pinned.show_twin({spec, panel, {}, exports_of(controller->knowledge())});
}

View make_knowledge(ViewContext& context) {
  auto* controller = context.parts.causal_controller;
  View view = view_of_controller(controller, controller->knowledge_panel());
  view.pin = [&context](const ViewSpec& spec) { return pin_knowledge(context, spec); };
  view.exports = exports_of(controller->knowledge());
  return view;
}

View make_devices(ViewContext& context) {
  auto* devices = context.parts.causal_controller->devices();
  View view = view_of_controller(context.parts.causal_controller, devices);
  view.exports.pictures = [devices](Pictures& pictures, const QString& title) {
    if (devices->data().devices.empty()) return;
    pictures[title] = [devices](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      views::device_map::paint(p, r, devices->data(), s);
    };
  };
  return view;
}

const DockPlace kNextToDistribution{.tabbed_on = "distribution"};

} // namespace

ViewSpec evidence_view() {
  return {"evidence", QT_TRANSLATE_NOOP("Jitterscope", "Evidence"), "evidence", kNextToDistribution,
          make_evidence};
}

ViewSpec what_if_view() {
  return {"what_if", QT_TRANSLATE_NOOP("Jitterscope", "What if"), "evidence", kNextToDistribution,
          make_what_if};
}

ViewSpec knowledge_view() {
  return {"knowledge", QT_TRANSLATE_NOOP("Jitterscope", "Knowledge"), "causal", kNextToDistribution,
          make_knowledge};
}

// Shown once the session has several devices.
ViewSpec devices_view() {
  return {"devices", QT_TRANSLATE_NOOP("Jitterscope", "Devices"), "devices",
          DockPlace{.tabbed_on = "distribution", .shown = DockPlace::Shown::WhenRequested}, make_devices};
}

} // namespace jitterscope::app
