#include "core/import/formats/rocm/csv/csv_table.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/import/records/csv_rows.h"
#include "core/import/text/csv/number.h"

namespace jitterscope::import::rocm {
namespace {

using store::Severity;

// "12,5", "-1,5E+06": a number in a locale with decimal commas; also "2.048,5" with points as thousands
// separators.
bool has_decimal_comma(std::string_view text) {
  return std::count(text.begin(), text.end(), ',') == 1 &&
         text.find_first_not_of("0123456789+-.,eE") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos &&
         text.find('.', text.find(',')) == std::string_view::npos;
}

// Maximum number of columns; no tool records as many, and every counter of a launch takes eight bytes.
constexpr std::size_t kMaxColumns = 20'000;
constexpr std::int64_t kRowsBetweenReports = 256;

} // namespace

std::optional<Stamp> parse_stamp(std::string_view text) {
  text = trimmed(text);
  Stamp stamp;
  if (const auto whole = parse_integer(text)) {
    stamp.ns = *whole;
    return stamp;
  }
  const auto number = parse_number(text);
  if (!number || std::abs(*number) > static_cast<double>(kLatestTime)) return {};
  stamp.rounded = text.find_first_of("eE") != std::string_view::npos;
  const auto point = text.find('.');
  const auto whole = stamp.rounded ? std::nullopt : parse_integer(text.substr(0, point));
  if (!whole) { // no exact digits before the point
    stamp.ns = static_cast<std::int64_t>(*number);
    return stamp;
  }
  stamp.ns = *whole;
  const auto fraction = parse_number(fmt::format("0{}", text.substr(point)));
  stamp.fraction = fraction.value_or(0) * (text.starts_with('-') ? -1 : 1);
  return stamp;
}

std::optional<std::int64_t> parse_whole_number(std::string_view text) {
  if (const auto whole = parse_integer(text)) return whole;
  const auto number = parse_number(text);
  if (!number || std::floor(*number) != *number || std::abs(*number) > 9.0e15) return {};
  return static_cast<std::int64_t>(*number);
}

CsvTable::CsvTable(const Input& input, ByteStreamPointer stream, Meter& meter)
    : name_(input.file_name()), bytes_(input.disk_bytes), stream_(std::move(stream)),
      reader_(*stream_, input.name()), meter_(meter) {}

CsvTable::~CsvTable() {
  meter_.done += bytes_;
}

Expected<std::unique_ptr<CsvTable>> CsvTable::open(const Input& input, Meter& meter) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  std::unique_ptr<CsvTable> table(new CsvTable(input, std::move(*stream), meter));
  const auto separator = header_in(input.head, input.whole()).separator;
  table->reader_.set_separator(separator);
  auto got = table->reader_.next();
  if (got && *got && is_separator_line(table->reader_.fields())) got = table->reader_.next();
  if (!got) return forward(got.error());
  if (!*got) return failure(ErrorKind::BadInput, "the table has no header", input.name());
  if (table->reader_.fields().size() > kMaxColumns)
    return failure(ErrorKind::BadInput, fmt::format("the table has more than {} columns", kMaxColumns),
                   input.name(), "line 1", "Record fewer counters at once.");
  table->header_ = header_of(table->reader_.fields());
  table->header_.separator = separator;
  return table;
}

Expected<bool> CsvTable::next(RowIssues& issues) {
  for (;;) {
    const auto got = reader_.next();
    if (got && !*got) report_truncation(reader_, issues);
    if (!got || !*got) return got;
    if (++rows_ % kRowsBetweenReports == 0 &&
        !meter_.progress.report(meter_.done + std::min(reader_.consumed(), bytes_), meter_.whole, name_))
      return Job::cancelled_error();
    if (repeats_titles()) {
      issues.count(Severity::Info, "repeated-titles",
                   [&] { return fmt::format("{} repeats the column names", place()); });
      continue;
    }
    const auto fields = reader_.fields().size();
    joined_ = fields > header_.titles.size() && join_name(issues);
    if (joined_) return true;
    if (fields != header_.titles.size() && header_of(reader_.fields()).kind != TableKind::None) {
      issues.count(Severity::Drop, "other-tables", [&] {
        return fmt::format("{} begins another table, which is not read: write each table to its own file",
                           place());
      });
      return false;
    }
    if (fields > header_.titles.size())
      issues.count(Severity::Doubt, "long-row", [&] {
        return fmt::format("{} has {} fields where the header has {}: the surplus fields are not read",
                           place(), fields, header_.titles.size());
      });
    if (fields >= header_.titles.size()) {
      if (header_.separator != ',') read_fields(issues);
      return true;
    }
    issues.count(Severity::Drop, "short-row", [&] {
      return fmt::format("{} has {} fields where the header has {}: the file may be truncated", place(),
                         fields, header_.titles.size());
    });
  }
}

namespace {

// Number of unclosed brackets.
std::ptrdiff_t open_brackets(std::string_view name) {
  std::ptrdiff_t open = 0;
  for (const char c : name) open += (c == '(' || c == '<') - (c == ')' || c == '>');
  return open;
}

} // namespace

// rocprof before ROCm 4 wrote "void f<int, 2>(int, int),1,500": commas within brackets belong to the name.
bool CsvTable::join_name(RowIssues& issues) {
  const auto column = header_.has(Role::Name) ? header_.column(Role::Name) : header_.column(Role::Kernel);
  if (column < 0 || header_.separator != ',') return false;
  const auto fields = reader_.fields();
  const auto first = static_cast<std::size_t>(column), more = fields.size() - header_.titles.size();
  if (open_brackets(fields[first]) <= 0) return false;
  name_with_commas_.clear();
  for (std::size_t i = first; i <= first + more; ++i)
    name_with_commas_.append(i > first ? "," : "").append(fields[i]);
  if (open_brackets(name_with_commas_) != 0) return false;
  fields_.assign(fields.begin(), fields.begin() + column + 1);
  fields_.back() = name_with_commas_;
  fields_.insert(fields_.end(), fields.begin() + static_cast<std::ptrdiff_t>(first + more + 1), fields.end());
  issues.count(Severity::Repair, "unquoted-name", [&] {
    return fmt::format("{} has an unquoted name with commas: its parts were joined", place());
  });
  return true;
}

bool CsvTable::repeats_titles() const {
  const auto fields = reader_.fields();
  const auto& titles = header_.titles;
  return fields.size() == titles.size() && trimmed(fields[0]) == titles[0] &&
         std::equal(fields.begin(), fields.end(), titles.begin(),
                    [](std::string_view field, const std::string& title) { return trimmed(field) == title; });
}

void CsvTable::read_fields(RowIssues& issues) {
  const auto fields = reader_.fields();
  fields_.assign(fields.begin(), fields.end());
  points_.clear();
  std::size_t needed = 0;
  for (const auto field : fields) needed += field.size();
  points_.reserve(needed); // so that it is not reallocated below
  for (auto& field : fields_) {
    const auto text = trimmed(field);
    if (!has_decimal_comma(text)) continue;
    issues.count(Severity::Info, "decimal-comma", [] {
      return std::string("numbers have a decimal comma, as in \"1.234,5\", and are read that way");
    });
    const auto from = points_.size();
    for (const char c : text)
      if (c != '.') points_ += c == ',' ? '.' : c;
    field = std::string_view(points_).substr(from);
  }
}

std::string_view CsvTable::text(Role role) const {
  const auto column = header_.column(role);
  return column < 0 ? std::string_view() : trimmed(fields()[static_cast<std::size_t>(column)]);
}

std::optional<std::int64_t> CsvTable::whole(Role role) const {
  return parse_whole_number(text(role));
}

std::optional<Times> times_of(const CsvTable& table, RowIssues& issues) {
  const auto start = parse_stamp(table.text(Role::Start)), end = parse_stamp(table.text(Role::End));
  const auto ns = [](const std::optional<Stamp>& stamp) {
    return stamp ? std::optional(stamp->ns) : std::nullopt;
  };
  if ((start && start->rounded) || (end && end->rounded)) {
    issues.count(Severity::Drop, "timestamps-lost-precision", [&] {
      return fmt::format("{}: the time \"{}\" was rounded by a spreadsheet, so its last digits are lost",
                         table.place(), table.text(start && start->rounded ? Role::Start : Role::End));
    });
    return {};
  }
  return checked_times(issues, ns(start), ns(end), [&] { return table.place(); });
}

std::int64_t agent_number(std::string_view text) {
  const auto digits = text.find_last_not_of("0123456789") + 1;
  return parse_integer(text.substr(digits)).value_or(0);
}

} // namespace jitterscope::import::rocm
