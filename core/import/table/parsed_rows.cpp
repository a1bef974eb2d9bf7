#include "core/import/table/parsed_rows.h"

#include <algorithm>
#include <cmath>

#include "core/import/csv/number.h"
#include "core/import/plain_number.h"
#include "core/store/trace_data.h"

namespace jitterscope::import::table {
namespace {

constexpr double kExact = 9007199254740992.0; // 2^53: above, a double skips whole numbers
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

bool repeats_titles(std::span<const std::string_view> fields, const std::vector<std::string>& titles) {
  return fields.size() == titles.size() && fields[0] == titles[0] &&
         std::equal(fields.begin(), fields.end(), titles.begin(),
                    [](auto field, const auto& title) { return trimmed(field) == title; });
}

bool is_rounded(std::string_view text, double value) {
  return text.size() >= 16 && std::abs(value) > kExact &&
         trimmed(text).find_first_not_of("+-0123456789") == std::string_view::npos;
}

// Rows come one after the other: what lies between the last value and this one is missing.
template <class T>
void put(std::vector<T>& values, std::size_t row, T value, T missing) {
  if (values.size() < row) values.resize(row, missing);
  values.push_back(value);
}

} // namespace

void ParsedRows::clear(const RowPlan& plan) {
  const auto columns = plan.columns.all.size();
  rows_ = 0;
  events_.clear();
  if (plain_.size() != columns) {
    numbers_.resize(columns);
    texts_.resize(columns);
    plain_.resize(columns);
    for (std::size_t i = 0; i < columns; ++i)
      plain_[i] = plan.is_attribute[i] && plan.is_number(i) && plan.attributes[i].unit().factor == 1;
  }
  for (auto& column : numbers_) column.values.clear();
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
  places_.clear();
}

Expected<bool> ParsedRows::parse(CsvReader& csv, const RowPlan& plan, std::size_t most) {
  clear(plan);
  for (std::size_t record = 0; record < most; ++record) {
    const auto more = csv.next();
    if (!more) return forward(more.error());
    if (!*more) return true;
    if (take_row(csv, plan)) ++rows_;
  }
  return false;
}

void ParsedRows::note(RowEvent::Kind kind, std::size_t column, std::string_view text, std::size_t number) {
  events_.push_back({kind, static_cast<std::uint32_t>(rows_), static_cast<std::uint32_t>(column),
                     static_cast<std::uint32_t>(number), line_, text});
}

// False for records that are no rows.
bool ParsedRows::take_row(const CsvReader& csv, const RowPlan& plan) {
  const auto fields = csv.fields();
  line_ = csv.line();
  if (repeats_titles(fields, plan.titles)) {
    note(RowEvent::Kind::RepeatedTitles, 0, {});
    return false;
  }
  const auto titles = plan.titles.size();
  if (fields.size() == 1 && titles > 1 && fields[0].starts_with('#')) return false; // a remark
  if (fields.size() > titles && !trimmed(fields[titles]).empty())
    note(RowEvent::Kind::Ragged, 0, {}, fields.size());
  take_launch(fields, plan);
  for (std::size_t i = 0, cells = std::min(fields.size(), numbers_.size()); i < cells; ++i) {
    // Nearly every cell of nearly every table.
    if (std::uint64_t digits = 0; plain_[i] && read_padded_digits(fields[i], digits)) {
      auto& values = numbers_[i].values;
      const auto number = static_cast<double>(static_cast<std::int64_t>(digits));
      if (values.size() == rows_ && rows_ > 0)
        values.push_back(number);
      else
        put_number(i, number);
    } else if (plan.is_attribute[i]) {
      take_cell(i, fields[i], plan);
    }
  }
  return true;
}

void ParsedRows::take_launch(Fields fields, const RowPlan& plan) {
  const auto field = [&](std::size_t column) {
    return column < fields.size() ? fields[column] : std::string_view();
  };
  kernels_.numbers.push_back(kernels_.known.number_of(trimmed(field(plan.kernel))));
  if (!plan.times) {
    durations_.push_back(duration_of(fields, plan));
    return;
  }
  const auto time = [&](std::size_t column, std::int64_t scale) {
    return column < fields.size() ? parse_decimal(with_point(fields[column], plan), scale) : std::nullopt;
  };
  starts_.push_back(time(plan.times->start, plan.times->start_scale));
  seconds_.push_back(time(plan.times->second, plan.times->second_scale));
  places_.emplace_back(trimmed(field(plan.device)), trimmed(field(plan.stream)));
  lines_.push_back(line_);
}

std::int64_t ParsedRows::duration_of(Fields fields, const RowPlan& plan) {
  const auto& duration = plan.duration;
  if (duration.column >= fields.size()) return store::kMissingDuration;
  if (std::uint64_t digits = 0; duration.scale == 1 && read_padded_digits(fields[duration.column], digits))
    return static_cast<std::int64_t>(digits);
  const auto text = with_point(fields[duration.column], plan);
  const auto value = parse_decimal(text, duration.scale);
  if (value && *value >= 0) return *value;
  if (!is_missing(text)) note(RowEvent::Kind::BadDuration, duration.column, fields[duration.column]);
  return store::kMissingDuration;
}

std::string_view ParsedRows::with_point(std::string_view text, const RowPlan& plan) {
  if (!plan.columns.decimal_comma || text.find_first_of(",.") == std::string_view::npos) return text;
  return point_ = decimal_point(text);
}

void ParsedRows::put_number(std::size_t column, double value) {
  auto& values = numbers_[column].values;
  if (values.empty()) note(RowEvent::Kind::FirstNumber, column, {});
  put(values, rows_, value, kMissing);
}

void ParsedRows::take_text(std::size_t column, std::string_view text) {
  auto& texts = texts_[column];
  const auto before = texts.known.size();
  const auto number = texts.known.number_of(text);
  if (texts.known.size() > before) note(RowEvent::Kind::FirstText, column, text, number);
  put(texts.numbers, rows_, number, kNone);
}

void ParsedRows::take_cell(std::size_t column, std::string_view written, const RowPlan& plan) {
  if (!plan.is_number(column)) {
    if (!is_missing_text(written)) take_text(column, written);
    return;
  }
  const auto text = with_point(written, plan);
  if (const auto value = plan.attributes[column].number(text)) {
    put_number(column, *value);
    if (is_rounded(text, *value)) note(RowEvent::Kind::Rounded, column, written);
  } else if (!is_missing(text)) {
    const bool expected = plan.columns.all[column].kind == Column::Kind::Number;
    note(expected ? RowEvent::Kind::NotANumber : RowEvent::Kind::OtherText, column, written);
  }
}

} // namespace jitterscope::import::table
