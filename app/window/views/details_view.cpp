#include <QMainWindow>
#include <QTextBrowser>

#include "app/controllers/details_panel.h"
#include "app/controllers/launch_views.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/table_pictures.h"
#include "app/window/spec/window_views.h"
#include "app/window/views/view_list.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {
namespace {

ViewExports exports_of(QTextBrowser* text) {
  ViewExports exports;
  exports.pictures = [text](Pictures& pictures, const QString& title) { pictures[title] = painter_of(text); };
  return exports;
}

QDockWidget* pin_details(ViewContext& context, const ViewSpec& spec) {
  auto* text = new QTextBrowser;
  text->setOpenLinks(false);
  text->setFrameShape(QFrame::NoFrame);
  context.parts.details->copy_to(*text);
  const auto set_style = [styled = QPointer(text)](const views::ViewStyle& style) {
    if (styled) styled->setPalette(DetailsPanel::palette_of(style)), styled->setFont(style.font());
  };
  return context.pinned.show_twin({spec, text, set_style, exports_of(text)});
}

void connect_details(ViewContext& context) {
  auto* details = context.parts.details;
  auto* timeline = context.parts.timeline;
  QObject::connect(timeline, &views::TimelineWidget::sampleClicked, details, &DetailsPanel::show_sample);
  QObject::connect(details, &DetailsPanel::reveal_requested, timeline, &views::TimelineWidget::reveal);
  QObject::connect(details, &DetailsPanel::partner_requested, &context.window,
                   [&context] { context.parts.launch_views->go_to_partner(); });
  QObject::connect(details, &DetailsPanel::reported, &context.window,
                   [&context](const QString& text) { context.show_status(text); });
  details->set_bin_text([bins = context.parts.bins](std::uint32_t bin) {
    const auto row = bins->model().rowOf(bin);
    return row ? bins->model().index(*row, 0).data(Qt::ToolTipRole).toString() : QString();
  });
}

View make_details(ViewContext& context) {
  auto* details = context.parts.details =
      new DetailsPanel(context.hub, context.session, *context.parts.timeline, &context.window);
  View view;
  view.widget = details;
  view.connect = [&context] { connect_details(context); };
  view.set_style = [details](const views::ViewStyle& style) { details->set_style(style); };
  view.pin = [&context](const ViewSpec& spec) { return pin_details(context, spec); };
  view.exports = exports_of(details->browser());
  return view;
}

} // namespace

ViewSpec details_view() {
  return {"details", QT_TRANSLATE_NOOP("Jitterscope", "Details"), "moment", DockPlace{.tabbed_on = "bins"},
          make_details};
}

} // namespace jitterscope::app
