#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/collectives/arrivals.h"
#include "core/analysis/distributions/heat_map.h"
#include "core/analysis/distributions/launch_table.h"
#include "core/analysis/events/partners.h"
#include "core/analysis/parallel/rows_near.h"
#include "core/engine/messages/table_answers.h"
#include "core/engine/messages/table_options.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {
namespace {

/// The distinct texts of a text column; `values` become indices of the rows' texts.
std::vector<std::string> texts_of(const analysis::LaunchColumns& columns, const std::string& name,
                                  std::vector<double>& values) {
  std::map<double, double> place;
  std::vector<std::string> texts;
  for (auto& value : values) {
    if (std::isnan(value)) continue;
    const auto [found, fresh] = place.emplace(value, static_cast<double>(texts.size()));
    if (fresh) texts.push_back(columns.text(name, value));
    value = found->second;
  }
  return texts;
}

answers::ColumnKind kind_of(analysis::ColumnKind kind) {
  return kind == analysis::ColumnKind::Number     ? answers::ColumnKind::Number
         : kind == analysis::ColumnKind::Category ? answers::ColumnKind::Category
                                                  : answers::ColumnKind::Text;
}

std::vector<answers::ColumnAnswer> columns_of(const Context& context, const std::vector<std::string>& names,
                                              std::vector<std::vector<double>> values) {
  const auto& columns = *context.workspace.columns;
  std::vector<answers::ColumnAnswer> out;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const auto& column = *columns.find(names[c]);
    auto& made = out.emplace_back(answers::ColumnAnswer{.name = column.name,
                                                        .unit = column.unit,
                                                        .description = row_words(context, column.description),
                                                        .kind = kind_of(column.kind)});
    if (column.kind == analysis::ColumnKind::Text) made.texts = texts_of(columns, column.name, values[c]);
    made.values = std::move(values[c]);
  }
  return out;
}

Expected<answers::LaunchesAnswer> launches(const Context& context, const LaunchesOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& columns = *context.workspace.columns;
  auto selection = selection_of(context, options);
  if (!selection) return forward(selection.error());
  analysis::LaunchTableOptions requested;
  if (!options.sort.empty()) requested.sort = column_name(options.sort);
  requested.descending = options.descending;
  requested.first = options.first;
  requested.count = options.count;
  requested.columns = options.columns;
  requested.locate = options.locate;
  auto table = analysis::launch_table(*context.workspace.session, columns, *selection, requested,
                                      context.communicator, context.job);
  if (!table) return forward(table.error());
  return answers::LaunchesAnswer{.rows = table->rows,
                                 .first = table->first,
                                 .located = table->located.value_or(-1),
                                 .numbers = std::move(table->numbers),
                                 .columns = columns_of(context, requested.columns, std::move(table->values))};
}

analysis::DrawnAxis drawn_axis(const DrawnAxisOptions& axis) {
  return {axis.column, axis.codes, axis.edges, axis.inverted, axis.missing};
}

/// The selected launches whose lines in parallel coordinates pass near a point (rows_near.h).
Expected<answers::LaunchesAnswer> rows_near(const Context& context, const RowsNearOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& session = *context.workspace.session;
  const auto& columns = *context.workspace.columns;
  auto selection = selection_of(context, options);
  if (!selection) return forward(selection.error());
  if (options.axes.empty() || options.axes.size() > 2)
    return failure(ErrorKind::BadUse, "a point is on one axis or between two", {}, "axes");
  analysis::DrawnPoint point;
  point.left = drawn_axis(options.axes.front());
  if (options.axes.size() == 2) point.right = drawn_axis(options.axes.back());
  point.across = options.across;
  point.at = options.at;
  point.within = options.within;
  constexpr std::int64_t kMax = 1'000;
  point.maximum = static_cast<std::size_t>(std::clamp<std::int64_t>(options.count, 0, kMax));
  const auto& names = options.columns;
  for (const auto& name : names)
    if (!columns.find(name))
      return failure(ErrorKind::BadUse, "there is no column \"" + name + "\"", {}, "columns",
                     columns.instead_of(name));
  auto near = analysis::rows_near(session, columns, *selection, point, context.communicator, context.job,
                                  &context.workspace.parallel);
  if (!near) return forward(near.error());
  std::vector<std::vector<double>> values(names.size());
  for (const auto row : near->rows) {
    const auto segment = session.segments(row, row + 1).front();
    for (std::size_t c = 0; c < names.size(); ++c)
      values[c].push_back(columns.read(names[c], segment).front());
  }
  return answers::LaunchesAnswer{.rows = near->count,
                                 .numbers = std::move(near->rows),
                                 .columns = columns_of(context, names, std::move(values))};
}

Expected<answers::HeatMapAnswer> heat_map(const Context& context, const HeatMapOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& columns = *context.workspace.columns;
  auto selection = selection_of(context, options);
  if (!selection) return forward(selection.error());
  analysis::HeatMapOptions requested;
  requested.column = column_name(options.column);
  if (requested.column.empty()) requested.column = analysis::default_column(columns, {"duration"});
  requested.columns = static_cast<int>(std::max<std::int64_t>(options.columns, 0));
  requested.rows = static_cast<int>(std::max<std::int64_t>(options.rows, 0));
  requested.log = options.log;
  requested.window = {{options.begin_ns}, {options.end_ns}};
  auto map = analysis::heat_map(*context.workspace.session, columns, *selection, requested,
                                context.communicator, context.job);
  if (!map) return forward(map.error());
  return answers::HeatMapAnswer{.column = map->column,
                                .unit = map->unit,
                                .log = map->log,
                                .window = map->window,
                                .columns = map->columns,
                                .n = map->n,
                                .outside = map->outside,
                                .edges = std::move(map->edges),
                                .counts = std::move(map->counts)};
}

/// The track of a launch's stream, and its place.
struct Where {
  std::uint32_t track;
  answers::Place place;
};
Where where_is(const Context& context, std::int64_t row) {
  const auto& session = *context.workspace.session;
  const auto& columns = *context.workspace.columns;
  const auto at = session.segments(row, row + 1).front();
  const auto stream = session.traces()[at.trace].store.column<std::uint32_t>(
      "launches", "stream")[static_cast<std::size_t>(at.first)];
  return {context.workspace.tracks->track_of_stream(at.trace, stream),
          {columns.of_resources("rank", at.trace)[stream], columns.of_resources("device", at.trace)[stream]}};
}

/// The launches of the same kernel on other devices (partners.h).
Expected<answers::PartnersAnswer> partners(const Context& context, const PartnersOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  auto found =
      analysis::partners(*context.workspace.session, *context.workspace.columns, options.row, context.job);
  if (!found) return forward(found.error());
  answers::PartnersAnswer answer{.own = where_is(context, options.row).place};
  for (const auto& partner : *found)
    answer.partners.emplace_back(partner.row, partner.start_ns, partner.duration_ns,
                                 answers::Place(partner.rank, partner.device),
                                 where_is(context, partner.row).track);
  return answer;
}

answers::Spread packed(const analysis::Spread& spread) {
  return {spread.n, spread.sum, spread.median, spread.low, spread.high};
}

std::vector<answers::HostExcessAnswer> packed(const std::vector<analysis::HostExcess>& list) {
  std::vector<answers::HostExcessAnswer> out;
  for (const auto& one : list) out.push_back({.name = one.name, .time_ns = one.time_ns, .times = one.times});
  return out;
}

std::unique_ptr<answers::LatenessAnswer> packed(const analysis::Session& session,
                                                const analysis::Lateness& why) {
  using enum analysis::Part;
  const auto part = [&](analysis::Part of) { return packed(why.parts[static_cast<std::size_t>(of)]); };
  answers::LatenessAnswer answer{
      .late_ns = packed(why.late),
      .since_previous_ns = packed(why.since_previous),
      .launches = packed(why.launches),
      .host_work_ns = packed(why.host_work),
      .host_waits_ns = packed(why.host_waits),
      .host_idle_ns = packed(why.host_idle),
      .parts_ns = {part(Kernels), part(Copies), part(NotLaunched), part(Queued), part(Unknown)},
      .host_longer = packed(why.host_longer),
      .host_meanwhile = packed(why.host_meanwhile)};
  for (const auto& kernel : why.kernels)
    answer.kernels.push_back({.name = session.kernels()[kernel.kernel].name,
                              .duration_ns = kernel.duration_ns,
                              .launches = kernel.launches});
  if (why.first_late_ns) answer.first_late_ns = *why.first_late_ns;
  if (why.recording_later_ns) answer.recording_later_ns = *why.recording_later_ns;
  return std::make_unique<answers::LatenessAnswer>(std::move(answer));
}

std::unique_ptr<answers::ArrivalAnswer> packed(const Context& context, const analysis::Arrivals& found) {
  if (!found.at) return nullptr;
  const auto& at = *found.at;
  answers::ArrivalAnswer answer;
  answer.number = at.number, answer.last = static_cast<std::int64_t>(at.last);
  answer.late_ns = at.late_ns, answer.together = at.together;
  answer.row = at.rows[at.last], answer.track = where_is(context, answer.row).track;
  answer.start_ns = at.start[at.last], answer.duration_ns = at.end[at.last] - at.start[at.last];
  answer.first_start_ns = *std::ranges::min_element(at.start);
  answer.why = packed(*context.workspace.session, at.why);
  answer.sentences = sentences_of_one(*context.workspace.session, found);
  return std::make_unique<answers::ArrivalAnswer>(std::move(answer));
}

Expected<answers::ArrivalsAnswer> arrivals(const Context& context, const ArrivalsOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& session = *context.workspace.session;
  auto found = analysis::arrivals(session, *context.workspace.columns, *context.workspace.tracks, options.row,
                                  context.job);
  if (!found) return forward(found.error());
  answers::ArrivalsAnswer answer;
  for (const auto& one : found->participants) {
    auto& made = answer.participants.emplace_back();
    made.name = one.name, made.rank = one.rank, made.device = one.device;
    made.run = session.traces()[one.trace].name;
    made.last = one.last, made.waited_for_ns = one.waited_for_ns;
    made.why = packed(session, one.why);
  }
  answer.collectives = found->collectives, answer.looked_at = found->examined;
  answer.accounted = found->accounted, answer.together = found->together, answer.apart = found->apart;
  answer.unmatched = found->unmatched, answer.ends_apart_ns = found->ends_apart_ns;
  answer.shifted = found->shifted;
  if (found->slowest) answer.slowest = static_cast<std::int64_t>(*found->slowest);
  answer.at = packed(context, *found);
  answer.sentences = sentences(session, *found);
  return answer;
}

} // namespace

std::vector<Operation> table_operations() {
  return {{Reach::AllRanks, launches},
          {Reach::AllRanks, rows_near},
          {Reach::AllRanks, heat_map},
          {Reach::RankZero, partners},
          {Reach::RankZero, arrivals}};
}

} // namespace jitterscope::engine
