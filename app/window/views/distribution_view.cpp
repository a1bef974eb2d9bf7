#include <QMainWindow>
#include <QPainter>
#include <memory>

#include "app/controllers/distribution_panel.h"
#include "app/engine/column_titles.h"
#include "app/engine/decode.h"
#include "app/export/view_csv.h"
#include "app/session/chosen_group.h"
#include "app/session/questions.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/window_views.h"
#include "app/window/views/view_list.h"
#include "core/engine/messages/selection.h"
#include "views/base/text.h"
#include "views/distribution/distribution_painter.h"
#include "views/distribution/distribution_widget.h"

namespace jitterscope::app {
namespace {

using views::DistributionWidget;
using views::Text;

ViewExports exports_of(DistributionWidget* distribution) {
  ViewExports exports;
  exports.pictures = [distribution](Pictures& pictures, const QString& title) {
    pictures[title] = [distribution](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      views::distribution::paint(p, r, distribution->model().data, s);
    };
  };
  exports.csv = [distribution](const QString&) { return csv_of(distribution->model().data); };
  return exports;
}

QDockWidget* pin_distribution(ViewContext& context, const ViewSpec& spec) {
  const auto asked = std::make_shared<DistributionChoices>(context.session.distribution_choices());
  const auto options = std::make_shared<engine::DistributionOptions>(with_selection(
      engine::DistributionOptions{
          .column = asked->column, .log = asked->log, .time = asked->time, .group_by = asked->group_by},
      context.session.selection_options()));
  const QString name = title_of_column(asked->column) + " · " + context.session.selection_range();
  auto* widget = new DistributionWidget;
  const auto ask = context.pinned.request(
      spec, widget, options, [name, asked](DistributionWidget* view, const engine::Answer& answer) {
        auto data = decode_distribution(answer, name);
        if (!data) return;
        data->logHeights = asked->log_heights;
        data->groupedBy = words(asked->group_by);
        view->setData(std::move(*data));
      });
  auto* dock = context.pinned.show({spec, widget, style_of(widget), exports_of(widget), ask});
  QObject::connect(widget, &DistributionWidget::logScaleRequested, &context.pinned, [options, ask](bool on) {
    options->log = on;
    ask();
  });
  QObject::connect(widget, &DistributionWidget::logHeightsRequested, &context.pinned, [asked, ask](bool on) {
    asked->log_heights = on;
    ask();
  });
  return dock;
}

void connect_brush(ViewContext& context, DistributionWidget* distribution) {
  QObject::connect(distribution, &DistributionWidget::rangeBrushed, &context.window,
                   [&context](double low, double high, bool step) {
                     const auto column = context.session.distribution_column();
                     context.change(
                         [&](SelectionState& s) {
                           s.brushes[column] = {{low, high}};
                         },
                         step ? "distribution " + column : QString());
                   });
  QObject::connect(
      distribution, &DistributionWidget::groupChosen, &context.window, [&context](const QString& filter) {
        const auto& session = context.session;
        const auto column = QString::fromStdString(session.distribution_choices().group_by);
        context.change([&](SelectionState& s) { toggle_group(s, column, filter, session.tracks().names); });
      });
  QObject::connect(distribution, &DistributionWidget::brushCleared, &context.window, [&context] {
    context.change([&](SelectionState& s) { s.brushes.erase(context.session.distribution_column()); });
  });
}

void connect_distribution(ViewContext& context, DistributionWidget* distribution) {
  connect_brush(context, distribution);
  QObject::connect(&context.session, &SessionController::distribution, distribution,
                   &DistributionWidget::setData);
  QObject::connect(&context.session, &SessionController::cancelled, distribution, [distribution] {
    if (distribution->model().data.empty()) distribution->setMessage(Text::tr("Cancelled"));
  });
  QObject::connect(&context.session, &SessionController::distribution, distribution,
                   [distribution] { distribution->setMessage({}); });
}

void show_brush(ViewContext& context, DistributionWidget& distribution, const SelectionState& now) {
  const auto brushed = now.brushes.find(context.session.distribution_column());
  const bool one = brushed != now.brushes.end() && brushed->second.size() == 1;
  distribution.setBrush(one ? std::optional<views::DistributionBrush>(
                                  {brushed->second.front().low, brushed->second.front().high})
                            : std::nullopt);
}

View make_distribution(ViewContext& context) {
  auto* distribution = context.parts.distribution = new DistributionWidget(&context.window);
  auto* panel = context.parts.distribution_panel =
      new DistributionPanel(context.session, distribution, &context.window);
  View view = view_of(distribution);
  view.panel = [panel](View&) { return panel; };
  view.connect = [&context, distribution] {
    connect_distribution(context, distribution);
    QObject::connect(&context.session, &SessionController::distribution_chosen, distribution,
                     [&context, distribution] { show_brush(context, *distribution, context.hub.state()); });
  };
  view.session_opened = [distribution](const TrackList&) {
    distribution->setMessage(PinnedViews::waiting());
  };
  view.fill_choices = [panel] { panel->fill(); };
  view.show_state = [&context, distribution](const SelectionState& now, const SelectionState&) {
    show_brush(context, *distribution, now);
  };
  view.pin = [&context](const ViewSpec& spec) { return pin_distribution(context, spec); };
  view.exports = exports_of(distribution);
  return view;
}

} // namespace

ViewSpec distribution_view() {
  return {"distribution", QT_TRANSLATE_NOOP("Jitterscope", "Distribution"), "distribution",
          DockPlace{.tabbed_on = "parallel"}, make_distribution};
}

} // namespace jitterscope::app
