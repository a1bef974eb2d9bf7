#include "core/import/formats/table/parsed_rows.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/spill_vector.h"
#include "core/import/formats/table/date_time.h"
#include "core/import/formats/table/own_export.h"
#include "core/import/formats/table/quantity.h"
#include "core/import/text/csv/number.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import::table {
namespace {

constexpr double kExact = 9007199254740992.0; // 2^53: above, a double skips integers
constexpr std::size_t kMinRows = 16;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

bool equal_titles(std::string_view field, std::string_view title) {
  return trimmed(field) == title;
}

bool repeats_titles(std::span<const std::string_view> fields, const std::vector<std::string>& titles) {
  return fields.size() == titles.size() && fields[0] == titles[0] &&
         std::equal(fields.begin(), fields.end(), titles.begin(), equal_titles);
}

// Of a table with the same columns that was appended.
bool reorders_titles(std::span<const std::string_view> fields, const std::vector<std::string>& titles) {
  if (fields.size() != titles.size() || fields.size() < 2 || fields[0] != titles[0]) return false;
  std::vector<std::string_view> written, wanted(titles.begin(), titles.end());
  for (const auto field : fields) written.push_back(trimmed(field));
  std::ranges::sort(written);
  std::ranges::sort(wanted);
  return written == wanted;
}

bool is_rounded(std::string_view text, double value) {
  return text.size() >= 16 && std::abs(value) > kExact &&
         trimmed(text).find_first_not_of("+-0123456789") == std::string_view::npos;
}

bool is_one_of(std::size_t column, const TimeColumns& times) {
  return column == times.start || column == times.second || column == times.start_part ||
         column == times.second_part;
}

bool is_one_of(std::size_t column, const PlaceColumns& places) {
  return column == places.device || column == places.stream || column == places.rank;
}

// Appends the value of a row; rows between the last value and this row get the value `missing`.
template <class T>
void put(SpillVector<T>& values, std::size_t row, T value, T missing) {
  if (values.size() < row) values.resize(row, missing);
  values.push_back(value);
}

} // namespace

void RowPlan::find_attributes() {
  const auto count = columns.all.size();
  is_attribute.assign(count, true);
  fields.assign(count, nullptr);
  extents.assign(count, {});
  for (std::size_t i = 0; i < count; ++i) {
    const bool timed = times && (is_one_of(i, *times) || is_one_of(i, places));
    is_attribute[i] = i != kernel && i != duration.column && !timed;
    const auto& column = columns.all[i];
    if (own_export && is_derived_again(column.title)) is_attribute[i] = false;
    if (!is_attribute[i]) continue;
    if (column.kind == Column::Kind::Number && column.integral) fields[i] = configuration_field(column.title);
    if (column.extents) extents[i] = configuration_fields(titles[i]);
  }
}

void ParsedRows::clear(const RowPlan& plan) {
  rows_ = 0;
  line_ = 1;
  events_.clear();
  ragged_ = false; // may remain from an unfinished record
  fields_.clear();
  cells_in_unit_.clear();
  row_unit_ = {};
  if (plain_.size() != plan.columns.all.size()) find_roles(plan);
  for (auto& column : numbers_) {
    column.count = 0;
    column.any = false;
    column.narrow = {};
  }
  const auto forget = [](Texts& texts) {
    if (texts.known.size() > 0) texts.known.clear();
    texts.numbers.clear();
  };
  for (auto& column : texts_) forget(column);
  forget(kernels_);
  durations_.clear();
  lines_.clear();
  starts_.clear();
  seconds_.clear();
  for (auto& texts : places_) forget(texts);
}

void ParsedRows::find_roles(const RowPlan& plan) {
  const auto columns = plan.columns.all.size();
  numbers_.resize(columns);
  texts_.resize(columns);
  plain_.resize(columns);
  for (std::size_t i = 0; i < columns; ++i)
    plain_[i] = plan.is_attribute[i] && plan.is_number(i) && plan.attributes[i].unit().factor == 1 &&
                !plan.columns.all[i].quantities && !plan.columns.all[i].unit_in_row;
  others_.clear();
  for (std::size_t i = 0; i < columns; ++i)
    if (!plain_[i]) others_.push_back(i);
  roles_.assign(columns, kNoRole);
  column_of_.fill(std::numeric_limits<std::size_t>::max());
  const auto set = [&](std::size_t column, Role role) {
    if (column >= columns) return;
    column_of_[role] = column;
    if (roles_[column] == kNoRole) roles_[column] = role;
  };
  set(plan.kernel, kKernel);
  set(plan.duration.column, kDuration);
  read_as_numbers_ = plain_;
  for (const auto column :
       {plan.duration.column, plan.times ? plan.times->start : columns,
        plan.times ? plan.times->second : columns, plan.times ? plan.times->start_part : columns,
        plan.times ? plan.times->second_part : columns})
    if (column < columns) read_as_numbers_[column] = 1;
  if (!plan.times) return;
  set(plan.places.device, kDevice);
  set(plan.places.stream, kStream);
  set(plan.places.rank, kRank);
  set(plan.times->second, kSecond);
  set(plan.times->start, kStart);
  set(plan.times->start_part, kStartPart);
  set(plan.times->second_part, kSecondPart);
}

Expected<bool> ParsedRows::parse(CsvReader& csv, const RowPlan& plan, std::size_t maximum) {
  clear(plan);
  for (std::size_t record = 0; record < maximum; ++record) {
    const auto more = csv.next();
    if (!more) return forward(more.error());
    line_ = csv.line();
    if (!*more && csv.cut_off()) note(RowEvent::Kind::CutOff, 0, {});
    if (!*more) return true;
    const auto fields = csv.fields().size();
    if (csv.ended_by_text() && fields < std::min(row_fields_, plan.titles.size()) &&
        !csv.fields()[0].starts_with('#')) {
      note(RowEvent::Kind::CutOff, 0, {}, fields);
      return true;
    }
    parse_row(csv.fields(), plan);
  }
  return false;
}

void ParsedRows::note(RowEvent::Kind kind, std::size_t column, std::string_view text, std::size_t number) {
  RowEvent event{kind,
                 static_cast<std::uint32_t>(rows_),
                 static_cast<std::uint32_t>(column),
                 static_cast<std::uint32_t>(number),
                 line_,
                 text};
  auto place = events_.end();
  // Events of a row come before those of its cells, which may have been added already.
  if (event.of_row())
    while (place != events_.begin() && (place - 1)->row == event.row && !(place - 1)->of_row()) --place;
  events_.insert(place, event);
}

// Sorts events as if rows were parsed one by one: events of a row, then of its cells; the first number of a
// column comes before other events of that number.
void ParsedRows::put_in_order(std::size_t first) {
  const auto key = [](const RowEvent& event) {
    return std::tuple(event.row, !event.of_row(), event.of_row() ? 0 : event.column,
                      event.kind != RowEvent::Kind::FirstNumber);
  };
  std::stable_sort(events_.begin() + static_cast<std::ptrdiff_t>(first), events_.end(),
                   [&](const RowEvent& a, const RowEvent& b) { return key(a) < key(b); });
}

void ParsedRows::parse_cells_in_unit(const RowPlan& plan) {
  if (cells_in_unit_.empty()) return;
  for (const auto& [column, text] : cells_in_unit_) parse_cell_in_unit(column, text, row_unit_, plan);
  cells_in_unit_.clear();
  row_unit_ = {};
  auto first = events_.size();
  while (first > 0 && events_[first - 1].row == rows_) --first;
  put_in_order(first);
}

// Parses a record that may not be a row.
void ParsedRows::parse_row(Fields fields, const RowPlan& plan) {
  if (repeats_titles(fields, plan.titles)) return note(RowEvent::Kind::RepeatedTitles, 0, {});
  if (reorders_titles(fields, plan.titles)) return note(RowEvent::Kind::ReorderedTitles, 0, {});
  if (fields.size() == 1 && plan.titles.size() > 1 && fields[0].starts_with('#')) return; // a comment
  if (is_rule(fields)) return;
  for (std::size_t i = 0; i < fields.size(); ++i) parse_field(i, fields[i], plan);
  end_row(fields.size(), plan);
}

void ParsedRows::end_row(std::size_t fields, const RowPlan& plan) {
  if (ragged_) note(RowEvent::Kind::Ragged, 0, {}, fields);
  ragged_ = false;
  parse_cells_in_unit(plan);
  row_fields_ = fields;
  parse_launch(plan);
  ++rows_;
}

void ParsedRows::parse_launch(const RowPlan& plan) {
  const auto field = [&](Role role) { return of_launch(role).value_or(std::string_view()); };
  kernels_.numbers.push_back(kernels_.known.number_of(trimmed(field(kKernel))));
  if (!plan.times) {
    durations_.push_back(duration_of(plan));
    return;
  }
  const auto time = [&](Role role, std::int64_t scale) {
    const auto text = of_launch(role);
    return time_or_none(text ? time_in(role, *text, scale, plan) : std::nullopt);
  };
  const auto sum = [&](std::int64_t whole, Role role, std::int64_t scale) {
    return column_of_[role] < numbers_.size() ? sum_of_times(whole, time(role, scale)) : whole;
  };
  starts_.push_back(sum(time(kStart, plan.times->start_scale), kStartPart, plan.times->start_part_scale));
  seconds_.push_back(
      sum(time(kSecond, plan.times->second_scale), kSecondPart, plan.times->second_part_scale));
  if (plan.times->checks_duration) durations_.push_back(duration_of(plan));
  for (std::size_t i = 0; i < kPlaces.size(); ++i)
    places_[i].numbers.push_back(places_[i].known.number_of(trimmed(field(kPlaces[i]))));
  lines_.push_back(line_);
}

std::optional<std::int64_t> ParsedRows::time_in(Role role, std::string_view text, std::int64_t scale,
                                                const RowPlan& plan) {
  if (plan.times->dates && (role == kStart || plan.times->second_is_end)) return parse_date_time(text);
  return time_of(column_of_[role], with_point(text, plan), scale, plan);
}

std::int64_t ParsedRows::duration_of(const RowPlan& plan) {
  const auto written = of_launch(kDuration);
  if (!written) return store::kMissingDuration;
  if (std::uint64_t digits = 0; plan.duration.scale == 1 && read_padded_digits(*written, digits))
    return static_cast<std::int64_t>(digits);
  const auto text = with_point(*written, plan);
  const auto value = time_of(plan.duration.column, text, plan.duration.scale, plan);
  if (value && *value >= 0) return *value;
  if (!is_missing(text)) note(RowEvent::Kind::BadDuration, plan.duration.column, *written);
  return store::kMissingDuration;
}

std::optional<std::int64_t> ParsedRows::time_of(std::size_t column, std::string_view text, std::int64_t scale,
                                                const RowPlan& plan) {
  const auto& judged = plan.columns.all[column];
  const auto time = judged.quantities ? nanoseconds_of_quantity(text, scale) : parse_decimal(text, scale);
  return time && *time == -scale && judged.minus_one_is_missing() ? std::nullopt : time;
}

std::string_view ParsedRows::with_point(std::string_view text, const RowPlan& plan) {
  if (!plan.columns.decimal_comma || text.find_first_of(",.") == std::string_view::npos) return text;
  return point_ = decimal_point(text);
}

// Reserves space for this number of rows; rows without a value so far are missing.
void ParsedRows::make_room(Numbers& numbers, std::size_t rows) {
  if (numbers.values.size() < rows) numbers.values.resize(std::max(2 * rows, kMinRows));
  for (; numbers.count < rows_; ++numbers.count) numbers.values[numbers.count] = kMissing;
}

void ParsedRows::put_number(std::size_t column, double value) {
  auto& numbers = numbers_[column];
  if (rows_ < numbers.count) { // copied by parse_columns(); note_first_numbers() follows
    numbers.values[rows_] = value;
    return;
  }
  if (!numbers.any) note(RowEvent::Kind::FirstNumber, column, {});
  numbers.any = true;
  make_room(numbers, rows_ + 1);
  numbers.values[numbers.count++] = value;
}

// A few numbers are not worth a separate piece.
void ParsedRows::narrow_numbers(NumberBuffers& rooms) {
  constexpr std::size_t kMin = 64;
  for (auto& column : numbers_)
    if (column.any && column.count >= kMin)
      column.narrow = NarrowNumbers({column.values.data(), column.count}, rooms);
}

// Known texts are never missing: only new ones are checked for that.
std::uint32_t ParsedRows::number_of_text(std::size_t column, std::string_view text) {
  auto& texts = texts_[column].known;
  if (const auto number = texts.guessed(text); number != kNone) return number;
  if (is_missing_text(text)) return kNone;
  const auto before = texts.size();
  const auto number = texts.number_of(text);
  if (texts.size() > before) note(RowEvent::Kind::FirstText, column, text, number);
  return number;
}

void ParsedRows::parse_text(std::size_t column, std::string_view text) {
  if (const auto number = number_of_text(column, text); number != kNone)
    put(texts_[column].numbers, rows_, number, kNone);
}

void ParsedRows::parse_cell_in_unit(std::size_t column, std::string_view written, std::string_view unit,
                                    const RowPlan& plan) {
  if (unit != last_unit_) {
    const auto known = normalised_unit(trimmed(unit));
    last_unit_ = unit;
    last_factor_ = known.base == "ns" ? std::optional(known.factor) : std::nullopt;
  }
  const auto text = with_point(written, plan);
  const auto value = last_factor_ ? parse_number(text, *last_factor_) : std::nullopt;
  if (value)
    put_number(column, *value);
  else if (!is_missing(text))
    note(RowEvent::Kind::NotANumber, column, written);
}

void ParsedRows::parse_cell(std::size_t column, std::string_view written, const RowPlan& plan) {
  if (!plan.is_number(column)) return parse_text(column, written);
  const auto text = with_point(written, plan);
  const auto& attribute = plan.attributes[column];
  const auto value = plan.columns.all[column].quantities ? number_of_quantity(text, attribute.unit())
                                                         : attribute.number(text);
  if (value) {
    put_number(column, *value);
    if (is_rounded(text, *value)) note(RowEvent::Kind::Rounded, column, written);
  } else if (!is_missing(text)) {
    const bool expected = plan.columns.all[column].kind == Column::Kind::Number;
    note(expected ? RowEvent::Kind::NotANumber : RowEvent::Kind::OtherText, column, written);
  }
}

} // namespace jitterscope::import::table
