#include "core/import/ncu/ncu_reader.h"

#include <algorithm>

namespace jitterscope::import::ncu {
namespace {

template <class Use>
bool any_line(std::string_view text, Use&& use) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find_first_of("\r\n", at), text.size());
    if (use(text.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

bool is_profiler_line(std::string_view line) {
  return line.starts_with("==PROF==") || line.starts_with("==WARNING==") || line.starts_with("==ERROR==");
}

Expected<void> read_table(const Input& input, Draft& draft, store::Source& source, RowIssues& issues,
                          const Progress& progress) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  CsvReader csv(**stream, input.name());
  const auto found = csv.skip_to([](std::string_view line) { return is_header(line); });
  if (!found) return forward(found.error());
  if (!*found)
    return failure(
        ErrorKind::BadInput, "this is the output of Nsight Compute, but holds no table of metrics",
        input.name(), {},
        "Make one: ncu --csv --page raw --print-units base PROGRAM, or with --import REPORT.ncu-rep.");
  if (const auto titles = csv.next(); !titles) return forward(titles.error());
  const auto header = header_of(csv.fields());
  Launches launches(draft, issues);
  Table table{csv, draft, issues, launches, progress, input.disk_bytes};
  auto done = header.is_long() ? read_long(table) : read_wide(table);
  if (!done) return done;
  if (launches.count() == 0)
    return failure(ErrorKind::BadInput, "the table holds no launch", input.name(), csv.place(),
                   "Was a kernel launched? Look at the messages of ncu before the table.");
  launches.finish();
  source.timeless = true;
  source.schema = header.is_long() ? "details page" : "raw page";
  return {};
}

} // namespace

bool recognises(const Input& input) {
  return any_line(input.head, [](std::string_view line) { return is_header(line); }) ||
         any_line(input.head, is_profiler_line);
}

Expected<void> tick(const Table& table) {
  if (table.progress.report(table.csv.consumed(), table.bytes, "metrics")) return {};
  return Job::cancelled_error();
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  for (const auto& input : inputs) {
    RowIssues issues;
    if (auto done = read_table(input, draft, source, issues, progress); !done) return done;
    issues.move_to(draft.report);
  }
  return {};
}

} // namespace jitterscope::import::ncu
