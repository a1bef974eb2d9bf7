#include "core/import/gpu_trace/parsed_records.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "core/import/csv/number.h"
#include "core/import/plain_number.h"

namespace jitterscope::import::gpu_trace {

void RecordPlan::compare_all_others() {
  std::vector<std::size_t> wanted;
  for (std::size_t column = 0; column < columns; ++column)
    if (column != start && column != duration && column != correlation && column != bytes && column != throughput)
      wanted.push_back(column);
  compare(std::move(wanted));
}

void RecordPlan::compare(std::vector<std::size_t> wanted) {
  std::sort(wanted.begin(), wanted.end());
  compared.clear();
  for (const auto column : wanted) {
    if (column >= columns) break;
    if (!compared.empty() && column <= compared.back().last + 1)
      compared.back().last = column;
    else
      compared.push_back({column, column});
  }
  assert(compared.size() <= RowText::kMostRuns);
}

bool ParsedRecords::parse(std::string_view text, bool quotes, const RecordPlan& plan) {
  plan_ = plan;
  text_ = text;
  records_.clear();
  sizes_.clear();
  rests_.clear();
  std::size_t at = 0;
  for (; fields_.find_ends(text, at, plan.separator, quotes); at = fields_.end()) {
    std::size_t field = 0;
    for (std::size_t i = 0; i < fields_.records(); ++i) {
      const auto next = fields_.fields_to(i);
      auto& record =
          records_.emplace_back(Record{static_cast<std::uint32_t>(fields_.begin_of(field)), RowTexts::kNone});
      if (next - field == plan.columns) take(field, record);
      field = next;
    }
  }
  return at == text.size();
}

bool ParsedRecords::is_regular(std::string_view text, char separator) {
  std::size_t at = 0;
  while (fields_.find_ends(text, at, separator, true)) at = fields_.end();
  return at == text.size();
}

void ParsedRecords::take(std::size_t first_field, Record& record) {
  const auto first = fields_.text(first_field);
  if (first.empty() || !(first[0] == '-' || (first[0] >= '0' && first[0] <= '9'))) return; // titles, remarks
  const auto time = [&](std::size_t column, std::int64_t scale) __attribute__((always_inline)) {
    if (column >= plan_.columns) return std::optional<std::int64_t>();
    if (std::uint64_t digits = 0;
        scale == 1 && read_padded_digits(fields_.text(first_field + column), digits))
      return std::optional(static_cast<std::int64_t>(digits));
    return parse_decimal(number(first_field, column), scale);
  };
  const auto start = time(plan_.start, plan_.start_scale),
             duration = time(plan_.duration, plan_.duration_scale);
  if (!start || !duration || !Times{*start, *duration}.is_measurable()) return;
  record.times = {*start, *duration};
  if (plan_.correlation < plan_.columns) {
    const auto text = fields_.text(first_field + plan_.correlation);
    std::uint64_t digits = 0;
    record.correlation =
        read_padded_digits(text, digits) && digits <= std::numeric_limits<std::uint32_t>::max()
            ? static_cast<std::uint32_t>(digits)
            : count_of(number(first_field, plan_.correlation));
  }
  record.rest = rests_.number_of(rest_of(first_field));
  take_size(first_field);
}

// As CsvReader gives it, without blanks.
std::string_view ParsedRecords::number(std::size_t first_field, std::size_t column) {
  const auto text = fields_.text(first_field + column);
  if (!plan_.decimal_comma) return trimmed(text);
  if (room_.size() < text.size()) room_.resize(text.size());
  return trimmed(with_decimal_point(text, room_.data()));
}

void ParsedRecords::take_size(std::size_t first_field) {
  if (plan_.bytes >= plan_.columns || fields_.text(first_field + plan_.bytes).empty()) return;
  const auto bytes = parse_number(number(first_field, plan_.bytes));
  if (!bytes || *bytes < 0) return;
  auto& size = sizes_.emplace_back(Size{static_cast<std::uint32_t>(records_.size() - 1), *bytes, {}});
  if (plan_.throughput < plan_.columns) size.throughput = parse_number(number(first_field, plan_.throughput));
}

RowText ParsedRecords::rest_of(std::size_t first_field) const {
  RowText rest;
  for (const auto& run : plan_.compared) {
    const auto begin = fields_.begin_of(first_field + run.first),
               end = fields_.end_of(first_field + run.last);
    rest.runs[rest.count++] = text_.substr(begin, end - begin);
  }
  return rest;
}

} // namespace jitterscope::import::gpu_trace
