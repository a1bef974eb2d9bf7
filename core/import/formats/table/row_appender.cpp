#include "core/import/formats/table/row_appender.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/formats/table/quantity.h"
#include "core/import/records/events.h"
#include "core/import/records/kernel_names.h"
#include "core/import/text/text.h"

namespace jitterscope::import::table {

using store::Severity;

namespace {

// The column with the number of bytes of a copy.
std::size_t bytes_of_copies(const RowPlan& plan) {
  for (std::size_t i = 0; i < plan.columns.all.size(); ++i) {
    const auto& column = plan.columns.all[i];
    const auto words = slug(column.title);
    const bool in_bytes = plan.attributes[i].unit().base == "B";
    if (plan.is_attribute[i] && column.kind == Column::Kind::Number &&
        (words == "bytes" || words == "num_bytes" || words == "copy_bytes" || (words == "size" && in_bytes)))
      return i;
  }
  return plan.columns.all.size();
}

} // namespace

RowAppender::RowAppender(RowPlan& plan, Draft& draft, RowIssues& issues, std::string table_name)
    : plan_(plan), draft_(draft), issues_(issues), name_(std::move(table_name)),
      first_(draft.launches.start.size()), first_transfer_(draft.transfers.start.size()) {
  const auto columns = plan_.columns.all.size();
  if (plan_.times)
    places_.emplace(draft_, plan_.columns, plan_.places, name_);
  else
    stream_ = draft_.add_table_stream(name_);
  for (std::size_t i = 0; i < columns; ++i) has_fields_ = has_fields_ || plan_.is_configuration(i);
  bytes_column_ = bytes_of_copies(plan_);
  strings_.resize(columns);
}

std::string RowAppender::place(std::int64_t line) const {
  return fmt::format("line {}", lines_before_ + line);
}

// A cell for messages, at most 80 bytes; decimal commas become points.
std::string RowAppender::readable(std::string_view text) const {
  if (!plan_.columns.decimal_comma || text.find_first_of(",.") == std::string_view::npos)
    return clean_text(text.substr(0, 80));
  return clean_text(decimal_point(text).substr(0, 80));
}

void RowAppender::add(const ParsedRows& rows, std::int64_t lines_before) {
  rows_ = &rows;
  lines_before_ = lines_before;
  first_launch_ = draft_.launches.start.size();
  configurations_.assign(rows.kernels().known.size(), kNone);
  for (std::size_t i = 0; i < strings_.size(); ++i)
    if (!plan_.is_number(i)) strings_[i].assign(rows.texts(i).known.size(), kNone);
  constexpr std::size_t kMaxPlaces = 4'096;
  const auto places = rows.devices().known.size() * rows.streams().known.size() * rows.ranks().known.size();
  streams_.assign(places <= kMaxPlaces ? places : 0, kNone);
  kept_.clear();
  find_memory_operations();
  all_kept_ = !plan_.times || add_timed_at_once();
  if (!all_kept_)
    add_timed();
  else if (plan_.times)
    draft_.add_launches(starts_, durations_, values_, of_rows_);
  else
    add_untimed();
  append_columns();
}

// Every row is a launch: only events and kernels have to be processed in the order of rows.
void RowAppender::add_untimed() {
  values_.clear();
  const auto rows = static_cast<std::uint32_t>(rows_->rows());
  const bool one_kernel = rows_->kernels().known.size() == 1 && plan_.kernel_parts.empty();
  const auto add_kernels = [&](std::uint32_t to) { // adds the kernels of the rows before `to`
    if (one_kernel && values_.size() < to) values_.resize(to, configuration_of(0));
    while (values_.size() < to)
      values_.push_back(configuration_of(static_cast<std::uint32_t>(values_.size())));
  };
  for (const auto& event : rows_->events()) {
    add_kernels(std::min(event.row + (event.of_row() ? 0 : 1), rows));
    if (event.row >= rows || event.of_row()) // or after the last row
      report_row(event);
    else
      report_cell_event(event, static_cast<std::uint32_t>(first_launch_ + event.row));
  }
  add_kernels(rows);
  draft_.add_untimed_launches(values_, stream_, rows_->durations());
}

// False if rows have to be processed one by one: then no launch was added.
bool RowAppender::add_timed_at_once() {
  const auto events = rows_->events();
  if (!memory_operations_.empty() ||
      std::any_of(events.begin(), events.end(), [](const RowEvent& event) { return event.of_row(); }) ||
      !clock_.times_of(rows_->starts(), rows_->seconds(), plan_.times->second_is_end, starts_, durations_))
    return false;
  const auto written = plan_.times->checks_duration && plan_.times->second_is_end
                           ? rows_->written_durations()
                           : std::span<const std::int64_t>();
  for (std::size_t row = 0; row < written.size(); ++row)
    if (written[row] != store::kMissingDuration && contradict(durations_[row], written[row])) return false;
  values_.resize(rows_->rows());
  of_rows_.resize(rows_->rows());
  std::uint32_t row = 0;
  const auto add_places = [&](std::size_t to) { // adds the streams of the rows before `to`
    for (; row < to; ++row) {
      values_[row] = configuration_of(row);
      of_rows_[row] = stream_of(row);
    }
  };
  for (const auto& event : events) {
    add_places(event.row + std::size_t{1});
    report_cell_event(event, static_cast<std::uint32_t>(first_launch_ + event.row));
  }
  add_places(rows_->rows());
  return true;
}

void RowAppender::add_timed() {
  auto event = rows_->events().begin();
  const auto end = rows_->events().end();
  bool all_kept = true;
  for (std::uint32_t row = 0; row < rows_->rows(); ++row) {
    for (; event != end && event->row == row && event->of_row(); ++event) report_row(*event);
    const auto launch = static_cast<std::uint32_t>(draft_.launches.start.size());
    const bool kept = add_launch(row);
    all_kept = all_kept && kept;
    if (kept) kept_.push_back(row);
    for (std::size_t column = 0; kept && !all_kept && column < strings_.size(); ++column) {
      make_missed(row, column);
      for (; event != end && event->row == row && event->column == column; ++event)
        report_cell_event(*event, launch);
    }
    for (; event != end && event->row == row; ++event)
      if (kept) report_cell_event(*event, launch);
  }
  for (; event != end; ++event) report_row(*event);
}

bool RowAppender::add_launch(std::uint32_t row) {
  const auto written =
      plan_.times->checks_duration ? rows_->written_durations()[row] : store::kMissingDuration;
  const auto known = [](std::int64_t time) { return time != kNoTime ? std::optional(time) : std::nullopt; };
  const auto start = known(rows_->starts()[row]);
  auto second = known(rows_->seconds()[row]);
  bool is_end = plan_.times->second_is_end;
  if (!second && written != store::kMissingDuration) {
    second = written;
    is_end = false;
  }
  if (!start || !second) {
    report_missing_time(row, start ? plan_.times->second : plan_.times->start);
    return false;
  }
  const auto times = clock_.times(start, second, is_end, issues_, [&] { return place(rows_->line(row)); });
  if (!times) return false;
  if (is_end && written != store::kMissingDuration) compare(times->duration, written, rows_->line(row));
  if (!memory_operations_.empty())
    if (const auto& kind = memory_operations_[rows_->kernels().numbers[row]]) {
      add_memory_operation(row, *times, *kind);
      return false;
    }
  const auto configuration = configuration_of(row);
  push_launch(draft_, *times, configuration, stream_of(row), 0);
  return true;
}

void RowAppender::report_missing_time(std::uint32_t row, std::size_t column) {
  issues_.count(Severity::Drop, "missing-time", [&] {
    const auto& judged = plan_.columns.all[column];
    return fmt::format("{} has no time in column \"{}\": the cell is empty{} or not a number",
                       place(rows_->line(row)), judged.title, judged.minus_one_is_missing() ? ", -1" : "");
  });
}

// Tracers list all activities of a device, kernels or not, in one table.
void RowAppender::find_memory_operations() {
  memory_operations_.clear();
  if (!plan_.times || plan_.own_export) return;
  const auto& kernels = rows_->kernels().known;
  for (std::uint32_t number = 0; number < kernels.size(); ++number) {
    const auto kind = named_memory_operation(without_formula(trimmed(kernels[number])));
    if (!kind) continue;
    memory_operations_.resize(kernels.size());
    memory_operations_[number] = kind;
  }
}

void RowAppender::add_memory_operation(std::uint32_t row, const Times& times, store::TransferKind kind) {
  constexpr double kMaxBytes = 1e18;
  ++moved_;
  double bytes = std::numeric_limits<double>::quiet_NaN();
  if (bytes_column_ < plan_.columns.all.size())
    if (const auto numbers = rows_->numbers(bytes_column_); row < numbers.size()) bytes = numbers[row];
  const bool known = bytes >= 0 && bytes < kMaxBytes;
  push_transfer(draft_, times, kind, known ? std::llround(bytes) : store::kUnknownBytes, stream_of(row), 0);
  issues_.count(Severity::Info, "memory-operations", [&] {
    return fmt::format("{}: \"{}\" is shown as a memory operation, not as a launch", place(rows_->line(row)),
                       clean_text(rows_->kernels().known[rows_->kernels().numbers[row]].substr(0, 80)));
  });
}

// The result is cached, because most rows are of a few streams.
std::uint32_t RowAppender::stream_of(std::uint32_t row) {
  const auto device = rows_->devices().numbers[row], stream = rows_->streams().numbers[row],
             rank = rows_->ranks().numbers[row];
  const auto place =
      (std::size_t{device} * rows_->streams().known.size() + stream) * rows_->ranks().known.size() + rank;
  if (place < streams_.size() && streams_[place] != kNone && !places_->too_many()) return streams_[place];
  const auto found = places_->stream_of(without_formula(rows_->devices().known[device]),
                                        without_formula(rows_->streams().known[stream]),
                                        without_formula(rows_->ranks().known[rank]), issues_);
  if (place < streams_.size()) streams_[place] = found;
  return found;
}

// Both values may have been rounded.
bool RowAppender::contradict(std::int64_t duration, std::int64_t written) {
  constexpr std::int64_t kRounded = 1'000; // rounding error of a time [ns]
  return std::abs(duration - written) > kRounded + std::max(duration, written) / 50;
}

void RowAppender::compare(std::int64_t duration, std::int64_t written, std::int64_t line) {
  if (!contradict(duration, written)) return;
  issues_.count(Severity::Doubt, "contradicting-duration", [&] {
    return fmt::format(
        "{} lasts {} ns from its start to its end, but column \"{}\" states {} ns: start and end are used",
        place(line), duration, plan_.columns.all[plan_.duration.column].title, written);
  });
}

void RowAppender::report_row(const RowEvent& event) {
  switch (event.kind) {
  case RowEvent::Kind::RepeatedTitles:
    return issues_.count(Severity::Info, "repeated-titles",
                         [&] { return fmt::format("{} repeats the column names", place(event.line)); });
  case RowEvent::Kind::ReorderedTitles:
    if (reordered_titles_ == 0) reordered_titles_ = lines_before_ + event.line;
    return;
  case RowEvent::Kind::CutOff:
    return issues_.count(Severity::Drop, "cut-off-row", [&] {
      return event.number == 0
                 ? fmt::format(
                       "{}: the file ends inside a quoted field; it was truncated, and this row is left out",
                       place(event.line))
                 : fmt::format(
                       "{}: the file ends after {} of {} fields; it was truncated, and this row is left out",
                       place(event.line), event.number, plan_.titles.size());
    });
  case RowEvent::Kind::Ragged:
    return issues_.count(Severity::Doubt, "ragged-row", [&] {
      return fmt::format("{} has {} fields for {} column names; the surplus fields are left out",
                         place(event.line), event.number, plan_.titles.size());
    });
  default:
    return issues_.count(Severity::Drop, "bad-duration", [&] {
      return fmt::format("{}: \"{}\" is not a duration; it is treated as missing", place(event.line),
                         readable(event.text));
    });
  }
}

void RowAppender::report_cell_event(const RowEvent& event, std::uint32_t launch) {
  auto& attribute = plan_.attributes[event.column];
  if (plan_.own_export && !plan_.is_attribute[event.column]) return;
  switch (event.kind) {
  case RowEvent::Kind::FirstNumber:
    if (plan_.fields[event.column]) return;
    return attribute.ensure_number(draft_);
  case RowEvent::Kind::FirstText:
    if (plan_.is_configuration(event.column)) return;
    string_of(event.column, event.number);
    return;
  case RowEvent::Kind::NotANumber:
    return issues_.count(Severity::Drop, "not-a-number", [&] {
      return fmt::format("{}: \"{}\" is in column \"{}\", which contains numbers; it is treated as missing",
                         place(event.line), readable(event.text), plan_.columns.all[event.column].title);
    });
  case RowEvent::Kind::Rounded:
    return issues_.count(Severity::Doubt, "rounded-integer", [&] {
      return fmt::format("{}: {} has more digits than a column of numbers can store", place(event.line),
                         clean_text(event.text));
    });
  case RowEvent::Kind::OtherText:
    return attribute.put_text(draft_, launch, without_formula(trimmed(event.text)));
  default:
    return;
  }
}

// Rows that were left out may have had the first value of a column: then the first value is in this row.
void RowAppender::make_missed(std::uint32_t row, std::size_t column) {
  if (!plan_.is_attribute[column] || plan_.is_configuration(column)) return;
  if (plan_.is_number(column)) {
    const auto numbers = rows_->numbers(column);
    if (row < numbers.size() && numbers[row] == numbers[row]) plan_.attributes[column].ensure_number(draft_);
  } else if (const auto& texts = rows_->texts(column).numbers; row < texts.size() && texts[row] != kNone) {
    string_of(column, texts[row]);
  }
}

void RowAppender::append_columns() {
  const bool all_kept = all_kept_ || kept_.size() == rows_->rows();
  const auto kept_of = [&](auto values, auto& room) {
    if (all_kept) return values;
    room.clear();
    for (const auto row : kept_)
      if (row < values.size()) room.push_back(values[row]);
    return decltype(values)(room);
  };
  std::vector<FieldColumn> fields;
  fields.reserve(3 * strings_.size()); // so that their values are not moved
  for (std::size_t i = 0; i < strings_.size(); ++i) {
    auto& attribute = plan_.attributes[i];
    if (plan_.fields[i]) {
      auto& field = fields.emplace_back(FieldColumn{i, plan_.fields[i], {}, {}});
      field.values = kept_of(rows_->numbers(i), field.room);
      continue;
    }
    if (plan_.extents[i][0]) {
      add_extents(i, fields);
      continue;
    }
    if (const auto& narrow = rows_->narrow(i); all_kept && narrow.size() > 0 && attribute.has_numbers())
      draft_.attributes.append(attribute.number_column(), first_launch_, narrow);
    else if (const auto numbers = kept_of(rows_->numbers(i), numbers_);
             !numbers.empty() && attribute.has_numbers())
      draft_.attributes.append(attribute.number_column(), first_launch_, numbers);
    const auto& texts = rows_->texts(i).numbers;
    if (texts.empty() || !attribute.has_texts()) continue;
    auto& strings = values_;
    strings.clear();
    for (const auto number : texts) strings.push_back(number == kNone ? kNone : strings_[i][number]);
    SpillVector<std::uint32_t> room;
    draft_.attributes.append_texts(attribute.text_column(), first_launch_,
                                   kept_of(std::span<const std::uint32_t>(strings), room));
  }
  set_fields(fields);
}

// "(4, 2, 1)": three columns of numbers, for kept rows only.
void RowAppender::add_extents(std::size_t column, std::vector<FieldColumn>& fields) {
  const auto& texts = rows_->texts(column);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::array<double, 3>> known(texts.known.size(), {kUnknown, kUnknown, kUnknown});
  std::vector<bool> good(known.size());
  for (std::size_t i = 0; i < known.size(); ++i)
    if (const auto extents =
            parse_extents(without_formula(trimmed(texts.known[static_cast<std::uint32_t>(i)])))) {
      std::copy(extents->begin(), extents->end(), known[i].begin());
      good[i] = true;
    }
  const bool all_kept = all_kept_ || kept_.size() == rows_->rows();
  const auto launches = all_kept ? rows_->rows() : kept_.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto& field = fields.emplace_back(FieldColumn{column, plan_.extents[column][axis], {}, {}});
    field.room.assign(launches, kUnknown);
    for (std::size_t launch = 0; launch < launches; ++launch) {
      const auto row = all_kept ? launch : kept_[launch];
      const auto number = row < texts.numbers.size() ? texts.numbers[row] : kNone;
      if (number == kNone) continue;
      field.room[launch] = known[number][axis];
      if (axis == 0 && !good[number])
        note_bad_extent(column, launch, fmt::format("\"{}\"", readable(texts.known[number])));
    }
    field.values = field.room;
  }
}

void RowAppender::note_bad_extent(std::size_t column, std::size_t launch, const std::string& value) {
  if (bad_extents_++ == 0)
    first_bad_extent_ =
        fmt::format("row {}: {} in column \"{}\" is not a launch dimension (a whole number from 0 to "
                    "4294967295); it is treated as unknown",
                    first_launch_ - first_ + launch + 1, value, plan_.columns.all[column].title);
}

// Dimensions without a column are 1 if the row states another one of the same grid or block.
void RowAppender::complete_dimensions(Configuration& configuration, std::span<const FieldColumn> columns) {
  for (const auto& fields : dimensions()) {
    if (std::none_of(fields.begin(), fields.end(), [&](auto field) { return configuration.*field > 0; }))
      continue;
    for (const auto field : fields)
      if (std::none_of(columns.begin(), columns.end(), [&](const auto& each) { return each.field == field; }))
        configuration.*field = 1;
  }
}

// Makes configurations from kernels and the columns that are parts of configurations, in the order of rows.
// Missing values are unknown.
void RowAppender::set_fields(std::span<const FieldColumn> columns) {
  if (columns.empty()) return;
  auto& configurations = draft_.launches.configuration.values();
  SpillVector<double> values(columns.size());
  for (auto launch = first_launch_; launch < configurations.size(); ++launch) {
    auto& configuration = configurations[launch];
    const auto row = launch - first_launch_;
    for (std::size_t i = 0; i < columns.size(); ++i)
      values[i] =
          row < columns[i].values.size() ? columns[i].values[row] : std::numeric_limits<double>::quiet_NaN();
    const bool same = last_kernel_ == configuration &&
                      std::memcmp(values.data(), last_fields_.data(), values.size() * sizeof(double)) == 0;
    if (!same) {
      Configuration changed;
      changed.kernel = configuration;
      for (std::size_t i = 0; i < columns.size(); ++i)
        changed.*columns[i].field = extent(columns[i].column, row, values[i]);
      complete_dimensions(changed, columns);
      last_kernel_ = configuration;
      last_fields_ = values;
      last_configuration_ = draft_.configuration(changed);
    }
    configuration = last_configuration_;
  }
}

std::uint32_t RowAppender::extent(std::size_t column, std::size_t launch, double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0 && value <= std::numeric_limits<std::uint32_t>::max() && value == std::floor(value))
    return static_cast<std::uint32_t>(value);
  note_bad_extent(column, launch, fmt::format("{}", value));
  return 0;
}

std::uint32_t RowAppender::configuration_of(std::uint32_t row) {
  const auto number = rows_->kernels().numbers[row];
  if (!plan_.kernel_parts.empty()) {
    const auto kernel = rows_->kernels().known[number];
    const auto parts = parts_of(row);
    return kernel_rows_.row({kernel, parts}, [&] { return make_configuration(kernel, parts); });
  }
  auto& configuration = configurations_[number];
  if (configuration == kNone) {
    const auto kernel = rows_->kernels().known[number];
    configuration = kernel_rows_.row({kernel}, [&] { return make_configuration(kernel, {}); });
  }
  return configuration;
}

// " [M=128, layout=nt]"
std::string RowAppender::parts_of(std::uint32_t row) const {
  std::string text;
  for (const auto column : plan_.kernel_parts) {
    text += fmt::format("{}{}=", text.empty() ? " [" : ", ", plan_.columns.all[column].title);
    const auto numbers = rows_->numbers(column);
    const auto& texts = rows_->texts(column);
    if (row < numbers.size() && !std::isnan(numbers[row]))
      text += fmt::format("{}", numbers[row]);
    else if (row < texts.numbers.size() && texts.numbers[row] != kNone)
      text += clean_text(without_formula(trimmed(texts.known[texts.numbers[row]])));
  }
  return text + "]";
}

std::uint32_t RowAppender::make_configuration(std::string_view kernel, std::string_view parts) {
  kernel = without_formula(kernel);
  if (plan_.kernel_name) kernel = plan_.kernel_name(kernel);
  const auto name = kernel.empty() ? name_ : clean_text(kernel);
  Configuration configuration;
  const bool signature = name.find('(') != std::string::npos || name.find('<') != std::string::npos;
  const auto with_parts = [&](std::string text) { return draft_.strings.intern(text.append(parts)).value; };
  configuration.kernel =
      draft_.kernel({with_parts(name), with_parts(signature ? short_kernel_name(name) : name)});
  return has_fields_ ? configuration.kernel : draft_.configuration(configuration);
}

std::uint32_t RowAppender::string_of(std::size_t column, std::uint32_t number) {
  auto& string = strings_[column][number];
  if (string == kNone)
    string = plan_.attributes[column].string_of(draft_,
                                                without_formula(trimmed(rows_->texts(column).known[number])));
  return string;
}

void RowAppender::finish() {
  utc_ns_ = clock_.utc_ns();
  if (utc_ns_ >= 0 && any()) // the first row need not be the first in time
    utc_ns_ += begin_at_zero({std::span(draft_.launches.start.values()).subspan(first_),
                              std::span(draft_.transfers.start).subspan(first_transfer_)});
  if (bad_extents_ > 0) // reported here, because the time at which configurations are made depends on the
                        // number of rows per piece
    issues_.count(
        Severity::Repair, "bad-configuration", [&] { return first_bad_extent_; }, bad_extents_);
  for (std::size_t i = 0; i < plan_.attributes.size(); ++i)
    if (!plan_.columns.all[i].untitled && plan_.is_attribute[i] && !plan_.is_configuration(i))
      plan_.attributes[i].ensure(draft_);
}

} // namespace jitterscope::import::table
