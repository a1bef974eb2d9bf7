// Rows of parallel coordinates: launches or bins, which of them are drawn as lines, and the state stored in
// a session.

#include <QComboBox>
#include <QSignalBlocker>
#include <algorithm>

#include "app/controllers/parallel/parallel_controller.h"
#include "app/controllers/parallel/parallel_lines.h"
#include "app/engine/decode.h"
#include "app/engine/json_text.h"
#include "app/engine/parallel_colours.h"
#include "app/engine/typed_answers.h"
#include "app/session/session_controller.h"
#include "core/engine/messages/selection.h"
#include "core/engine/messages/table_answers.h"
#include "core/engine/messages/table_options.h"
#include "views/parallel/parallel_widget.h"

namespace jitterscope::app {

using nlohmann::json;

namespace {

QStringList texts(const json& list) {
  QStringList out;
  for (const auto& each : list) out << QString::fromStdString(each.get<std::string>());
  return out;
}

json pairs(const QMap<QString, QString>& map) {
  json out = json::object();
  for (auto each = map.begin(); each != map.end(); ++each)
    out[each.key().toStdString()] = each.value().toStdString();
  return out;
}

QMap<QString, QString> map_of(const json& object) {
  QMap<QString, QString> out;
  for (const auto& [key, value] : object.items())
    out[QString::fromStdString(key)] = QString::fromStdString(value.get<std::string>());
  return out;
}

} // namespace

void ParallelController::brush(const views::AxisBrushes& brushes, bool finished) {
  SelectionState state = hub_.state();
  // The view has only brushes on rows of the kind that it shows (launches or bins). Brushes on the other kind
  // are kept, except when `brushes` is empty: that clears all.
  if (brushes.empty()) state.brushes.clear();
  std::erase_if(state.brushes,
                [&](const auto& own) { return BinCoordinates::names_axis(own.first) == shows_bins_; });
  for (const auto& [key, ranges] : brushes)
    if (BinCoordinates::names_axis(key) == shows_bins_) state.brushes[key] = ranges;
  complete(state);
  hub_.apply(state, QString("brush %1").arg(drag_));
  if (finished) ++drag_;
}

// Brushes on bin statistics select times. Until the bins arrive, the times are left unchanged.
void ParallelController::complete(SelectionState& state) const {
  views::AxisBrushes of_bins;
  for (const auto& [key, ranges] : state.brushes)
    if (BinCoordinates::names_axis(key) && !ranges.empty()) of_bins[key] = ranges;
  if (of_bins.empty())
    state.bin_times.clear();
  else if (bins_)
    state.bin_times = bins_->times(of_bins, state.brush_logic);
}

void ParallelController::show_bins(bool bins) {
  if (bins == shows_bins_ || !session_.has_session()) return;
  shows_bins_ = bins;
  const QSignalBlocker quiet(rows_);
  rows_->setCurrentIndex(bins ? 1 : 0);
  session_.hold_parallel(bins);
  handful_.clear();
  if (bins) {
    launch_axes_ = view_->model().order();
    show_lines();
    if (bins_) return draw_bins();
    view_->setMessage(tr("Waiting for the bins…"));
    return session_.set_bin_choices(session_.bin_choices());
  }
  show_lines();
  session_.request_parallel(launch_axes_);
}

void ParallelController::bins_came(const engine::Answer& answer) {
  bins_.reset(); // requested again when bins are shown
  if (!shows_bins_) return;
  auto made = BinCoordinates::of(answer);
  if (!made) return emit problem(QString::fromStdString(describe(made.error())));
  bins_ = std::move(*made);
  draw_bins();
  change([](SelectionState&) {}); // the bins changed, so their times are updated
}

void ParallelController::draw_bins() {
  if (!bins_) return;
  const auto& state = hub_.state();
  const auto of_bins = bin_brushes().brushes;
  const bool other_axes =
      view_->model().order().size() != bin_axes_.size() || view_->model().order() != bin_axes_;
  auto picture = bins_->picture(bin_axes_, of_bins, state.brush_logic, scales_, classes_of_bins(),
                                colour().by == Colour::Compare);
  choose_colours(picture.classes, view_->model().data().classes);
  if (!picture.classes.empty() || colour().by != Colour::None) picture.colouredBy = coloured_by();
  view_->setData(std::move(picture));
  if (other_axes) view_->setOrder(bin_axes_);
  view_->setBrushes(of_bins);
  show_lines();
}

// Requests the selected rows, if they are few, to draw them as lines. Without a selection the density is
// enough, and lines would hide the colours of classes: in both cases no lines are drawn.
void ParallelController::ask_lines() {
  const auto& data = view_->model().data();
  const bool few = session_.selection().selects() && data.classes.empty() && data.selectedRows > 0 &&
                   data.selectedRows <= kMaxLines && !data.sampled();
  if (!few) {
    if (!handful_.empty()) {
      handful_.clear();
      show_lines();
    }
    return;
  }
  auto options = with_selection(engine::LaunchesOptions{.count = kMaxLines}, session_.selection_options());
  for (const auto& axis : data.axes) options.columns.push_back(axis.key.toStdString());
  session_.ask({options, "parallel lines"}, tr("Lines of parallel coordinates"),
               reading([this, axes = data.axes](const engine::answers::LaunchesAnswer& answer) {
                 auto lines = lines_of(answer, axes, session_.codes());
                 if (!lines) return emit problem(QString::fromStdString(describe(lines.error())));
                 if (shows_bins_) return;
                 handful_ = std::move(*lines);
                 show_lines();
               }));
}

// The selected launch, or among bins the selected bin, is a line.
void ParallelController::show_lines() {
  std::vector<views::ParallelLine> lines;
  if (shows_bins_ && bins_ && hub_.state().bin) {
    for (std::size_t bin = 0; bin < bins_->bins(); ++bin)
      if (bins_->choice(bin) == *hub_.state().bin) lines.push_back(bins_->line(bin));
  } else if (!shows_bins_) {
    for (const auto* own : {&handful_, &chosen_, &hovered_})
      lines.insert(lines.end(), own->begin(), own->end());
  }
  view_->setLines(std::move(lines));
}

QString ParallelController::csv_of_bins() const {
  return bins_ ? bins_->csv(bin_axes_, view_->model().brushes(), view_->model().logic()) : QString();
}

bool ParallelController::has_column(const QString& key) const {
  if (BinCoordinates::names_axis(key)) return true;
  for (const auto& column : session_.info().value("columns", json::array()))
    if (column.at("name").get<std::string>() == key.toStdString()) return true;
  return false;
}

json ParallelController::state() const {
  const auto& model = view_->model();
  QStringList inverted;
  for (const auto& key : model.order())
    if (model.inverted(key)) inverted << key;
  static constexpr const char* kColours[] = {"", "axis", "runs", "compare"};
  json out = {{"axes", list_of(shows_bins_ ? launch_axes_ : model.order())},
              {"bin_axes", list_of(bin_axes_)},
              {"bins", shows_bins_},
              {"scales", pairs(scales_)},
              {"orders", pairs(orders_)},
              {"inverted", list_of(inverted)},
              {"pinned", model.pinned().toStdString()},
              {"colour",
               {{"by", kColours[static_cast<int>(colours_[0].by)]},
                {"key", colours_[0].key.toStdString()},
                {"remembered", remembered_.toStdString()}}},
              {"bin_colour",
               {{"by", kColours[static_cast<int>(colours_[1].by)]}, {"key", colours_[1].key.toStdString()}}}};
  return out;
}

void ParallelController::restore(const json& state) {
  try {
    QStringList axes;
    for (const auto& key : texts(state.value("axes", json::array())))
      if (has_column(key)) axes << key;
    const auto scales = map_of(state.value("scales", json::object())),
               orders = map_of(state.value("orders", json::object()));
    const json colour = state.value("colour", json::object());
    const QString by = QString::fromStdString(colour.value("by", std::string())),
                  key = QString::fromStdString(colour.value("key", std::string()));
    const QStringList inverted = texts(state.value("inverted", json::array()));
    const QString pinned = QString::fromStdString(state.value("pinned", std::string()));
    const bool bins = state.value("bins", false);
    QStringList bin_axes = texts(state.value("bin_axes", json::array()));
    remembered_ = QString::fromStdString(colour.value("remembered", std::string()));
    scales_ = scales;
    orders_ = orders;
    colours_[0] = {by == "axis" && has_column(key)             ? Colour::Axis
                   : by == "runs"                              ? Colour::Runs
                   : by == "compare" && !remembered_.isEmpty() ? Colour::Compare
                                                               : Colour::None,
                   key};
    const json of_bins = state.value("bin_colour", json::object()); // comparisons of bins are not stored
    colours_[1] = {of_bins.value("by", std::string()) == "axis" ? Colour::Axis : Colour::None,
                   QString::fromStdString(of_bins.value("key", std::string()))};
    for (const auto& each : inverted) view_->setInverted(each, true);
    if (!bin_axes.isEmpty()) bin_axes_ = bin_axes;
    ask(axes);
    if (axes.contains(pinned)) view_->setPinned(pinned);
    if (!bins) return;
    show_bins(true);
    if (!axes.isEmpty()) launch_axes_ = axes;
  } catch (const json::exception& wrong) {
    emit problem(tr("The session's settings of parallel coordinates cannot be read: %1").arg(wrong.what()));
  }
}

} // namespace jitterscope::app
