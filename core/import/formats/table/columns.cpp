#include "core/import/formats/table/columns.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/core.h>

#include "core/base/duration_names.h"
#include "core/import/formats/table/column_sample.h"
#include "core/import/formats/table/quantity.h"
#include "core/import/formats/table/time_titles.h"
#include "core/import/records/units.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::table {
namespace {

using store::Severity;

constexpr std::int64_t kSampledRecords = 65'536;

// True for a row of unit names only, below the header.
bool is_units_row(std::span<const std::string_view> fields) {
  bool any = false;
  for (const auto field : fields) {
    if (trimmed(field).empty()) continue;
    if (parse_number(field) || !is_unit(field)) return false;
    any = true;
  }
  return any;
}

// "start_sec" next to "start_nsec", as in a C timespec.
std::optional<std::size_t> seconds_of(const Column& part, const std::vector<Column>& columns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const auto title = slug(part.title);
  const bool is_time = title.starts_with("start") || title.starts_with("begin") || title.starts_with("end") ||
                       title.starts_with("stop") || title.starts_with("finish");
  const auto unit = nanoseconds_in(part.unit);
  if (!is_time || !unit || *unit >= kSecond) return {};
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].title == part.title && nanoseconds_in(columns[i].unit) == kSecond) return i;
  return {};
}

std::vector<Column> titled(const std::vector<std::string>& titles, RowIssues& issues) {
  std::vector<Column> columns;
  std::set<std::pair<std::string, std::string>> taken;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const auto split = split_unit(titles[i]);
    Column column;
    column.title = clean_text(split.title);
    column.unit = clean_text(split.unit);
    column.untitled = column.title.empty();
    if (column.untitled) column.title = fmt::format("column {}", i + 1);
    if (!taken.emplace(column.title, normalised_unit(column.unit).base).second) {
      if (titles[i].empty()) continue;
      column.seconds = seconds_of(column, columns);
      if (!column.seconds)
        issues.count(Severity::Doubt, "repeated-title", [&] {
          return fmt::format(
              "several columns are named \"{}\"; a number is appended to the names of the later columns",
              clean_text(titles[i]));
        });
      column.title += fmt::format(" (column {})", i + 1);
      taken.emplace(column.title, normalised_unit(column.unit).base);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

void mark_times(Columns& columns, const std::vector<std::string>& titles, const TableMapping& mapping) {
  for (auto& column : columns.all) {
    const auto title = time_title(column).title;
    column.may_be_time = is_start_title(title) || is_end_title(title);
  }
  for (const auto role : {ColumnRole::Start, ColumnRole::End}) {
    const auto& title = mapping.column(role);
    if (!title || title->empty()) continue;
    if (const auto found = find_column(columns, titles, *title); found < columns.all.size())
      columns.all[found].may_be_time = true;
  }
}

// How well a column name matches the duration of a launch: 0 not at all.
int duration_rank(std::string_view title) {
  auto words = slug(title);
  constexpr std::array kRanked = {"kernel", // "kernel (us)"
                                  "run_time",
                                  "kernel_time",
                                  "gpu_time",
                                  "exec_time",
                                  "elapsed_time",
                                  "execution_time",
                                  "latency",
                                  "elapsed",
                                  "runtime",
                                  "time",
                                  "dur",
                                  "gpu_execution_time",
                                  "kernel_runtime",
                                  "kernel_run_time",
                                  "kernel_execution_time",
                                  "gpu_duration",
                                  "kernel_duration",
                                  "duration"};
  const auto* found = std::find(kRanked.begin(), kRanked.end(), words);
  return found == kRanked.end() ? 0 : static_cast<int>(found - kRanked.begin()) + 1;
}

std::vector<std::string> words_of(std::string_view title) {
  std::vector<std::string> words(1);
  for (const char c : slug(title)) {
    if (c == '_')
      words.emplace_back();
    else if (c < '0' || c > '9')
      words.back() += c;
  }
  std::erase(words, std::string());
  return words;
}

// The column whose name resembles that of a duration, of a table without starts and ends. The number of
// columns if there is none.
std::size_t similar_to_duration(const Columns& columns) {
  const auto count = columns.all.size();
  if (std::ranges::count(columns.all, true, &Column::may_be_time) > 1) return count;
  std::vector<DurationName> names(count, DurationName::none);
  for (std::size_t i = 0; i < count; ++i)
    if (const auto& column = columns.all[i];
        column.kind == Column::Kind::Number && nanoseconds_in(column.unit)) {
      auto words = words_of(column.title);
      words.emplace_back("ns"); // its unit is one of time
      names[i] = duration_name(std::move(words));
    }
  return duration_among(names);
}

// "kernel_name" and "KernelName" are equal.
std::string joined(std::string_view title) {
  auto name = slug(title);
  std::erase(name, '_');
  return name;
}

} // namespace

bool is_missing_text(std::string_view text) {
  text = without_formula(trimmed(text));
  if (!is_missing(text)) return false;
  const auto word = lower(text);
  for (const auto* meaningful : {"-", "--", "none", "nil", "missing", "inf", "-inf"})
    if (word == meaningful) return false;
  return true;
}

bool is_rule(std::span<const std::string_view> fields) {
  bool any = false;
  for (const auto field : fields) {
    const auto text = trimmed(field);
    if (text.find_first_not_of(":-") != std::string_view::npos || (!text.empty() && text.size() < 3))
      return false;
    any = any || !text.empty();
  }
  return any && fields.size() > 1;
}

Expected<Columns> judge(CsvReader& csv, const std::vector<std::string>& titles, const TableMapping& mapping,
                        char separator, RowIssues& issues) {
  Columns columns;
  columns.all = titled(titles, issues);
  mark_times(columns, titles, mapping);
  ColumnSample sample(titles, columns.all, separator);
  const auto before = csv.bytes_of_records();
  for (std::int64_t row = 0; row < kSampledRecords; ++row) {
    const auto more = csv.next();
    if (!more) return forward(more.error());
    if (!*more) break;
    const auto fields = csv.fields();
    if (row == 0 && is_units_row(fields)) {
      columns.has_units_row = true;
      for (std::size_t i = 0; i < std::min(fields.size(), columns.all.size()); ++i)
        if (columns.all[i].unit.empty()) columns.all[i].unit = clean_text(trimmed(fields[i]));
      continue;
    }
    if (is_rule(fields)) continue;
    sample.add(fields);
    const auto ahead = sample.read_ahead(csv, kSampledRecords - row - 1);
    columns.sampled_rows += 1 + ahead;
    row += ahead;
  }
  columns.sampled_bytes = csv.bytes_of_records() - before;
  sample.conclude(columns, issues);
  return columns;
}

DurationColumn duration_column(const Columns& columns, bool by_similar_name, RowIssues& issues) {
  DurationColumn best{columns.all.size(), 1};
  int best_rank = 0;
  for (std::size_t i = 0; i < columns.all.size(); ++i) {
    const auto& column = columns.all[i];
    const int rank = column.kind == Column::Kind::Text ? 0 : duration_rank(column.title);
    if (rank <= best_rank) continue;
    by_similar_name = false;
    const auto scale = nanoseconds_in(column.unit);
    if (!scale && rank > 0 && !column.unit.empty())
      issues.count(Severity::Info, "duration-in-other-unit", [&] {
        return fmt::format("column \"{}\" has the unit \"{}\", which is not supported for durations: write "
                           "them in ns, us, ms or s to use them as the durations of launches",
                           column.title, column.unit);
      });
    if (!scale && rank > 0 && column.unit.empty())
      issues.count(Severity::Info, "duration-without-unit", [&] {
        return fmt::format("column \"{0}\" may be the duration, but does not state its unit: name it \"{0} "
                           "(ns)\" or similar",
                           column.title);
      });
    if (!scale) continue;
    best = {i, *scale};
    best_rank = rank;
  }
  if (!by_similar_name) return best;
  if (const auto similar = similar_to_duration(columns); similar < columns.all.size()) {
    best = {similar, *nanoseconds_in(columns.all[similar].unit)};
    issues.count(Severity::Doubt, "assumed-duration", [&] {
      return fmt::format("column \"{0}\" is taken as the duration of each row, because of its name: choose "
                         "another one with --map \"duration=COLUMN\"",
                         columns.all[similar].title);
    });
  }
  return best;
}

std::size_t find_column(const Columns& columns, const std::vector<std::string>& titles,
                        std::string_view requested) {
  const auto same = [&](auto&& equal) {
    for (std::size_t i = 0; i < columns.all.size(); ++i)
      if (equal(i)) return i;
    return columns.all.size();
  };
  for (const auto found : {same([&](std::size_t i) { return titles[i] == requested; }),
                           same([&](std::size_t i) { return columns.all[i].title == requested; }),
                           same([&](std::size_t i) { return lower(titles[i]) == lower(trimmed(requested)); }),
                           same([&](std::size_t i) { return slug(titles[i]) == slug(requested); }),
                           same([&](std::size_t i) { return joined(titles[i]) == joined(requested); })})
    if (found < columns.all.size()) return found;
  return columns.all.size();
}

} // namespace jitterscope::import::table
