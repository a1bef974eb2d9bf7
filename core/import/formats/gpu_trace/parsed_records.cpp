#include "core/import/formats/gpu_trace/parsed_records.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "core/base/spill_vector.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/plain_number.h"

namespace jitterscope::import::gpu_trace {
namespace {

constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min(); // no row has this time

} // namespace

RecordPlan::RecordPlan(const Titles& titles, std::size_t start_column, std::size_t duration_column,
                       char between, bool comma)
    : separator(between), decimal_comma(comma), columns(titles.size()), start(start_column),
      duration(duration_column), start_scale(titles.time_scale(start)),
      duration_scale(titles.time_scale(duration)) {}

void RecordPlan::compare_all_others() {
  std::vector<std::size_t> requested;
  for (std::size_t column = 0; column < columns; ++column)
    if (column != start && column != duration && column != correlation && column != bytes &&
        column != throughput)
      requested.push_back(column);
  compare(std::move(requested));
}

void RecordPlan::compare(std::vector<std::size_t> requested) {
  std::sort(requested.begin(), requested.end());
  compared.clear();
  for (const auto column : requested) {
    if (column >= columns) break;
    if (!compared.empty() && column <= compared.back().last + 1)
      compared.back().last = column;
    else
      compared.push_back({column, column});
  }
  assert(compared.size() <= RowText::kMaxRuns);
}

bool ParsedRecords::parse(std::string_view text, bool quotes, const RecordPlan& plan) {
  plan_ = plan;
  text_ = text;
  records_.clear();
  sizes_.clear();
  rests_.clear();
  std::size_t at = 0;
  for (; fields_.find_ends(text, at, plan.separator, quotes); at = fields_.end()) {
    find_records();
    parse_times(plan.start, plan.start_scale, starts_);
    parse_times(plan.duration, plan.duration_scale, durations_);
    parse_correlations();
    parse_rests();
  }
  return at == text.size();
}

bool ParsedRecords::is_regular(std::string_view text, char separator) {
  std::size_t at = 0;
  while (fields_.find_ends(text, at, separator, true)) at = fields_.end();
  return at == text.size();
}

// Finds the records that may be rows; headers and status lines begin differently.
void ParsedRecords::find_records() {
  first_fields_.clear();
  numbers_.clear();
  std::size_t field = 0;
  for (std::size_t i = 0; i < fields_.records(); ++i) {
    const auto next = fields_.fields_to(i);
    records_.push_back({static_cast<std::uint32_t>(fields_.begin_of(field)), RowTexts::kNone});
    const auto first = fields_.text(field);
    if (next - field == plan_.columns && !first.empty() &&
        (first[0] == '-' || (first[0] >= '0' && first[0] <= '9'))) {
      first_fields_.push_back(static_cast<std::uint16_t>(field));
      numbers_.push_back(static_cast<std::uint32_t>(records_.size() - 1));
    }
    field = next;
  }
}

// Times that are absent become kNoTime.
void ParsedRecords::parse_times(std::size_t column, std::int64_t scale, SpillVector<std::int64_t>& times) {
  times.assign(first_fields_.size(), kNoTime);
  if (column >= plan_.columns) return;
  const auto* const numbers = scale == 1 ? fields_.numbers_of(first_fields_, column) : nullptr;
  for (std::size_t i = 0; i < first_fields_.size(); ++i)
    times[i] = numbers && numbers[i] == numbers[i]
                   ? static_cast<std::int64_t>(numbers[i])
                   : parse_decimal(number(first_fields_[i], column), scale).value_or(kNoTime);
}

void ParsedRecords::parse_correlations() {
  if (plan_.correlation >= plan_.columns) return;
  const auto* const numbers = fields_.numbers_of(first_fields_, plan_.correlation);
  for (std::size_t i = 0; i < first_fields_.size(); ++i)
    records_[numbers_[i]].correlation = numbers[i] <= std::numeric_limits<std::uint32_t>::max()
                                            ? static_cast<std::uint32_t>(numbers[i])
                                            : count_of(number(first_fields_[i], plan_.correlation));
}

void ParsedRecords::parse_rests() {
  const std::span<const RecordPlan::Run> runs(plan_.compared);
  RowText rest;
  rest.count = runs.size();
  for (std::size_t i = 0; i < first_fields_.size(); ++i) {
    const Times times{starts_[i], durations_[i]};
    if (!is_measurable(times)) continue;
    auto& record = records_[numbers_[i]];
    record.times = times;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const auto begin = fields_.begin_of(first_fields_[i] + runs[run].first),
                 end = fields_.end_of(first_fields_[i] + runs[run].last);
      rest.runs[run] = {text_.data() + begin, end - begin};
    }
    record.rest = rests_.number_of(rest);
    if (plan_.bytes < plan_.columns) parse_size(first_fields_[i], numbers_[i]);
  }
}

// The text as returned by CsvReader, without blanks.
std::string_view ParsedRecords::number(std::size_t first_field, std::size_t column) {
  const auto text = fields_.text(first_field + column);
  if (!plan_.decimal_comma) return trimmed(text);
  if (room_.size() < text.size()) room_.resize(text.size());
  return trimmed(with_decimal_point(text, room_.data()));
}

void ParsedRecords::parse_size(std::size_t first_field, std::size_t record) {
  if (fields_.text(first_field + plan_.bytes).empty()) return;
  const auto bytes = parse_number(number(first_field, plan_.bytes));
  if (!bytes || *bytes < 0) return;
  auto& size = sizes_.emplace_back(Size{static_cast<std::uint32_t>(record), *bytes, {}});
  if (plan_.throughput < plan_.columns) size.throughput = parse_number(number(first_field, plan_.throughput));
}

} // namespace jitterscope::import::gpu_trace
