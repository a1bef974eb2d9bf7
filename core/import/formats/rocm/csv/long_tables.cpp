#include "core/import/formats/rocm/csv/long_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::rocm {
namespace {

using store::Severity;

constexpr std::string_view kAccumulator = "SQ_ACCUM_PREV_HIRES";
constexpr std::size_t kMaxCounters = 20'000;

std::int64_t grid_of(const CsvTable& table) {
  if (table.header().has(Role::Grid)) return table.integer_or(Role::Grid, 0);
  const auto size = [&](Role role) {
    return std::clamp<std::int64_t>(table.integer_or(role, 1), 0, 1 << 20);
  };
  return table.header().has(Role::GridX) ? size(Role::GridX) * size(Role::GridY) * size(Role::GridZ) : 0;
}

} // namespace

Expected<void> LongTables::read(const Input& input, const Header& header) {
  auto rows = CsvTable::open(input, group_.meter);
  if (!rows) return forward(rows.error());
  Table table;
  table.rows = rows->get();
  table.timed = header.has(Role::Start) && header.has(Role::End);
  table.folder = input.folder();
  table.trace = traces_.trace_of(input.file_name());
  if (table.trace) {
    const bool with_grid = header.has(Role::Grid) || header.has(Role::GridX);
    auto trace_rows = table.trace->rows;
    if (!with_grid)
      for (auto& row : trace_rows) row.grid = 0;
    const auto executions = executions_of(trace_rows, with_grid);
    for (std::size_t row = 0; row < executions.size(); ++row)
      table.launch_of.emplace(executions[row], table.trace->launches[row]);
  }
  CommonAttributes common(group_.draft, (*rows)->header());
  if (auto done = (*rows)->for_each(group_.issues, [&] { read_row(table, common); }); !done) return done;
  for (const auto& value : table.accumulated) {
    const auto level = table.levels.find({value.launch, value.start});
    set(level == table.levels.end() ? std::string(kAccumulator)
                                    : fmt::format("{} ({})", kAccumulator, level->second),
        value.launch, value.value);
  }
  return {};
}

void LongTables::read_row(Table& table, CommonAttributes& common) {
  const auto& rows = *table.rows;
  const auto name = rows.text(Role::Kernel);
  if (name.empty()) {
    group_.issues.count(Severity::Drop, "missing-name",
                        [&] { return fmt::format("{} does not name a kernel", rows.place()); });
    return;
  }
  const auto& kernel = group_.kernels.of(name);
  std::optional<Times> times;
  if (table.timed) {
    times = times_of(rows, group_.issues);
    if (!times && !table.trace) return;
  }
  const auto key = std::pair(std::pair(rows.integer_or(Role::Process, 0), rows.integer_or(Role::Dispatch, 0)),
                             kernel.kernel);
  const auto [place, added] = table.dispatches.try_emplace(key);
  auto& dispatch = place->second;
  if (added) dispatch.launch = launch_of(table, kernel, common, times);
  if (dispatch.launch == kNone) {
    group_.issues.count(Severity::Drop, "counters-without-launch", [&] {
      return fmt::format("{} belongs to an execution that is not among the launches ({})", rows.place(),
                         clean_text(name));
    });
    return;
  }
  const auto start = times ? times->start : 0;
  if (std::find(dispatch.starts.begin(), dispatch.starts.end(), start) == dispatch.starts.end()) {
    dispatch.starts.push_back(start);
    if (times && !table.trace) durations_.add(dispatch.launch, times->duration);
  }
  set_counter(table, dispatch.launch, start);
}

// Processes of one pass are distinguished; the same process in the next pass gets the slot of the first.
std::int64_t LongTables::slot_of(const Table& table) {
  auto& slots = slots_[table.folder];
  return slots.try_emplace(table.rows->integer_or(Role::Process, 0), static_cast<std::int64_t>(slots.size()))
      .first->second;
}

std::uint32_t LongTables::launch_of(Table& table, const KernelNames::Known& kernel, CommonAttributes& common,
                                    const std::optional<Times>& times) {
  const auto& rows = *table.rows;
  auto& draft = group_.draft;
  const auto grid = grid_of(rows);
  if (table.trace) {
    Execution execution{kernel.kernel, grid, 0};
    execution.occurrence = table.counts[0][execution]++;
    const auto found = table.launch_of.find(execution);
    if (found == table.launch_of.end()) return kNone;
    if (!times || times->start != draft.launches.start[found->second])
      group_.issues.count(Severity::Doubt, "counters-of-other-run", [&] {
        return fmt::format("counters of {} are from a different run than the launches of {}: they are joined "
                           "by kernel, grid and occurrence",
                           rows.name(), table.trace->file);
      });
    return found->second;
  }
  const auto slot = slot_of(table);
  const auto occurrence = table.counts[slot][{kernel.kernel, grid, 0}]++;
  auto& launches = own_[{slot, {kernel.kernel, grid}}];
  if (occurrence < launches.size()) return launches[occurrence];
  if (!table.timed && others_timed_) return kNone;
  const auto launch = static_cast<std::uint32_t>(draft.launches.start.size());
  const auto configuration = draft.configuration(configuration_of(group_, rows, kernel.kernel));
  push_launch(draft, times.value_or(Times{static_cast<std::int64_t>(launch), store::kMissingDuration}),
              configuration, stream_of(group_, rows), low_bits(rows.integer_or(Role::Correlation, 0)));
  common.set(rows, launch);
  (times ? own_timed_ : own_untimed_) = true;
  launches.push_back(launch);
  return launch;
}

void LongTables::set_counter(Table& table, std::uint32_t launch, std::int64_t start) {
  const auto& rows = *table.rows;
  const auto title = clean_text(rows.text(Role::CounterName));
  const auto text = rows.text(Role::CounterValue);
  const auto value = parse_number(text);
  if (!value || title.empty()) {
    if (!is_missing(text) || title.empty())
      group_.issues.count(Severity::Drop, "not-a-number", [&] {
        return fmt::format("{} has no counter, or its value is not a number", rows.place());
      });
    return;
  }
  if (title == kAccumulator) {
    table.accumulated.push_back({launch, start, *value});
    return;
  }
  if (title.starts_with("SQ_") && title.find("_LEVEL") != std::string::npos)
    table.levels.emplace(std::pair(launch, start), title);
  set(title, launch, *value);
}

void LongTables::set(const std::string& title, std::uint32_t launch, double value) {
  auto& attributes = group_.draft.attributes;
  auto known = columns_.find(title);
  if (known == columns_.end()) {
    if (columns_.size() >= kMaxCounters) {
      group_.issues.count(Severity::Drop, "too-many-counters", [&] {
        return fmt::format("{} and others are left out: there are more than {} counters", title,
                           kMaxCounters);
      });
      return;
    }
    known = columns_.emplace(title, counter_attribute(attributes, title)).first;
  }
  const auto& numbers = attributes.all()[known->second].numbers.values();
  if (launch < numbers.size() && !std::isnan(numbers[launch])) {
    group_.issues.count(Severity::Info, "counters-in-several-passes", [&] {
      return fmt::format("{} was read in several executions of a dispatch: the first value is kept", title);
    });
    return;
  }
  attributes.set(known->second, launch, value);
}

void LongTables::finish() {
  durations_.write(group_.draft);
  if (own_timed_)
    group_.issues.count(Severity::Info, "durations-of-own-pass", [] {
      return std::string(
          "durations are those of the first execution of each dispatch that recorded counters");
    });
  if (own_untimed_ && !others_timed_ && !own_timed_) group_.source.timeless = true;
}

} // namespace jitterscope::import::rocm
