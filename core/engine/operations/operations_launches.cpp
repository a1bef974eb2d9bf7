// Operations on single launches and on chosen areas of the timeline.

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/analysis/events/event_details.h"
#include "core/analysis/events/launch_details.h"
#include "core/analysis/timeline/area.h"
#include "core/analysis/timeline/flow.h"
#include "core/analysis/timeline/launch_sums.h"
#include "core/engine/messages/launch_answers.h"
#include "core/engine/messages/launch_options.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {
namespace {

answers::FieldAnswer packed(const analysis::EventField& field, const Context& context, bool is_text) {
  return {.name = field.name,
          .unit = field.unit,
          .description = row_words(context, field.description),
          .value = field.value,
          .text = field.text,
          .is_text = is_text};
}

Expected<answers::LaunchAnswer> launch(const Context& context, const LaunchOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  if (auto known = context.workspace.columns->prepare_call_sites(context.job); !known)
    return forward(known.error());
  const auto& session = *context.workspace.session;
  const auto& columns = *context.workspace.columns;
  const auto& tracks = *context.workspace.tracks;
  const auto found = analysis::launch_details(session, columns, options.row);
  if (!found) return forward(found.error());
  answers::LaunchAnswer answer;
  answer.row = options.row;
  answer.kernel = found->kernel;
  answer.name = session.kernels()[found->kernel].name;
  answer.short_name = session.kernels()[found->kernel].short_name;
  answer.track = tracks.track_of_stream(found->trace, found->stream);
  answer.start_ns = found->start_ns;
  answer.duration_ns = found->duration_ns;
  answer.launch_order = session.launch_order();
  answer.configuration_launches = found->configuration_launches;
  answer.configuration_mean_ns = found->configuration_mean_ns;
  answer.variant = found->variant;
  if (const auto& call = found->call)
    answer.call = std::make_unique<answers::CallAnswer>(
        answers::CallAnswer{.name = call->name,
                            .track = tracks.track_of_calls(found->trace, call->thread),
                            .start_ns = call->start_ns,
                            .duration_ns = call->duration_ns});
  for (const auto& field : found->fields)
    answer.fields.push_back(
        packed(field, context, columns.find(field.name)->kind == analysis::ColumnKind::Text));
  return answer;
}

Expected<answers::FlowAnswer> flow(const Context& context, const FlowOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  constexpr std::size_t kMaxTransfers = 100; // per track: more arrows cannot be distinguished
  auto found = analysis::launch_flow(*context.workspace.session, *context.workspace.tracks, options.row,
                                     kMaxTransfers);
  if (!found) return forward(found.error());
  answers::FlowAnswer answer{.row = options.row};
  if (found->call_track != kNone)
    answer.arrows.emplace_back(found->call_end, found->begin, found->call_track, found->track,
                               answers::ArrowKind::Made);
  // Ends where the launch can first use the copied data: at the end of the copy, clamped to the launch.
  for (const auto& transfer : found->transfers)
    answer.arrows.emplace_back(transfer.end, std::clamp(transfer.end, found->begin, found->end),
                               transfer.track, found->track, answers::ArrowKind::Feeds);
  return answer;
}

Expected<answers::EventFlowAnswer> event_flow(const Context& context, const EventFlowOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  constexpr std::size_t kMaxArrows = 100; // per kind: more cannot be distinguished
  auto found = analysis::event_flow(*context.workspace.session, *context.workspace.tracks, options.track,
                                    options.row, kMaxArrows);
  if (!found) return forward(found.error());
  answers::EventFlowAnswer answer;
  for (const auto& arrow : *found)
    answer.arrows.emplace_back(arrow.from, arrow.to, arrow.from_track, arrow.to_track,
                               arrow.feeds ? answers::ArrowKind::Feeds : answers::ArrowKind::Made);
  return answer;
}

std::vector<answers::LinkAnswer> packed(const std::vector<analysis::EventLink>& links) {
  std::vector<answers::LinkAnswer> out;
  for (const auto& link : links)
    out.push_back({.kind = static_cast<answers::LinkKind>(link.kind),
                   .name = link.name,
                   .track = link.track,
                   .row = link.row,
                   .begin_ns = link.begin,
                   .end_ns = link.end,
                   .bytes = link.bytes});
  return out;
}

Expected<answers::EventAnswer> event(const Context& context, const EventOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& session = *context.workspace.session;
  const auto& tracks = *context.workspace.tracks;
  const auto track = options.track;
  const auto found = options.time_ns ? analysis::sample_details(session, tracks, track, *options.time_ns)
                                     : analysis::event_details(session, tracks, track, options.row);
  if (!found) return forward(found.error());
  answers::EventAnswer answer{
      .name = found->name, .begin_ns = found->begin, .end_ns = found->end, .links = packed(found->links)};
  for (const auto& field : found->fields)
    answer.fields.push_back(packed(field, context, !field.text.empty()));
  return answer;
}

Expected<answers::LaunchLinksAnswer> launch_links(const Context& context, const LaunchLinksOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& workspace = context.workspace;
  const auto found = analysis::launch_links(*workspace.session, *workspace.columns, *workspace.tracks,
                                            options.row, context.job);
  if (!found) return forward(found.error());
  return answers::LaunchLinksAnswer{.transfers = found->transfers, .links = packed(found->links)};
}

Expected<answers::StepAnswer> step(const Context& context, const StepOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto by = options.by == "stream" ? analysis::StepBy::Stream : analysis::StepBy::Kernel;
  auto found = analysis::step_from(*context.workspace.session, *context.workspace.tracks, options.row, by,
                                   options.direction, context.job);
  if (!found) return forward(found.error());
  const auto& next = *found;
  if (!next) return answers::StepAnswer{.at_end = true};
  return answers::StepAnswer{
      .row = next->row, .track = next->track, .begin_ns = next->begin, .end_ns = next->end};
}

answers::AreaAnswer packed(const analysis::Area& area) {
  answers::AreaAnswer out{.all_streams = area.all_streams};
  for (const auto& track : area.tracks)
    out.tracks.emplace_back(static_cast<std::int64_t>(track.events), static_cast<double>(track.busy),
                            track.covered_known ? static_cast<double>(track.covered) : std::nan(""),
                            track.track, track.filtered);
  if (!area.all_streams)
    for (const auto& resources : area.streams) out.streams.push_back({.resources = resources});
  return out;
}

Expected<Interval> area_range(std::int64_t begin_ns, std::int64_t end_ns) {
  const Interval range{{begin_ns}, {end_ns}};
  constexpr std::int64_t kFarthest = std::int64_t{1} << 61;
  if (range.empty() || range.begin.count < -kFarthest || range.end.count > kFarthest)
    return failure(ErrorKind::BadUse, "the area is empty");
  return range;
}

/// Without `tracks`: all tracks. The streams are in the form in which other operations accept them
/// (Selection).
Expected<answers::AreaAnswer> area(const Context& context, const AreaOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto range = area_range(options.begin_ns, options.end_ns);
  if (!range) return forward(range.error());
  const auto& workspace = context.workspace;
  return packed(analysis::area_of(*workspace.session, *workspace.tracks, options.tracks, *range));
}

/// Same as area(), with filtered tracks, which count only the launches that pass the condition; it does not
/// apply to memory operations, calls and ranges.
Expected<answers::AreaAnswer> area_of_selection(const Context& context,
                                                const AreaOfSelectionOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto range = area_range(options.begin_ns, options.end_ns);
  if (!range) return forward(range.error());
  const auto& workspace = context.workspace;
  const auto selection = analysis::Selection::make(options.where, *workspace.columns);
  if (!selection) return forward(selection.error());
  const auto selected =
      analysis::selected_launches(*workspace.session, *workspace.columns, workspace.tracks.get(), *selection,
                                  *range, context.communicator, context.job);
  if (!selected) return forward(selected.error());
  if (context.communicator.rank() != 0) return answers::AreaAnswer();
  return packed(analysis::area_of(*workspace.session, *workspace.tracks, options.tracks, *range, &*selected));
}

} // namespace

std::vector<Operation> launch_operations() {
  return {{Reach::RankZero, launch},       {Reach::RankZero, flow},
          {Reach::RankZero, event_flow},   {Reach::RankZero, event},
          {Reach::RankZero, launch_links}, {Reach::RankZero, step},
          {Reach::RankZero, area},         {Reach::AllRanks, area_of_selection}};
}

} // namespace jitterscope::engine
