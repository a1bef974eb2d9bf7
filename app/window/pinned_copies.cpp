// Duplicated views without requests to the engine: copies of a current answer, and second views of content
// independent of the selection.

#include <QComboBox>
#include <QDockWidget>
#include <QScrollArea>
#include <QTableWidget>
#include <QTextBrowser>
#include <QToolButton>

#include "app/controllers/activity_view.h"
#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/causal/knowledge_panel.h"
#include "app/controllers/causal/what_if_answers.h"
#include "app/controllers/details_panel.h"
#include "app/controllers/timeline_docks.h"
#include "app/window/pinned_views.h"
#include "app/window/window_views.h"
#include "views/area/area_widget.h"
#include "views/causal/causal_multiples.h"
#include "views/efficiency/efficiency_widget.h"
#include "views/evidence/evidence_widget.h"
#include "views/evidence/whatif_widget.h"
#include "views/metrics/metric_histogram.h"
#include "views/metrics/metrics_canvas.h"
#include "views/metrics/metrics_widget.h"
#include "views/model/model_widget.h"
#include "views/parallel/parallel_widget.h"
#include "views/table_parts/table_style.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {

QDockWidget* PinnedViews::show_twin(PinnedKind kind, QWidget* widget,
                                    std::function<void(const views::ViewStyle&)> style) {
  if (!style) style = [](const views::ViewStyle&) {};
  return show(tr("%1 · duplicate").arg(title(kind)), widget, std::move(style), [] {});
}

QDockWidget* PinnedViews::pin_causal_groups() {
  const auto& shown = shown_.causal_controller()->multiples()->model();
  if (shown.groups().empty()) return nullptr;
  auto* widget = new views::CausalMultiples;
  widget->setNote(shown.note());
  widget->setGroups(shown.groups());
  return show_pinned(
      title(PinnedKind::Causal), CausalController::scrolled(widget, nullptr),
      [widget = QPointer(widget)](const views::ViewStyle& style) {
        if (!widget) return;
        widget->setViewStyle(style);
        for (auto* above = widget->parentWidget(); above; above = above->parentWidget())
          if (auto* area = qobject_cast<QScrollArea*>(above))
            area->setStyleSheet(views::scrollBarSheet(style));
      },
      [] {});
}

// The rows are bins; all counts are computed in the window.
QDockWidget* PinnedViews::pin_bin_coordinates() {
  const auto& shown = shown_.parallel()->model();
  if (shown.empty()) return nullptr;
  auto* widget = new views::ParallelWidget;
  widget->setData(shown.data());
  widget->setOrder(shown.order());
  widget->setPinned(shown.pinned());
  for (const auto& key : shown.order()) widget->setInverted(key, shown.inverted(key));
  widget->setLogic(shown.logic());
  widget->setBrushes(shown.brushes());
  return show(title(PinnedKind::Parallel), widget);
}

QDockWidget* PinnedViews::pin_evidence() {
  const auto& shown = shown_.causal_controller()->evidence()->model();
  if (shown.empty()) return nullptr;
  auto data = shown.data();
  data.canSelect = false; // the selection it refers to may have changed
  auto* widget = new views::EvidenceWidget;
  auto* dock = show(title(PinnedKind::Evidence), widget);
  widget->setData(std::move(data));
  return dock;
}

// Keeps the answer and its launch, and starts with the visible cause and value; both can be
// changed.
QDockWidget* PinnedViews::pin_what_if() {
  auto* controller = shown_.causal_controller();
  auto* shown = controller->what_if();
  if (!controller->answers() || shown->feature().isEmpty()) return nullptr;
  auto* widget = new views::WhatIfWidget;
  connect(widget, &views::WhatIfWidget::asked, this,
          [widget, answers = controller->answers()->for_another_view()](
              const QString& feature, double value) mutable { answers.show(*widget, feature, value); });
  auto* dock = show(title(PinnedKind::WhatIf), widget);
  widget->setData(shown->canvas()->shown().data);
  widget->setFeature(shown->feature());
  widget->setValue(shown->value());
  return dock;
}

QDockWidget* PinnedViews::pin_area() {
  const auto& shown = shown_.timeline_docks()->area()->area();
  if (shown.rows.empty()) return nullptr;
  auto* widget = new views::AreaWidget;
  auto* dock = show(title(PinnedKind::Area), widget);
  widget->setArea(shown);
  return dock;
}

QDockWidget* PinnedViews::pin_knowledge() {
  auto* controller = shown_.causal_controller();
  auto* panel = new KnowledgePanel(controller->knowledge(), nullptr);
  connect(panel, &KnowledgePanel::problem, controller, &CausalController::problem);
  return show_twin(PinnedKind::Knowledge, panel);
}

QDockWidget* PinnedViews::pin_marks() {
  auto* marks = new MarksPanel(*shown_.timeline(), nullptr);
  marks->setParent(marks->table()); // deleted with its table
  marks->refresh();
  return show_twin(PinnedKind::Marks, marks->table(),
                   [table = QPointer(marks->table())](const views::ViewStyle& style) {
                     if (table) views::styleTable(*table, style);
                   });
}

QDockWidget* PinnedViews::pin_details() {
  auto* text = new QTextBrowser;
  text->setOpenLinks(false);
  text->setFrameShape(QFrame::NoFrame);
  shown_.details()->copy_to(*text);
  return show_twin(PinnedKind::Details, text, [text = QPointer(text)](const views::ViewStyle& style) {
    if (text) text->setPalette(DetailsPanel::palette_of(style)), text->setFont(style.font());
  });
}

QDockWidget* PinnedViews::pin_efficiency() {
  auto* shown = shown_.efficiency();
  if (shown->data().factors.empty()) return nullptr;
  auto* widget = new views::EfficiencyWidget;
  auto* dock = show(title(PinnedKind::Efficiency), widget);
  widget->setCollectivesUseful(shown->collectivesUseful());
  widget->collectivesBox()->setEnabled(false); // the other convention would need a new answer
  widget->setData(shown->data());
  return dock;
}

QDockWidget* PinnedViews::pin_model() {
  auto* shown = shown_.model();
  if (shown->data().empty()) return nullptr;
  auto* widget = new views::ModelWidget;
  auto* dock = show(title(PinnedKind::Model), widget);
  widget->setQuestion(shown->question());
  widget->freeze(); // another question would need a new answer
  widget->setData(shown->data());
  widget->setChart(shown->chart());
  if (shown->opened()) widget->open(*shown->opened());
  return dock;
}

QDockWidget* PinnedViews::pin_metrics() {
  auto* shown = shown_.metrics();
  if (shown->panels().empty()) return nullptr;
  auto* widget = new views::MetricsWidget;
  auto* dock = show(title(PinnedKind::Metrics), widget);
  widget->addButton()->hide(); // the metrics shown are fixed
  widget->levelBox()->hide();
  widget->canvas()->setSpan(session_.tracks().span);
  widget->canvas()->setWindow(session_.selection().window.value_or(session_.tracks().launch_span));
  widget->setPanels(shown->panels());
  return dock;
}

QDockWidget* PinnedViews::pin_metric_histogram() {
  if (shown_.metric_histogram()->data().empty()) return nullptr;
  auto* widget = new views::MetricHistogramWidget;
  auto* dock = show(title(PinnedKind::MetricHistogram), widget);
  widget->setData(shown_.metric_histogram()->data());
  return dock;
}

QDockWidget* PinnedViews::pin_activity() {
  return show_twin(PinnedKind::Activity, shown_.activity()->twin());
}

} // namespace jitterscope::app
