#include "app/controllers/timeline_link.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "app/engine/decode.h"
#include "app/engine/typed_answers.h"
#include "app/session/questions.h"
#include "core/engine/messages/launch_options.h"

namespace jitterscope::app {

using nlohmann::json;
using views::TimelineWidget;

TimelineLink::TimelineLink(TimelineWidget& timeline, SessionController& session, SelectionHub& hub,
                           QObject* parent)
    : QObject(parent), timeline_(timeline), session_(session), hub_(hub) {
  connect(&timeline, &TimelineWidget::contentRequested, &session, &SessionController::request_timeline);
  connect(&timeline, &TimelineWidget::mergedRequested, this, &TimelineLink::ask_merged);
  connect(&timeline, &TimelineWidget::mapRequested, this, &TimelineLink::ask_map);
  connect(
      &hub, &SelectionHub::changed, this, [this](const SelectionState& now, const SelectionState& before) {
        const auto& codes = session_.codes();
        const bool other = now.filter(codes) != before.filter(codes) || now.intervals() != before.intervals();
        if (merged_ && other) ask_merged(*merged_);
      });
  connect(&timeline, &TimelineWidget::flagRequested, this, &TimelineLink::add_flag);
  connect(&timeline, &TimelineWidget::colourColumnChosen, this, &TimelineLink::ask_scale);
  connect(&session, &SessionController::opened, this, &TimelineLink::session_opened);
  connect(&session, &SessionController::columns_changed, this, &TimelineLink::offer_columns);
  connect(&session, &SessionController::cancelled, this,
          [this] { without_causes_ = timeline_.model().viewport.window(); });
  connect(&session, &SessionController::repeated, this, [this] {
    without_causes_.reset();
    causes_timer_.start();
    asked_.reset();
    area_timer_.start();
    if (merged_) ask_merged(*merged_);
    if (map_) ask_map(*map_);
  });
  connect(&timeline, &TimelineWidget::stepRequested, this, &TimelineLink::step);
  connect(&timeline, &TimelineWidget::areaChosen, this, &TimelineLink::choose_area);
  connect(&timeline, &TimelineWidget::launchClicked, this,
          [this](std::uint32_t track, std::uint64_t row) { event_clicked(track, row); });
  connect(&hub, &SelectionHub::changed, this, &TimelineLink::launch_changed);
  connect(&hub, &SelectionHub::changed, this, &TimelineLink::bin_changed);
  connect(&hub, &SelectionHub::changed, this, &TimelineLink::area_changed);
  area_timer_.setSingleShot(true);
  area_timer_.setInterval(40);
  causes_timer_.setSingleShot(true);
  causes_timer_.setInterval(200);
  connect(&causes_timer_, &QTimer::timeout, this, &TimelineLink::ask_causes);
  connect(&session, &SessionController::timeline, this, [this] { causes_timer_.start(); });
  connect(&area_timer_, &QTimer::timeout, this, &TimelineLink::follow_area);
}

void TimelineLink::session_opened() {
  causes_timer_.stop();
  without_causes_.reset();
  merged_.reset();
  map_.reset();
  offer_columns();
  ++generation_;
  area_ = {};
  asked_.reset();
  drawn_over_.clear();
  session_kernels_.clear();
  emit area_cleared();
}

void TimelineLink::ask_merged(const views::MergedQuery& query) {
  merged_ = query;
  session_.ask(merged_question(query, session_.selection_options()), tr("Timeline"),
               [this, query](const engine::Answer& answer) {
                 if (auto cells = decode_merged(answer, query)) timeline_.setMerged(std::move(*cells));
                 causes_timer_.start();
               });
}

void TimelineLink::ask_map(const views::MergedQuery& query) {
  map_ = query;
  session_.ask({merged_question(query, {}), "overview of all tracks"}, tr("Timeline"),
               [this, query](const engine::Answer& answer) {
                 if (auto cells = decode_merged(answer, query)) timeline_.setMap(std::move(*cells));
               });
}

// Called 200 ms after the last new content, because the first content of a session changes the visible range.
void TimelineLink::ask_causes() {
  const auto& model = timeline_.model();
  const Interval window = model.viewport.window();
  if (session_.launch_order() || !session_.has_session()) return;
  if ((model.why && model.why->window == window) || without_causes_ == window) return;
  constexpr int kMaxColumns = 2'000;
  const auto columns = std::min<std::int64_t>({timeline_.pixelColumns(), kMaxColumns, window.length().count});
  if (columns < 1) return;
  session_.ask(
      engine::CausesAlongOptions{
          .begin_ns = window.begin.count, .end_ns = window.end.count, .columns = columns},
      tr("Causes over time"),
      [this](const engine::Answer& answer) {
        if (auto data = decode_causes_along(answer))
          timeline_.setWhy(std::move(*data));
        else
          emit remark(QString::fromStdString(data.error().message));
      },
      [this](const Error&) { timeline_.setWhy(std::nullopt); });
}

// Offers all numeric columns that vary, recorded or derived, except start and end, as colours.
void TimelineLink::offer_columns() {
  std::vector<views::ColourColumn> columns;
  for (const auto& column : session_.info().value("columns", json::array())) {
    if (column.value("kind", std::string()) != "number" || column.value("constant", false)) continue;
    const auto name = column.value("name", std::string());
    if (name == "start" || name == "end") continue;
    columns.push_back({QString::fromStdString(name), words(name),
                       QString::fromStdString(column.value("unit", std::string()))});
  }
  timeline_.setColourColumns(std::move(columns));
}

// The scale covers the whole run, so that colours do not change when the window moves.
void TimelineLink::ask_scale(const QString& column) {
  session_.ask({colour_scale_question(column), "colours"}, tr("Colours"),
               [this, column](const engine::Answer& answer) {
                 const auto colour = decode_colour_scale(answer, column);
                 if (!colour) return emit remark(QString::fromStdString(describe(colour.error())));
                 timeline_.setColour(*colour);
                 emit timeline_.arrangementChanged();
               });
}

void TimelineLink::add_flag(Nanoseconds time) {
  auto flags = timeline_.model().flags;
  int number = 1; // first unused number
  const auto taken = [&] {
    for (const auto& flag : flags)
      if (flag.label == QString::number(number)) return true;
    return false;
  };
  while (taken()) ++number;
  flags.push_back({time, QString::number(number)});
  timeline_.setFlags(std::move(flags));
  emit timeline_.marksChanged();
}

static std::vector<views::TimelineArrow> arrows_of(const std::vector<engine::answers::Arrow>& read) {
  std::vector<views::TimelineArrow> arrows;
  for (const auto& arrow : read)
    arrows.push_back({arrow.from_track(),
                      {arrow.from_ns()},
                      arrow.to_track(),
                      {arrow.to_ns()},
                      arrow.kind() == engine::answers::ArrowKind::Feeds ? views::ArrowKind::Copy
                                                                        : views::ArrowKind::Launch});
  return arrows;
}

// Arrows are requested from the engine, because the call and the copies may be far outside the window.
void TimelineLink::launch_changed(const SelectionState& now, const SelectionState& before) {
  if (now.launch != before.launch) show_flow();
}

void TimelineLink::show_flow() {
  const auto& now = hub_.state();
  if (!now.launch) return;
  const int track = timeline_.model().trackIndex(now.launch->track);
  if (track < 0) return;
  if (!views::showsLaunches(timeline_.model().tracks()[static_cast<std::size_t>(track)].kind)) return;
  session_.ask(engine::FlowOptions{.row = static_cast<std::int64_t>(now.launch->row)}, tr("Launch"),
               reading([this](const engine::answers::FlowAnswer& flow) {
                 const auto& launch = hub_.state().launch;
                 if (launch && static_cast<std::uint64_t>(flow.row) == launch->row)
                   timeline_.setArrows(arrows_of(flow.arrows));
               }));
}

namespace {

bool has_selected(const views::TrackContent& content) {
  return std::ranges::any_of(content.cells,
                             [](const auto& cell) { return cell.count > 0 && cell.selected > 0; }) ||
         std::ranges::any_of(content.bars, [](const auto& bar) { return !bar.dimmed; });
}

} // namespace

// Scrolls to the first track with a selected launch of the bin, unless such a track is visible.
void TimelineLink::bin_changed(const SelectionState& now, const SelectionState& before) {
  if (!now.bin || now.bin == before.bin) return;
  views::TimelineQuery query{.window = now.bin->interval, .columns = 1, .tracks = {}, .value = {}};
  for (const auto& track : timeline_.model().tracks())
    if (views::showsLaunches(track.kind)) query.tracks.push_back(track.id);
  session_.ask({timeline_question(query, session_.selection_options()), "tracks of a bin"}, tr("Timeline"),
               [this, bin = now.bin](const engine::Answer& answer) {
                 const auto data = decode_timeline(answer);
                 if (!data || hub_.state().bin != bin) return;
                 const auto& model = timeline_.model();
                 const auto is_visible = [&](std::uint32_t track) {
                   const auto* row = model.layout().rowOf(model.trackIndex(track));
                   return row && model.visible(*row);
                 };
                 std::vector<std::uint32_t> found;
                 for (const auto& content : data->tracks)
                   if (has_selected(content)) found.push_back(content.trackId);
                 if (found.empty() || std::ranges::any_of(found, is_visible)) return;
                 timeline_.showTrack(*std::ranges::min_element(
                     found, {}, [&](std::uint32_t track) { return model.trackIndex(track); }));
               });
}

// The area is kept when the filter changes, and restored by undo and sessions; its statistics are updated.
void TimelineLink::area_changed(const SelectionState& now, const SelectionState& before) {
  if (now.brush) return area_timer_.start();
  if (!before.brush) return;
  ++generation_;
  area_ = {};
  asked_.reset();
  emit area_cleared();
}

void TimelineLink::follow_area() {
  const auto& now = hub_.state();
  if (!now.brush || !session_.has_session()) return;
  if (asked_ && asked_->range == *now.brush && asked_->filter == now.filter(session_.codes())) return;
  const auto known = drawn_over_.find({now.brush->begin.count, now.brush->end.count});
  const auto tracks = known == drawn_over_.end() ? std::vector<std::uint32_t>() : known->second;
  timeline_.setBrushTracks(tracks);
  choose_area(*now.brush, tracks);
}

std::vector<std::string> TimelineLink::area_tracks() const {
  std::vector<std::string> keys;
  const auto& layout = timeline_.model().layout();
  for (const auto id : timeline_.model().brushTracks)
    if (const int track = layout.indexOf(id); track >= 0) keys.push_back(layout.key(track).toStdString());
  return keys;
}

void TimelineLink::set_area_tracks(Interval range, const std::vector<std::string>& tracks) {
  std::vector<std::uint32_t> ids;
  const auto& layout = timeline_.model().layout();
  const std::unordered_set<std::string> keys(tracks.begin(), tracks.end());
  for (std::size_t track = 0; track < layout.tracks().size(); ++track)
    if (keys.contains(layout.key(static_cast<int>(track)).toStdString()))
      ids.push_back(layout.tracks()[track].id);
  drawn_over_[{range.begin.count, range.end.count}] = ids;
}

// Copies and calls are not launches, so the hub is not involved; only their arrows are drawn.
void TimelineLink::event_clicked(std::uint32_t track, std::uint64_t row) {
  const int index = timeline_.model().trackIndex(track);
  if (index < 0 || views::showsLaunches(timeline_.model().tracks()[static_cast<std::size_t>(index)].kind))
    return;
  timeline_.setArrows({});
  session_.ask(engine::EventFlowOptions{.track = track, .row = static_cast<std::int64_t>(row)}, tr("Arrows"),
               reading([this, track, row](const engine::answers::EventFlowAnswer& flow) {
                 if (timeline_.model().selectedTrack == track && timeline_.model().selectedRow == row)
                   timeline_.setArrows(arrows_of(flow.arrows));
               }));
}

// The step is applied to the hub like a click, so that it can be undone and all views follow.
void TimelineLink::step(views::StepBy by, int direction) {
  const auto& launch = hub_.state().launch;
  if (!launch) {
    emit remark(
        tr("Choose a launch first: [ and ] go to the previous and next launch of its kernel, comma and "
           "dot to those of its stream."));
    return;
  }
  const bool stream = by == views::StepBy::Stream;
  session_.ask(engine::StepOptions{.row = static_cast<std::int64_t>(launch->row),
                                   .by = stream ? "stream" : "kernel",
                                   .direction = direction},
               tr("Launch"), reading([this, stream, direction](const engine::answers::StepAnswer& step) {
                 if (step.at_end) {
                   emit remark(stream ? direction > 0 ? tr("There is no later launch of this stream.")
                                                      : tr("There is no earlier launch of this stream.")
                               : direction > 0 ? tr("There is no later launch of this kernel.")
                                               : tr("There is no earlier launch of this kernel."));
                   return;
                 }
                 const LaunchChoice next{
                     step.track, static_cast<std::uint64_t>(step.row), {{step.begin_ns}, {step.end_ns}}};
                 SelectionState state = hub_.state();
                 state.launch = next;
                 hub_.apply(state, "step");
                 timeline_.reveal(next.track, next.interval);
               }));
}

QString TimelineLink::area_words(const std::vector<std::uint32_t>& tracks) const {
  QString words = tracks.empty()       ? tr("all tracks")
                  : tracks.size() == 1 ? QString()
                                       : tr("%1 tracks").arg(tracks.size());
  if (tracks.size() == 1)
    if (const int track = timeline_.model().trackIndex(tracks.front()); track >= 0)
      words = timeline_.model().tracks()[static_cast<std::size_t>(track)].label;
  if (const QString filter = filter_words(hub_.state(), session_.selection_names()); !filter.isEmpty())
    words += " · " + filter;
  return words;
}

// Requests first the content of the tracks, which arrives quickly, and then the kernels of their streams.
void TimelineLink::choose_area(Interval range, const std::vector<std::uint32_t>& tracks) {
  const int generation = ++generation_;
  asked_ = AskedArea{range, hub_.state().filter(session_.codes())};
  drawn_over_[{range.begin.count, range.end.count}] = tracks;
  emit area_waiting();
  const engine::AreaOptions question{
      .begin_ns = range.begin.count, .end_ns = range.end.count, .tracks = without_metrics(tracks)};
  const engine::AreaOfSelectionOptions of_selection{.begin_ns = question.begin_ns,
                                                    .end_ns = question.end_ns,
                                                    .tracks = question.tracks,
                                                    .where = asked_->filter.toStdString()};
  session_.ask(asked_->filter.isEmpty() ? engine::Request(question, "area")
                                        : engine::Request(of_selection, "area"),
               tr("Area"),
               reading([this, generation, range, words = area_words(tracks),
                        filtered = !asked_->filter.isEmpty()](const engine::answers::AreaAnswer& answer) {
                 if (generation != generation_) return;
                 views::AreaData data;
                 data.range = range;
                 data.axis = session_.axis();
                 data.where = words;
                 const auto& layout = timeline_.model().layout();
                 for (const auto& item : answer.tracks) {
                   const int track = layout.indexOf(item.track());
                   if (track < 0) continue;
                   data.tracks.push_back({layout.tracks()[static_cast<std::size_t>(track)].label,
                                          layout.key(track), static_cast<std::uint64_t>(item.events()),
                                          item.busy_ns(), item.covered_ns(), filtered && !item.filtered()});
                 }
                 ask_area_kernels(answer.streams, std::move(data));
               }));
}

void TimelineLink::ask_area_kernels(const std::vector<engine::answers::StreamsAnswer>& streams,
                                    views::AreaData data) {
  engine::KernelsOptions options{.where = hub_.state().filter(session_.codes()).toStdString(),
                                 .intervals = {data.range}};
  for (const auto& each : streams) options.streams.push_back({.resources = each.resources});
  session_.ask({options, "area"}, tr("Area"),
               reading([this, generation = generation_, options,
                        data = std::move(data)](const engine::answers::KernelsAnswer& kernels) {
                 if (generation != generation_) return;
                 area_ = data;
                 area_.rows = kernels_data(kernels).rows;
                 show_area();
                 if (area_.rows.empty()) ask_running_through(options);
                 if (session_kernels_.empty()) request_session_kernels();
               }));
}

// An area inside one long launch contains no start: this is stated instead of showing an empty area.
void TimelineLink::ask_running_through(engine::KernelsOptions options) {
  options.intervals.clear();
  options.where = (options.where.empty() ? "" : "(" + options.where + ") and ") +
                  QString("start < %1 and end > %1").arg(area_.range.begin.count).toStdString();
  session_.ask({options, "area through"}, tr("Area"),
               reading([this, generation = generation_](const engine::answers::KernelsAnswer& answer) {
                 if (generation != generation_) return;
                 area_.runningThrough = 0;
                 for (const auto& kernel : answer.kernels)
                   *area_.runningThrough += static_cast<std::uint64_t>(kernel.launches);
                 show_area();
               }));
}

// Requests the whole run without any filter, once per session.
void TimelineLink::request_session_kernels() {
  session_.ask({engine::KernelsOptions(), "whole-run"}, tr("Area"),
               reading([this](const engine::answers::KernelsAnswer& kernels) {
                 session_kernels_ = kernels_data(kernels).rows;
                 show_area();
               }));
}

void TimelineLink::show_area() {
  if (area_.range.empty()) return;
  area_.whole = session_kernels_;
  emit area(area_);
}

} // namespace jitterscope::app
