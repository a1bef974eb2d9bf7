#include "core/efficiency/metrics/concurrent.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/store/trace/event_kinds.h"

namespace jitterscope::efficiency::metrics {
namespace {

constexpr std::size_t kRowsTogether = 4'096;

bool on_threads(Source source) {
  return source == Source::Calls || source == Source::Mpi || source == Source::Sends ||
         source == Source::Ranges || source == Source::States;
}

/// Whether an attribute depends on the record alone.
bool of_record(const Node& node) {
  const bool known =
      node.op <= Op::Largest || node.op == Op::Field || node.op == Op::TextEqual || node.op == Op::TextMatch;
  return known && std::ranges::all_of(node.children, of_record);
}

bool fits(Aggregator aggregator, Op op) {
  const bool both =
      aggregator == Aggregator::Sum || aggregator == Aggregator::Mean || aggregator == Aggregator::Any;
  return both || (op == Op::Active && (aggregator == Aggregator::Count || aggregator == Aggregator::All));
}

void sort(std::vector<std::int64_t>& times) {
  if (!std::ranges::is_sorted(times)) std::ranges::sort(times);
}

} // namespace

std::optional<Concurrent> Concurrent::make(const Bound& bound, const Node& across, const Node& child) {
  if (across.level != Level::Application || !child.records || !fits(across.aggregator, child.op) ||
      (child.op != Op::Count && child.op != Op::Active) || !on_threads(child.records->source) ||
      (child.records->condition && !of_record(*child.records->condition)))
    return {};
  const auto& data = bound.data();
  Concurrent made(bound, *child.records);
  made.aggregator_ = across.aggregator;
  made.objects_ = data.objects().at(child.level).size();
  for (std::uint32_t object = 0; object < made.objects_ && child.op == Op::Active; ++object) {
    const auto parts = data.parts(child.records->source, object);
    if (parts.size() > 1 || (parts.size() == 1 && parts.front().series->overlaps)) return {};
  }
  if (!made.add_tables()) return {};
  return made;
}

bool Concurrent::of_source(std::uint8_t kind) const {
  switch (records_->source) {
  case Source::Ranges:
    return kind != store::kStateRange;
  case Source::States:
    return kind == store::kStateRange;
  case Source::Mpi:
    return kind != store::kTransmission;
  case Source::Sends:
    return kind == store::kTransmission;
  default:
    return true;
  }
}

// False if rows belong to no object.
bool Concurrent::add_tables() {
  const auto& data = bound_->data();
  std::vector<std::size_t> events(data.session().traces().size());
  std::vector<std::int64_t> longest(events.size());
  for (std::uint32_t object = 0; object < objects_; ++object)
    for (const auto& part : data.parts(records_->source, object)) {
      events[part.trace] += part.series->events();
      longest[part.trace] = std::max(longest[part.trace], part.series->longest);
    }
  const char* name = table_of(records_->source);
  for (std::uint32_t trace = 0; trace < events.size(); ++trace) {
    const auto& store = data.session().traces()[trace].store;
    Table table{trace,
                store.starts(name),
                store.column<std::int64_t>(name, "duration"),
                store.column<std::uint32_t>(name, "name"),
                {},
                longest[trace]};
    if (records_->source != Source::Calls) table.kinds = store.column<std::uint8_t>(name, "kind");
    std::size_t rows = 0;
    for (const auto& series : data.index(trace).series())
      if (Data::source_of(series.kind) == records_->source) rows += series.events();
    if (rows != events[trace]) return false;
    if (rows > 0) tables_.push_back(table);
  }
  return true;
}

void Concurrent::add_rows(const Table& table, std::int64_t begin, std::int64_t end,
                          const Attribute& attribute, Changes& changes, Halt& halt) const {
  const auto shift = bound_->data().session().traces()[table.trace].shift_ns;
  const auto row_at = [&](std::int64_t time) {
    return static_cast<std::size_t>(std::ranges::lower_bound(table.starts, time - shift) -
                                    table.starts.begin());
  };
  // No record is longer than table.longest, so the records before row `first` have ended at `begin`.
  const auto first = row_at(begin - std::min(table.longest, begin + store::kFarthestTime)),
             last = row_at(end);
  std::array<std::int64_t, kRowsTogether> durations;
  std::array<std::uint32_t, kRowsTogether> names;
  std::array<std::uint8_t, kRowsTogether> kinds;
  std::vector<Record> records;
  for (auto from = first; from < last && !halt.requested(); from += kRowsTogether) {
    const auto to = std::min(from + kRowsTogether, last);
    table.durations.read(from, to, durations.data());
    table.names.read(from, to, names.data());
    if (!table.kinds.empty()) table.kinds.read(from, to, kinds.data());
    records.clear();
    for (std::size_t i = 0; i < to - from; ++i) {
      if (!table.kinds.empty() && !of_source(kinds[i])) continue;
      const auto event = store::event_of(table.starts[from + i], durations[i], names[i]);
      const Record record{event.begin + shift, event.end + shift, event.name,
                          static_cast<std::uint32_t>(from + i), table.trace};
      if (record.end > record.begin && record.end > begin) records.push_back(record);
    }
    std::vector<double> holds;
    if (records_->condition) holds = attribute(*records_->condition, records_->source, records);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (!holds.empty() && (holds[i] == 0 || std::isnan(holds[i]))) continue;
      if (records[i].begin <= begin)
        ++changes.open;
      else
        changes.starts.push_back(records[i].begin);
      if (records[i].end < end) changes.ends.push_back(records[i].end);
    }
  }
}

Steps Concurrent::steps(std::int64_t begin, std::int64_t end, const Attribute& attribute, Halt& halt) const {
  Changes changes;
  for (const auto& table : tables_) add_rows(table, begin, end, attribute, changes, halt);
  sort(changes.starts); // merges the changes of several traces
  sort(changes.ends);
  auto running = changes.open;
  const auto value = [&] {
    switch (aggregator_) {
    case Aggregator::Mean:
      return objects_ > 0 ? static_cast<double>(running) / static_cast<double>(objects_) : 0.0;
    case Aggregator::Any:
      return running > 0 ? 1.0 : 0.0;
    case Aggregator::All:
      return objects_ > 0 && running == static_cast<std::int64_t>(objects_) ? 1.0 : 0.0;
    default:
      return static_cast<double>(running);
    }
  };
  Steps steps{{begin, value()}};
  const auto &starts = changes.starts, &ends = changes.ends;
  for (std::size_t s = 0, e = 0; s < starts.size() || e < ends.size();) {
    const auto time =
        std::min(s < starts.size() ? starts[s] : INT64_MAX, e < ends.size() ? ends[e] : INT64_MAX);
    for (; s < starts.size() && starts[s] == time; ++s) ++running;
    for (; e < ends.size() && ends[e] == time; ++e) --running;
    if (const double now = value(); now != steps.back().value) steps.push_back({time, now});
  }
  return steps;
}

} // namespace jitterscope::efficiency::metrics
