#include "core/import/formats/table/shape.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/table/date_time.h"
#include "core/import/formats/table/quantity.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::table {
namespace {

using Record = std::vector<std::string>;

constexpr std::size_t kMaxSampled = 100; // maximum number of records that are examined
constexpr std::size_t kLongestTitle = 500;

bool is_text(std::string_view head) {
  return std::none_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') || byte == 0x7F;
  });
}

// "5,25" is a number where the separator is not a comma.
bool is_number(std::string_view field, char separator = ',') {
  if (parse_number(field)) return true;
  return separator != ',' && std::count(field.begin(), field.end(), ',') == 1 &&
         field.find_first_not_of("0123456789+-.,") == std::string_view::npos &&
         field.find_first_of("0123456789") != std::string_view::npos;
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, line_end(text));
}

std::string_view without_first_line(std::string_view text) {
  const auto line = first_line(text).size();
  text.remove_prefix(line);
  if (text.starts_with("\r\n")) return text.substr(2);
  return text.empty() ? text : text.substr(1);
}

// Records of a text; the last one only when the text is whole, as it may be truncated.
std::vector<Record> records_of(std::string_view text, bool whole, char separator) {
  const auto stream = open_memory(text);
  CsvReader csv(*stream, {}, separator);
  std::vector<Record> records;
  while (records.size() <= kMaxSampled) {
    const auto more = csv.next();
    if (!more || !*more) {
      if (!whole && records.size() > 1) records.pop_back();
      break;
    }
    if (csv.fields().size() == 1 && csv.fields()[0].starts_with('#')) continue; // a comment
    auto& record = records.emplace_back();
    for (const auto field : csv.fields()) record.emplace_back(trimmed(field));
  }
  return records;
}

std::size_t width(const Record& record) {
  return !record.empty() && record.back().empty() ? record.size() - 1 : record.size();
}

bool mostly_numbers(const Record& titles) {
  const auto filled = std::count_if(titles.begin(), titles.end(), [](const auto& t) { return !t.empty(); });
  return 2 * std::count_if(titles.begin(), titles.end(), [](const auto& t) { return is_number(t); }) >=
         std::max<std::ptrdiff_t>(filled, 1);
}

bool plausible(const Record& titles) {
  if (std::any_of(titles.begin(), titles.end(), [](const auto& t) { return t.size() > kLongestTitle; }))
    return false;
  const auto empty = std::count(titles.begin(), titles.end(), "");
  return width(titles) > 0 &&
         (titles.size() == 1 ? empty == 0 : empty * 2 <= static_cast<std::ptrdiff_t>(titles.size()));
}

// Whether nearly all records after `first`, the header, have at most as many fields as the header. Columns of
// different length make some rows shorter.
bool fits(const std::vector<Record>& records, std::size_t first) {
  std::size_t fitting = 0, rows = 0;
  const auto titles = records[first].size();
  for (auto i = first + 1; i < records.size(); ++i, ++rows)
    fitting += width(records[i]) <= titles && (titles == 1 || records[i].size() > 1);
  return rows > 0 && (fitting * 10 >= rows * 9 || (rows >= 3 && fitting + 1 == rows));
}

bool has_column_of_numbers(const std::vector<Record>& records, std::size_t first, double share,
                           char separator) {
  for (std::size_t column = 0; column < records[first].size(); ++column) {
    std::size_t numbers = 0, values = 0;
    for (auto i = first + 1; i < records.size(); ++i) {
      if (column >= records[i].size() || is_missing(records[i][column])) continue;
      ++values;
      numbers += is_number(records[i][column], separator) || quantity(records[i][column]).has_value();
    }
    // One row of units may follow the header.
    if (numbers > 0 && static_cast<double>(numbers) + 1 >= share * static_cast<double>(values) &&
        (numbers > 1 || values == 1))
      return true;
  }
  return false;
}

// Whether at least two columns have only dates with times of day: tables may consist of timestamps alone.
bool has_starts_and_ends(const std::vector<Record>& records) {
  std::size_t columns = 0;
  for (std::size_t column = 0; column < records[0].size(); ++column)
    columns += std::all_of(records.begin() + 1, records.end(), [&](const Record& record) {
      return column < record.size() && parse_date_time(record[column]);
    });
  return columns >= 2;
}

// "count,0.5,0.95": column names of a pivot table.
bool ascend(const Record& titles) {
  SpillVector<double> numbers;
  for (const auto& title : titles)
    if (const auto number = parse_number(title)) numbers.push_back(*number);
  return numbers.size() > 1 && std::is_sorted(numbers.begin(), numbers.end());
}

// "6 %" above "7 %", a date above a date, "5.25" above "4": the first row rather than a header.
bool begins_with_row(const std::vector<Record>& records, char separator) {
  const bool pivot = ascend(records[0]);
  for (std::size_t column = 0; column < std::min(records[0].size(), records[1].size()); ++column) {
    const auto &first = records[0][column], &second = records[1][column];
    if (parse_date_time(first) && parse_date_time(second)) return true;
    if (!pivot && is_number(first) && is_number(second, separator) && first.find('.') != std::string::npos)
      return true;
    const auto a = quantity(first), b = quantity(second);
    if (a && b && !a->unit.empty() && a->unit == b->unit) return true;
  }
  return false;
}

Shape::Kind kind_of(const std::vector<Record>& records, char separator) {
  if (records.empty() || !plausible(records[0])) return Shape::Kind::None;
  if (mostly_numbers(records[0])) {
    const auto numeric =
        std::all_of(records.begin(), records.end(), [](const auto& r) { return mostly_numbers(r); });
    return numeric ? Shape::Kind::Headerless : Shape::Kind::None;
  }
  if (records.size() < 2 || !fits(records, 0)) return Shape::Kind::None;
  if (begins_with_row(records, separator)) return Shape::Kind::Headerless;
  const auto share = records[0].size() == 1 ? 1.0 : 0.8;
  return has_column_of_numbers(records, 0, share, separator) || has_starts_and_ends(records)
             ? Shape::Kind::Table
             : Shape::Kind::None;
}

// The separator that gives the widest table.
Shape with_best_separator(std::string_view text, bool whole) {
  Shape best;
  for (const char separator : {',', ';', '\t', '|'}) {
    const auto records = records_of(text, whole, separator);
    const auto kind = kind_of(records, separator);
    if (kind == Shape::Kind::None) continue;
    const bool better = best.kind == Shape::Kind::None || records[0].size() > best.titles.size();
    if (!better) continue;
    best.kind = kind;
    best.separator = separator;
    best.titles = records[0];
  }
  if (best.kind != Shape::Kind::None) return best;
  // Single blanks also occur in texts: they separate fields only where all records are alike.
  const auto records = records_of(text, whole, ' ');
  const bool alike = records.size() > 2 && records[0].size() > 1 &&
                     std::all_of(records.begin(), records.end(), [&](const Record& record) {
                       return record.size() == records[0].size() &&
                              std::find(record.begin(), record.end(), "") == record.end();
                     });
  if (!alike || kind_of(records, ' ') != Shape::Kind::Table) return best;
  return {Shape::Kind::Table, ' ', 0, 0, false, records[0]};
}

// True if a column has only numbers and missing values.
bool has_pure_column(const std::vector<Record>& records, char separator) {
  for (std::size_t column = 0; column < records[0].size(); ++column) {
    std::size_t numbers = 0;
    const bool pure = std::all_of(records.begin() + 1, records.end(), [&](const Record& record) {
      const bool number = is_number(record[column], separator) || quantity(record[column]).has_value();
      numbers += number;
      return number || is_missing(record[column]);
    });
    if (pure && numbers > 0) return true;
  }
  return false;
}

// A table below other lines ("Device: A100"), which may contain separators as well. To exclude prose,
// all records must be as wide as the header, all names must be non-empty texts, and one column numeric.
Shape below_other_lines(std::string_view text, bool whole) {
  constexpr int kMaxLines = 64;
  for (int line = 1; line <= kMaxLines && !text.empty(); ++line) {
    text = without_first_line(text);
    if (trimmed(first_line(text)).empty() || text[0] == '#') continue;
    auto shape = with_best_separator(text, whole);
    if (shape.kind != Shape::Kind::Table || shape.titles.size() < 2) continue;
    const auto records = records_of(text, whole, shape.separator);
    const bool alike = std::all_of(records.begin(), records.end(), [&](const Record& record) {
      return record.size() == shape.titles.size();
    });
    const bool titled = std::none_of(shape.titles.begin(), shape.titles.end(), [](const std::string& title) {
      return title.empty() || parse_number(title);
    });
    if (!alike || !titled || records.size() < 3 || !has_pure_column(records, shape.separator)) continue;
    shape.other_lines = line;
    return shape;
  }
  return {};
}

bool is_setting(std::string_view line) {
  if (line.starts_with("- ")) line = trimmed(line.substr(2));
  if (line.starts_with('[') && line.ends_with(']')) return true;
  const auto end =
      line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./ \"'");
  if (end == 0 || end == std::string_view::npos) return false;
  if (line[end] == ':') return end + 1 == line.size() || line[end + 1] == ' ';
  return line[end] == '=' && trimmed(line.substr(0, end)).find(' ') == std::string_view::npos;
}

} // namespace

bool is_settings(std::string_view head) {
  if (head.empty() || !is_text(head)) return false;
  std::size_t lines = 0, settings = 0;
  for (; !head.empty(); head = without_first_line(head)) {
    const auto line = trimmed(first_line(head));
    if (line.empty() || line.starts_with('#') || line.starts_with("---")) continue;
    const bool setting = is_setting(line);
    if (++lines == 1 && !setting) return false;
    settings += setting || line.starts_with("- ") || line == "]" || line == "}";
  }
  return lines > 1 && settings * 10 >= lines * 9;
}

Shape shape_of(std::string_view head, bool whole) {
  Shape shape;
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  if (head.empty() || !is_text(head)) return shape;
  std::int64_t lines = 0;
  if (const auto line = first_line(head); line.starts_with("sep=") && line.size() <= 5) {
    head = without_first_line(head); // states the separator for spreadsheets
    ++lines;
  }
  std::optional<std::string_view> last_comment;
  while (!head.empty() && (head[0] == '#' || trimmed(first_line(head)).empty())) {
    if (head[0] == '#') last_comment = head.substr(1);
    head = without_first_line(head);
    ++lines;
  }
  if (head.empty() || head[0] == '{' || head[0] == '[' || head[0] == '<' || is_settings(head)) return shape;
  shape = with_best_separator(head, whole);
  shape.lines_before = lines;
  if (shape.kind == Shape::Kind::None && !last_comment) {
    shape = below_other_lines(head, whole);
    shape.lines_before = lines + shape.other_lines;
  }
  const auto is_number = [](const std::string& title) { return parse_number(title).has_value(); };
  const auto numbers = std::count_if(shape.titles.begin(), shape.titles.end(), is_number);
  if (!last_comment || (shape.kind == Shape::Kind::Table && numbers == 0)) return shape;
  // "# time,clock" above rows of numbers, as written by numpy, or above rows with some numbers.
  auto with_comment = with_best_separator(*last_comment, whole);
  if (with_comment.kind != Shape::Kind::Table) return shape;
  if (shape.kind == Shape::Kind::Table &&
      (with_comment.titles.size() != shape.titles.size() ||
       std::any_of(with_comment.titles.begin(), with_comment.titles.end(), is_number)))
    return shape;
  with_comment.lines_before = lines - 1;
  with_comment.titles_are_comment = true;
  return with_comment;
}

namespace {

// Whether a text may be the beginning of a table whose header and first row are longer than the text.
bool may_be_cut_off(std::string_view head) {
  return std::count_if(head.begin(), head.end(), [](char c) { return c == '\n' || c == '\r'; }) < 2 &&
         is_text(head) && head[0] != '{' && head[0] != '[' && head[0] != '<' &&
         head.find_first_of(",;\t| ") != std::string_view::npos;
}

} // namespace

Shape shape_of(const Input& input) {
  constexpr std::size_t kMaxHead = std::size_t{16} << 20;
  auto shape = shape_of(input.head, input.whole());
  if (shape.kind != Shape::Kind::None || input.whole() || !may_be_cut_off(input.head)) return shape;
  for (std::size_t size = 4 * kHeadBytes; size <= kMaxHead && shape.kind == Shape::Kind::None; size *= 4) {
    auto stream = input.open();
    if (!stream) return shape;
    std::string head(size, '\0');
    const auto got = read_fully(**stream, head);
    if (!got) return shape;
    head.resize(*got);
    const bool whole = head.size() < size;
    if (whole || !may_be_cut_off(head)) return shape_of(head, whole);
  }
  return shape;
}

std::optional<AlmostNumber> almost_number(const Input& input) {
  std::string_view head = input.head;
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  if (head.empty() || !is_text(head)) return {};
  if (is_settings(head)) return {};
  for (const char separator : {',', ';', '\t', '|'}) {
    const auto records = records_of(head, input.whole(), separator);
    if (records.size() < 2 || records[0].size() < 2 || !plausible(records[0]) || !fits(records, 0)) continue;
    for (std::size_t column = 0; column < records[0].size(); ++column) {
      const auto begins_with_digit = [&](const Record& record) {
        const auto at =
            column < record.size() ? record[column].find_first_not_of("=\"+-") : std::string::npos;
        return at != std::string::npos && record[column][at] >= '0' && record[column][at] <= '9';
      };
      const auto rows = static_cast<std::ptrdiff_t>(records.size()) - 1;
      if (std::count_if(records.begin() + 1, records.end(), begins_with_digit) * 10 < rows * 9) continue;
      const auto& example = *std::find_if(records.begin() + 1, records.end(), begins_with_digit);
      return AlmostNumber{example[column], records[0][column]};
    }
  }
  return {};
}

bool is_aligned_by_blanks(const Input& input) {
  if (!is_text(input.head)) return false;
  std::string squeezed;
  for (const char c : input.head) {
    const bool blank = c == ' ' || c == '\t';
    const bool begins_line = squeezed.empty() || squeezed.back() == '\n';
    if (!blank && c != '\r') {
      if (c == '\n' && !begins_line && squeezed.back() == '\t') squeezed.pop_back();
      squeezed += c;
    } else if (blank && !begins_line && squeezed.back() != '\t') {
      squeezed += '\t';
    }
  }
  const auto records = records_of(squeezed, input.whole(), '\t');
  return records.size() > 2 && records[0].size() > 1 && kind_of(records, '\t') == Shape::Kind::Table &&
         std::all_of(records.begin(), records.end(),
                     [&](const Record& record) { return record.size() == records[0].size(); });
}

bool holds_only_texts(const Input& input) {
  std::string_view head = input.head;
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  if (head.empty() || !is_text(head)) return false;
  for (const char separator : {',', ';', '\t', '|'}) {
    const auto records = records_of(head, input.whole(), separator);
    if (records.size() < 2 || records[0].size() < 2 || !plausible(records[0])) continue;
    if (std::all_of(records.begin(), records.end(),
                    [&](const Record& record) { return record.size() == records[0].size(); }))
      return true;
  }
  return false;
}

} // namespace jitterscope::import::table
