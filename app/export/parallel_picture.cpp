#include "app/export/parallel_picture.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "app/controllers/parallel/parallel_lines.h"
#include "app/engine/parallel_colours.h"
#include "app/engine/row_texts.h"
#include "app/session/bin_coordinates.h"
#include "app/session/questions.h"
#include "core/engine/messages/selection.h"
#include "core/engine/messages/statistics_answers.h"
#include "core/engine/messages/table_answers.h"
#include "views/parallel/parallel_frame.h"
#include "views/parallel/parallel_model.h"
#include "views/parallel/parallel_painter.h"

namespace jitterscope::app {

namespace {

using nlohmann::json;

/// Stored state of the view (ParallelController::state), overridden by command line options.
class ParallelState {
public:
  explicit ParallelState(const PictureRequest& request) : request_(request), state_(request.parallel) {}

  bool of_bins() const {
    return state_.value("bins", false) && request_.colour_by.isEmpty() && request_.coordinates.axes.empty();
  }
  /// Scales and orders by column: those of the request take precedence over the state's.
  std::map<std::string, std::string> scales() const {
    auto all = state_.value("scales", std::map<std::string, std::string>());
    for (const auto& each : request_.coordinates.scales) all[each.column] = each.scale;
    return all;
  }
  std::map<std::string, std::string> orders() const {
    auto all = state_.value("orders", std::map<std::string, std::string>());
    for (const auto& each : request_.coordinates.orders) all[each.column] = each.order;
    return all;
  }
  QStringList texts(const char* key) const {
    QStringList all;
    for (const auto& each : state_.value(key, json::array()))
      all << QString::fromStdString(each.get<std::string>());
    return all;
  }
  /// {by, key, remembered}; by is "axis", "runs", "compare" or empty
  json colour(const char* of = "colour") const {
    if (!request_.colour_by.isEmpty()) return {{"by", "axis"}, {"key", request_.colour_by.toStdString()}};
    return state_.value(of, json::object());
  }
  void show_in(views::ParallelModel& model, bool bins) const {
    const QString pinned = QString::fromStdString(state_.value("pinned", std::string()));
    if (model.order().contains(pinned)) model.setPinned(pinned);
    for (const auto& key : texts("inverted") + request_.inverted) model.setInverted(key, true);
    views::AxisBrushes brushes;
    for (const auto& [key, ranges] : request_.brushes)
      if (BinCoordinates::names_axis(key) == bins && model.position(key) >= 0) brushes[key] = ranges;
    model.setBrushes(brushes);
    model.setLogic(request_.brush_logic);
  }

private:
  const PictureRequest& request_;
  const json& state_;
};

/// Adds colours to the request; returns the names of the classes that the request defines itself.
QStringList add_colours(engine::ParallelOptions& options, const json& colour, const PictureRequest& request) {
  const auto by = colour.value("by", std::string());
  QStringList names;
  const auto add = [&](const QString& name, const std::string& filter) {
    names << name;
    options.classes.push_back(filter);
  };
  if (by == "axis") {
    options.colour_by = colour.at("key").get<std::string>();
    if (const auto own = request.brushes.find(QString::fromStdString(colour.at("key").get<std::string>()));
        own != request.brushes.end())
      for (const auto& each : own->second)
        if (!each.isMissing()) options.colour_ranges.emplace_back(each.low, each.high);
  } else if (by == "runs") {
    for (int run = 0; run < request.runs.size() && run < kMaxColours; ++run)
      add(request.runs[run], "trace = " + std::to_string(run));
    options.rest = true;
  } else if (by == "compare") {
    add("A", colour.value("remembered", std::string()));
    add("B, the current selection", request.selection.where);
    options.classes_over_all = true;
  }
  return names;
}

QString coloured_by(const json& colour) {
  const auto by = colour.value("by", std::string());
  if (by == "runs") return "by run:";
  if (by == "compare") return "compared:";
  const auto key = colour.value("key", std::string());
  return "by " +
         (BinCoordinates::names_axis(QString::fromStdString(key))
              ? BinCoordinates::title(QString::fromStdString(key))
              : words(key)) +
         ":";
}

// Picture at the height needed to label each category, within limits; names that are still missing are
// reported.
Picture painted(const std::shared_ptr<views::ParallelModel>& model, const PictureRequest& request,
                std::vector<views::ParallelLine> lines = {}) {
  constexpr int kDefaultHeight = 480, kHighest = 800;
  model->setSize(
      QSizeF(request.size.width(), request.size.height() > 0 ? request.size.height() : kDefaultHeight));
  model->setFrame(views::parallel::frameOf(*model, request.style));
  double preferred = model->size().height();
  QStringList left_out;
  for (int i = 0; i < model->order().size(); ++i) {
    if (model->axis(i).categories.isEmpty()) continue;
    const auto names = views::parallel::categoryNames(*model, i, request.style);
    if (names.count == static_cast<int>(names.named.size())) continue;
    const double minimum = views::parallel::minHeight(*model, i, request.style);
    if (request.size.height() > 0 || minimum > kHighest)
      left_out +=
          QString("%1: %2 of %3 names are shown, those with the most rows; a height of %4 px shows all")
              .arg(model->axis(i).title)
              .arg(names.count)
              .arg(names.named.size())
              .arg(std::ceil(minimum));
    else
      preferred = std::max(preferred, minimum);
  }
  const int height = static_cast<int>(std::ceil(preferred));
  return {views::PaintFunction([model, style = request.style, lines = std::move(lines)](QPainter& painter,
                                                                                        const QRectF& rect) {
            views::parallel::paint(painter, rect, *model, style, lines);
          }),
          {request.size.width(), height},
          left_out.join("; ")};
}

Expected<Picture> picture_of_bins(BlockingEngine& engine, const PictureRequest& request,
                                  const ParallelState& state, const Job& job) {
  auto options = request.bins;
  options.where =
      request.selection.where; // not its intervals: the brushed bins are highlighted among all bins
  options.all = true;
  auto answer = engine.run(options, job);
  if (!answer) return forward(answer.error());
  const auto bins = BinCoordinates::of(*answer);
  if (!bins) return forward(bins.error());
  views::AxisBrushes brushes;
  for (const auto& [key, ranges] : request.brushes)
    if (BinCoordinates::names_axis(key)) brushes[key] = ranges;
  QMap<QString, QString> scales;
  for (const auto& [key, scale] : state.scales())
    scales[QString::fromStdString(key)] = QString::fromStdString(scale);
  const QStringList axes =
      state.texts("bin_axes").isEmpty() ? BinCoordinates::default_axes() : state.texts("bin_axes");
  const json colour = state.colour("bin_colour");
  std::vector<BinCoordinates::Class> classes;
  if (colour.value("by", std::string()) == "axis")
    classes = bins->classes_by(QString::fromStdString(colour.value("key", std::string())), brushes,
                               request.brush_logic, scales);
  auto data = bins->picture(axes, brushes, request.brush_logic, scales, classes);
  choose_colours(data.classes);
  if (!data.classes.empty()) data.colouredBy = coloured_by(colour);
  auto model = std::make_shared<views::ParallelModel>();
  model->setData(std::move(data));
  model->setOrder(axes);
  state.show_in(*model, true);
  return painted(model, request);
}

/// Lines of the selected rows if they are few, as in the window; `codes` and `data` are those of the picture.
/// Empty without a selection, which the density shows.
Expected<std::vector<views::ParallelLine>>
lines_of_selection(BlockingEngine& engine, const engine::SelectionOptions& selection,
                   const CategoryCodes& codes, const views::ParallelData& data, const Job& job) {
  const bool selects = !selection.where.empty() || !selection.intervals.empty();
  if (!selects || !data.classes.empty() || data.selectedRows == 0 || data.selectedRows > kMaxLines ||
      data.sampled())
    return std::vector<views::ParallelLine>();
  auto options = with_selection(engine::LaunchesOptions{.count = kMaxLines}, selection);
  for (const auto& axis : data.axes) options.columns.push_back(axis.key.toStdString());
  const auto answer = engine.run(options, job);
  if (!answer) return forward(answer.error());
  const auto launches = engine::table_of<engine::answers::LaunchesAnswer>(*answer);
  if (!launches) return forward(launches.error());
  return lines_of(*launches, data.axes, codes);
}

Expected<Picture> picture_of_launches(BlockingEngine& engine, const PictureRequest& request,
                                      const ParallelState& state, const Job& job) {
  auto options = with_selection(request.coordinates, request.selection);
  if (request.range) options.intervals = {*request.range};
  options.scales.clear(), options.orders.clear();
  for (const auto& [column, scale] : state.scales())
    options.scales.push_back({.column = column, .scale = scale});
  for (const auto& [column, order] : state.orders())
    options.orders.push_back({.column = column, .order = order});
  if (options.axes.empty()) options.axes = texts_of(state.texts("axes"));
  const json colour = state.colour();
  const QStringList names = add_colours(options, colour, request);
  auto answer = engine.run(options, job);
  if (!answer) return forward(answer.error());
  auto read = engine::table_of<engine::answers::ParallelAnswer>(*answer);
  if (!read) return forward(read.error());
  if (read->axes.empty())
    return failure(ErrorKind::BadInput,
                   row_text("the launches do not differ in any column: there is no axis to show"), {},
                   "--view", "Name columns with --axes, or choose another view.");
  CategoryCodes codes;
  add_categories(read->axes, codes);
  auto data = parallel_data(std::move(*read));
  for (int c = 0; c < names.size() && c < static_cast<int>(data.classes.size()); ++c)
    data.classes[static_cast<std::size_t>(c)].label = names[c];
  if (!data.classes.empty()) data.colouredBy = coloured_by(colour);
  auto lines = lines_of_selection(engine, selection_in(options), codes, data, job);
  if (!lines) return forward(lines.error());
  auto model = std::make_shared<views::ParallelModel>();
  model->setData(std::move(data));
  state.show_in(*model, false);
  return painted(model, request, std::move(*lines));
}

} // namespace

Expected<Picture> parallel_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  try {
    const ParallelState state(request);
    return state.of_bins() ? picture_of_bins(engine, request, state, job)
                           : picture_of_launches(engine, request, state, job);
  } catch (const json::exception& wrong) {
    return failure(ErrorKind::BadInput,
                   std::string("the session's entry on parallel coordinates cannot be read: ") +
                       wrong.what());
  }
}

} // namespace jitterscope::app
