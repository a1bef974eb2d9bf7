#include "core/import/formats/unitrace/unitrace_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "core/import/formats/paraver/lines.h"
#include "core/import/formats/table/table_reader.h"
#include "core/import/formats/unitrace/command.h"
#include "core/import/records/events.h"
#include "core/import/records/kernel_names.h"
#include "core/import/records/places.h"
#include "core/import/records/row_issues.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::unitrace {
namespace {

using store::Severity;
using store::TransferKind;

constexpr std::string_view kTimeline = "Device Timeline (queue: ", kPid = "<PID:";
constexpr std::size_t kMaxPlaces = 65'536;

/// A line of a timeline. Times in ns of the host's clock.
struct Line {
  std::string_view process, device, queue, name;
  std::int64_t append = 0, submit = 0, start = 0, end = 0;
};

std::string_view consume_until(std::string_view& text, std::string_view end) {
  const auto at = std::min(text.find(end), text.size());
  const auto taken = text.substr(0, at);
  text.remove_prefix(std::min(at + end.size(), text.size()));
  return taken;
}

// "542502847242858 (append) …", then the numbers of submit, start and end.
bool parse_times(std::string_view text, Line& line) {
  for (auto* time : {&line.append, &line.submit, &line.start, &line.end}) {
    const auto number = parse_integer(trimmed(consume_until(text, "(")));
    if (!number) return false;
    *time = *number;
    if (const auto what = consume_until(text, ")"); time == &line.end && what != "end") return false;
  }
  return true;
}

std::string_view unquoted(std::string_view name) {
  name = trimmed(name);
  return name.size() > 1 && name.front() == '"' && name.back() == '"' ? name.substr(1, name.size() - 2)
                                                                      : name;
}

// "Thread 47571 Device 35747536 : "gemm" [ns] …" or "<PID:7> Device Timeline (queue: 0x55): gemm [ns] = …".
std::optional<Line> line_of(std::string_view text) {
  const auto times = text.rfind(" [ns] ");
  if (times == std::string_view::npos || text.find("(end)") == std::string_view::npos) return {};
  Line line;
  auto numbers = trimmed(text.substr(times + 6));
  if (numbers.starts_with('=')) numbers.remove_prefix(1);
  if (!parse_times(numbers, line)) return {};
  auto before = trimmed(text.substr(0, times));
  if (before.starts_with(kPid)) {
    before.remove_prefix(kPid.size());
    line.process = consume_until(before, ">");
    before = trimmed(before);
  }
  if (before.starts_with(kTimeline)) {
    before.remove_prefix(kTimeline.size());
    line.queue = consume_until(before, "): ");
  } else {
    if (!before.starts_with("Thread ") || before.find(" Device ") == std::string_view::npos) return {};
    consume_until(before, " Device ");
    line.device = trimmed(consume_until(before, " : "));
  }
  line.name = unquoted(before);
  return line;
}

TransferKind kind_of(std::string_view name) {
  if (name.find("Fill") != std::string_view::npos) return TransferKind::Memset;
  const auto bracket = name.rfind('(');
  const auto way = bracket == std::string_view::npos ? std::string_view() : name.substr(bracket + 1, 3);
  const auto on_device = [](char c) { return c == 'D'; };
  if (way.size() == 3 && way[1] == '2') { // M and H: host memory; S: shared
    if (way[0] == 'S' || way[2] == 'S') return TransferKind::Unknown;
    if (on_device(way[0]))
      return on_device(way[2]) ? TransferKind::DeviceToDevice : TransferKind::DeviceToHost;
    return on_device(way[2]) ? TransferKind::HostToDevice : TransferKind::HostToHost;
  }
  if (name.find("EnqueueWrite") != std::string_view::npos) return TransferKind::HostToDevice;
  return name.find("EnqueueRead") != std::string_view::npos ? TransferKind::DeviceToHost
                                                            : TransferKind::Unknown;
}

/// Assigns small numbers to handles, in order of appearance.
class Handles {
public:
  std::int64_t number_of(std::string_view text) {
    const auto found = known_.find(text);
    if (found != known_.end()) return found->second;
    if (known_.size() >= kMaxPlaces) return 0;
    return known_.emplace(std::string(text), static_cast<std::int64_t>(known_.size())).first->second;
  }

private:
  std::map<std::string, std::int64_t, std::less<>> known_;
};

class Timeline {
public:
  Timeline(Draft& draft, RowIssues& issues)
      : draft_(draft), issues_(issues), places_(draft), kernels_(draft),
        since_append_(draft.attributes.number(
            "since append", "ns", "Time from the call that appends the kernel to the start of the kernel")),
        since_submit_(draft.attributes.number(
            "since submit", "ns", "Time from the submission of the kernel to the start of the kernel")) {}

  void add(const Line& line, std::int64_t number) {
    const auto command = command_of(line.name);
    const auto times =
        checked_times(issues_, line.start, line.end, [&] { return fmt::format("line {}", number); });
    if (!times) return;
    if (is_other_command(command.name))
      return issues_.count(Severity::Info, "not-imported", [&] {
        return fmt::format("commands that are neither kernels nor copies, such as {}, are not imported",
                           clean_text(command.name));
      });
    if (is_memory_command(command.name)) return add_copy(command, *times, line);
    const auto launch = draft_.launches.start.size();
    push_launch(draft_, *times, draft_.configuration(configuration_of(command)), stream_of(line), 0);
    draft_.attributes.set(since_append_, launch, static_cast<double>(line.start - line.append));
    draft_.attributes.set(since_submit_, launch, static_cast<double>(line.start - line.submit));
  }

private:
  Configuration configuration_of(const Command& command) {
    Configuration c;
    c.kernel = kernels_.of(clean_text(command.name)).kernel;
    if (command.groups)
      c.grid_x = count_or_zero((*command.groups)[0]), c.grid_y = count_or_zero((*command.groups)[1]),
      c.grid_z = count_or_zero((*command.groups)[2]);
    if (command.group_size)
      c.block_x = count_or_zero((*command.group_size)[0]),
      c.block_y = count_or_zero((*command.group_size)[1]),
      c.block_z = count_or_zero((*command.group_size)[2]);
    return c;
  }

  void add_copy(const Command& command, const Times& times, const Line& line) {
    auto bytes = command.bytes.value_or(store::kUnknownBytes);
    if (bytes < 0 || bytes > kMaxOperationBytes) bytes = store::kUnknownBytes;
    if (bytes == store::kUnknownBytes)
      issues_.count(Severity::Info, "unknown-bytes", [&] {
        return fmt::format("{} does not state how many bytes it moved: its size is unknown",
                           clean_text(command.name));
      });
    push_transfer(draft_, times, kind_of(command.name), bytes, stream_of(line), 0);
  }

  std::uint32_t stream_of(const Line& line) {
    const auto process = places_.process(parse_integer(line.process).value_or(0));
    return places_.stream(places_.device(process, devices_.number_of(line.device)),
                          queues_.number_of(line.queue));
  }

  Draft& draft_;
  RowIssues& issues_;
  Places places_;
  KernelNames kernels_;
  Handles devices_, queues_;
  std::size_t since_append_, since_submit_;
};

bool is_titles(std::string_view line) {
  return line.starts_with("Kernel,") && line.find("Calls,") != std::string_view::npos &&
         line.find("Time (ns)") != std::string_view::npos;
}

// Numbers after a name, which may contain commas itself: "gemm<int, float>", 4, 52172185, …
std::optional<std::string> quoted_row(std::string_view line, std::ptrdiff_t numbers) {
  auto at = line.size();
  for (auto left = numbers; left > 0; --left) {
    at = at == 0 ? std::string_view::npos : line.rfind(',', at - 1);
    if (at == std::string_view::npos) return {};
  }
  const auto name = unquoted(line.substr(0, at));
  if (name.empty() || name.find('"') != std::string_view::npos) return {};
  return fmt::format("\"{}\"{}\n", name, line.substr(at));
}

/// The table of kernels as CSV, from a text that is read line by line.
class Sums {
public:
  void add(std::string_view line, RowIssues& issues) {
    if (is_titles(line)) {
      if (!csv_.empty())
        issues.count(Severity::Info, "other-tables",
                     [] { return "sums over launches of other devices are not imported"; });
      open_ = csv_.empty();
      numbers_ = std::count(line.begin(), line.end(), ',');
      if (open_) csv_ = std::string(line) + '\n';
    } else if (line.empty() || line.starts_with("=")) {
      open_ = false;
    } else if (open_) {
      read_row(line, issues);
    }
  }
  const std::string& csv() const { return csv_; }

private:
  void read_row(std::string_view line, RowIssues& issues) {
    const auto row = quoted_row(line, numbers_);
    if (!row) return;
    const auto name = std::string_view(*row).substr(1, row->find('"', 1) - 1);
    const auto command = command_of(name);
    if (!is_memory_command(command.name) && !is_other_command(command.name)) {
      csv_ += *row;
      return;
    }
    issues.count(Severity::Info, "memory-operations",
                 [] { return "sums over commands that are not kernels were left out"; });
  }

  std::string csv_;
  std::ptrdiff_t numbers_ = 0;
  bool open_ = false;
};

Expected<void> read_sums(const Input& input, const std::string& csv, Draft& draft, store::Source& source,
                         RowIssues& issues, const Progress& progress) {
  if (csv.find('\n') + 1 >= csv.size())
    return failure(
        ErrorKind::BadInput, "the output of unitrace contains no kernels", input.name(), {},
        "Record with unitrace --device-timeline, or --chrome-kernel-logging for a timeline in JSON.");
  source.timeless = true;
  issues.count(Severity::Doubt, "sums-over-launches", [&] {
    return fmt::format(
        "{} contains sums over launches, not individual launches: it cannot show how they vary. "
        "Record with unitrace --device-timeline",
        input.name());
  });
  table::Plan plan;
  plan.kernel_column = "Kernel";
  plan.finds_duration = false;
  plan.is_titles = is_titles;
  plan.kernel_name = [](std::string_view cell) { return command_of(cell).name; };
  return table::read_plain(Input::from_memory(input.name(), csv), plan, draft, issues, progress);
}

bool recognises(const Input& input) {
  const std::string_view head = input.head;
  for (const std::string_view mark : {"=== Device Timing Summary ===", "=== Device Timing Results",
                                      "=== API Timing Summary ===", "=== API Timing Results"})
    if (head.find(mark) != std::string_view::npos) return true;
  for (auto end = head.find(" (end)"); end != std::string_view::npos; end = head.find(" (end)", end + 1)) {
    const auto begin = head.rfind('\n', end) + 1;
    if (line_of(head.substr(begin, end + 6 - begin))) return true;
  }
  return false;
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  const auto& input = inputs.front();
  source.tool = "unitrace";
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  paraver::Lines lines(**stream);
  RowIssues issues;
  Sums sums;
  std::optional<Timeline> timeline;
  const auto before = draft.sizes();
  for (;;) {
    const auto next = lines.next();
    if (!next) return forward(next.error());
    if (!*next) break;
    if (lines.number() % 4096 == 0 && !progress.report((*stream)->consumed(), input.disk_bytes, "lines"))
      return Job::cancelled_error();
    if (const auto line = line_of(**next)) {
      if (!timeline) timeline.emplace(draft, issues);
      timeline->add(*line, lines.number());
    } else {
      sums.add(trimmed(**next), issues);
    }
  }
  const auto after = draft.sizes();
  if (after.launches == before.launches && after.transfers == before.transfers) {
    if (auto done = read_sums(input, sums.csv(), draft, source, issues, progress); !done) return done;
  } else if (!sums.csv().empty()) {
    issues.count(Severity::Info, "same-kernels",
                 [] { return "sums over the launches of the timeline were left out"; });
  }
  issues.move_to(draft.report);
  return {};
}

} // namespace

const Reader kReader = {"unitrace output", recognises, read};

} // namespace jitterscope::import::unitrace
