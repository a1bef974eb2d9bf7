#include "core/import/formats/device_log/log_writer.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/core.h>

#include "core/base/spill_memory.h"
#include "core/import/formats/table/quantity.h"
#include "core/import/records/events.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::device_log {
namespace {

using store::Severity;
using Kind = LogColumn::Kind;

constexpr std::int64_t kMaxTexts = 1'000; ///< cells before the first number of a column

std::optional<std::size_t> first_of(const std::vector<LogColumn>& columns, Kind kind) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].kind == kind) return i;
  return {};
}

// "GPU 3", "cuda:3", "3" → 3.
std::int64_t number_in(std::string_view text) {
  constexpr std::int64_t kMaxNumber = 65'535;
  const auto number = parse_integer(text.substr(text.find_last_not_of("0123456789") + 1));
  return number && *number >= 0 && *number <= kMaxNumber ? *number : -1;
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return {};
  text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return done.ec == std::errc() && done.ptr == text.data() + text.size() ? std::optional(value)
                                                                         : std::nullopt;
}

std::optional<double> truth_of(std::string_view text) {
  if (text == "Active" || text == "Enabled" || text == "Yes") return 1.0;
  if (text == "Not Active" || text == "Disabled" || text == "No") return 0.0;
  return {};
}

bool is_uuid(std::string_view text) {
  return text.starts_with("GPU-") && text.size() > 20;
}

} // namespace

LogWriter::LogWriter(Draft& draft, std::vector<LogColumn> columns, std::string file, RowIssues& issues)
    : draft_(draft), issues_(issues), columns_(std::move(columns)), contents_(columns_.size()),
      time_(first_of(columns_, Kind::Time)), date_(first_of(columns_, Kind::Date)),
      number_(first_of(columns_, Kind::Device)), uuid_(first_of(columns_, Kind::Uuid)),
      host_(first_of(columns_, Kind::Host)), rank_(first_of(columns_, Kind::Rank)),
      clock_(time_ ? columns_[*time_].unit : std::string()) {
  log_.file = std::move(file);
  log_.first_counter = draft_.counters.size();
  log_.first_sample = draft_.samples.time.size();
}

std::string_view LogWriter::cell(std::span<const std::string_view> fields,
                                 std::optional<std::size_t> column) const {
  if (!column || *column >= fields.size()) return {};
  const auto text = trimmed(fields[*column]);
  return is_missing(text) ? std::string_view() : text;
}

std::optional<std::int64_t> LogWriter::time_of(std::span<const std::string_view> fields) {
  auto written = cell(fields, time_);
  std::string pointed;
  if (decimal_comma_ && written.find(',') != std::string_view::npos)
    pointed.resize(written.size()), written = with_decimal_point(written, pointed.data());
  const auto time = date_ ? clock_.time_of(cell(fields, date_), written) : clock_.time_of(written);
  if (!time || *time > kLatestTime || *time < 0) return {};
  if (!base_) base_ = *time >= kEarliestAbsolute ? *time : 0;
  const auto relative = *time - *base_;
  return relative > kMaxTime || relative < -kMaxTime ? std::nullopt : std::optional(relative);
}

std::optional<std::uint32_t> LogWriter::device_of(std::span<const std::string_view> fields) {
  std::string key;
  for (const auto column : {number_, uuid_, host_, rank_}) key.append(cell(fields, column)).append(1, '\n');
  if (last_device_ && key == last_key_) return last_device_;
  auto known = devices_.find(key);
  if (known == devices_.end()) {
    if (devices_.size() >= kMaxDevices) return {};
    LoggedDevice device;
    const auto named = cell(fields, number_);
    device.uuid = clean_text(is_uuid(named) ? named : cell(fields, uuid_));
    device.number = is_uuid(named) ? -1 : number_in(named);
    device.host = clean_text(cell(fields, host_));
    if (const auto rank = number_in(cell(fields, rank_)); rank >= 0)
      device.rank = static_cast<std::int32_t>(rank);
    known = devices_.emplace(key, static_cast<std::uint32_t>(log_.devices.size())).first;
    log_.devices.push_back(std::move(device));
  }
  last_key_ = std::move(key);
  return last_device_ = known->second;
}

// The first number of a column decides the unit of its counter.
std::optional<double> LogWriter::value_of(std::size_t column, std::string_view written,
                                          const std::function<std::string()>& place) {
  auto& content = contents_[column];
  if (!content.numbers && content.texts > kMaxTexts) return {};
  const std::string pointed = decimal_comma_ ? table::decimal_point(written) : std::string();
  const std::string_view text = decimal_comma_ ? pointed : written;
  const auto quantity = table::quantity(text);
  auto number = parse_number(quantity ? quantity->number : text);
  const auto bits = number ? std::nullopt : hexadecimal(text);
  if (bits) number = static_cast<double>(*bits);
  if (!number) number = truth_of(text);
  const auto own = quantity && number ? normalised_unit(quantity->unit) : Unit{};
  const bool has_own = quantity && !quantity->unit.empty();
  if (!content.numbers && number) {
    content.numbers = true;
    content.unit = has_own ? own : normalised_unit(columns_[column].unit);
    if (content.texts > 0) count_texts(content, content.texts);
  }
  if (number && (!has_own || own.base == content.unit.base))
    return *number * (has_own ? own.factor : content.unit.factor);
  if (content.texts++ == 0)
    content.text = fmt::format("{} has \"{}\" in column \"{}\"", place(), clean_text(written.substr(0, 40)),
                               columns_[column].name);
  if (content.numbers) count_texts(content, 1);
  return {};
}

void LogWriter::count_texts(const Content& content, std::int64_t texts) {
  issues_.count(
      Severity::Drop, "not-a-number",
      [&] { return content.text + ", which is not a number in the unit of the column"; }, texts);
}

void LogWriter::push(std::int64_t time, std::uint32_t device, std::size_t key, std::string_view name,
                     const std::string& unit, double value) {
  const auto [counter, added] = counters_.try_emplace({device, key}, 0);
  if (added) {
    counter->second = draft_.add_counter(name, unit, device);
    keys_.push_back(key);
  }
  push_sample(draft_, time, counter->second, value);
}

void LogWriter::add_reasons(std::int64_t time, std::uint32_t device, std::size_t column,
                            std::string_view text) {
  const auto bits = hexadecimal(text);
  if (!bits) return;
  const auto reasons = clock_reasons();
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if ((*bits & reasons[i].bit) != 0) occurred_.insert(kMaxColumns * (i + 1) + column);
    push(time, device, kMaxColumns * (i + 1) + column, reasons[i].name, {},
         (*bits & reasons[i].bit) != 0 ? 1.0 : 0.0);
  }
}

void LogWriter::add(std::span<const std::string_view> fields, const std::function<std::string()>& place) {
  const auto time = time_of(fields);
  if (!time)
    return issues_.count(Severity::Drop, "missing-time", [&] { return place() + " has no usable time"; });
  const auto device = device_of(fields);
  if (!device)
    return issues_.count(Severity::Drop, "too-many-places", [&] {
      return fmt::format("{} names a further device: only the first {} are read", place(), kMaxDevices);
    });
  for (std::size_t i = 0; i < std::min({fields.size(), columns_.size(), kMaxColumns}); ++i) {
    const auto kind = columns_[i].kind;
    if (kind != Kind::Counter && kind != Kind::Reasons) continue;
    const auto text = cell(fields, i);
    if (text.empty()) continue;
    if (kind == Kind::Reasons)
      add_reasons(*time, *device, i, text);
    else if (const auto value = value_of(i, text, place))
      push(*time, *device, i, columns_[i].name, contents_[i].unit.base, *value);
  }
}

// Removes the counters of reasons that never occurred on any device: most of them.
void LogWriter::remove_absent_reasons() {
  std::vector<std::uint32_t> new_row;
  auto counters = log_.first_counter;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const bool absent = keys_[i] >= kMaxColumns && !occurred_.contains(keys_[i]);
    new_row.push_back(absent ? kNone : static_cast<std::uint32_t>(counters));
    if (!absent) draft_.counters[counters++] = draft_.counters[log_.first_counter + i];
  }
  if (counters == draft_.counters.size()) return;
  draft_.counters.resize(counters);
  auto& samples = draft_.samples;
  auto to = log_.first_sample;
  for (auto at = to; at < samples.time.size(); ++at) {
    SpillMemory::relieve_at(at);
    const auto counter = new_row[samples.counter[at] - log_.first_counter];
    if (counter == kNone) continue;
    samples.time[to] = samples.time[at];
    samples.counter[to] = counter;
    samples.value[to++] = samples.value[at];
  }
  samples.time.resize(to);
  samples.counter.resize(to);
  samples.value.resize(to);
}

bool LogWriter::finish() {
  remove_absent_reasons();
  log_.last_counter = draft_.counters.size();
  log_.last_sample = draft_.samples.time.size();
  log_.zone_known = clock_.zone_known();
  const bool any = log_.last_sample > log_.first_sample;
  std::string texts;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!contents_[i].numbers && contents_[i].texts > 0 && texts.size() < 200)
      texts += (texts.empty() ? "\"" : ", \"") + columns_[i].name + "\"";
  if (!texts.empty())
    issues_.count(Severity::Info, "text-columns",
                  [&] { return fmt::format("text columns of {} were left out: {}", log_.file, texts); });
  draft_.logs.push_back(std::move(log_));
  return any;
}

} // namespace jitterscope::import::device_log
