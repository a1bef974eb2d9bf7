#include "core/efficiency/cut/reduce.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/stop.h"
#include "core/base/time.h"
#include "core/efficiency/activity_rows.h"
#include "core/efficiency/cut/burst_counters.h"
#include "core/efficiency/cut/copy.h"
#include "core/store/format/analysis_rows.h"
#include "core/store/tracks/track_index_tables.h"

namespace jitterscope::efficiency {
namespace {

using store::Severity;

/// Code and sentence for rows that were dropped for a reason.
std::pair<std::string, std::string> words_of(Reason reason) {
  switch (reason) {
  case Reason::Range:
    return {"outside-range", "outside the range"};
  case Reason::Track:
    return {"other-tracks", "rank, device or track not chosen"};
  case Reason::Kind:
    return {"other-kinds", "kind not kept"};
  case Reason::Short:
    return {"too-short", "shorter than the threshold"};
  default:
    return {"not-selected", "condition not met"};
  }
}

std::string both(std::int64_t of_first, const char* first, std::int64_t all, const char* second) {
  if (of_first == 0) return second;
  return of_first == all ? std::string(first) : fmt::format("{} and {}", second, first);
}

/// What the rows of a table are.
std::string rows_of_table(const store::Store& store, const Choice& choice, std::size_t table) {
  const auto all = static_cast<std::int64_t>(choice.tables[table].reason.size());
  switch (table) {
  case kLaunchesTable:
    return std::string(store::to_string(store::analysis_rows(store)));
  case kRangesTable:
    return both(choice.states, "states", all, "ranges");
  case kMessagesTable:
    return both(choice.transmissions, "messages", all, "MPI calls");
  default:
    return kChosenTables[table];
  }
}

/// Whether each analysis row was made from a row of another table, which is reported.
bool are_copies(const store::Store& store, const Choice& choice) {
  const auto rows = store::analysis_rows(store);
  return rows == store::AnalysisRows::Bursts ? choice.burst_states > 0
                                             : rows != store::AnalysisRows::Launches;
}

void report_dropped(const store::Store& store, const Reduction& reduction, const Choice& choice,
                    store::ImportReport& report) {
  const std::size_t first = are_copies(store, choice) ? kLaunchesTable + 1 : kLaunchesTable;
  for (auto t = first; t < kChosenTables.size(); ++t) {
    const auto& of = reduction.tables[t];
    for (int r = 1; r < kReasons; ++r)
      if (const auto count = of.rows_of[static_cast<std::size_t>(r)]; count > 0) {
        const auto [code, words] = words_of(static_cast<Reason>(r));
        const bool bursts = t == kRangesTable && static_cast<Reason>(r) == Reason::Short;
        report.add(Severity::Drop, fmt::format("dropped-{}-{}", of.table, code),
                   fmt::format("left out {} of {} {}: {}{}", count, of.before, of.rows,
                               bursts ? "bursts " : "", words),
                   count);
      }
  }
  for (auto t = first; t < kChosenTables.size(); ++t)
    if (const auto over = choice.tables[t].over_border; over > 0)
      report.add(
          Severity::Info, fmt::format("over-border-{}", kChosenTables[t]),
          fmt::format("{} that extend beyond a border of the range: {}", reduction.tables[t].rows, over),
          over);
}

Expected<std::optional<Interval>> range_in_store(const analysis::Session& session,
                                                 const ReductionOptions& requested) {
  if (!requested.range) return std::nullopt;
  const auto shift = session.traces().front().shift_ns;
  const auto span = session.span();
  if (requested.range->empty() || requested.range->end.count <= span.begin.count ||
      requested.range->begin.count >= span.end.count)
    return failure(ErrorKind::BadUse,
                   fmt::format("the range {} is outside the trace", exact_range(*requested.range)),
                   session.traces().front().store.path(), "range",
                   fmt::format("The trace extends from {}.", exact_range(span)));
  return Interval{{requested.range->begin.count - shift}, {requested.range->end.count - shift}};
}

/// A threshold or condition for rows of which there are none.
struct Unused {
  std::string code, text, hint;
};

std::vector<Unused> unused(const ReductionOptions& requested, const Choice& choice, std::size_t launches) {
  const auto count = [&](RowKind kind) { return choice.rows_of_kind[static_cast<std::size_t>(kind)]; };
  std::vector<Unused> list;
  if (requested.bursts_above > 0 && count(RowKind::Bursts) == 0)
    list.push_back(
        {"no-bursts", "the minimum duration of bursts has no effect: there are no bursts",
         count(RowKind::Kernels) > 0
             ? "Bursts are recorded states Running of host threads. For kernels, use --kernels-above."
             : "Bursts are recorded states Running of host threads, as Extrae writes them."});
  if (requested.kernels_above > 0 && count(RowKind::Kernels) == 0)
    list.push_back({"no-kernels-to-filter",
                    "the minimum duration of kernels has no effect: there are no kernels",
                    count(RowKind::Bursts) > 0 ? "For computation of host threads, use --bursts-above."
                                               : "The trace contains no launches on devices."});
  if (!requested.where.everything() && launches == 0)
    list.push_back({"no-launches-to-filter", "the condition has no effect: there are no launches",
                    "Choose kinds of rows instead, such as --keep mpi."});
  return list;
}

/// Error if all that was requested has no effect.
Expected<void> check_effect(const ReductionOptions& requested, const std::vector<Unused>& without_effect,
                            const store::Store& store) {
  const auto filters = static_cast<std::size_t>((requested.bursts_above > 0) + (requested.kernels_above > 0) +
                                                !requested.where.everything());
  const bool chooses = requested.range || !requested.ranks.empty() || !requested.devices.empty() ||
                       requested.kinds != kAllKinds;
  if (without_effect.empty() || chooses || without_effect.size() < filters) return {};
  return failure(ErrorKind::BadUse, without_effect.front().text, store.path(), {},
                 without_effect.front().hint);
}

/// States which rows the condition applies to and which tables do not depend on it.
std::string scope_of_condition(const store::Store& store, const Choice& choice) {
  const auto rows = store::analysis_rows(store);
  std::vector<std::string> independent;
  bool origins = false; // rows that analysis rows were made from were dropped with them
  for (std::size_t t = kLaunchesTable + 1; t < kChosenTables.size(); ++t) {
    const auto& table = choice.tables[t];
    const auto by_condition = table.rows_of[static_cast<std::size_t>(Reason::Where)];
    origins |= by_condition > 0;
    if (!table.kept.empty() && by_condition == 0) independent.push_back(rows_of_table(store, choice, t));
  }
  auto text = fmt::format("the condition applies to {}", store::to_string(rows));
  if (origins && rows == store::AnalysisRows::Bursts) text += " and their states Running";
  if (!independent.empty()) text += fmt::format("; it does not apply to {}", fmt::join(independent, ", "));
  return text;
}

/// Whether all rows of the range and the tracks stay.
bool is_part(const ReductionOptions& requested) {
  return requested.kinds == kAllKinds && requested.kernels_above == 0 && requested.bursts_above == 0 &&
         requested.where.everything();
}

/// A device or thread without rows in the part stays one that was recorded, so that the efficiencies of the
/// part are those of its range in the whole trace.
void keep_recorded_kinds(const store::Store& store, Copy& copy, Stop& stop) {
  const auto kinds = all_recorded_kinds(store, store::TrackIndex(store), stop);
  for (std::size_t r = 0; r < kinds.size(); ++r)
    if (const auto now = copy.new_resource[r]; now != kNone) copy.data.resources[now].recorded = kinds[r];
}

Expected<void> check(const analysis::Session& session) {
  if (session.traces().size() != 1)
    return failure(ErrorKind::BadUse, "only one trace at a time can be cut or filtered", {}, {},
                   "Import the files into one store first: jitterscope import FILES -o STORE.jts");
  return {};
}

} // namespace

Expected<Reduction> reduce(const analysis::Session& session, const analysis::LaunchColumns& columns,
                           const ReductionOptions& requested, const Job& job) {
  if (auto good = check(session); !good) return forward(good.error());
  auto range = range_in_store(session, requested);
  if (!range) return forward(range.error());
  const auto& store = session.traces().front().store;
  auto choice = choose_rows(session, columns, requested, *range, job);
  if (!choice) return forward(choice.error());
  const auto move_by = requested.from_zero && *range ? -(*range)->begin.count : 0;
  Reduction reduction;
  std::int64_t kept = 0;
  for (std::size_t t = 0; t < kChosenTables.size(); ++t) {
    const auto& rows = choice->tables[t];
    reduction.tables.push_back({kChosenTables[t], rows_of_table(store, *choice, t),
                                static_cast<std::int64_t>(rows.reason.size()),
                                static_cast<std::int64_t>(rows.kept.size()), rows.rows_of});
    kept += reduction.tables.back().kept;
  }
  if (kept == 0)
    return failure(ErrorKind::BadUse, "no row of the trace would be left", store.path(), {},
                   "Choose a longer range, more kinds of rows or a lower threshold.");
  const auto without_effect = unused(requested, *choice, choice->tables[kLaunchesTable].reason.size());
  if (auto any = check_effect(requested, without_effect, store); !any) return forward(any.error());
  auto copy = copy_rows(store, *choice, *range, requested.borders, move_by, job);
  if (!copy) return forward(copy.error());
  Stop stop(job);
  if (is_part(requested)) keep_recorded_kinds(store, *copy, stop);
  if (stop.requested()) return Job::cancelled_error();
  if (requested.software_counters) {
    auto made = add_burst_counters(store, *choice, move_by, *copy, job);
    if (!made) return forward(made.error());
    reduction.counters = *made;
  }
  if (auto intact = store.check_intact(); !intact) return forward(intact.error());
  store::ImportReport report;
  report_dropped(store, reduction, *choice, report);
  for (const auto& one : without_effect) report.add(Severity::Info, one.code, one.text + ". " + one.hint, 1);
  if (choice->tables[kLaunchesTable].rows_of[static_cast<std::size_t>(Reason::Where)] > 0)
    report.add(Severity::Info, "scope-of-condition", scope_of_condition(store, *choice), 1);
  if (const auto samples = reduction.tables[kSamplesTable].kept;
      requested.borders == Borders::Clip && samples > 0)
    report.add(
        Severity::Info, "samples-kept-whole",
        "samples of counters stay whole: after a clipped burst, they also count what is outside the range",
        samples);
  if (copy->lost_calls > 0)
    report.add(
        Severity::Info, "calls-left-out",
        fmt::format("{} launches and memory operations refer to a call that was left out", copy->lost_calls),
        copy->lost_calls);
  auto& entries = copy->data.manifest.report;
  entries.insert(entries.end(), report.entries().begin(), report.entries().end());
  reduction.data = std::move(copy->data);
  if (*range) reduction.range = Interval{{(*range)->begin.count + move_by}, {(*range)->end.count + move_by}};
  if (auto indexed = store::add_track_index(reduction.data, job); !indexed) return forward(indexed.error());
  return reduction;
}

} // namespace jitterscope::efficiency
