#include "app/controllers/launch_views.h"

#include <QEvent>
#include <algorithm>
#include <cmath>

#include "app/controllers/details_text.h"
#include "app/engine/decode_launches.h"
#include "app/engine/typed_answers.h"
#include "app/session/launches_columns.h"
#include "app/session/questions.h"
#include "core/engine/messages/launch_answers.h"
#include "core/engine/messages/launch_options.h"
#include "core/engine/messages/selection.h"
#include "core/engine/messages/table_answers.h"
#include "views/base/format.h"
#include "views/heatmap/heat_map_widget.h"
#include "views/table/launches_widget.h"

namespace jitterscope::app {

using nlohmann::json;

namespace {

QString name_of(const engine::answers::Place& place) {
  if (!std::isnan(place.rank())) return LaunchViews::tr("rank %1").arg(place.rank());
  return std::isnan(place.device()) ? LaunchViews::tr("this device")
                                    : LaunchViews::tr("device %1").arg(place.device());
}

} // namespace

LaunchViews::LaunchViews(SelectionHub& hub, SessionController& session, views::LaunchesWidget* table,
                         views::HeatMapWidget* map, QObject* parent)
    : QObject(parent), hub_(hub), session_(session), table_(table), map_(map) {
  connect(&session_, &SessionController::opened, this, &LaunchViews::session_opened);
  connect(&session_, &SessionController::rows_changed, this, &LaunchViews::selection_settled);
  connect(&session_, &SessionController::columns_changed, this, [this] {
    table_->setAvailable(launches_columns(session_).all, table_->shownColumns());
    table_->selectionChanged(session_.selection_range());
  });
  connect(&session_, &SessionController::distribution_chosen, this, [this] {
    map_stale_ = true;
    map_timer_.start();
  });
  connect(&hub_, &SelectionHub::changed, this, &LaunchViews::hub_changed);
  connect(table_, &views::LaunchesWidget::rowsRequested, this,
          [this](qint64 first, qint64 count, const views::LaunchesOrder& order, const QStringList& columns,
                 quint64 round) { ask_rows(first, count, order, columns, round); });
  connect(table_, &views::LaunchesWidget::launchSelected, this, [this](quint64 row) { choose(row, false); });
  connect(table_, &views::LaunchesWidget::launchActivated, this, [this](quint64 row) { choose(row, true); });
  connect(map_, &views::HeatMapWidget::areaBrushed, this, [this](Interval time, double low, double high) {
    SelectionState state = hub_.state();
    state.brush = time;
    state.brushes[session_.distribution_column()] = {{low, high}};
    hub_.apply(state);
  });
  connect(map_, &views::HeatMapWidget::brushCleared, this, [this] {
    SelectionState state = hub_.state();
    state.brush.reset();
    state.brushes.erase(session_.distribution_column());
    hub_.apply(state);
  });
  connect(map_, &views::HeatMapWidget::logScaleRequested, this, &LaunchViews::set_logarithmic_map);
  map_timer_.setSingleShot(true);
  map_timer_.setInterval(60);
  connect(&map_timer_, &QTimer::timeout, this, &LaunchViews::ask_map);
  connect(map_, &views::HeatMapWidget::cellsChanged, &map_timer_, qOverload<>(&QTimer::start));
  map_->installEventFilter(this);
}

void LaunchViews::session_opened() {
  auto columns = launches_columns(session_);
  table_->setAvailable(std::move(columns.all), columns.shown);
  table_->selectionChanged(session_.selection_range());
}

void LaunchViews::selection_settled() {
  table_->selectionChanged(session_.selection_range());
  map_stale_ = true;
  map_timer_.start();
}

void LaunchViews::hub_changed(const SelectionState& now, const SelectionState& before) {
  if (now.launch == before.launch) return;
  table_->setSelected(now.launch ? std::optional<quint64>(now.launch->row) : std::nullopt);
  if (now.launch && table_->isVisible()) locate();
}

void LaunchViews::ask_rows(qint64 first, qint64 count, const views::LaunchesOrder& order,
                           const QStringList& columns, quint64 round) {
  session_.ask(launches_question(first, count, order, columns, session_.selection_options()), tr("Launches"),
               [this, round](const engine::Answer& answer) {
                 if (auto page = decode_launches(answer)) table_->addPage(*page, round);
               });
}

void LaunchViews::locate() {
  const auto row = hub_.state().launch->row;
  auto options = launches_question(0, 0, table_->order(), {}, session_.selection_options());
  options.locate = static_cast<std::int64_t>(row);
  session_.ask({options, "locate"}, tr("Launches"),
               reading([this, row](const engine::answers::LaunchesAnswer& answer) {
                 const auto& now = hub_.state().launch;
                 if (now && now->row == row && answer.located >= 0) table_->setSelected(row, answer.located);
               }));
}

void LaunchViews::choose(quint64 row, bool zoom) {
  session_.ask({engine::LaunchOptions{.row = static_cast<std::int64_t>(row)}, "table"}, tr("Launch"),
               reading([this, zoom](const engine::answers::LaunchAnswer& launch) {
                 SelectionState state = hub_.state();
                 state.launch = choice_of(launch);
                 if (zoom) {
                   const auto& own = state.launch->interval;
                   const Nanoseconds margin{std::max<std::int64_t>(
                       own.length().count, session_.axis() == views::AxisUnit::Time ? 200 : 5)};
                   state.window = Interval{own.begin - margin, own.end + margin};
                 }
                 hub_.apply(state);
                 if (!zoom) emit chosen(*state.launch);
               }));
}

void LaunchViews::choose_longest(std::uint32_t kernel) {
  const auto options = launches_question(0, 1, {session_.launch_order() ? "start" : "duration", true},
                                         {"start"}, {.where = "kernel = " + std::to_string(kernel)});
  session_.ask({options, "longest"}, tr("Launch"),
               reading([this](const engine::answers::LaunchesAnswer& answer) {
                 if (!answer.numbers.empty()) choose(static_cast<quint64>(answer.numbers.front()), true);
               }));
}

// Names the launch of a collective that starts last: the launches end together, so the others wait for it.
QString LaunchViews::last_to_start(const engine::answers::PartnersAnswer& answer, const LaunchChoice& own) {
  std::vector<std::pair<std::int64_t, QString>> starts{{own.interval.begin.count, name_of(answer.own)}};
  for (const auto& partner : answer.partners)
    starts.emplace_back(partner.start_ns(), name_of(partner.place()));
  std::sort(starts.begin(), starts.end());
  const auto last = starts.back().first, minimum = last - starts[starts.size() - 2].first,
             maximum = last - starts.front().first;
  const auto text = [](std::int64_t ns) { return views::formatDuration(static_cast<double>(ns), 3); };
  if (starts.size() == 2)
    return tr("Of the 2 devices that run this collective, %1 starts last: %2 after the first (%3).")
        .arg(starts.back().second, text(maximum), starts.front().second);
  return tr("Of the %1 devices that run this collective, %2 starts last: %3 after the first (%4), %5 after "
            "the "
            "previous one.")
      .arg(starts.size())
      .arg(starts.back().second, text(maximum), starts.front().second, text(minimum));
}

void LaunchViews::go_to_last() {
  if (!hub_.state().launch) return explain(std::nullopt);
  go_to(true);
  explain(hub_.state().launch->row);
}

void LaunchViews::go_to_partner() {
  go_to(false);
}

void LaunchViews::go_to(bool last) {
  const auto chosen = hub_.state().launch;
  if (!chosen)
    return emit reported(
        tr("Select a launch first. Press O to go to the same collective on another device."));
  session_.ask(
      engine::PartnersOptions{.row = static_cast<std::int64_t>(chosen->row)}, tr("Partner"),
      reading([this, last, from = *chosen](const engine::answers::PartnersAnswer& answer) {
        const auto& partners = answer.partners;
        if (partners.empty()) return emit reported(tr("No other device ran this kernel at the same time."));
        // Cycles through the devices: the next partner follows this launch in row order.
        const auto next = std::ranges::find_if(partners, [&](const engine::answers::Partner& partner) {
          return static_cast<std::uint64_t>(partner.row()) > from.row;
        });
        const auto latest = std::ranges::max_element(partners, {}, &engine::answers::Partner::start_ns);
        if (last && latest->start_ns() <= from.interval.begin.count)
          return emit reported(last_to_start(answer, from));
        const auto& partner = last ? *latest : next == partners.end() ? partners.front() : *next;
        const Nanoseconds start{partner.start_ns()}, length{partner.duration_ns()};
        SelectionState state = hub_.state();
        state.launch =
            LaunchChoice{partner.track(), static_cast<std::uint64_t>(partner.row()), {start, start + length}};
        const Interval both{std::min(start, from.interval.begin),
                            std::max(state.launch->interval.end, from.interval.end)};
        const Nanoseconds margin{std::max<std::int64_t>(both.length().count / 8, 200)};
        state.window = Interval{both.begin - margin, both.end + margin};
        hub_.apply(state);
        const auto later = (start - from.interval.begin).count;
        const auto difference = length.count - from.interval.length().count;
        emit reported(tr("The partner on %1 starts %2 %3 and takes %4 (%5 %6). %7")
                          .arg(name_of(partner.place()),
                               views::formatDuration(static_cast<double>(std::abs(later))),
                               later < 0 ? tr("earlier") : tr("later"), views::formatDuration(length),
                               views::formatDuration(static_cast<double>(std::abs(difference))),
                               difference < 0 ? tr("shorter") : tr("longer"), last_to_start(answer, from)));
      }),
      [this](const Error& error) { emit reported(QString::fromStdString(error.message)); });
}

void LaunchViews::explain(std::optional<quint64> row) {
  if (!session_.has_session() || session_.launch_order()) return;
  engine::ArrivalsOptions options;
  if (row) options.row = static_cast<std::int64_t>(*row);
  session_.ask({options, "arrivals"}, tr("Last device"),
               reading([this, row](const engine::answers::ArrivalsAnswer& answer) {
                 if (row && !answer.at) return; // the launch is not a collective
                 QStringList text = row ? list_of_texts(answer.at->sentences) : QStringList();
                 text += list_of_texts(answer.sentences);
                 text.removeDuplicates();
                 if (text.isEmpty())
                   text += tr("There are no collective kernels: no name contains nccl, rccl or nvshmem.");
                 emit explained(text.join("\n"));
                 if (row || !answer.at) return;
                 const auto& at = *answer.at;
                 const Nanoseconds start{at.start_ns}, first{at.first_start_ns};
                 SelectionState state = hub_.state();
                 state.launch =
                     LaunchChoice{at.track,
                                  static_cast<std::uint64_t>(at.row),
                                  {start, start + Nanoseconds{std::max<std::int64_t>(at.duration_ns, 1)}}};
                 const auto end = state.launch->interval.end;
                 const Nanoseconds margin{std::max<std::int64_t>((end - first).count / 8, 200)};
                 state.window = Interval{first - margin, end + margin};
                 hub_.apply(state);
               }),
               [this](const Error& error) { emit reported(QString::fromStdString(error.message)); });
}

void show_selected_times(engine::HeatMapOptions& options, const Interval& span) {
  Interval times{span.end, span.begin};
  for (const auto& each : options.intervals) {
    times.begin = std::min(times.begin, each.begin);
    times.end = std::max(times.end, each.end);
  }
  if (times.empty()) return;
  const Nanoseconds margin{std::max<std::int64_t>(times.length().count / 8, 1)};
  options.begin_ns = std::max(times.begin - margin, span.begin).count;
  options.end_ns = std::min(times.end + margin, span.end).count;
}

void LaunchViews::set_logarithmic_map(bool on) {
  log_ = on;
  ask_map();
}

void LaunchViews::ask_map() {
  if (!map_->isVisible() || !session_.has_session()) return;
  map_stale_ = false;
  const auto& column = session_.distribution_choices().column;
  auto options = with_selection(
      engine::HeatMapOptions{
          .column = column, .columns = map_->cells().width(), .rows = map_->cells().height(), .log = log_},
      session_.selection_options());
  show_selected_times(options, session_.tracks().span);
  const QString title = (session_.launch_order() ? tr("%1 over launch order · %2") : tr("%1 over time · %2"))
                            .arg(title_of_column(column), session_.selection_range());
  session_.ask(options, tr("Heat map"), [this, title](const engine::Answer& answer) {
    if (auto data = decode_heat_map(answer, title, session_.axis())) map_->setData(std::move(*data));
  });
}

bool LaunchViews::eventFilter(QObject* watched, QEvent* event) {
  if (watched == map_ && event->type() == QEvent::Show && map_stale_) map_timer_.start();
  return QObject::eventFilter(watched, event);
}

} // namespace jitterscope::app
