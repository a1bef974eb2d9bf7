// Colours of parallel coordinates, and predefined figures.

#include <QFileInfo>

#include "app/controllers/causal/causal_group_list.h"
#include "app/controllers/parallel/parallel_controller.h"
#include "app/engine/decode.h"
#include "app/engine/parallel_colours.h"
#include "app/session/session_controller.h"
#include "views/parallel/parallel_widget.h"

namespace jitterscope::app {

using nlohmann::json;

ParallelController::BinBrushes ParallelController::bin_brushes() const {
  BinBrushes own{{}, hub_.state().brush_logic};
  for (const auto& [key, ranges] : hub_.state().brushes)
    if (BinCoordinates::names_axis(key) && !ranges.empty()) own.brushes[key] = ranges;
  return own;
}

QString ParallelController::coloured_by() const {
  const auto& chosen = colour();
  if (chosen.by == Colour::Axis)
    return tr("by %1:").arg(shows_bins_ ? BinCoordinates::title(chosen.key)
                                        : words(chosen.key.toStdString()));
  return chosen.by == Colour::Runs ? tr("by run:") : tr("compared:");
}

std::vector<std::pair<QString, QString>> ParallelController::classes() {
  const auto& chosen = colour();
  std::vector<std::pair<QString, QString>> made;
  if (chosen.by == Colour::Compare)
    return {{"A", remembered_}, {tr("B, the current selection"), session_.selection_condition()}};
  if (chosen.by == Colour::Runs)
    for (int i = 0; i < session_.files().size() && i < kMaxColours; ++i)
      made.emplace_back(QFileInfo(session_.files()[i]).completeBaseName(), QString("trace = %1").arg(i));
  return made;
}

// Rows can be coloured by any column, even if it is not an axis: the engine determines the classes among the
// selected rows.
engine::ParallelOptions ParallelController::colour_options() {
  engine::ParallelOptions options;
  const auto& chosen = colour();
  asked_classes_ = classes();
  for (const auto& [label, filter] : asked_classes_) options.classes.push_back(filter.toStdString());
  options.classes_over_all = chosen.by == Colour::Compare;
  options.rest = chosen.by == Colour::Runs;
  if (chosen.by != Colour::Axis) return options;
  options.colour_by = chosen.key.toStdString();
  const auto& brushes = hub_.state().brushes;
  if (const auto own = brushes.find(chosen.key); own != brushes.end())
    for (const auto& each : own->second)
      if (!each.isMissing()) options.colour_ranges.emplace_back(each.low, each.high);
  return options;
}

std::vector<BinCoordinates::Class> ParallelController::classes_of_bins() const {
  const auto& chosen = colour();
  const auto present = bin_brushes();
  if (chosen.by == Colour::Compare && remembered_bins_)
    return {{"A", bins_->passing(remembered_bins_->brushes, remembered_bins_->logic)},
            {tr("B, the current brushes"), bins_->passing(present.brushes, present.logic)}};
  return chosen.by == Colour::Axis ? bins_->classes_by(chosen.key, present.brushes, present.logic, scales_)
                                   : std::vector<BinCoordinates::Class>();
}

void ParallelController::colour_by(const QString& key) {
  colour() = {key.isEmpty() ? Colour::None : Colour::Axis, key};
  ask();
}

void ParallelController::colour_by_run() {
  if (run_column(session_.info()) == "trace") {
    colour() = {Colour::Runs, {}};
    return ask();
  }
  colour_by("run");
}

void ParallelController::remember_selection() {
  if (shows_bins_)
    remembered_bins_ = bin_brushes();
  else
    remembered_ = session_.selection_condition();
}

void ParallelController::compare_with_remembered() {
  if (shows_bins_ ? !remembered_bins_ : remembered_.isEmpty()) return;
  colour() = {Colour::Compare, {}};
  ask();
}

void ParallelController::show_figure(const ParallelFigure& figure) {
  if (!session_.has_session()) return;
  if (const auto lacks = [&](const QString& key) { return !varies(key); };
      lacks(figure.needs) || lacks(figure.target))
    return emit problem(
        tr("The figure needs the column \"%1\" of launches, which is missing from this trace or constant.")
            .arg(lacks(figure.needs) ? figure.needs : figure.target));
  if (shows_bins_) show_bins(false);
  QStringList axes;
  for (const auto& key : figure.axes)
    if (varies(key)) axes << key;
  view_->setPinned({});
  if (!figure.sorted.isEmpty()) orders_[figure.sorted] = "target";
  auto causes = session_.causal_choices();
  if (causes.target != figure.target.toStdString()) {
    causes.target = figure.target.toStdString();
    session_.set_causal_choices(causes);
  }
  colour() = {Colour::Axis, figure.colour};
  ask(axes);
  emit shown();
}

bool ParallelController::varies(const QString& key) const {
  for (const auto& column : session_.info().value("columns", json::array()))
    if (column.at("name").get<std::string>() == key.toStdString()) return !column.value("constant", false);
  return false;
}

} // namespace jitterscope::app
