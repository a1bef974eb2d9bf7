#include "core/import/formats/ascend/ascend_reader.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "core/import/formats/table/table_reader.h"
#include "core/import/records/row_issues.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::ascend {
namespace {

using namespace std::string_view_literals;
using store::Severity;

using Titles = std::vector<std::string>;

Titles titles_of(const Input& input) {
  const auto stream = open_memory(std::string_view(input.head).substr(0, line_end(input.head)));
  CsvReader csv(*stream, {}, ',');
  Titles titles;
  if (const auto more = csv.next(); more && *more)
    for (const auto field : csv.fields()) titles.emplace_back(trimmed(field));
  return titles;
}

std::optional<std::string> first_of(const Titles& titles, std::initializer_list<std::string_view> names) {
  for (const auto name : names)
    if (const auto found = std::find(titles.begin(), titles.end(), name); found != titles.end())
      return *found;
  return {};
}

bool has_all(const Titles& titles, std::initializer_list<std::string_view> names) {
  return std::all_of(names.begin(), names.end(),
                     [&](auto name) { return first_of(titles, {name}).has_value(); });
}

bool holds_kernels(const Titles& titles) {
  return first_of(titles, {"Start Time(us)", "Task Start Time(us)"}) &&
         first_of(titles, {"Duration(us)", "Task Duration(us)"}) &&
         first_of(titles, {"Accelerator Core", "Task Type"}) && first_of(titles, {"Name", "Op Name"});
}

bool holds_something_else(const Titles& titles) {
  return has_all(titles, {"Component", "Timestamp(us)"}) ||
         has_all(titles, {"Allocation Time(us)", "Release Time(us)"}) ||
         has_all(titles, {"Host Self Duration(us)", "Device Self Duration(us)"}) ||
         has_all(titles, {"OP Type", "Core Type", "Count"}) ||
         has_all(titles, {"API Name", "Level", "Count"}) ||
         has_all(titles, {"Computing", "Free", "Overlapped"}) ||
         has_all(titles, {"Hit Rate", "Victim Rate"}) ||
         has_all(titles, {"kernel_name", "kernel_type", "task_start(us)"});
}

table::Plan plan_of(const Titles& titles) {
  table::Plan plan;
  plan.kernel_column = *first_of(titles, {"Name", "Op Name"});
  plan.finds_times = true;
  plan.fields = {{"Block Dim", &Configuration::grid_x}, {"Block Num", &Configuration::grid_x}};
  auto& columns = plan.mapping.columns;
  const auto map = [&](ColumnRole role, std::optional<std::string> column) {
    columns[static_cast<std::size_t>(role)] = std::move(column);
  };
  map(ColumnRole::Start, first_of(titles, {"Start Time(us)", "Task Start Time(us)"}));
  map(ColumnRole::Duration, first_of(titles, {"Duration(us)", "Task Duration(us)"}));
  map(ColumnRole::Device, first_of(titles, {"Device_id", "Device Id"}));
  map(ColumnRole::Stream, first_of(titles, {"Stream ID", "Stream Id"}));
  return plan;
}

// The timeline contains the same kernels together with their calls.
bool has_timeline(const Input& input) {
  std::error_code ignored;
  return !input.named && input.member.empty() &&
         std::filesystem::exists(std::filesystem::path(input.path).replace_filename("trace_view.json"),
                                 ignored);
}

bool recognises(const Input& input) {
  if (input.head.find("(us)") == std::string::npos && input.head.find("Hit Rate") == std::string::npos &&
      input.head.find("Overlapped") == std::string::npos)
    return false;
  const auto titles = titles_of(input);
  return holds_kernels(titles) || holds_something_else(titles);
}

std::string group(const Input& input) {
  return input.folder();
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  const auto kernels = std::find_if(inputs.begin(), inputs.end(),
                                    [](const Input& input) { return holds_kernels(titles_of(input)); });
  if (kernels == inputs.end()) {
    source.format = table::kReader.format;
    draft.report.add(
        Severity::Doubt, "no-kernels",
        fmt::format("{} contains no kernels: its rows are read as launches", inputs.front().name()));
    return table::read(inputs.first(1), draft, source, progress);
  }
  if (has_timeline(*kernels))
    return failure(
        ErrorKind::BadInput,
        "the kernels of this table are also in trace_view.json of the same folder, with their calls",
        kernels->name(), {}, "Open the table separately to see counters of kernels.");
  source.tool = "Ascend";
  RowIssues issues;
  for (const auto& input : inputs) {
    if (&input == &*kernels) continue;
    if (holds_kernels(titles_of(input)))
      issues.count(Severity::Info, "same-kernels", [&] {
        return fmt::format("{} lists the kernels of {} again: it was left out", input.name(),
                           kernels->file_name());
      });
    else
      issues.count(Severity::Info, "not-imported", [&] {
        return fmt::format("{} and other tables of the folder contain no kernels and are not imported",
                           input.name());
      });
  }
  if (auto done = table::read_timed(*kernels, plan_of(titles_of(*kernels)), draft, source, issues, progress);
      !done)
    return done;
  issues.move_to(draft.report);
  return {};
}

} // namespace

const Reader kReader = {"Ascend kernels", recognises, read, group};

} // namespace jitterscope::import::ascend
