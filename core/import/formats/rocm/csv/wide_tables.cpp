#include "core/import/formats/rocm/csv/wide_tables.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/text/csv/number.h"

namespace jitterscope::import::rocm {
namespace {

using store::Severity;

constexpr std::string_view kAccumulatorRegisters = "SQ_ACCUM_PREV_HIRES";

std::string stem(const std::string& file_name) {
  return file_name.substr(0, file_name.find('.'));
}

// The event that this counter accumulates is chosen per pass: it is the level recorded next to it.
std::string accumulator_title(const Header& header, const std::string& file) {
  for (const auto column : header.counters)
    if (header.titles[column].find("_LEVEL") != std::string::npos &&
        header.titles[column].find('[') == std::string::npos && header.titles[column].starts_with("SQ_"))
      return fmt::format("{} ({})", kAccumulatorRegisters, header.titles[column]);
  return fmt::format("{} ({})", kAccumulatorRegisters, stem(file));
}

} // namespace

void WideTables::add(const Input& input, const Header& header) {
  // The first bytes show whether anything follows the header.
  const auto line_end = input.head.find('\n');
  const bool rows = !input.whole() || (line_end != std::string::npos &&
                                       input.head.find_first_not_of(" \r\n", line_end) != std::string::npos);
  tables_.push_back({&input, header.joined, header.has(Role::Start) && header.has(Role::End), rows,
                     header.counters.size()});
}

std::int64_t WideTables::bytes() const {
  std::int64_t bytes = 0;
  for (const auto& table : tables_) bytes += 2 * table.input->disk_bytes;
  if (!tables_.empty()) bytes -= tables_[base()].input->disk_bytes;
  return bytes;
}

// The joined table if there is one, else the run without counters, else the first pass.
std::size_t WideTables::base() const {
  const auto find = [&](auto&& requested) {
    const auto found = std::find_if(tables_.begin(), tables_.end(),
                                    [&](const Table& table) { return table.has_rows && requested(table); });
    return static_cast<std::size_t>(found - tables_.begin());
  };
  for (const auto candidate :
       {find([](const Table& t) { return stem(t.input->file_name()) == "pmc_perf" && t.counters > 0; }),
        find([](const Table& t) { return t.joined; }),
        find([](const Table& t) { return t.timed && t.counters == 0; }),
        find([](const Table& t) { return t.counters > 0; }), find([](const Table&) { return true; })})
    if (candidate < tables_.size()) return candidate;
  return 0;
}

Expected<void> WideTables::read() {
  const auto first = base();
  if (auto done = read_base(tables_[first]); !done) return done;
  if (group_.draft.launches.start.size() == group_.from.launches) return {};
  judge_times(tables_[first]);
  if (tables_.size() > 1) {
    const auto executions = executions_of(rows_, with_grid_);
    for (std::size_t row = 0; row < executions.size(); ++row)
      launch_of_.emplace(executions[row], static_cast<std::uint32_t>(group_.from.launches + row));
  }
  for (std::size_t table = 0; table < tables_.size(); ++table)
    if (table != first && tables_[table].has_rows)
      if (auto done = read_pass(tables_[table]); !done) return done;
  const auto& launches = group_.draft.launches;
  if (timed_ && tables_[first].counters > 0 && !assembled(tables_[first]))
    for (auto row = group_.from.launches; row < launches.start.size(); ++row)
      durations_.add(row, launches.duration[row]);
  durations_.write(group_.draft);
  if (!confirmed_counters_.empty())
    group_.issues.count(
        Severity::Info, "pass-values-confirmed",
        [&] {
          return fmt::format("the files of individual passes contain the same values as {}",
                             tables_[first].input->file_name());
        },
        static_cast<std::int64_t>(confirmed_counters_.size()));
  if (timed_)
    report_duration_meaning(tables_[first]);
  else
    make_timeless();
  return {};
}

bool WideTables::assembled(const Table& table) const {
  return table.joined || replaced_ || stem(table.input->file_name()) == "pmc_perf";
}

void WideTables::prepare_counters(const Header& header, const std::string& file, bool is_base) {
  counters_.clear();
  compared_.clear();
  for (std::size_t column = 0; column < header.titles.size(); ++column)
    if (is_join_double(header.titles[column]))
      group_.issues.count(Severity::Info, "columns-of-other-passes", [&] {
        return fmt::format(
            "column {} of {} repeats another column, from a further pass of the profiler: it is not read",
            header.titles[column], file);
      });
  for (const auto column : header.counters) {
    auto title = header.titles[column];
    if (title == kAccumulatorRegisters && !header.joined && !(is_base && stem(file) == "pmc_perf"))
      title = accumulator_title(header, file);
    if (!taken_.insert(title).second) {
      if (const auto known = attribute_of_.find(title); known != attribute_of_.end())
        compared_.emplace_back(column, known->second);
      group_.issues.count(Severity::Info, "counters-in-several-passes", [&] {
        return fmt::format("{} of {} was also recorded in another pass, whose values are kept", title, file);
      });
      continue;
    }
    if (!is_base)
      group_.issues.count(Severity::Info, "counters-from-passes", [&] {
        return fmt::format("{} comes from {}: a separate execution of each dispatch", title, file);
      });
    counters_.emplace_back(column, counter_attribute(group_.draft.attributes, title));
    if (is_base) attribute_of_.emplace(title, counters_.back().second);
  }
}

void WideTables::set_counters(const CsvTable& table, std::size_t launch) {
  for (const auto& counter : counters_) {
    const auto column = counter.first;
    const auto text = table.field(column);
    if (const auto value = parse_number(text))
      group_.draft.attributes.set(counter.second, launch, *value);
    else if (!is_missing(text))
      group_.issues.count(Severity::Drop, "not-a-number", [&] {
        return fmt::format("{}, column {}: the value is not a number and is left out", table.place(),
                           table.header().titles[column]);
      });
  }
}

void WideTables::compare_counters(const CsvTable& table, std::size_t launch) {
  const auto& all = group_.draft.attributes.all();
  std::erase_if(compared_, [&](const auto& pair) {
    const auto& numbers = all[pair.second].numbers.values();
    return launch >= numbers.size() || parse_number(table.field(pair.first)) != numbers[launch];
  });
}

Expected<void> WideTables::read_base(const Table& base) {
  auto table = CsvTable::open(*base.input, group_.meter);
  if (!table) return forward(table.error());
  prepare_counters((*table)->header(), (*table)->name(), true);
  with_grid_ = (*table)->header().has(Role::Grid);
  timed_ = base.timed;
  CommonAttributes common(group_.draft, (*table)->header());
  return (*table)->for_each(group_.issues, [&] { add_launch(**table, common); });
}

void WideTables::add_launch(const CsvTable& table, CommonAttributes& common) {
  auto& draft = group_.draft;
  const auto name = table.text(Role::Kernel);
  if (name.empty()) {
    group_.issues.count(Severity::Drop, "missing-name",
                        [&] { return fmt::format("{} does not name a kernel", table.place()); });
    return;
  }
  Times times;
  double exact = 0;
  bool fraction = false;
  if (timed_) {
    const auto start = parse_stamp(table.text(Role::Start)), end = parse_stamp(table.text(Role::End));
    if ((start && start->rounded) || (end && end->rounded)) {
      rounded_ = true;
    } else {
      const auto good =
          checked_times(group_.issues, start ? std::optional(start->ns) : std::nullopt,
                        end ? std::optional(end->ns) : std::nullopt, [&] { return table.place(); });
      if (!good) return;
      times = *good;
      const auto queued = parse_stamp(table.text(Role::Dispatched)),
                 completed = parse_stamp(table.text(Role::Completed));
      // 0 if the tool did not record it (rocprofv2).
      replaced_ = replaced_ || (queued && queued->ns > end->ns) ||
                  (completed && completed->ns != 0 && completed->ns < start->ns);
      fraction = start->fraction != 0 || end->fraction != 0;
      exact = static_cast<double>(times.duration) + (end->fraction - start->fraction);
    }
  }
  const auto& kernel = group_.kernels.of(name);
  if (kernel.memory_operation)
    group_.issues.count(Severity::Info, "copy-kernels-kept", [&] {
      return fmt::format(
          "{} is a kernel of the runtime that moves memory: it remains a launch because it has counters",
          table.place());
    });
  const auto launch = draft.launches.start.size();
  if (launch > group_.from.launches)
    times_vary_ = times_vary_ || times.duration != 0 || draft.launches.duration.back() != 0 ||
                  times.start != draft.launches.start.back();
  else
    times_vary_ = times.duration != 0;
  const auto configuration = draft.configuration(configuration_of(group_, table, kernel.kernel));
  push_launch(draft, times, configuration, stream_of(group_, table),
              low_bits(table.integer_or(Role::Correlation, 0)));
  rows_.push_back({kernel.kernel, table.integer_or(Role::Grid, 0),
                   table.integer_or(Role::Dispatch, static_cast<std::int64_t>(rows_.size()))});
  common.set(table, launch);
  if (fraction) {
    fractional_ = true;
    draft.attributes.set(
        draft.attributes.number("duration_exact", "ns",
                                "Mean duration over the passes, including fractions of a nanosecond"),
        launch, exact);
  }
  set_counters(table, launch);
}

// Saving the file with a spreadsheet leaves times with an exponent, or all equal.
void WideTables::judge_times(const Table& base) {
  const auto launches = group_.draft.launches.start.size() - group_.from.launches;
  if (!timed_ || (!rounded_ && (times_vary_ || launches < 2))) return;
  timed_ = false;
  group_.issues.count(
      Severity::Doubt, "timestamps-lost-precision",
      [&] {
        return fmt::format("the timestamps of {} lost their precision ({}): the launches are shown in their "
                           "order, without time and duration",
                           base.input->file_name(),
                           rounded_ ? "a spreadsheet wrote them with an exponent, such as 1.62068E+14"
                                    : "all are the same");
      },
      static_cast<std::int64_t>(launches));
}

void WideTables::make_timeless() {
  auto& launches = group_.draft.launches;
  for (auto row = group_.from.launches; row < launches.start.size(); ++row) {
    launches.start[row] = static_cast<std::int64_t>(row);
    launches.duration[row] = store::kMissingDuration;
  }
  group_.source.timeless = true;
}

// Finds the launch of each row of a pass; false when no row has one.
Expected<bool> WideTables::match(const Table& pass, SpillVector<std::uint32_t>& launch_of_row) {
  auto table = CsvTable::open(*pass.input, group_.meter);
  if (!table) return forward(table.error());
  const bool with_grid = with_grid_ && (*table)->header().has(Role::Grid);
  RowIssues deferred_issues;
  SpillVector<DispatchRow> rows;
  auto done = (*table)->for_each(deferred_issues, [&] {
    rows.push_back({group_.kernels.of((*table)->text(Role::Kernel)).kernel,
                    (*table)->integer_or(Role::Grid, 0),
                    (*table)->integer_or(Role::Dispatch, static_cast<std::int64_t>(rows.size()))});
  });
  if (!done) return forward(done.error());
  LaunchOfExecution without_grid;
  if (with_grid_ && !with_grid) {
    const auto executions = executions_of(rows_, false);
    for (std::size_t row = 0; row < executions.size(); ++row)
      without_grid.emplace(executions[row], static_cast<std::uint32_t>(group_.from.launches + row));
  }
  const auto& launch_of = with_grid_ && !with_grid ? without_grid : launch_of_;
  bool any = false;
  for (const auto& execution : executions_of(rows, with_grid)) {
    const auto found = launch_of.find(execution);
    launch_of_row.push_back(found == launch_of.end() ? kNone : found->second);
    any = any || found != launch_of.end();
    if (found == launch_of.end())
      group_.issues.count(Severity::Doubt, "unjoined-dispatches", [&] {
        return fmt::format("{} contains an execution that is not among the launches: execution {} of {}",
                           pass.input->file_name(), execution.occurrence + 1,
                           group_.draft.strings[StringId{group_.draft.kernels[execution.kernel].name}]);
      });
  }
  return any;
}

Expected<void> WideTables::read_pass(const Table& pass) {
  SpillVector<std::uint32_t> launch_of_row;
  const auto any = match(pass, launch_of_row);
  if (!any) return forward(any.error());
  if (!*any) return {};
  return add_pass(pass, launch_of_row);
}

Expected<void> WideTables::add_pass(const Table& pass, const SpillVector<std::uint32_t>& launch_of_row) {
  auto table = CsvTable::open(*pass.input, group_.meter);
  if (!table) return forward(table.error());
  prepare_counters((*table)->header(), (*table)->name(), false);
  auto& launches = group_.draft.launches;
  RowIssues quiet; // unusable times of passes have no effect
  for (std::size_t row = 0;; ++row) {
    const auto more = (*table)->next(group_.issues);
    if (!more) return forward(more.error());
    if (!*more || row >= launch_of_row.size()) break;
    const auto launch = launch_of_row[row];
    if (launch == kNone) continue;
    set_counters(**table, launch);
    compare_counters(**table, launch);
    const auto times = pass.timed && timed_ ? times_of(**table, quiet) : std::nullopt;
    if (!times) continue;
    if (times->start == launches.start[launch] && times->duration == launches.duration[launch])
      confirmed_ += pass.counters == 0;
    else if (pass.counters > 0)
      durations_.add(launch, times->duration);
  }
  for (const auto& [column, attribute] : compared_) confirmed_counters_.insert(attribute);
  return {};
}

// "Duration" has three meanings, depending on the source of the times.
void WideTables::report_duration_meaning(const Table& base) {
  const auto name = base.input->file_name();
  if (fractional_) {
    group_.issues.count(Severity::Info, "durations-mean-of-passes", [&] {
      return fmt::format("times in {} are means over all passes of a dispatch: durations are not those of a "
                         "single execution",
                         name);
    });
    return;
  }
  if (base.counters == 0 || assembled(base)) {
    group_.issues.count(Severity::Info, "durations-without-counters", [&] {
      return fmt::format("durations come from a run without counters ({}{}){}", name,
                         confirmed_ > 0 ? ", as timestamps.csv confirms" : "",
                         taken_.empty() ? "" : "; each counter comes from a different execution");
    });
    return;
  }
  group_.issues.count(Severity::Info, "durations-of-own-pass", [&] {
    return fmt::format("durations are those of pass {}, which also recorded counters", name);
  });
}

} // namespace jitterscope::import::rocm
