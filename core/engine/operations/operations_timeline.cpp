#include <algorithm>
#include <map>

#include "core/analysis/timeline/merged_rows.h"
#include "core/analysis/timeline/stretches.h"
#include "core/analysis/timeline/timeline.h"
#include "core/engine/messages/timeline_answers.h"
#include "core/engine/messages/timeline_options.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {
namespace {

Expected<answers::TracksAnswer> tracks(const Context& context, const TracksOptions&) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& workspace = context.workspace;
  answers::TracksAnswer answer;
  for (const auto& track : workspace.tracks->list())
    answer.tracks.push_back({.id = track.id,
                             .parent = track.parent,
                             .kind = static_cast<std::uint8_t>(track.kind),
                             .label = track.label,
                             .details = track.details,
                             .unit = track.unit,
                             .depth = track.depth,
                             .levels = track.levels});
  answer.names = workspace.names->names();
  answer.span = analysis::timeline_span(*workspace.session, *workspace.tracks);
  answer.launch_span = workspace.session->launch_span();
  answer.launch_order = workspace.session->launch_order();
  return answer;
}

std::vector<answers::Cell> packed(const std::vector<analysis::TimelineCell>& cells) {
  std::vector<answers::Cell> out;
  out.reserve(cells.size());
  for (const auto& cell : cells)
    out.emplace_back(cell.count, cell.name, cell.busy, cell.selected, cell.value);
  return out;
}

answers::TrackContentAnswer packed(const analysis::TrackContent& content) {
  answers::TrackContentAnswer out{.track = content.track,
                                  .dyadic = content.dyadic,
                                  .bin_origin_ns = content.bin_origin,
                                  .counter_minimum = content.counter_minimum,
                                  .counter_maximum = content.counter_maximum,
                                  .cells = packed(content.cells)};
  for (const auto& bar : content.bars)
    out.bars.emplace_back(bar.begin, bar.end, bar.row, bar.name, bar.value,
                          static_cast<std::uint8_t>(bar.level), bar.dimmed);
  for (const auto& column : content.counter)
    out.counter.emplace_back(column.minimum, column.mean, column.maximum);
  return out;
}

answers::Exactness exactness_of(analysis::DimmingKind dimming) {
  static constexpr answers::Exactness kAll[] = {answers::Exactness::NotRequested, answers::Exactness::Exact,
                                                answers::Exactness::Sampled};
  return kAll[static_cast<int>(dimming)];
}

answers::Exactness exactness_of(analysis::ValueKind values) {
  static constexpr answers::Exactness kAll[] = {answers::Exactness::NotRequested, answers::Exactness::Exact,
                                                answers::Exactness::Sampled};
  return kAll[static_cast<int>(values)];
}

constexpr int kMaxWindowColumns = 20'000; ///< pixels

bool is_window(Interval window, int columns) {
  constexpr std::int64_t kFarthest = std::int64_t{1} << 61;
  return !window.empty() && columns >= 1 && columns <= kMaxWindowColumns &&
         window.begin.count >= -kFarthest && window.end.count <= kFarthest;
}

tl::unexpected<Error> bad_window(Interval window, int columns) {
  return failure(ErrorKind::BadUse,
                 "the window from " + std::to_string(window.begin.count) + " to " +
                     std::to_string(window.end.count) + " ns in " + std::to_string(columns) +
                     " columns is empty or out of range",
                 {}, {}, "Request times within ±2^61 ns in 1 to 20,000 columns.");
}

Expected<answers::TimelineAnswer> timeline(const Context& context, const TimelineOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& workspace = context.workspace;
  auto selection = selection_of(context, options);
  if (!selection) return forward(selection.error());
  analysis::TimelineRequest request;
  request.window = {{options.begin_ns}, {options.end_ns}};
  request.columns = static_cast<int>(std::max<std::int64_t>(options.columns, 0));
  request.tracks = options.tracks;
  request.value = options.value;
  if (!is_window(request.window, request.columns)) return bad_window(request.window, request.columns);
  const auto drawn = analysis::timeline(*workspace.session, *workspace.columns, *workspace.names,
                                        *workspace.tracks, *selection, request, context.job);
  if (!drawn) return forward(drawn.error());
  answers::TimelineAnswer answer{.window = request.window,
                                 .columns = request.columns,
                                 .dimming = exactness_of(drawn->dimming),
                                 .value = request.value,
                                 .values = exactness_of(drawn->values),
                                 .message_count = drawn->messages.count};
  for (const auto& content : drawn->tracks) answer.tracks.push_back(packed(content));
  for (const auto& line : drawn->messages.lines)
    answer.messages.emplace_back(line.begin, line.end, line.bytes, line.from_track, line.to_track);
  return answer;
}

/// The tracks of a row.
Expected<std::vector<std::uint32_t>> tracks_of(const MergedRowOptions& row, std::size_t tracks) {
  std::vector<std::uint32_t> ids;
  for (const auto& run : row.runs) {
    const auto first = run.first(), step = run.step(), count = run.count();
    const auto all = static_cast<std::int64_t>(tracks);
    if (first < 0 || first >= all || step < 1 || count < 1 || count > (all - 1 - first) / step + 1)
      return failure(ErrorKind::BadUse, "a row of the timeline names tracks that do not exist");
    for (std::int64_t i = 0; i < count; ++i) ids.push_back(static_cast<std::uint32_t>(first + i * step));
  }
  return ids;
}

Expected<answers::MergedTimelineAnswer> merged_timeline(const Context& context,
                                                        const MergedTimelineOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& workspace = context.workspace;
  auto selection = selection_of(context, options);
  if (!selection) return forward(selection.error());
  analysis::MergedRequest request;
  request.window = {{options.begin_ns}, {options.end_ns}};
  request.columns = static_cast<int>(std::max<std::int64_t>(options.columns, 0));
  request.value = options.value;
  static const std::map<std::string, analysis::Merging> kMergings = {
      {"dominant", analysis::Merging::Dominant},
      {"mean", analysis::Merging::Mean},
      {"maximum", analysis::Merging::Maximum}};
  const auto merging = kMergings.find(options.merging.empty() ? "dominant" : options.merging);
  constexpr std::size_t kMaxMergedRows = 20'000, kMaxMergedCells = 64'000'000;
  if (merging == kMergings.end())
    return failure(ErrorKind::BadUse, "tracks cannot be merged by \"" + options.merging + "\"", {}, "merging",
                   "Use dominant, mean or maximum.");
  if (!is_window(request.window, request.columns)) return bad_window(request.window, request.columns);
  if (options.rows.size() > kMaxMergedRows ||
      options.rows.size() * static_cast<std::size_t>(request.columns) > kMaxMergedCells)
    return failure(ErrorKind::BadUse,
                   std::to_string(options.rows.size()) + " rows of " + std::to_string(request.columns) +
                       " columns are too many",
                   {}, "rows", "Request at most 20,000 rows and 64,000,000 cells.");
  request.merging = merging->second;
  for (const auto& runs : options.rows) {
    auto ids = tracks_of(runs, workspace.tracks->list().size());
    if (!ids) return forward(ids.error());
    request.rows.push_back(std::move(*ids));
  }
  auto merged = analysis::merged_rows(*workspace.session, *workspace.columns, *workspace.names,
                                      *workspace.tracks, *selection, request, context.job);
  if (!merged) return forward(merged.error());
  return answers::MergedTimelineAnswer{.names = std::move(merged->name),
                                       .shares = std::move(merged->share),
                                       .selected = std::move(merged->selected),
                                       .values = std::move(merged->value),
                                       .dyadic = std::move(merged->dyadic)};
}

Expected<answers::OverviewAnswer> overview(const Context& context, const OverviewOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& workspace = context.workspace;
  const auto& session = *workspace.session;
  const int columns = static_cast<int>(std::clamp<std::int64_t>(options.columns, 1, kMaxWindowColumns));
  const auto span = analysis::timeline_span(session, *workspace.tracks);
  return answers::OverviewAnswer{
      .span = span,
      .cells = packed(analysis::overview(session, *workspace.names, *workspace.tracks, span, columns))};
}

Expected<answers::StretchesAnswer> stretches(const Context& context, const StretchesOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& workspace = context.workspace;
  return answers::StretchesAnswer{
      .stretches = analysis::stretches_of_launches(*workspace.session, *workspace.names, *workspace.tracks,
                                                   std::clamp(options.least_gap, 1e-4, 0.9))};
}

} // namespace

std::vector<Operation> timeline_operations() {
  return {{Reach::RankZero, tracks},
          {Reach::RankZero, timeline},
          {Reach::RankZero, merged_timeline},
          {Reach::RankZero, overview},
          {Reach::RankZero, stretches}};
}

} // namespace jitterscope::engine
