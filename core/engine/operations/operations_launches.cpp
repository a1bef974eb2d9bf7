// Operations on single launches and on chosen areas of the timeline.

#include <algorithm>
#include <map>
#include <optional>

#include "core/analysis/events/event_details.h"
#include "core/analysis/timeline/area.h"
#include "core/analysis/timeline/flow.h"
#include "core/analysis/timeline/launch_sums.h"
#include "core/engine/messages/launch_options.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

/// flow → {track, begin_ns, end_ns, window_begin_ns, call: {track, begin_ns, end_ns} or null,
/// transfers: [{track, begin_ns, end_ns}], transfer_count}.
Expected<Answer> flow(const Context& context, const FlowOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  constexpr std::size_t kMaxTransfers = 100; // per track: more arrows cannot be distinguished
  auto found = analysis::launch_flow(*context.workspace.session, *context.workspace.tracks, options.row,
                                     kMaxTransfers);
  if (!found) return forward(found.error());
  json transfers = json::array();
  for (const auto& transfer : found->transfers)
    transfers.push_back({{"track", transfer.track}, {"begin_ns", transfer.begin}, {"end_ns", transfer.end}});
  Answer answer;
  answer.document = {{"row", options.row},
                     {"track", found->track},
                     {"begin_ns", found->begin},
                     {"end_ns", found->end},
                     {"window_begin_ns", found->window_begin},
                     {"call", nullptr},
                     {"transfers", std::move(transfers)},
                     {"transfer_count", found->transfer_count}};
  if (found->call_track != kNone)
    answer.document["call"] = {
        {"track", found->call_track}, {"begin_ns", found->call_begin}, {"end_ns", found->call_end}};
  return answer;
}

/// event_flow → {track, row, arrows: [{from_track, from_ns, to_track, to_ns,
/// feeds}]}: causes and consequences of a memory operation or a call (core/analysis/timeline/flow.h).
Expected<Answer> event_flow(const Context& context, const EventFlowOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  constexpr std::size_t kMaxArrows = 100; // per kind: more cannot be distinguished
  auto found = analysis::event_flow(*context.workspace.session, *context.workspace.tracks, options.track,
                                    options.row, kMaxArrows);
  if (!found) return forward(found.error());
  Answer answer;
  answer.document = {{"track", options.track}, {"row", options.row}, {"arrows", json::array()}};
  for (const auto& arrow : *found)
    answer.document["arrows"].push_back({{"from_track", arrow.from_track},
                                         {"from_ns", arrow.from},
                                         {"to_track", arrow.to_track},
                                         {"to_ns", arrow.to},
                                         {"feeds", arrow.feeds}});
  return answer;
}

json links_json(const std::vector<analysis::EventLink>& links) {
  json out = json::array();
  for (const auto& link : links)
    out.push_back({{"kind", to_string(link.kind)},
                   {"name", link.name},
                   {"track", link.track},
                   {"row", link.row},
                   {"begin_ns", link.begin},
                   {"end_ns", link.end},
                   {"bytes", link.bytes < 0 ? json() : json(link.bytes)}});
  return out;
}

/// event → {track, name, begin_ns, end_ns, fields:
/// [{name, unit, description, value | text}], links: [{kind, name, track, row, begin_ns, end_ns, bytes}]}
/// (event_details.h).
Expected<Answer> event(const Context& context, const EventOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& session = *context.workspace.session;
  const auto& tracks = *context.workspace.tracks;
  const auto track = options.track;
  const auto found = options.time_ns ? analysis::sample_details(session, tracks, track, *options.time_ns)
                                     : analysis::event_details(session, tracks, track, options.row);
  if (!found) return forward(found.error());
  json fields = json::array();
  for (const auto& field : found->fields) {
    fields.push_back(
        {{"name", field.name}, {"unit", field.unit}, {"description", field.description}, {"value", nullptr}});
    if (field.text.empty())
      fields.back()["value"] = field.value;
    else
      fields.back()["text"] = field.text;
  }
  Answer answer;
  answer.document = {
      {"track", track},       {"name", found->name},         {"begin_ns", found->begin},
      {"end_ns", found->end}, {"fields", std::move(fields)}, {"links", links_json(found->links)}};
  return answer;
}

/// launch_links → {row, window_begin_ns, transfers, links: as of event}: memory operations linked to a
/// launch, and its partners.
Expected<Answer> launch_links(const Context& context, const LaunchLinksOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& workspace = context.workspace;
  const auto found = analysis::launch_links(*workspace.session, *workspace.columns, *workspace.tracks,
                                            options.row, context.job);
  if (!found) return forward(found.error());
  Answer answer;
  answer.document = {{"row", options.row},
                     {"window_begin_ns", found->window_begin},
                     {"transfers", found->transfers},
                     {"links", links_json(found->links)}};
  return answer;
}

/// step → {row, track, begin_ns, end_ns}, {} at the end.
Expected<Answer> step(const Context& context, const StepOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto by = options.by == "stream" ? analysis::StepBy::Stream : analysis::StepBy::Kernel;
  auto found = analysis::step_from(*context.workspace.session, *context.workspace.tracks, options.row, by,
                                   options.direction, context.job);
  if (!found) return forward(found.error());
  Answer answer;
  answer.document = json::object();
  if (const auto& next = *found)
    answer.document = {
        {"row", next->row}, {"track", next->track}, {"begin_ns", next->begin}, {"end_ns", next->end}};
  return answer;
}

json document_of(const analysis::Area& area, Interval range) {
  json tracks = json::array();
  for (const auto& track : area.tracks)
    tracks.push_back({{"track", track.track},
                      {"events", track.events},
                      {"busy_ns", track.busy},
                      {"covered_ns", track.covered_known ? json(track.covered) : json()},
                      {"filtered", track.filtered}});
  json document = {
      {"begin_ns", range.begin.count}, {"end_ns", range.end.count}, {"tracks", std::move(tracks)}};
  if (!area.all_streams) document["streams"] = area.streams;
  return document;
}

Expected<Interval> area_range(std::int64_t begin_ns, std::int64_t end_ns) {
  const Interval range{{begin_ns}, {end_ns}};
  constexpr std::int64_t kFarthest = std::int64_t{1} << 61;
  if (range.empty() || range.begin.count < -kFarthest || range.end.count > kFarthest)
    return failure(ErrorKind::BadUse, "the area is empty");
  return range;
}

/// area → {tracks: [{track, events, busy_ns, covered_ns, filtered}], streams:
/// [[resource…] per trace]}: contents of the tracks in the range (covered_ns: null for streams with several
/// lanes), and the streams whose launches belong to the area, as other operations accept them (Selection).
/// Without `tracks`: all tracks; streams is omitted if all belong to the area.
Expected<Answer> area(const Context& context, const AreaOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto range = area_range(options.begin_ns, options.end_ns);
  if (!range) return forward(range.error());
  const auto& workspace = context.workspace;
  Answer answer;
  answer.document =
      document_of(analysis::area_of(*workspace.session, *workspace.tracks, options.tracks, *range), *range);
  return answer;
}

/// area_of_selection → as area, with filtered tracks, which count only the
/// launches that pass the condition; it does not apply to memory operations, calls and ranges.
Expected<Answer> area_of_selection(const Context& context, const AreaOfSelectionOptions& options) {
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
  Answer answer;
  if (context.communicator.rank() != 0) return answer;
  answer.document = document_of(
      analysis::area_of(*workspace.session, *workspace.tracks, options.tracks, *range, &*selected), *range);
  return answer;
}

} // namespace

std::vector<Operation> launch_operations() {
  return {{Reach::RankZero, flow},
          {Reach::RankZero, event_flow},
          {Reach::RankZero, event},
          {Reach::RankZero, launch_links},
          {Reach::RankZero, step},
          {Reach::RankZero, area},
          {Reach::AllRanks, area_of_selection}};
}

} // namespace jitterscope::engine
