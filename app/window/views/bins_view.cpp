#include <QMainWindow>
#include <QPainter>
#include <QTableView>
#include <algorithm>
#include <memory>

#include "app/engine/decode.h"
#include "app/session/cursor_time.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/window_views.h"
#include "app/window/views/bins_panel.h"
#include "app/window/views/view_list.h"
#include "views/base/text.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_painter.h"
#include "views/bins/bins_strip.h"
#include "views/bins/bins_widget.h"
#include "views/table_parts/table_picture.h"
#include "views/table_parts/tsv.h"

namespace jitterscope::app {
namespace {

using views::BinsWidget;
using views::Text;

ViewExports exports_of(BinsWidget* bins) {
  ViewExports exports;
  exports.pictures = [bins](Pictures& pictures, const QString& title) {
    pictures[title] = [bins](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      views::bins::paint(p, r, bins->model(), s, bins->selected());
    };
    pictures[Text::tr("%1 as a table").arg(title)] = [bins](QPainter& p, const QRectF& r,
                                                            const views::ViewStyle& s) {
      auto picture =
          views::pictureOf(*bins->table(), Text::tr("Ranked bins · %1").arg(bins->model().bins().metric));
      picture.columns.clear(); // paper has room for columns hidden in narrow docks
      for (int column = 0; column < bins->model().columnCount(); ++column) picture.columns.push_back(column);
      views::paintTable(p, r, picture, s);
    };
  };
  exports.csv = [bins](const QString&) { return views::toCsv(*bins->table()->model()); };
  return exports;
}

QDockWidget* pin_bins(ViewContext& context, const ViewSpec& spec) {
  const auto options = std::make_shared<engine::BinsOptions>(context.session.bins_question());
  options->partial = false;
  auto* widget = new BinsWidget;
  context.cursor.join(widget->strip());
  const auto ask = context.pinned.request(
      spec, widget, options,
      [span = context.session.tracks().launch_span,
       reasons = context.parts.bins->model().reasons()](BinsWidget* view, const engine::Answer& answer) {
        if (auto data = decode_bins(answer, span)) view->setBins(std::move(*data));
        view->setReasons(reasons); // the reasons belong to the selection that the duplicate keeps
      });
  return context.pinned.show({spec, widget, style_of(widget), exports_of(widget), ask});
}

void go_to_bin(ViewContext& context, std::uint32_t index, Interval interval) {
  const auto& model = context.parts.bins->model();
  context.change([&](SelectionState& s) {
    s.bin = BinChoice{index, interval};
    // Shows the bin's launches completely, including those that end after the bin.
    Interval whole = interval;
    if (const auto row = model.rowOf(index)) whole.end = std::max(whole.end, model.binAt(*row).lastEnd);
    const Nanoseconds margin{whole.length().count / 10};
    s.window = Interval{whole.begin - margin, whole.end + margin};
  });
}

void connect_bins(ViewContext& context, BinsWidget* bins) {
  const auto go = [&context](std::uint32_t index, Interval interval) { go_to_bin(context, index, interval); };
  QObject::connect(bins, &BinsWidget::binSelected, &context.window, go);
  QObject::connect(bins, &BinsWidget::binActivated, &context.window, go);
  QObject::connect(
      bins, &BinsWidget::causeChosen, &context.window,
      [&context](const QString& cause, std::vector<Interval> times) {
        std::sort(times.begin(), times.end(),
                  [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
        context.change([&](SelectionState& s) { s.reason = ReasonChoice{cause, std::move(times)}; });
      });
  QObject::connect(&context.session, &SessionController::bins, bins, &BinsWidget::setBins);
  QObject::connect(&context.session, &SessionController::bin_reasons, bins, &BinsWidget::setReasons);
  QObject::connect(&context.session, &SessionController::opened, bins,
                   [bins] { bins->table()->scrollToTop(); });
}

View make_bins(ViewContext& context) {
  auto* bins = context.parts.bins = new BinsWidget(&context.window);
  context.cursor.join(bins->strip());
  View view = view_of(bins);
  view.panel = [&context, bins](View& made) {
    auto* panel = new BinsPanel(context.session, context.messages, *bins, &context.window);
    made.fill_choices = [panel] { panel->fill(); };
    return panel;
  };
  view.connect = [&context, bins] { connect_bins(context, bins); };
  view.show_state = [bins](const SelectionState& now, const SelectionState&) {
    bins->setSelected(now.bin ? std::optional<std::uint32_t>(now.bin->index) : std::nullopt);
  };
  view.pin = [&context](const ViewSpec& spec) { return pin_bins(context, spec); };
  view.exports = exports_of(bins);
  return view;
}

} // namespace

ViewSpec bins_view() {
  return {"bins", QT_TRANSLATE_NOOP("Jitterscope", "Ranked bins"), "bins", DockPlace{.in_front = true},
          make_bins};
}

} // namespace jitterscope::app
