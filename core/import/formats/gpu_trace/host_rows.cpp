#include "core/import/formats/gpu_trace/host_rows.h"

#include <cmath>

#include <fmt/core.h>

#include "core/import/formats/nsys/session.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::gpu_trace {
namespace {

using store::Severity;

// " 148    1    1": three numbers separated by blanks, commas or x.
void read_extent(std::string_view text, std::uint32_t& x, std::uint32_t& y, std::uint32_t& z) {
  std::uint32_t* const extents[] = {&x, &y, &z};
  for (auto* extent : extents) {
    text = trimmed(text);
    const auto end = std::min(text.find_first_of(" ,x"), text.size());
    const auto value = parse_integer(text.substr(0, end));
    if (!value || *value < 0 || *value > 0xFFFFFFFF) return;
    *extent = static_cast<std::uint32_t>(*value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// "cudaLaunchKernel_v7000" → "cudaLaunchKernel".
std::string_view without_version(std::string_view name) {
  const auto at = name.rfind("_v");
  if (at == std::string_view::npos || at + 2 == name.size()) return name;
  return name.find_first_not_of("0123456789", at + 2) == std::string_view::npos ? name.substr(0, at) : name;
}

} // namespace

HostRows::HostRows(Tables& tables, Titles titles, Kind kind)
    : tables_(tables), titles_(std::move(titles)), kind_(kind),
      start_(titles_.find({"origstart", "apistart", "start"})),
      duration_(titles_.find({"origduration", "apidur", "apiduration", "duration"})),
      name_(titles_.find({"apifunction", "name"})), process_(titles_.find({"pid"})),
      thread_(titles_.find({"tid"})), correlation_(titles_.find({"corrid", "correlationid"})),
      result_(titles_.find({"result"})), style_(titles_.find({"style"})), level_(titles_.find({"lvl"})),
      kernel_start_(titles_.find({"kernelstart"})),
      kernel_duration_(titles_.find({"kerneldur", "kernelduration"})),
      kernel_name_(titles_.find({"kernelname"})), device_(titles_.find({"devid", "device", "deviceid"})),
      context_(titles_.find({"ctx", "context", "contextid"})),
      stream_(titles_.find({"strm", "stream", "streamid"})), grid_(titles_.find({"gridxyz"})),
      block_(titles_.find({"blockxyz"})), around_(titles_.find({"rangename"})),
      event_(titles_.find({"event"})), rank_(titles_.find({"rank"})), peer_(titles_.find({"peerrank"})),
      root_(titles_.find({"rootrank"})), tag_(titles_.find({"tag"})), size_(titles_.find({"size"})),
      sent_(titles_.find({"collsendsize"})) {}

Repeated HostRows::read(const CsvReader& csv) {
  if (kind_ == Kind::Range) return read_range(csv);
  if (kind_ == Kind::LaunchAndExecution) {
    read_launch(csv);
  } else if (kind_ == Kind::Message) {
    read_message(csv);
  } else if (const auto times = tables_.times(csv, titles_, start_, duration_)) {
    read_call(csv, *times, field(csv, name_));
    const auto& calls = tables_.draft.calls;
    return {Repeated::Kind::Call, 0, calls.name.back(), calls.result.back(), calls.thread.back()};
  }
  return {};
}

// Empty for launches, which have two pairs of times, and messages, whose numbers all differ.
std::optional<RecordPlan> HostRows::plan(char separator, bool decimal_comma) const {
  if (kind_ != Kind::Call && kind_ != Kind::Range) return {};
  RecordPlan plan(titles_, start_, duration_, separator, decimal_comma);
  if (kind_ == Kind::Call) plan.correlation = correlation_;
  plan.compare({name_, process_, thread_, kind_ == Kind::Call ? result_ : style_});
  return plan;
}

void HostRows::repeat_calls(std::span<const ParsedRecords::Record> records,
                            std::span<const Repeated> of_rests) {
  constexpr std::size_t kFew = 512; // rows per step: memory zeroed by resize() is still in the L1 cache
  tables_.draft.touch_calls(tables_.draft.calls.start.size() + records.size());
  for (; records.size() > kFew; records = records.subspan(kFew)) append_calls(records.first(kFew), of_rests);
  append_calls(records, of_rests);
}

void HostRows::append_calls(std::span<const ParsedRecords::Record> records,
                            std::span<const Repeated> of_rests) {
  auto& calls = tables_.draft.calls;
  const auto first = calls.start.size(), rows = first + records.size();
  calls.start.resize(rows);
  calls.duration.resize(rows);
  calls.name.resize(rows);
  calls.thread.resize(rows);
  calls.correlation.resize(rows);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& record = records[i];
    const auto& known = of_rests[record.rest];
    calls.start[first + i] = record.times.start;
    calls.duration[first + i] = record.times.duration;
    calls.name[first + i] = known.what;
    calls.thread[first + i] = known.resource;
    calls.correlation[first + i] = record.correlation;
    calls.result.push_back(known.more);
  }
}

void HostRows::repeat_ranges(std::span<const ParsedRecords::Record> records,
                             std::span<const Repeated> of_rests) {
  for (const auto& record : records) {
    const auto& known = of_rests[record.rest];
    push_range(tables_.draft, record.times, known.what, known.more, known.resource, known.detail);
  }
}

// The result is cached, because most rows are of a few threads.
std::uint32_t HostRows::thread_of(const CsvReader& csv) {
  const auto process = field(csv, process_), thread = field(csv, thread_);
  return threads_.row(tables_.process_number, {process, thread}, [&] {
    return tables_.thread(parse_integer(process).value_or(tables_.process_number), thread);
  });
}

Repeated HostRows::read_range(const CsvReader& csv) {
  const auto times = tables_.times(csv, titles_, start_, duration_);
  if (!times) return {};
  auto& strings = tables_.draft.strings;
  // Texts are "domain:text"; the default domain has no name.
  const auto text = clean_text(field(csv, name_));
  const auto colon = text.find(':');
  const bool has_domain =
      colon != std::string::npos && text.compare(colon, 2, "::") != 0 && text.find(' ') > colon;
  const auto style = field(csv, style_);
  const bool start_end = style == "StartEnd" || (style_ == kAbsent && level_ == kAbsent);
  const auto name = strings.intern(has_domain ? text.substr(colon + 1) : text).value,
             domain = strings.intern(has_domain ? text.substr(0, colon) : "").value;
  const auto thread = thread_of(csv);
  const auto kind = start_end ? kStartEndRange : kPushPopRange;
  push_range(tables_.draft, *times, name, domain, thread, kind);
  return {Repeated::Kind::Range, kind, name, domain, thread};
}

std::uint32_t HostRows::read_call(const CsvReader& csv, const Times& times, std::string_view name) {
  auto& calls = tables_.draft.calls;
  const auto called = call_names_.row(
      {name}, [&] { return tables_.draft.strings.intern(clean_text(without_version(name))).value; });
  push_call(tables_.draft, times, called, thread_of(csv), count_of(field(csv, correlation_)),
            count_of(field(csv, result_)));
  return static_cast<std::uint32_t>(calls.start.size() - 1);
}

void HostRows::read_message(const CsvReader& csv) {
  const auto times = tables_.times(csv, titles_, start_, duration_);
  if (!times) return;
  const auto small = [&](std::size_t column) { // MPI's "any" and "none" are negative
    const auto value = parse_integer(field(csv, column)).value_or(-1);
    return value >= 0 && value < kNone ? static_cast<std::uint32_t>(value) : kNone;
  };
  const auto function = clean_text(field(csv, event_));
  const auto kind = nsys::message_kind(function);
  const auto size = field(csv, size_).empty() ? sent_ : size_;
  const auto unit = size == kAbsent ? Unit{} : normalised_unit(titles_.unit(size));
  const auto bytes = parse_number(field(csv, size), unit.factor);
  const auto thread = thread_of(csv);
  push_message(tables_.draft, *times, kind, bytes && *bytes >= 0 && *bytes < 1e15 ? std::llround(*bytes) : -1,
               thread, tables_.draft.strings.intern(function).value,
               small(kind == kCollective ? root_ : peer_), small(tag_));
  if (const auto rank = small(rank_); rank <= 0x7FFFFFFF) {
    auto& process = tables_.draft.resources[tables_.draft.resources[thread].parent];
    process.rank = static_cast<std::int32_t>(rank);
  }
}

void HostRows::read_launch(const CsvReader& csv) {
  const auto times = tables_.times(csv, titles_, kernel_start_, kernel_duration_);
  if (!times) return;
  if (!tables_.names_kernel(csv, field(csv, kernel_name_))) return;
  const auto process = parse_integer(field(csv, process_)).value_or(tables_.process_number);
  const auto number = stream_ == kAbsent ? std::string_view("0") : field(csv, stream_);
  const auto stream =
      tables_.stream(process, field(csv, device_), parse_integer(field(csv, context_)).value_or(0), number);
  const auto correlation = count_of(field(csv, correlation_));
  if (around_ != kAbsent && !launches_.insert({stream, correlation, times->start, times->duration}).second)
    return tables_.issues.count(Severity::Info, "launch-in-ranges", [&] {
      return fmt::format("{} lists a launch again for another enclosing range: it is imported once",
                         csv.place());
    });
  std::uint32_t call = kNone;
  if (!is_missing(field(csv, start_)))
    if (const auto called = tables_.times(csv, titles_, start_, duration_))
      call = read_call(csv, *called, field(csv, name_));
  Configuration c;
  c.kernel = tables_.names.of(field(csv, kernel_name_)).kernel;
  read_extent(field(csv, grid_), c.grid_x, c.grid_y, c.grid_z);
  read_extent(field(csv, block_), c.block_x, c.block_y, c.block_z);
  push_launch(tables_.draft, *times, tables_.draft.configuration(c), stream, correlation, call);
}

} // namespace jitterscope::import::gpu_trace
