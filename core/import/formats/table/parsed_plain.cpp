// The fast path of ParsedRows for records whose quotes enclose whole fields. Fields are located and parsed in
// bulk; fields of regular records are copied to their columns in batches. All other records take the slow
// path of parsed_rows.cpp. The result is the same, because events are sorted afterwards.

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/base/spill_vector.h"
#include "core/base/vector_clones.h"
#include "core/import/formats/table/parsed_rows.h"
#include "core/import/text/csv/field_kernels.h"
#include "core/import/text/csv/marks.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/plain_number.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import::table {
namespace {

/// Whether a record may be the line below the header of a Markdown table (is_rule()), by its first field.
inline bool may_begin_rule(std::string_view field) {
  if (field.empty() || (field[0] != '-' && field[0] != ':' && field[0] != ' ')) return false;
  const auto text = trimmed(field);
  return text.size() >= 3 && text.find_first_not_of(":-") == std::string_view::npos;
}

constexpr std::int64_t kMaxQuickScale = 9'000; // product with a number of fifteen digits: below 2^63

// Multiplies numbers of up to fifteen digits by a scale: false where one is fractional or NaN. The low bits
// of n + 2^52 are n, for integers n below 2^52.
JITTERSCOPE_VECTOR_CLONES bool convert_integers(const double* numbers, std::size_t count, std::int64_t scale,
                                                std::int64_t* out) {
  constexpr double kTwoTo52 = 4503599627370496.0;
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < count; ++i) { // without branches, so that it can be vectorised
    const auto sum = numbers[i] + kTwoTo52;
    const auto whole = std::bit_cast<std::uint64_t>(sum) - std::bit_cast<std::uint64_t>(kTwoTo52);
    differ |= std::bit_cast<std::uint64_t>(sum - kTwoTo52) ^ std::bit_cast<std::uint64_t>(numbers[i]);
    differ |= whole >> 52; // for NaN
    out[i] = static_cast<std::int64_t>(whole * static_cast<std::uint64_t>(scale));
  }
  return differ == 0;
}

} // namespace

// The slow path, record by record: splits as CsvReader does and processes fields as parse_row() does.
[[gnu::always_inline]] inline bool ParsedRows::split_plain(std::string_view text, char separator,
                                                           const RowPlan& plan) {
  const char* const base = text.data();
  const auto& first_title = plan.titles.front();
  std::size_t begin = 0, column = 0;
  bool apart = false; // the record has to be parsed as a whole
  const auto parse_until = [&](std::size_t end) __attribute__((always_inline)) {
    const std::string_view field(base + begin, end - begin);
    if (column == 0) apart = field == first_title || field.starts_with('#') || may_begin_rule(field);
    if (apart)
      fields_.push_back(field);
    else
      parse_field(column, field, plan);
    ++column;
    begin = end + 1;
  };
  const auto end_record = [&] {
    apart ? parse_row(fields_, plan) : end_row(column, plan);
    fields_.clear();
    apart = false;
    column = 0;
  };
  for (std::size_t block = 0; block < text.size(); block += kMarkBlock) {
    auto mask = csv_marks(base + block, separator);
    if (text.size() - block < kMarkBlock) mask &= (std::uint64_t{1} << (text.size() - block)) - 1;
    for (; mask != 0; mask &= mask - 1) {
      const auto at = block + static_cast<std::size_t>(std::countr_zero(mask));
      const char c = base[at];
      if (c == separator) {
        parse_until(at);
        if (column >= CsvReader::kMaxFields) return false;
        continue;
      }
      if (c == '"') return false;
      const bool second_half = c == '\n' && at > 0 && base[at - 1] == '\r';
      if (column > 0 || begin < at) {
        parse_until(at);
        end_record();
      }
      begin = at + 1;
      if (!second_half) ++line_;
    }
  }
  if (column > 0 || begin < text.size()) {
    parse_until(text.size());
    end_record();
  }
  return true;
}

#if defined(__x86_64__)
[[gnu::target("avx2,bmi,bmi2,popcnt")]] bool
ParsedRows::split_plain_haswell(std::string_view text, char separator, const RowPlan& plan) {
  return split_plain(text, separator, plan);
}
#endif

bool ParsedRows::split_record_by_record(std::string_view text, char separator, const RowPlan& plan) {
#if defined(__x86_64__)
  static const bool haswell = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  if (haswell) return split_plain_haswell(text, separator, plan);
#endif
  return split_plain(text, separator, plan);
}

bool ParsedRows::parse_plain(std::string_view text, char separator, bool quotes, const RowPlan& plan) {
  clear(plan);
  return may_be_quick(plan) ? parse_quickly(text, separator, quotes, plan)
                            : split_record_by_record(text, separator, plan);
}

// The preconditions of is_regular(), and enough room for records.
bool ParsedRows::may_be_quick(const RowPlan& plan) const {
  const auto columns = numbers_.size();
  return columns == plan.titles.size() && columns <= PlainFields::kMaxFields / 4 &&
         !plain_number(plan.titles.front());
}

// Whether a record with a field for every column is a row: not an empty line, a comment, or a repeated
// header.
inline bool ParsedRows::is_regular(std::size_t first_field, const RowPlan& plan) const {
  const auto number = plain_fields_.numbers()[first_field];
  if (number == number) return true;
  const auto text = plain_fields_.text(first_field);
  return !text.starts_with('#') && text != plan.titles.front() && (numbers_.size() > 1 || !text.empty()) &&
         !may_begin_rule(text);
}

bool ParsedRows::parse_quickly(std::string_view text, char separator, bool quotes, const RowPlan& plan) {
  const auto columns = numbers_.size();
  const auto& fields = plain_fields_;
  std::size_t at = 0;
  const bool points =
      !plan.columns.decimal_comma && std::any_of(plan.columns.all.begin(), plan.columns.all.end(),
                                                 [](const Column& column) { return !column.whole; });
  for (; plain_fields_.find(text, at, separator, quotes, points, read_as_numbers_); at = fields.end()) {
    std::size_t record = 0, field = 0, next_other = 0;
    while (record < fields.records()) {
      std::size_t rows = 0;
      while (record + rows < fields.records() &&
             fields.fields_to(record + rows) == field + (rows + 1) * columns &&
             is_regular(field + rows * columns, plan))
        ++rows;
      if (rows > 0) {
        next_other = parse_regular(field, rows, next_other, plan);
        record += rows;
        field += rows * columns;
        continue;
      }
      const auto next = fields.fields_to(record++);
      const auto begin = fields.begin_of(field);
      const auto end = record < fields.records() ? fields.begin_of(next) : fields.end();
      if (!split_record_by_record(text.substr(begin, end - begin), separator, plan)) return false;
      field = next;
    }
  }
  return split_record_by_record(text.substr(at), separator, plan);
}

// `next_other`: the first field to check among those that are not plain numbers; returns the next one.
std::size_t ParsedRows::parse_regular(std::size_t first_field, std::size_t rows, std::size_t next_other,
                                      const RowPlan& plan) {
  const auto columns = numbers_.size();
  const auto& fields = plain_fields_;
  const auto first_row = rows_, first_event = events_.size();
  const auto first_line = line_;
  parse_columns(first_field, rows);
  while (next_other < fields.others() && fields.other(next_other) < first_field) ++next_other;
  row_fields_ = columns;
  parse_other_columns(first_field, rows, plan);
  next_other = parse_other_cells(first_field, rows, next_other, plan);
  rows_ = first_row;
  line_ = first_line;
  note_first_numbers(rows);
  put_in_order(first_event);
  rows_ = first_row + rows;
  line_ = first_line + static_cast<std::int64_t>(rows);
  return next_other;
}

// Fields that are not plain numbers are missing until parse_other_cells(). Times and durations are kept only
// until they are converted.
void ParsedRows::parse_columns(std::size_t first_field, std::size_t rows) {
  const auto columns = numbers_.size();
  column_places_.assign(columns, nullptr);
  for (std::size_t column = 0; column < columns; ++column) {
    if (!read_as_numbers_[column]) continue;
    auto& numbers = numbers_[column];
    if (!plain_[column]) {
      numbers.values.resize(std::max(numbers.values.size(), rows));
      column_places_[column] = numbers.values.data();
      continue;
    }
    make_room(numbers, rows_ + rows);
    column_places_[column] = numbers.values.data() + rows_;
    numbers.count = rows_ + rows;
  }
  put_into_columns(plain_fields_.numbers() + first_field, columns, rows, column_places_.data());
}

// Parses the columns that are not plain: kernels, times, durations, devices, streams, ranks, texts and
// numbers in other units.
void ParsedRows::parse_other_columns(std::size_t first_field, std::size_t rows, const RowPlan& plan) {
  const auto columns = numbers_.size();
  const auto first_row = rows_;
  const auto first_line = line_;
  parse_texts_of(kKernel, first_field, rows, kernels_);
  if (!plan.times || plan.times->checks_duration) parse_durations(first_field, rows, plan);
  if (plan.times) {
    parse_times(kStart, plan.times->start_scale, first_field, rows, plan, starts_);
    parse_times(kSecond, plan.times->second_scale, first_field, rows, plan, seconds_);
    add_part(kStartPart, plan.times->start_part_scale, first_field, rows, plan, starts_);
    add_part(kSecondPart, plan.times->second_part_scale, first_field, rows, plan, seconds_);
    for (std::size_t i = 0; i < kPlaces.size(); ++i)
      parse_texts_of(kPlaces[i], first_field, rows, places_[i]);
    parse_lines(rows);
  }
  for (const auto column : others_) {
    if (roles_[column] != kNoRole) continue;
    rows_ = first_row;
    line_ = first_line;
    const bool in_unit = plan.columns.all[column].unit_in_row;
    if (!in_unit && !plan.is_number(column)) {
      parse_texts(column, first_field, rows);
      continue;
    }
    for (std::size_t row = 0; row < rows; ++row, ++rows_, ++line_) {
      const auto first = first_field + row * columns;
      const auto text = plain_fields_.text(first + column);
      if (in_unit)
        parse_cell_in_unit(column, text, plain_fields_.text(first + plan.columns.unit_column), plan);
      else
        parse_cell(column, text, plan);
    }
  }
  rows_ = first_row;
  line_ = first_line;
}

void ParsedRows::parse_texts_of(Role role, std::size_t first_field, std::size_t rows, Texts& texts) {
  const auto columns = numbers_.size(), column = column_of_[role];
  const auto first = texts.numbers.size();
  texts.numbers.resize(first + rows);
  if (column >= columns) {
    const auto nothing = texts.known.number_of({});
    std::fill(texts.numbers.begin() + static_cast<std::ptrdiff_t>(first), texts.numbers.end(), nothing);
    return;
  }
  const auto text = [&](std::size_t row) { return plain_fields_.text(first_field + row * columns + column); };
  auto* const numbers = texts.numbers.data() + first;
  for (std::size_t row = 0; (row = texts.known.put_guessed(row, rows, text, numbers)) < rows; ++row)
    numbers[row] = texts.known.number_of(trimmed(text(row)));
}

// Same result as parse_text() for each field.
void ParsedRows::parse_texts(std::size_t column, std::size_t first_field, std::size_t rows) {
  const auto columns = numbers_.size(), first_row = rows_;
  const auto first_line = line_;
  auto& texts = texts_[column];
  texts.numbers.resize(first_row + rows, kNone);
  const auto text = [&](std::size_t row) { return plain_fields_.text(first_field + row * columns + column); };
  auto* const numbers = texts.numbers.data() + first_row;
  for (std::size_t row = 0; (row = texts.known.put_guessed(row, rows, text, numbers)) < rows; ++row) {
    rows_ = first_row + row;
    line_ = first_line + static_cast<std::int64_t>(row);
    numbers[row] = number_of_text(column, text(row));
  }
}

void ParsedRows::parse_times(Role role, std::int64_t scale, std::size_t first_field, std::size_t rows,
                             const RowPlan& plan, SpillVector<std::int64_t>& times) {
  const auto columns = numbers_.size(), column = column_of_[role], first = times.size();
  const bool quick = !plan.times->dates && !plan.columns.all[column].quantities && scale <= kMaxQuickScale;
  times.resize(first + rows);
  const auto* const numbers = numbers_[column].values.data();
  if (quick && convert_integers(numbers, rows, scale, times.data() + first)) return;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto number = numbers[row];
    if (quick && number == std::trunc(number))
      times[first + row] = static_cast<std::int64_t>(number) * scale;
    else
      times[first + row] =
          time_or_none(time_in(role, plain_fields_.text(first_field + row * columns + column), scale, plan));
  }
}

void ParsedRows::add_part(Role role, std::int64_t scale, std::size_t first_field, std::size_t rows,
                          const RowPlan& plan, SpillVector<std::int64_t>& times) {
  if (column_of_[role] >= numbers_.size()) return;
  parts_.clear();
  parse_times(role, scale, first_field, rows, plan, parts_);
  const auto first = times.size() - rows;
  for (std::size_t row = 0; row < rows; ++row)
    times[first + row] = sum_of_times(times[first + row], parts_[row]);
}

void ParsedRows::parse_lines(std::size_t rows) {
  const auto first = lines_.size();
  lines_.resize(first + rows);
  std::iota(lines_.begin() + static_cast<std::ptrdiff_t>(first), lines_.end(), line_);
}

void ParsedRows::parse_durations(std::size_t first_field, std::size_t rows, const RowPlan& plan) {
  const auto columns = numbers_.size(), column = column_of_[kDuration];
  if (column >= columns) {
    durations_.insert(durations_.end(), rows, store::kMissingDuration);
    return;
  }
  const auto first_row = rows_;
  const auto first_line = line_;
  const auto first = durations_.size();
  durations_.resize(first + rows);
  const auto* const numbers = numbers_[column].values.data();
  if (plan.duration.scale <= kMaxQuickScale &&
      convert_integers(numbers, rows, plan.duration.scale, durations_.data() + first))
    return;
  for (std::size_t row = 0; row < rows; ++row, ++rows_, ++line_) {
    const auto field = first_field + row * columns + column;
    const auto number = numbers[row];
    auto& duration = durations_[first + row];
    if (number == std::trunc(number) &&
        !__builtin_mul_overflow(static_cast<std::int64_t>(number), plan.duration.scale, &duration))
      continue;
    launch_fields_[roles_[column]] = plain_fields_.text(field);
    duration = duration_of(plan);
  }
  rows_ = first_row;
  line_ = first_line;
}

// Parses the fields of plain columns that are not plain numbers, from next_other on; returns the first one
// after these rows.
std::size_t ParsedRows::parse_other_cells(std::size_t first_field, std::size_t rows, std::size_t next_other,
                                          const RowPlan& plan) {
  const auto columns = numbers_.size();
  const auto& fields = plain_fields_;
  auto end = first_field + columns; // end of the row's fields
  for (; next_other < fields.others() && fields.other(next_other) < first_field + rows * columns;
       ++next_other) {
    const auto field = fields.other(next_other);
    for (; field >= end; end += columns) ++rows_, ++line_;
    const auto column = field + columns - end;
    if (plain_[column] && !parse_fraction(column, fields.text(field), plan))
      parse_cell(column, fields.text(field), plan);
  }
  return next_other;
}

// Parses the most frequent fields that are not plain numbers ("-1.5"), in a column that was copied as a
// whole.
bool ParsedRows::parse_fraction(std::size_t column, std::string_view text, const RowPlan& plan) {
  if (plan.columns.decimal_comma) return false;
  const auto value = plain_fraction(text);
  if (value) put_number(column, *value);
  return value.has_value();
}

// Notes the first number of each column that was copied as a whole.
void ParsedRows::note_first_numbers(std::size_t rows) {
  const auto first_row = rows_;
  const auto first_line = line_;
  for (std::size_t column = 0; column < numbers_.size(); ++column) {
    auto& numbers = numbers_[column];
    if (!plain_[column] || numbers.any) continue;
    const auto* const begin = numbers.values.data() + first_row;
    const auto* const found = std::find_if(begin, begin + rows, [](double value) { return value == value; });
    if (found == begin + rows) continue;
    rows_ = first_row + static_cast<std::size_t>(found - begin);
    line_ = first_line + (found - begin);
    numbers.any = true;
    note(RowEvent::Kind::FirstNumber, column, {});
  }
  rows_ = first_row;
  line_ = first_line;
}

} // namespace jitterscope::import::table
