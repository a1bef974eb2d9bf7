#include <algorithm>
#include <map>

#include "core/analysis/timeline/merged_rows.h"
#include "core/analysis/timeline/stretches.h"
#include "core/analysis/timeline/timeline.h"
#include "core/engine/messages/texts.h"
#include "core/engine/messages/timeline_options.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

/// tracks → {names: […], span, launch_span, axis, index}; arrays id, parent (−1: none), kind, depth,
/// levels and lists of texts label, details, unit of the tracks.
Expected<Answer> tracks(const Context& context, const TracksOptions&) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& workspace = context.workspace;
  Answer answer;
  std::vector<std::uint32_t> ids, depths, levels;
  std::vector<std::int64_t> parents;
  std::vector<std::uint8_t> kinds;
  std::vector<std::string_view> labels, details, units;
  for (const auto& track : workspace.tracks->list()) {
    ids.push_back(track.id), parents.push_back(track.parent);
    kinds.push_back(static_cast<std::uint8_t>(track.kind));
    depths.push_back(static_cast<std::uint32_t>(track.depth));
    levels.push_back(static_cast<std::uint32_t>(track.levels));
    labels.push_back(track.label), details.push_back(track.details), units.push_back(track.unit);
  }
  answer.add("id", std::move(ids)), answer.add("parent", std::move(parents));
  answer.add("kind", std::move(kinds)), answer.add("depth", std::move(depths));
  answer.add("levels", std::move(levels));
  add_texts(answer, "label", labels), add_texts(answer, "details", details), add_texts(answer, "unit", units);
  answer.document["names"] = workspace.names->names();
  answer.document["axis"] = workspace.session->launch_order() ? "launch-order" : "time";
  const auto span = analysis::timeline_span(*workspace.session, *workspace.tracks);
  answer.document["span"] = {span.begin.count, span.end.count};
  answer.document["launch_span"] = {workspace.session->launch_span().begin.count,
                                    workspace.session->launch_span().end.count};
  answer.document["index"] = workspace.tracks->index_rebuilt() ? "built when the store was opened" : "stored";
  return answer;
}

void add_cells(Answer& answer, const std::string& prefix, const std::vector<analysis::TimelineCell>& cells,
               bool with_values = false) {
  std::vector<std::uint32_t> counts, names;
  std::vector<float> busy, selected, values;
  for (const auto& cell : cells) {
    counts.push_back(cell.count);
    names.push_back(cell.name);
    busy.push_back(cell.busy);
    selected.push_back(cell.selected);
    values.push_back(cell.value);
  }
  answer.add(prefix + "count", std::move(counts));
  answer.add(prefix + "name", std::move(names));
  answer.add(prefix + "busy", std::move(busy));
  answer.add(prefix + "selected", std::move(selected));
  if (with_values) answer.add(prefix + "value", std::move(values));
}

void add_bars(Answer& answer, const std::string& prefix, const std::vector<analysis::TimelineBar>& bars,
              bool with_values) {
  std::vector<std::int64_t> begins, ends, rows;
  std::vector<std::uint32_t> names;
  std::vector<std::uint8_t> levels, dimmed;
  std::vector<float> values;
  for (const auto& bar : bars) {
    begins.push_back(bar.begin);
    ends.push_back(bar.end);
    rows.push_back(bar.row);
    names.push_back(bar.name);
    levels.push_back(bar.level);
    dimmed.push_back(bar.dimmed);
    values.push_back(bar.value);
  }
  answer.add(prefix + "begin", std::move(begins));
  answer.add(prefix + "end", std::move(ends));
  answer.add(prefix + "row", std::move(rows));
  answer.add(prefix + "bar_name", std::move(names));
  answer.add(prefix + "level", std::move(levels));
  answer.add(prefix + "dimmed", std::move(dimmed));
  if (with_values) answer.add(prefix + "bar_value", std::move(values));
}

const char* word_of(analysis::DimmingKind dimming) {
  static constexpr const char* kWords[] = {"nothing", "exact", "sampled"};
  return kWords[static_cast<int>(dimming)];
}

const char* word_of(analysis::ValueKind values) {
  static constexpr const char* kWords[] = {"none", "exact", "sampled"};
  return kWords[static_cast<int>(values)];
}

// Arrays message/from, to, begin, end, bytes.
void add_messages(Answer& answer, const analysis::MessageLines& messages) {
  std::vector<std::uint32_t> from, to;
  std::vector<std::int64_t> begins, ends, bytes;
  for (const auto& line : messages.lines) {
    from.push_back(line.from_track);
    to.push_back(line.to_track);
    begins.push_back(line.begin);
    ends.push_back(line.end);
    bytes.push_back(line.bytes);
  }
  answer.document["messages"] = messages.count;
  if (from.empty()) return;
  answer.add("message/from", std::move(from));
  answer.add("message/to", std::move(to));
  answer.add("message/begin", std::move(begins));
  answer.add("message/end", std::move(ends));
  answer.add("message/bytes", std::move(bytes));
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

/// timeline → {dimming, values, messages,
/// tracks: [{track, dyadic: [1 or 0 by level], bin_origin_ns …}]}; arrays "<i>/count" … per position i of
/// that list. dimming: "nothing" without a selection, "exact", or "sampled" if the shares of selected
/// launches come from a sample. dyadic: whether the cells are those of the dyadic bins of the window, aligned
/// to bin_origin_ns (ColumnBins), or of exactly the pixel columns. value: a column of launches or
/// kRelativeToMean (LaunchValues), in pixel columns: arrays "<i>/value", "<i>/bar_value". messages: number of
/// messages sent in the window by the tracks; arrays message/… if they are few.
Expected<Answer> timeline(const Context& context, const TimelineOptions& options) {
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
  const auto read = analysis::timeline(*workspace.session, *workspace.columns, *workspace.names,
                                       *workspace.tracks, *selection, request, context.job);
  if (!read) return forward(read.error());
  const auto& drawn = *read;
  const auto& contents = drawn.tracks;
  Answer answer;
  json list = json::array();
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const auto& content = contents[i];
    const std::string prefix = std::to_string(i) + "/";
    list.push_back({{"track", content.track},
                    {"dyadic", content.dyadic},
                    {"bin_origin_ns", content.bin_origin},
                    {"counter_minimum", content.counter_minimum},
                    {"counter_maximum", content.counter_maximum}});
    const bool with_values = drawn.values != analysis::ValueKind::None;
    if (!content.cells.empty()) add_cells(answer, prefix, content.cells, with_values);
    if (!content.bars.empty()) add_bars(answer, prefix, content.bars, with_values);
    std::vector<float> bands;
    for (const auto& column : content.counter)
      bands.insert(bands.end(), {column.minimum, column.mean, column.maximum});
    if (!bands.empty()) answer.add(prefix + "counter", std::move(bands));
  }
  answer.document = {{"begin_ns", request.window.begin.count},
                     {"end_ns", request.window.end.count},
                     {"columns", request.columns},
                     {"dimming", word_of(drawn.dimming)},
                     {"value", request.value},
                     {"values", word_of(drawn.values)},
                     {"tracks", std::move(list)}};
  add_messages(answer, drawn.messages);
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

/// merged_timeline → {begin_ns, end_ns, columns, rows: number, value}; arrays
/// "name", "share", "selected" (with a selection), "value" (with a value), rows × columns, and "dyadic", one
/// of a row (MergedRows).
Expected<Answer> merged_timeline(const Context& context, const MergedTimelineOptions& options) {
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
  Answer answer;
  answer.document = {{"begin_ns", request.window.begin.count},
                     {"end_ns", request.window.end.count},
                     {"columns", request.columns},
                     {"rows", request.rows.size()},
                     {"value", request.value}};
  answer.add("name", std::move(merged->name));
  answer.add("share", std::move(merged->share));
  answer.add("dyadic", std::move(merged->dyadic));
  if (!merged->selected.empty()) answer.add("selected", std::move(merged->selected));
  if (!merged->value.empty()) answer.add("value", std::move(merged->value));
  return answer;
}

/// overview → cells of the whole timeline_span().
Expected<Answer> overview(const Context& context, const OverviewOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& workspace = context.workspace;
  const auto& session = *workspace.session;
  const int columns = static_cast<int>(std::clamp<std::int64_t>(options.columns, 1, kMaxWindowColumns));
  const auto span = analysis::timeline_span(session, *workspace.tracks);
  Answer answer;
  answer.document = {{"begin_ns", span.begin.count}, {"end_ns", span.end.count}};
  add_cells(answer, "", analysis::overview(session, *workspace.names, *workspace.tracks, span, columns));
  return answer;
}

/// stretches → {stretches: [[begin_ns, end_ns] …]}: intervals with launches, separated by gaps of
/// more than `least_gap` times the span.
Expected<Answer> stretches(const Context& context, const StretchesOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& workspace = context.workspace;
  Answer answer;
  answer.document["stretches"] = json::array();
  for (const auto& each : analysis::stretches_of_launches(
           *workspace.session, *workspace.names, *workspace.tracks, std::clamp(options.least_gap, 1e-4, 0.9)))
    answer.document["stretches"].push_back({each.begin.count, each.end.count});
  return answer;
}

/// statistics_of_range → {count, sum_ns, mean_ns, variance_ns2, minimum_ns,
/// maximum_ns, busy_ns} of the events of a track that begin in the range, over all its levels; busy_ns: sum
/// of the durations, clipped to the range.
Expected<Answer> statistics_of_range(const Context& context, const StatisticsOfRangeOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& workspace = context.workspace;
  const auto id = options.track;
  if (id >= workspace.tracks->list().size())
    return failure(ErrorKind::BadUse, "there is no track " + std::to_string(id));
  const auto sums = analysis::range_statistics(*workspace.session, *workspace.tracks, id,
                                               {{options.begin_ns}, {options.end_ns}});
  Answer answer;
  answer.document = {{"count", sums.count}, {"sum_ns", sums.sum}, {"busy_ns", sums.busy}};
  if (sums.count > 0)
    answer.document.update({{"mean_ns", sums.mean_ns()},
                            {"variance_ns2", sums.variance_ns2()},
                            {"minimum_ns", sums.minimum},
                            {"maximum_ns", sums.maximum}});
  return answer;
}

} // namespace

std::vector<Operation> timeline_operations() {
  return {{Reach::RankZero, tracks},   {Reach::RankZero, timeline},  {Reach::RankZero, merged_timeline},
          {Reach::RankZero, overview}, {Reach::RankZero, stretches}, {Reach::RankZero, statistics_of_range}};
}

} // namespace jitterscope::engine
