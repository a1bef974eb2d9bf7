#include "app/controllers/parallel/row_probe.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/controllers/details_text.h"
#include "app/controllers/parallel/parallel_lines.h"
#include "app/engine/typed_answers.h"
#include "app/session/bin_coordinates.h"
#include "app/session/session_controller.h"
#include "core/engine/messages/launch_answers.h"
#include "core/engine/messages/launch_options.h"
#include "core/engine/messages/selection.h"
#include "core/engine/messages/table_answers.h"
#include "views/base/format.h"
#include "views/parallel/parallel_widget.h"

namespace jitterscope::app {

namespace {

constexpr int kRest = 40; // ms without a move before a request is sent

/// Codes with a position on the axis (see ParallelModel: categories without rows have none).
std::vector<double> shown_codes(const std::vector<double>& codes, const std::vector<std::uint64_t>& counts) {
  std::vector<double> shown;
  for (std::size_t c = 0; c < codes.size(); ++c)
    if (c >= counts.size() || counts[c] > 0) shown.push_back(codes[c]);
  return shown.empty() ? codes : shown;
}

engine::DrawnAxisOptions drawn_axis(const views::ParallelModel& model, int position,
                                    const CategoryCodes& codes) {
  const views::ParallelAxis& axis = model.axis(position);
  engine::DrawnAxisOptions out{.column = axis.key.toStdString(), .inverted = model.inverted(axis.key)};
  if (const auto own = codes.find(axis.key); own != codes.end() && !axis.categories.isEmpty())
    out.codes = shown_codes(own->second.codes, axis.all);
  else
    out.edges = axis.edges;
  if (axis.hasMissing) out.missing = views::placeOf(model, position, std::nan(""));
  return out;
}

} // namespace

engine::RowsNearOptions point_of(const views::ParallelModel& model, const views::ParallelProbe& probe,
                                 const CategoryCodes& codes) {
  engine::RowsNearOptions point{.axes = {drawn_axis(model, probe.left, codes)},
                                .across = probe.across,
                                .at = probe.at,
                                .within = probe.within,
                                .count = views::kMaxNearLines};
  if (probe.right >= 0) point.axes.push_back(drawn_axis(model, probe.right, codes));
  return point;
}

RowProbe::RowProbe(SelectionHub& hub, SessionController& session, views::ParallelWidget* view,
                   std::function<const BinCoordinates*()> bins, QObject* parent)
    : QObject(parent), hub_(hub), session_(session), view_(view), bins_(std::move(bins)) {
  rest_.setSingleShot(true);
  rest_.setInterval(kRest);
  connect(&rest_, &QTimer::timeout, this, &RowProbe::ask);
  connect(view_, &views::ParallelWidget::rowsRequested, this, [this](const views::ParallelProbe& probe) {
    requested_ = probe;
    rest_.start();
  });
  connect(view_, &views::ParallelWidget::rowsAbandoned, this, &RowProbe::give_up);
  connect(view_, &views::ParallelWidget::rowStepRequested, this, &RowProbe::step);
  connect(view_, &views::ParallelWidget::rowsChosen, this, &RowProbe::choose);
  connect(&session_, &SessionController::opened, this, [this] {
    give_up();
    steps_ = {};
  });
}

void RowProbe::give_up() {
  requested_.reset();
  rest_.stop();
  if (number_ != 0) session_.cancel_request(number_);
}

std::vector<std::string> RowProbe::columns() const {
  std::vector<std::string> names;
  for (const auto& axis : view_->model().data().axes) names.push_back(axis.key.toStdString());
  names.push_back("short_name");
  names.push_back("start");
  return names;
}

std::vector<views::ParallelLine> RowProbe::lines(const engine::answers::LaunchesAnswer& answer) {
  auto axes = view_->model().data().axes;
  const auto shown = axes.size();
  axes.emplace_back().key = "near name";
  axes.emplace_back().key = "near start";
  auto made = lines_of(answer, axes, session_.codes());
  if (!made) {
    emit problem(QString::fromStdString(describe(made.error())));
    return {};
  }
  const auto& names = answer.columns[shown].texts;
  for (auto& line : *made) {
    line.faint = false;
    const auto name = line.values.extract("near name"), start = line.values.extract("near start");
    const auto place = name ? static_cast<std::size_t>(name.mapped()) : names.size();
    const QString number = tr("launch %1").arg(views::formatCount(static_cast<std::uint64_t>(line.row)));
    line.label = place < names.size() ? QString::fromStdString(names[place]) : tr("launch %1").arg(line.row);
    line.place = number;
    if (!start) continue;
    line.start = Nanoseconds{std::llround(start.mapped())};
    if (!session_.launch_order())
      line.place = tr("%1 · start %2").arg(number, views::formatTime(*line.start, {100}));
  }
  return std::move(*made);
}

void RowProbe::ask() {
  if (number_ != 0 || !requested_ || view_->model().empty())
    return; // a running request calls ask() again when it ends
  const auto probe = *requested_;
  if (const auto* bins = bins_()) {
    std::uint64_t near = 0;
    auto lines = bins->lines_near(view_->model(), probe, views::kMaxNearLines, near);
    return view_->setNearRows(std::move(lines), near);
  }
  const auto& axes = view_->model().data().axes; // while switching from bins, launches are not available yet
  if (std::any_of(axes.begin(), axes.end(),
                  [](const auto& axis) { return BinCoordinates::names_axis(axis.key); }))
    return;
  auto options =
      with_selection(point_of(view_->model(), probe, session_.codes()), session_.selection_options());
  options.columns = columns();
  number_ = session_.ask(options, tr("Rows at the pointer"),
                         reading([this, probe](const engine::answers::LaunchesAnswer& answer) {
                           if (requested_ == probe && !bins_())
                             view_->setNearRows(lines(answer), static_cast<std::uint64_t>(answer.rows));
                         }),
                         {}, [this, probe] {
                           number_ = 0;
                           if (requested_ && requested_ != probe && !rest_.isActive()) ask();
                         });
}

// Key presses during a running request are added up.
void RowProbe::step(const QString& key, int by) {
  if (!session_.has_session()) return;
  if (bins_()) return step_bins(key, by);
  const bool same = steps_.key == key;
  steps_.key = key;
  steps_.by = std::clamp(same ? steps_.by + by : by, -views::ParallelWidget::kFarthest,
                         views::ParallelWidget::kFarthest);
  if (!steps_.running) apply_step();
}

void RowProbe::apply_step() {
  auto question =
      with_selection(engine::LaunchesOptions{.sort = steps_.key.toStdString()}, session_.selection_options());
  if (question != steps_.question) steps_.place.reset();
  steps_.question = question;
  const bool shown = view_->nearLines().size() == 1 && steps_.row == view_->nearLines().front().row;
  if (!shown) {
    steps_.place.reset();
    steps_.row.reset();
    if (!view_->nearLines().empty())
      steps_.row = view_->nearLines().front().row;
    else if (const auto& launch = hub_.state().launch)
      steps_.row = static_cast<qint64>(launch->row);
  }
  if (steps_.place || !steps_.row || std::abs(steps_.by) == views::ParallelWidget::kFarthest)
    return show_place(steps_.place.value_or(before_all()));
  question.count = 0;
  question.locate = *steps_.row;
  steps_.running = true;
  session_.ask({question, "row steps"}, tr("Row position on an axis"),
               reading([this](const engine::answers::LaunchesAnswer& answer) {
                 if (answer.located >= 0) steps_.place = answer.located;
               }),
               {}, [this] {
                 steps_.running = false;
                 show_place(steps_.place.value_or(before_all()));
               });
}

// Start of the first step: upwards from below the smallest value, downwards from above the largest.
std::int64_t RowProbe::before_all() const {
  return steps_.by > 0 ? -1 : static_cast<std::int64_t>(view_->model().data().selectedRows);
}

void RowProbe::show_place(std::int64_t place) {
  const auto rows = static_cast<std::int64_t>(view_->model().data().selectedRows);
  if (rows <= 0) return;
  const auto requested = std::clamp<std::int64_t>(place + std::exchange(steps_.by, 0), 0, rows - 1);
  auto question = steps_.question;
  question.first = requested;
  question.count = 1;
  question.columns = columns();
  steps_.running = true;
  session_.ask({question, "row steps"}, tr("Row position on an axis"),
               reading([this, requested](const engine::answers::LaunchesAnswer& answer) {
                 auto made = lines(answer);
                 if (made.empty() || bins_()) return;
                 steps_.row = made.front().row;
                 steps_.place = requested;
                 view_->setSteppedRow(std::move(made.front()));
               }),
               {}, [this] {
                 steps_.running = false;
                 if (steps_.by != 0) apply_step();
               });
}

void RowProbe::step_bins(const QString& key, int by) {
  const auto& bins = *bins_();
  const auto order = bins.order_of(key, hub_.state().brushes, hub_.state().brush_logic);
  if (order.empty()) return;
  const auto& shown = view_->nearLines();
  const auto now = shown.empty()
                       ? order.end()
                       : std::find(order.begin(), order.end(), static_cast<std::size_t>(shown.front().row));
  const std::int64_t place =
      now == order.end() ? (by > 0 ? -1 : static_cast<std::int64_t>(order.size())) : now - order.begin();
  const auto next = std::clamp<std::int64_t>(place + by, 0, static_cast<std::int64_t>(order.size()) - 1);
  view_->setSteppedRow(bins.line(order[static_cast<std::size_t>(next)]));
}

void RowProbe::choose(const QList<qint64>& rows) {
  if (!session_.has_session()) return;
  if (bins_())
    choose_bins(rows);
  else
    choose_launches(rows);
}

// A single row is selected as in every other view; several become a brush on their row numbers.
void RowProbe::choose_launches(const QList<qint64>& rows) {
  if (rows.isEmpty()) {
    SelectionState state = hub_.state();
    if (state.brushes.erase("row") > 0) emit selected(state);
    return;
  }
  session_.ask({engine::LaunchOptions{.row = rows.front()}, "near rows"}, tr("Launch"),
               reading([this, rows](const engine::answers::LaunchAnswer& launch) {
                 SelectionState state = hub_.state();
                 state.launch = choice_of(launch);
                 state.brushes.erase("row");
                 if (rows.size() > 1) {
                   auto& brush = state.brushes["row"];
                   for (const auto row : rows)
                     brush.push_back({static_cast<double>(row), static_cast<double>(row)});
                   std::sort(brush.begin(), brush.end(),
                             [](const auto& a, const auto& b) { return a.low < b.low; });
                 }
                 emit selected(state);
               }));
}

void RowProbe::choose_bins(const QList<qint64>& rows) {
  const auto& bins = *bins_();
  SelectionState state = hub_.state();
  const bool had = state.brushes.erase(BinCoordinates::start_key()) > 0;
  if (rows.isEmpty() && !had) return;
  if (rows.size() == 1) state.bin = bins.choice(static_cast<std::size_t>(rows.front()));
  if (rows.size() > 1) {
    auto& brush = state.brushes[BinCoordinates::start_key()];
    for (const auto row : rows) {
      const auto start = static_cast<double>(bins.choice(static_cast<std::size_t>(row)).interval.begin.count);
      brush.push_back({start, start});
    }
    std::sort(brush.begin(), brush.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
  }
  emit selected(state);
}

} // namespace jitterscope::app
