#include "core/efficiency/cut/row_choice.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/stop.h"
#include "core/base/text_pattern.h"
#include "core/efficiency/activity.h"
#include "core/efficiency/chosen_numbers.h"
#include "core/store/format/analysis_rows.h"
#include "core/store/trace/collective_kernels.h"
#include "core/store/tracks/track_index_tables.h"

namespace jitterscope::efficiency {
namespace {

using store::ResourceKind;

/// Name of a stream or thread, as in the timeline.
std::string name_of_track(const store::Resource& one) {
  if (one.kind == ResourceKind::Stream)
    return one.name.empty() ? fmt::format("stream {}", one.number) : one.name;
  return one.name.empty() ? fmt::format("thread {}", one.number)
                          : fmt::format("{} [{}]", one.name, one.number);
}

/// Clears streams and threads whose names do not match, and devices all of whose streams are cleared.
Expected<void> choose_tracks(const std::vector<store::Resource>& resources, const std::string& expression,
                             std::vector<std::uint8_t>& kept) {
  const auto pattern = TextPattern::of(expression);
  if (!pattern) return failure(ErrorKind::BadUse, pattern.error().message, {}, "--tracks");
  std::vector<std::uint8_t> streams(resources.size(), 0), kept_streams = streams;
  bool any = false;
  constexpr std::size_t kListed = 5;
  std::string names; // for the message
  std::size_t listed = 0;
  for (std::size_t r = 0; r < resources.size(); ++r) {
    const auto& one = resources[r];
    if (one.kind != ResourceKind::Stream && one.kind != ResourceKind::Thread) continue;
    kept[r] &= pattern->found_in(one.name) || pattern->found_in(name_of_track(one));
    if (listed++ < kListed) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name_of_track(one));
    any = any || kept[r];
    if (one.kind == ResourceKind::Thread || one.parent >= resources.size()) continue;
    streams[one.parent] = 1, kept_streams[one.parent] |= kept[r];
  }
  for (std::size_t r = 0; r < resources.size(); ++r)
    if (streams[r] && !kept_streams[r]) kept[r] = 0;
  if (!any)
    return failure(ErrorKind::BadUse,
                   fmt::format("no stream or thread has a name that matches {}", expression), {}, "--tracks",
                   "Names of this trace: " + names + ".");
  return {};
}

Expected<std::vector<std::uint8_t>> choose_resources(const store::Store& store,
                                                     const ReductionOptions& requested) {
  const store::Store* const stores[] = {&store};
  if (auto present = require_present(stores, requested.ranks, requested.devices); !present)
    return forward(present.error());
  const auto& resources = store.resources();
  std::vector<std::uint8_t> kept(resources.size(), 1);
  for (std::size_t r = 0; r < resources.size(); ++r) {
    const auto& one = resources[r];
    if (one.parent < r && !kept[one.parent]) kept[r] = 0;
    if (one.kind == ResourceKind::Process && !requested.ranks.empty())
      kept[r] = std::ranges::find(requested.ranks, one.rank) != requested.ranks.end();
    if (one.kind == ResourceKind::Device && !requested.devices.empty())
      kept[r] &= std::ranges::find(requested.devices, one.number) != requested.devices.end();
  }
  if (!requested.tracks.empty())
    if (auto chosen = choose_tracks(resources, requested.tracks, kept); !chosen)
      return forward(chosen.error());
  return kept;
}

bool overlaps(std::int64_t begin, std::int64_t length, const Interval& range) {
  return begin < range.end.count && (begin + length > range.begin.count || begin >= range.begin.count);
}

bool too_short(unsigned kinds, std::int64_t duration, const ReductionOptions& requested) {
  const auto below = [&](RowKind kind, std::int64_t minimum) {
    return minimum > 0 && kinds & bit_of(kind) && duration < minimum;
  };
  return below(RowKind::Bursts, requested.bursts_above) || below(RowKind::Kernels, requested.kernels_above);
}

/// Results of ReductionOptions::where for blocks of launches.
class Where {
public:
  Where(const analysis::LaunchColumns& columns, const analysis::Filter& filter, std::size_t rows)
      : columns_(columns), filter_(filter), rows_(rows) {}
  bool accepts(std::size_t row) {
    if (filter_.everything()) return true;
    if (row < first_ || row >= first_ + selected_.size()) {
      first_ = row;
      selected_ = filter_.select(columns_, {0, static_cast<std::int64_t>(row),
                                            static_cast<std::int64_t>(std::min(row + kPiece, rows_))});
    }
    return selected_[row - first_];
  }

private:
  static constexpr std::size_t kPiece = 32'768;
  const analysis::LaunchColumns& columns_;
  const analysis::Filter& filter_;
  std::size_t rows_, first_ = 0;
  std::vector<std::uint8_t> selected_;
};

/// Rows of one table that analysis rows were made from: state Running of a burst, or a range or call. Such a
/// row is on the same thread and has the same start and duration.
class Origins {
public:
  /// `any`: whether there is a condition.
  Origins(const store::Store& store, const RowFacts& facts, const ChosenRows& launches, std::size_t table,
          bool any)
      : facts_(facts), launches_(launches), table_(table) {
    if (!any) return;
    switch (store::analysis_rows(store)) {
    case store::AnalysisRows::Bursts:
      kinds_ = table == kRangesTable ? bit_of(RowKind::Bursts) : 0;
      break;
    case store::AnalysisRows::Ranges:
      kinds_ = table == kRangesTable ? bit_of(RowKind::Ranges) : 0;
      break;
    case store::AnalysisRows::Calls:
      kinds_ = bit_of(RowKind::Calls) | bit_of(RowKind::Mpi);
      break;
    default:
      break;
    }
  }

  /// Whether every analysis row that was made from a row fails the condition. Rows must be given in order.
  bool dropped(std::size_t row, unsigned kinds) {
    if (!(kinds & kinds_)) return false;
    const auto start = facts_.start(table_, row);
    if (start != start_) collect(start);
    const std::pair place(facts_.track(table_, row), facts_.duration(table_, row));
    auto at = std::ranges::lower_bound(alike_, place, {}, &Launch::place);
    bool dropped = false;
    for (; at != alike_.end() && at->place == place; ++at) {
      if (!at->dropped) return false;
      dropped = true;
    }
    return dropped;
  }

private:
  struct Launch {
    std::pair<std::uint32_t, std::int64_t> place; ///< track, duration [ns]
    bool dropped = false;
  };
  /// Sets alike_ to the launches that begin at `start`: after a barrier, as many as there are threads.
  void collect(std::int64_t start) {
    start_ = start;
    alike_.clear();
    for (; next_ < facts_.rows(kLaunchesTable) && facts_.start(kLaunchesTable, next_) <= start; ++next_)
      if (facts_.start(kLaunchesTable, next_) == start)
        alike_.push_back({{facts_.track(kLaunchesTable, next_), facts_.duration(kLaunchesTable, next_)},
                          static_cast<Reason>(launches_.reason[next_]) == Reason::Where});
    std::ranges::sort(alike_, {}, &Launch::place);
  }

  const RowFacts& facts_;
  const ChosenRows& launches_;
  std::size_t table_, next_ = 0;   ///< next_: the first launch after start_
  unsigned kinds_ = 0;             ///< bits of RowKind of rows that become analysis rows
  std::int64_t start_ = INT64_MIN; ///< start of alike_
  std::vector<Launch> alike_;
};

} // namespace

RowFacts::RowFacts(const store::Store& store) : store_(&store), launch_order_(store.manifest().launch_order) {
  for (std::size_t t = 0; t < kChosenTables.size(); ++t) {
    starts_[t] = store.starts(kChosenTables[t]);
    if (t != kSamplesTable) durations_[t] = store.column<std::int64_t>(kChosenTables[t], "duration");
  }
  for (const auto& [table, track, name] : {std::tuple{kLaunchesTable, "stream", "configuration"},
                                           {kTransfersTable, "stream", "correlation"},
                                           {kCallsTable, "thread", "name"},
                                           {kRangesTable, "thread", "name"},
                                           {kMessagesTable, "thread", "name"},
                                           {kSamplesTable, "counter", "counter"}}) {
    tracks_[table] = store.column<std::uint32_t>(kChosenTables[table], track);
    names_[table] = store.column<std::uint32_t>(kChosenTables[table], name);
  }
  copy_kinds_ = store.column<std::uint8_t>("transfers", "kind");
  range_kinds_ = store.column<std::uint8_t>("ranges", "kind");
  message_kinds_ = store.column<std::uint8_t>("messages", "kind");
  kernel_of_ = store.column<std::uint32_t>("configurations", "kernel");
  short_name_of_ = store.column<std::uint32_t>("kernels", "short_name");
  counter_device_ = store.column<std::uint32_t>("counters", "device");
  const auto names = store.column<std::uint32_t>("kernels", "name");
  const store::CollectiveKernels is_collective(store.manifest().collective_kernels);
  for (std::size_t c = 0; c < kernel_of_.size(); ++c)
    collective_.push_back(is_collective(store.string({names[kernel_of_[c]]})));
  for (std::uint32_t s = 0; s < store.strings(); ++s) running_.push_back(is_running_state(store.string({s})));
  for (const auto& resource : store.resources()) thread_.push_back(resource.kind == ResourceKind::Thread);
}

std::uint32_t RowFacts::track(std::size_t table, std::size_t row) const {
  const auto track = tracks_[table][row];
  return table == kSamplesTable ? counter_device_[track] : track;
}

std::int64_t RowFacts::length(std::size_t table, std::size_t row) const {
  if (table == kSamplesTable) return 0;
  if (launch_order_ && table == kLaunchesTable) return 1;
  return std::max<std::int64_t>(durations_[table][row], 0);
}

unsigned RowFacts::kinds(std::size_t table, std::size_t row) const {
  switch (table) {
  case kLaunchesTable:
    if (thread_[track(table, row)]) return bit_of(RowKind::Bursts);
    return bit_of(RowKind::Kernels) | (collective_[names_[table][row]] ? bit_of(RowKind::Collectives) : 0);
  case kTransfersTable:
    return bit_of(RowKind::Transfers);
  case kCallsTable:
    return bit_of(RowKind::Calls);
  case kRangesTable:
    if (range_kinds_[row] != store::kStateRange) return bit_of(RowKind::Ranges);
    return bit_of(RowKind::States) | (running_[names_[table][row]] ? bit_of(RowKind::Bursts) : 0);
  case kMessagesTable:
    return bit_of(RowKind::Mpi) |
           (message_kinds_[row] == store::kCollective ? bit_of(RowKind::Collectives) : 0);
  default:
    return bit_of(RowKind::Samples);
  }
}

std::uint32_t RowFacts::name_number(std::size_t table, std::size_t row) const {
  if (table == kTransfersTable) return copy_kinds_[row];
  const auto number = names_[table][row];
  return table == kLaunchesTable ? kernel_of_[number] : number;
}

std::string RowFacts::name(std::size_t table, std::size_t row) const {
  const auto number = name_number(table, row);
  if (table == kTransfersTable)
    return std::string(store::to_string(static_cast<store::TransferKind>(number)));
  return std::string(store_->string({table == kLaunchesTable ? short_name_of_[number] : number}));
}

Expected<Choice> choose_rows(const analysis::Session& session, const analysis::LaunchColumns& columns,
                             const ReductionOptions& requested, const std::optional<Interval>& store_range,
                             const Job& job) {
  const auto& store = session.traces().front().store;
  auto resources = choose_resources(store, requested);
  if (!resources) return forward(resources.error());
  Choice choice{std::move(*resources), {}};
  const RowFacts facts(store);
  Stop stop(job);
  for (std::size_t t = 0; t < kChosenTables.size(); ++t) {
    auto& chosen = choice.tables[t];
    Where where(columns, requested.where, facts.rows(t));
    Origins origins(store, facts, choice.tables[kLaunchesTable], t, !requested.where.everything());
    chosen.reason.reserve(facts.rows(t));
    job.progress(static_cast<std::int64_t>(t), kChosenTables.size(), "choosing rows");
    for (std::size_t row = 0; row < facts.rows(t); ++row) {
      if (stop.at(row)) return Job::cancelled_error();
      const auto start = facts.start(t, row), length = facts.length(t, row);
      const auto kinds = facts.kinds(t, row);
      const auto track = facts.track(t, row);
      if (t == kRangesTable) {
        choice.states += (kinds & bit_of(RowKind::States)) != 0;
        choice.burst_states += (kinds & bit_of(RowKind::Bursts)) != 0;
      }
      choice.transmissions += facts.is_transmission(t, row);
      Reason reason = Reason::Kept;
      if (store_range && !overlaps(start, length, *store_range))
        reason = Reason::Range;
      else if (track < choice.resources.size() && !choice.resources[track])
        reason = Reason::Track;
      else if (!(kinds & requested.kinds))
        reason = Reason::Kind;
      else if (too_short(kinds, facts.duration(t, row), requested))
        reason = Reason::Short;
      else if (t == kLaunchesTable ? !where.accepts(row) : origins.dropped(row, kinds))
        reason = Reason::Where;
      if (reason != Reason::Range && reason != Reason::Track)
        for (unsigned kind = 0; kind < kRowKinds; ++kind) choice.rows_of_kind[kind] += kinds >> kind & 1u;
      chosen.reason.push_back(static_cast<std::uint8_t>(reason));
      ++chosen.rows_of[static_cast<std::size_t>(reason)];
      if (reason != Reason::Kept) continue;
      chosen.kept.push_back(static_cast<std::uint32_t>(row));
      chosen.over_border +=
          store_range && (start < store_range->begin.count || start + length > store_range->end.count);
    }
  }
  return choice;
}

} // namespace jitterscope::efficiency
