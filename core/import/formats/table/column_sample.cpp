#include "core/import/formats/table/column_sample.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "core/import/formats/table/configuration_columns.h"
#include "core/import/formats/table/date_time.h"
#include "core/import/formats/table/quantity.h"
#include "core/import/records/units.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/plain_number.h"
#include "core/import/text/same_bytes.h"
#include "core/import/text/text.h"
#include "core/import/text/text_table.h"

namespace jitterscope::import::table {

using store::Severity;

bool is_unit(std::string_view text) {
  const auto unit = normalised_unit(text);
  return unit.base != trimmed(text) || unit.base == "ns" || unit.base == "%" || unit.base == "B";
}

namespace {

// A point that cannot be a thousands separator, unlike in "1.400" and "1.306.219" with decimal commas.
bool has_decimal_point(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  const auto first = number.find('.');
  if (first == std::string_view::npos) return false;
  if (first == 0 || first > 3 || number[0] == '0') return true;
  for (auto at = first; at != std::string_view::npos; at = number.find('.', at + 1))
    if (std::min(number.find('.', at + 1), number.size()) - at != 4) return true;
  return false;
}

// Whether a number has a fractional part; "64.0" has none.
bool has_parts(std::string_view number) {
  if (number.find_first_of("eE") != std::string_view::npos) return true;
  const auto point = number.find('.');
  return point != std::string_view::npos &&
         number.find_first_of("123456789", point) != std::string_view::npos;
}

// has_parts() for digits with one point between them.
bool plain_has_parts(std::string_view number) {
  while (number.ends_with('0')) number.remove_suffix(1);
  return !number.ends_with('.');
}

bool is_grouped(std::string_view text) {
  return text.find_first_not_of("0123456789.-") == std::string_view::npos &&
         text.find('.') != std::string_view::npos && !has_decimal_point(text);
}

// "1'234", "8b": a human reader takes it for a number.
bool is_almost_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto end = text.find_first_not_of("0123456789.,eE+-");
  if (end == 0) return false;
  if (end == std::string_view::npos) return false; // "1.2.3", "2024-05-01"
  auto rest = text.substr(end);
  const auto blank = rest.find_first_not_of(' ');
  rest = rest.substr(std::min(blank, rest.size()));
  if (!parse_number(text.substr(0, end))) return false;
  static constexpr std::array<std::string_view, 6> kBases = {"W", "J", "V", "C", "Hz", "B/s"};
  if (is_unit(rest) || std::find(kBases.begin(), kBases.end(), rest) != kBases.end()) return true;
  for (const std::string_view thousands : {"'", "\xE2\x80\x99", "\xE2\x80\xAF", "\xC2\xA0"})
    if (rest.size() >= thousands.size() + 3 && rest.starts_with(thousands))
      return rest.substr(thousands.size()).find_first_not_of("0123456789") != 0;
  const auto digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return digits == 3 && blank == 1; // "1 234", not "148    1    1"
}

} // namespace

ColumnSample::ColumnSample(std::span<const std::string> titles, std::span<const Column> columns,
                           char separator)
    : titles_(titles), seen_(titles.size()), all_(titles.size(), 1), separator_(separator),
      plain_(titles.size() > 1 && titles.size() <= PlainFields::kMaxFields / 4) {
  for (std::size_t i = 0; i < titles.size(); ++i) {
    seen_[i].may_be_extents = configuration_fields(titles[i])[0] != nullptr;
    seen_[i].may_be_time = columns[i].may_be_time;
  }
  if (!plain_) return;
  fractions_.resize(titles.size());
  for (std::size_t field = 0; field < PlainFields::kMaxFields; ++field)
    column_of_.push_back(static_cast<std::uint16_t>(field % titles.size()));
}

void ColumnSample::add(std::span<const std::string_view> fields) {
  for (std::size_t i = 0; i < std::min(fields.size(), seen_.size()); ++i) {
    auto& column = seen_[i];
    if (const auto digits = digits_in_padded(fields[i]); digits) {
      ++column.numbers;
      column.include_time(static_cast<double>(*digits));
    } else if (const auto number = padded_plain_number(fields[i]); number) {
      examine_plain_number(column, fields[i], *number);
    } else {
      examine_other(column, fields[i]);
    }
  }
}

// Same result as judge_other().
inline void ColumnSample::examine_plain_number(Seen& column, std::string_view field,
                                               const PlainNumber& number) {
  ++column.numbers;
  column.include_time(nearest(number).value_or(-1));
  column.fractions += number.places > 0;
  column.parts += number.places > 0 && plain_has_parts(field);
  point_ = point_ || has_decimal_point(field);
}

std::int64_t ColumnSample::read_ahead(CsvReader& csv, std::int64_t maximum) {
  const auto text = plain_ ? csv.lines_ahead() : std::string_view();
  const auto columns = seen_.size();
  std::int64_t taken = 0;
  std::size_t at = 0;
  while (taken < maximum && fields_->find(text, at, separator_, true, true, all_)) {
    const auto requested = std::min(fields_->records(), static_cast<std::size_t>(maximum - taken));
    std::size_t records = 0;
    while (records < requested && fields_->fields_to(records) == (records + 1) * columns) ++records;
    examine_plain(records);
    taken += static_cast<std::int64_t>(records);
    const bool all = records == fields_->records();
    at = all ? fields_->end() : fields_->begin_of(records * columns);
    if (!all) break;
  }
  csv.skip_ahead(at, taken);
  plain_ = taken > kWorthIt;
  return taken;
}

void ColumnSample::conclude(Columns& columns, RowIssues& issues) {
  const auto commas = comma_ || point_ || thousands_ ? CommaMeaning::None : meaning();
  columns.decimal_comma =
      (comma_ && !point_) || commas == CommaMeaning::Decimal || commas == CommaMeaning::PerhapsDecimal;
  columns.mixed = std::any_of(seen_.begin(), seen_.end(), [](const Seen& column) {
    return column.texts > 0 && column.numbers + column.quantities > 0;
  });
  for (auto& column : seen_) column.fractions += columns.decimal_comma ? column.with_comma : 0;
  for (auto& column : seen_) column.parts += columns.decimal_comma ? column.with_comma : 0;
  for (auto& column : seen_) (columns.decimal_comma ? column.numbers : column.texts) += column.grouped;
  for (std::size_t i = 0; i < seen_.size(); ++i) set_quantities(seen_[i], columns.all[i], issues);
  if (commas == CommaMeaning::PerhapsDecimal || commas == CommaMeaning::PerhapsThousands)
    issues.count(Severity::Doubt, "decimal-comma", [&] { return std::string(doubt_of(commas)); });
  else if (columns.decimal_comma)
    issues.count(Severity::Info, "decimal-comma",
                 [] { return "numbers have a decimal comma, as in \"1.234,5\", and are read that way"; });
  else if (comma_)
    issues.count(Severity::Doubt, "decimal-comma", [] {
      return "some numbers have a decimal comma and others a decimal point: the numbers with a comma were "
             "left out";
    });
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const auto& seen = seen_[i];
    columns.all[i].range = seen.range;
    columns.all[i].whole = seen.fractions == 0;
    columns.all[i].integral = seen.parts == 0;
    columns.all[i].extents = seen.extents > 0 && seen.extents == seen.texts && seen.numbers == 0;
    columns.all[i].dates = seen.dates > 0 && 10 * seen.dates >= 9 * seen.texts;
    if (seen.numbers + seen.texts > 0)
      columns.all[i].kind = seen.numbers >= 9 * seen.texts ? Column::Kind::Number : Column::Kind::Text;
    if (columns.all[i].kind == Column::Kind::Text && seen.texts > 0 &&
        2 * (seen.almost + seen.numbers) > seen.texts + seen.numbers && seen.dates == 0)
      doubt_mixed(columns.all[i], seen, issues);
  }
  set_unit_column(columns, issues);
}

// Used where most cells are quantities of one kind, in the unit of the column name if there is one.
void ColumnSample::set_quantities(Seen& seen, Column& column, RowIssues& issues) {
  if (seen.quantities == 0) return;
  const auto& kept = column.unit.empty() ? seen.unit : column.unit;
  const bool fits = seen.unit.empty() || normalised_unit(kept).base == normalised_unit(seen.unit).base;
  if (seen.units_differ || !fits || seen.numbers + seen.quantities < 9 * seen.texts) {
    seen.texts += seen.quantities, seen.almost += seen.quantities;
    if (seen.example.empty()) seen.example = seen.quantity;
    return;
  }
  column.quantities = true;
  const bool guessed = seen.numbers > 0 && column.unit.empty() && !seen.unit.empty();
  column.unit = kept;
  seen.numbers += seen.quantities;
  issues.count(guessed ? Severity::Doubt : Severity::Info, "units-in-cells", [&] {
    return fmt::format("column \"{}\" contains numbers with a unit, as in \"{}\": they are read that way{}",
                       column.title, seen.quantity,
                       guessed ? fmt::format("; for numbers without a unit {} is assumed", kept)
                               : std::string());
  });
}

// Google Benchmark writes the unit of its times into each row.
void ColumnSample::set_unit_column(Columns& columns, RowIssues& issues) const {
  const auto titled_as = [](const Column& column, std::initializer_list<std::string_view> titles) {
    return column.unit.empty() && std::find(titles.begin(), titles.end(), slug(column.title)) != titles.end();
  };
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (titled_as(columns.all[i], {"time_unit"}) && columns.all[i].kind == Column::Kind::Text &&
        10 * seen_[i].time_units >= 9 * seen_[i].texts)
      columns.unit_column = i;
  if (columns.unit_column == kMaxColumns) return;
  for (auto& column : columns.all) {
    if (column.kind != Column::Kind::Number || column.quantities ||
        !titled_as(column, {"real_time", "cpu_time"}))
      continue;
    column.unit_in_row = true;
    column.unit = "ns";
    issues.count(Severity::Info, "units-in-rows", [&] {
      return fmt::format(
          "column \"{}\" states in each row the unit of column \"{}\", whose times are stored in ns",
          columns.all[columns.unit_column].title, column.title);
    });
  }
}

void ColumnSample::doubt_mixed(const Column& column, const Seen& seen, RowIssues& issues) {
  issues.count(Severity::Doubt, "numbers-as-texts", [&] {
    return fmt::format("column \"{}\" contains mostly numbers, but also \"{}\": it is read as text; write a "
                       "unit into the column name, as in \"duration (us)\", and only numbers below",
                       column.title, seen.example);
  });
}

void ColumnSample::examine_plain(std::size_t records) {
  const auto columns = seen_.size(), end = records * columns;
  for (auto& column : seen_) column.numbers += static_cast<std::int64_t>(records);
  for (std::size_t i = 0; i < fields_->others() && fields_->other(i) < end; ++i) {
    const auto field = fields_->other(i);
    auto& column = seen_[column_of_[field]];
    --column.numbers;
    examine_other(column, fields_->text(field));
  }
  std::fill(fractions_.begin(), fractions_.end(), 0);
  for (const auto field : fields_->fractions()) {
    if (field >= end) break;
    ++fractions_[column_of_[field]];
    seen_[column_of_[field]].parts += plain_has_parts(fields_->text(field));
    point_ = point_ || (separator_ != ',' && has_decimal_point(fields_->text(field)));
  }
  for (std::size_t column = 0; column < columns; ++column) seen_[column].fractions += fractions_[column];
  examine_ranges(records);
}

// Adds the ranges of the plain numbers, which are never negative; all other fields are NaN.
void ColumnSample::examine_ranges(std::size_t records) {
  const auto columns = seen_.size();
  for (std::size_t column = 0; column < columns; ++column) {
    if (!seen_[column].may_be_time) continue;
    const auto* const numbers = fields_->numbers() + column;
    NumberRange even, odd; // two independent chains of comparisons
    for (std::size_t record = 0; record + 1 < records; record += 2) {
      even.include(numbers[record * columns]);
      odd.include(numbers[(record + 1) * columns]);
    }
    if (records % 2 == 1) even.include(numbers[(records - 1) * columns]);
    seen_[column].range.include(even);
    seen_[column].range.include(odd);
  }
}

CommaMeaning ColumnSample::meaning() const {
  auto meaning = CommaMeaning::None;
  for (const auto& column : seen_) {
    const auto own = meaning_of_commas(separator_, column.with_comma, column.numbers);
    if (own == CommaMeaning::Decimal || own == CommaMeaning::PerhapsDecimal) return own;
    if (own != CommaMeaning::None) meaning = own;
  }
  return meaning;
}

void ColumnSample::examine_other(Seen& column, std::string_view field) {
  constexpr std::size_t kLongest = 256;
  if (field.size() > kLongest) return judge_other(column, field, nullptr);
  if (!column.recent.empty()) { // rows repeat the same few texts, mostly in the same order
    const auto next = column.recent[column.last].next;
    const auto& guess = column.recent[next];
    if (guess.known && guess.text.size() == field.size() &&
        same_bytes(guess.text.data(), field.data(), field.size()))
      return count_text(column, next);
  }
  auto& recent = recent_of(column, field);
  if (!recent.known) return judge_other(column, field, &recent);
  count_text(column, static_cast<std::size_t>(&recent - column.recent.data()));
}

void ColumnSample::count_text(Seen& column, std::size_t place) {
  const auto& text = column.recent[place];
  ++column.texts;
  column.almost += text.almost;
  column.dates += text.date;
  column.extents += text.extents;
  column.time_units += text.time_unit;
  column.recent[column.last].next = place;
  column.last = place;
}

// The slot of a text, or a free one. When there are too many texts, all are removed.
ColumnSample::Seen::Text& ColumnSample::recent_of(Seen& column, std::string_view field) {
  constexpr std::size_t kMinSlots = 16, kMaxSlots = 2'048;
  const auto place_of = [&](std::string_view text) -> Seen::Text& {
    for (auto at = quick_hash(text);; ++at)
      if (auto& place = column.recent[at & (column.recent.size() - 1)]; !place.known || place.text == text)
        return place;
  };
  if (2 * column.recent_texts >= column.recent.size()) {
    const auto before = std::exchange(
        column.recent, std::vector<Seen::Text>(std::clamp(2 * column.recent.size(), kMinSlots, kMaxSlots)));
    if (before.size() == kMaxSlots) column.recent_texts = 0;
    for (const auto& text : before)
      if (text.known && before.size() < kMaxSlots) place_of(text.text) = text;
  }
  return place_of(field);
}

// Column names that are repeated among the rows do not count as texts.
bool ColumnSample::is_title(const Seen& column, std::string_view field) const {
  return trimmed(field) == titles_[static_cast<std::size_t>(&column - seen_.data())];
}

void ColumnSample::examine_extents(Seen& column, std::string_view field, Seen::Text* recent) {
  ++column.texts, ++column.extents;
  if (column.example.empty()) column.example = clean_text(trimmed(field).substr(0, 40));
  if (!recent) return;
  *recent = {.text = std::string(field), .known = true, .extents = true};
  ++column.recent_texts;
}

// `recent`: cache slot for a text that is not a number.
void ColumnSample::judge_other(Seen& column, std::string_view field, Seen::Text* recent) {
  if (is_missing(field) || is_title(column, field)) return;
  if (column.may_be_extents && parse_extents(without_formula(trimmed(field))))
    return examine_extents(column, field, recent);
  const bool has_comma = field.find(',') != std::string_view::npos;
  const auto value = parse_number(field);
  const bool number = value.has_value();
  if (number) column.include_time(*value);
  if (number && has_comma && separator_ != ',') {
    const bool one = may_be_thousands(trimmed(field));
    column.with_comma += one;
    thousands_ = thousands_ || !one; // "1,234,567" or "1,234.5"
  }
  const bool decimal = !number && has_comma && separator_ != ',' && has_characters_of_numbers(trimmed(field));
  column.fractions += decimal || (number && field.find_first_of(".eE") != std::string_view::npos);
  column.parts += decimal || (number && has_parts(field));
  comma_ = comma_ || decimal;
  point_ = point_ || (number && has_decimal_point(trimmed(field)));
  const bool grouped = !number && !decimal && separator_ != ',' && is_grouped(trimmed(field));
  if (!number && !decimal && !grouped && examine_quantity(column, field)) return;
  ++(number || decimal ? column.numbers : grouped ? column.grouped : column.texts);
  if (number || decimal || grouped) return;
  const bool almost = is_almost_number(field), date = parse_date_time(field).has_value();
  column.almost += almost;
  column.dates += date;
  const bool time_unit = nanoseconds_in(trimmed(field)).has_value();
  column.time_units += time_unit;
  if (column.example.empty()) column.example = clean_text(trimmed(field).substr(0, 40));
  if (!recent) return;
  *recent = {std::string(field), true, almost, date, time_unit, false, 0};
  ++column.recent_texts;
}

bool ColumnSample::examine_quantity(Seen& column, std::string_view field) {
  auto found = quantity(field);
  std::string pointed;
  if (!found && separator_ != ',' && field.find(',') != std::string_view::npos) { // "113,8 W"
    pointed = decimal_point(field);
    if (found = quantity(pointed); found) comma_ = true;
  } else if (found) {
    point_ = point_ || has_decimal_point(found->number);
  }
  if (!found) return false;
  if (column.quantities++ == 0) {
    column.unit = clean_text(found->unit);
    column.quantity = clean_text(trimmed(field).substr(0, 40));
  } else if (found->unit != column.unit) {
    column.units_differ =
        column.units_differ || normalised_unit(found->unit).base != normalised_unit(column.unit).base;
  }
  column.fractions += !found->unit.empty() || found->number.find_first_of(".eE") != std::string_view::npos;
  column.parts += !found->unit.empty() || has_parts(found->number);
  return true;
}

} // namespace jitterscope::import::table
