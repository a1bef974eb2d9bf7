// The table of launches and the heat map: one controller supplies both.

#include <QMainWindow>
#include <QPainter>
#include <algorithm>
#include <limits>
#include <memory>

#include "app/controllers/launch_views.h"
#include "app/engine/decode.h"
#include "app/engine/decode_launches.h"
#include "app/export/view_csv.h"
#include "app/session/cursor_time.h"
#include "app/session/launches_columns.h"
#include "app/session/questions.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/window_views.h"
#include "app/window/views/view_list.h"
#include "core/engine/messages/selection.h"
#include "views/base/format.h"
#include "views/base/text.h"
#include "views/heatmap/heat_map_painter.h"
#include "views/heatmap/heat_map_widget.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"
#include "views/table_parts/table_picture.h"

namespace jitterscope::app {
namespace {

using views::HeatMapWidget;
using views::LaunchesWidget;
using views::Text;

/// Maximum number of launches in a picture, which is then more than 1 m high at 8 pt.
constexpr qint64 kPaperRows = 300;

QString launches_text(std::uint64_t n) {
  return (n == 1 ? Text::tr("%1 launch") : Text::tr("%1 launches")).arg(views::formatCount(n));
}

/// Rows of a launch table from the first visible one, including those that do not fit on the screen.
class LaunchRows : public QAbstractTableModel {
public:
  explicit LaunchRows(const views::LaunchesModel& launches) : launches_(launches) {}
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0
                            : static_cast<int>(std::clamp<qint64>(
                                  launches_.total().value_or(0) - launches_.top(), 0, kPaperRows));
  }
  int columnCount(const QModelIndex& parent = {}) const override { return launches_.columnCount(parent); }
  QVariant data(const QModelIndex& index, int role) const override {
    return launches_.cell(launches_.top() + index.row(), index.column(), role);
  }
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    return launches_.headerData(section, orientation, role);
  }

private:
  const views::LaunchesModel& launches_;
};

void paint_launches(QPainter& painter, const QRectF& rect, const views::ViewStyle& style,
                    LaunchesWidget& launches) {
  const auto total = launches.model().total().value_or(0);
  const LaunchRows rows(launches.model());
  auto picture = views::pictureOf(
      *launches.table(), Text::tr("Launches · n = %1").arg(launches_text(static_cast<std::uint64_t>(total))));
  picture.model = &rows;
  picture.first = 0;
  picture.total = static_cast<int>(std::min<qint64>(total, std::numeric_limits<int>::max()));
  views::paintTable(painter, rect, picture, style);
}

ViewExports exports_of(LaunchesWidget* launches) {
  ViewExports exports;
  exports.pictures = [launches](Pictures& pictures, const QString& title) {
    pictures[title] = [launches](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      paint_launches(p, r, s, *launches);
    };
  };
  exports.launches = [launches] { return launches; };
  exports.holds_paper = [launches](const PaperSize&) { return launches->holdsRows(kPaperRows); };
  return exports;
}

// Uses columns and order of the original table.
QDockWidget* pin_launches(ViewContext& context, const ViewSpec& spec) {
  auto* widget = new LaunchesWidget;
  context.cursor.join(widget);
  QObject::connect(widget, &LaunchesWidget::rowsRequested, &context.pinned,
                   [&session = context.session, receiving = QPointer(widget), doing = title_of(spec),
                    selected = context.session.selection_options(), channel = context.pinned.channel()](
                       qint64 first, qint64 count, const views::LaunchesOrder& order,
                       const QStringList& columns, quint64 round) {
                     session.ask({launches_question(first, count, order, columns, selected), channel}, doing,
                                 [receiving, round](const engine::Answer& answer) {
                                   auto page = decode_launches(answer);
                                   if (receiving && page) receiving->addPage(*page, round);
                                 });
                   });
  auto* original = context.parts.launches;
  QStringList shown;
  for (const auto& column : original->model().columns()) shown << column.name;
  widget->setAvailable(launches_columns(context.session).all, shown);
  widget->setOrder(original->order());
  return context.pinned.show({spec, widget, style_of(widget), exports_of(widget),
                              [asking = QPointer(widget), range = context.session.selection_range()] {
                                if (asking) asking->selectionChanged(range);
                              }});
}

View make_launches(ViewContext& context) {
  auto* launches = context.parts.launches = new LaunchesWidget(&context.window);
  context.cursor.join(launches);
  View view = view_of(launches);
  view.pin = [&context](const ViewSpec& spec) { return pin_launches(context, spec); };
  view.exports = exports_of(launches);
  view.save = [launches](nlohmann::json& views) {
    views["launches"] = {{"columns", texts_of(launches->shownColumns())},
                         {"order", launches->order().column.toStdString()},
                         {"descending", launches->order().descending}};
  };
  view.restore = [launches](const nlohmann::json& views, const SelectionState&) {
    const auto state = views.find("launches");
    if (state == views.end()) return;
    views::LaunchesChoice choice;
    for (const auto& name : state->at("columns"))
      choice.columns << QString::fromStdString(name.get<std::string>());
    choice.order = {QString::fromStdString(state->at("order").get<std::string>()),
                    state->at("descending").get<bool>()};
    launches->restore(choice);
  };
  return view;
}

ViewExports exports_of(HeatMapWidget* map) {
  ViewExports exports;
  exports.pictures = [map](Pictures& pictures, const QString& title) {
    pictures[title] = [map](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      views::heat_map::paint(p, r, map->model().data, s);
    };
  };
  exports.csv = [map](const QString&) { return csv_of(map->model().data); };
  return exports;
}

QDockWidget* pin_heat_map(ViewContext& context, const ViewSpec& spec, const QSize& cells) {
  const auto& column = context.session.distribution_choices().column;
  const auto options = std::make_shared<engine::HeatMapOptions>(
      with_selection(engine::HeatMapOptions{.column = column,
                                            .columns = cells.width(),
                                            .rows = cells.height(),
                                            .log = context.parts.launch_views->logarithmic_map()},
                     context.session.selection_options()));
  show_selected_times(*options, context.session.tracks().span);
  const QString name = title_of_column(column) + " · " + context.session.selection_range();
  auto* widget = new HeatMapWidget;
  context.cursor.join(widget);
  const auto ask = context.pinned.request(
      spec, widget, options,
      [name, axis = context.session.axis()](HeatMapWidget* map, const engine::Answer& answer) {
        if (auto data = decode_heat_map(answer, name, axis)) map->setData(std::move(*data));
      });
  auto* dock = context.pinned.show({spec, widget, style_of(widget), exports_of(widget), ask});
  QObject::connect(widget, &HeatMapWidget::logScaleRequested, &context.pinned, [options, ask](bool on) {
    options->log = on;
    ask();
  });
  return dock;
}

View make_heat_map(ViewContext& context) {
  auto* map = new HeatMapWidget(&context.window);
  context.parts.launch_views =
      new LaunchViews(context.hub, context.session, context.parts.launches, map, &context.window);
  context.cursor.join(map);
  View view = view_of(map);
  view.pin = [&context, map](const ViewSpec& spec) { return pin_heat_map(context, spec, map->cells()); };
  view.exports = exports_of(map);
  view.save = [&context](nlohmann::json& views) {
    views["heat_map"] = {{"logarithmic", context.parts.launch_views->logarithmic_map()}};
  };
  view.restore = [&context](const nlohmann::json& views, const SelectionState&) {
    if (const auto state = views.find("heat_map"); state != views.end())
      context.parts.launch_views->set_logarithmic_map(state->at("logarithmic").get<bool>());
  };
  return view;
}

} // namespace

ViewSpec launches_view() {
  return {"launches", QT_TRANSLATE_NOOP("Jitterscope", "Launches"), "distribution",
          DockPlace{.tabbed_on = "bins"}, make_launches};
}

ViewSpec heat_map_view() {
  return {"heat_map", QT_TRANSLATE_NOOP("Jitterscope", "Heat map"), "distribution",
          DockPlace{.tabbed_on = "parallel"}, make_heat_map};
}

} // namespace jitterscope::app
