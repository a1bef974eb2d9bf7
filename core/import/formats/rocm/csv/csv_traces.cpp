#include "core/import/formats/rocm/csv/csv_traces.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::rocm {
namespace {

using store::Severity;
using store::TransferKind;

constexpr std::size_t kMaxReasons = 64, kMaxOthers = 4096;

// "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_WAITCNT" → "waitcnt"
std::string short_reason(std::string_view reason) {
  constexpr std::string_view kMark = "_REASON_";
  const auto at = reason.rfind(kMark);
  return lower(at == std::string_view::npos ? reason : reason.substr(at + kMark.size()));
}

void add_one(Draft& draft, std::size_t column, std::size_t launch) {
  const auto& numbers = draft.attributes.all()[column].numbers.values();
  const bool counted = launch < numbers.size() && numbers[launch] > 0;
  draft.attributes.set(column, launch, counted ? numbers[launch] + 1 : 1);
}

void report_unknown_bytes(CsvGroup& group, const CsvTable& table) {
  group.issues.count(Severity::Info, "unknown-bytes", [&] {
    return fmt::format(
        "{}: the sizes of copies are unknown, because these tables do not state how many bytes a copy moved",
        table.place());
  });
}

struct Marker {
  std::int64_t time = 0, id = 0;
  std::uint32_t name = 0; ///< row of Draft::strings, kNone for the end of a range
};

} // namespace

std::string trace_prefix(const std::string& file_name) {
  static constexpr std::string_view kKinds[] = {"kernel_trace",   "counter_collection",
                                                "memory_copy",    "memory_alloc",
                                                "scratch_memory", "hip_",
                                                "hsa_",           "marker_",
                                                "rccl_",          "rocdecode_",
                                                "rocjpeg_",       "agent_info",
                                                "pc_sampling",    "kernel_stats",
                                                "domain_stats"};
  auto end = file_name.size();
  for (const auto kind : kKinds) end = std::min(end, file_name.find(kind));
  return end == file_name.size() ? std::string() : file_name.substr(0, end);
}

template <class EachRow>
Expected<void> CsvTraces::for_rows(const Input& input, EachRow&& each) {
  auto table = CsvTable::open(input, group_.meter);
  if (!table) return forward(table.error());
  return (*table)->for_each(group_.issues, [&] { each(**table); });
}

std::uint32_t CsvTraces::name_of(std::string_view text) {
  const auto [place, added] = names_.try_emplace(std::string(text), 0);
  if (added) place->second = group_.draft.strings.intern(clean_text(text)).value;
  return place->second;
}

const std::string& CsvTraces::prefix_of(const std::string& file_name) {
  if (file_name != last_file_) {
    last_file_ = file_name;
    last_prefix_ = trace_prefix(file_name);
  }
  return last_prefix_;
}

// Traces of kernels and copies have no process: it is determined by the run, by the thread, by the calls of
// files with the same name, or by the number at the beginning of the name.
std::uint32_t CsvTraces::process_of(const CsvTable& table) {
  if (const auto pid = table.whole(Role::Process); pid && *pid >= 0) return group_.places.process(*pid);
  if (const auto known = pid_of_guid_.find(table.text(Role::Guid)); known != pid_of_guid_.end())
    return group_.places.process(known->second);
  if (const auto thread = table.whole(Role::Thread))
    if (const auto known = pids_of_thread_.find(*thread);
        known != pids_of_thread_.end() && known->second.size() == 1)
      return group_.places.process(*known->second.begin());
  const auto& prefix = prefix_of(table.name());
  if (const auto known = pids_of_prefix_.find(prefix);
      known != pids_of_prefix_.end() && known->second.size() == 1)
    return group_.places.process(*known->second.begin());
  if (!prefix.empty() && prefix.front() >= '0' && prefix.front() <= '9')
    if (const auto pid = parse_integer(prefix.substr(0, prefix.find('_'))))
      return group_.places.process(*pid);
  const auto [place, added] = unknown_.try_emplace(prefix, -2 - static_cast<std::int64_t>(unknown_.size()));
  return group_.places.process(place->second, group_.workload);
}

Expected<void> CsvTraces::read_calls(const Input& input) {
  const auto roctx = group_.draft.strings.intern("ROCTX").value;
  return for_rows(input, [&](const CsvTable& table) {
    const auto times = times_of(table, group_.issues);
    if (!times) return;
    const auto pid = table.whole(Role::Process);
    const auto tid = table.integer_or(Role::Thread, 0);
    if (pid) {
      if (const auto guid = table.text(Role::Guid); !guid.empty())
        pid_of_guid_.try_emplace(std::string(guid), *pid);
      pids_of_prefix_[prefix_of(table.name())].insert(*pid);
      if (pids_of_thread_.size() < 100'000) pids_of_thread_[tid].insert(*pid);
    }
    const auto thread = group_.places.thread(process_of(table), tid);
    const auto domain = table.text(table.header().has(Role::Domain) ? Role::Domain : Role::Kind);
    const auto name = name_of(table.text(Role::Function));
    if (domain.find("MARKER") != std::string_view::npos || domain.find("ROCTX") != std::string_view::npos)
      return push_range(group_.draft, *times, name, roctx, thread,
                        times->duration == 0 ? kMark : kPushPopRange);
    push_call(group_.draft, *times, name, thread, low_bits(table.integer_or(Role::Correlation, 0)));
  });
}

// rocprofv2 lists runtime operations without a kernel among the kernels: "CopyHostToDevice", "FillBuffer".
void CsvTraces::add_operation(const CsvTable& table, const Times& times) {
  const auto operation = table.text(Role::Operation);
  const auto kind = copy_kind(operation);
  if (kind == TransferKind::Unknown && operation.find("opy") == std::string_view::npos) {
    group_.issues.count(Severity::Drop, "other-operations", [&] {
      return fmt::format("{} is \"{}\", which is neither a kernel, copy nor fill", table.place(),
                         clean_text(operation));
    });
    return;
  }
  const auto device = group_.places.device(process_of(table), agent_number(table.text(Role::Gpu)));
  report_unknown_bytes(group_, table);
  copies_.emplace(times.start, times.duration);
  push_transfer(group_.draft, times, kind, store::kUnknownBytes,
                group_.places.stream(device, table.integer_or(Role::Queue, 0)),
                low_bits(table.integer_or(Role::Correlation, 0)));
}

// True if the row became a launch.
bool CsvTraces::add_kernel(const CsvTable& table, CommonAttributes& common, TraceIndex& index) {
  auto& draft = group_.draft;
  const auto times = times_of(table, group_.issues);
  if (!times) return false;
  const auto name = table.text(Role::Kernel);
  if (name.empty() && !table.text(Role::Operation).empty()) {
    add_operation(table, *times);
    return false;
  }
  if (name.empty()) {
    group_.issues.count(Severity::Drop, "missing-name",
                        [&] { return fmt::format("{} does not name a kernel", table.place()); });
    return false;
  }
  const auto device = group_.places.device(process_of(table), agent_number(table.text(Role::Gpu)));
  const auto stream = group_.places.stream(device, table.integer_or(Role::Queue, 0));
  const auto correlation = low_bits(table.integer_or(Role::Correlation, 0));
  const auto& kernel = group_.kernels.of(name);
  if (kernel.memory_operation) {
    group_.issues.count(Severity::Info, "copy-kernels", [&] {
      return fmt::format("{} is a kernel of the runtime that moves memory ({}): it is shown as a memory "
                         "operation of unknown size",
                         table.place(), clean_text(name));
    });
    push_transfer(draft, *times, *kernel.memory_operation, store::kUnknownBytes, stream, correlation);
    return false;
  }
  const auto launch = draft.launches.start.size();
  const auto configuration = configuration_of(group_, table, kernel.kernel);
  push_launch(draft, *times, draft.configuration(configuration), stream, correlation);
  common.set(table, launch);
  if (!keep_index_) return true;
  const auto size = [&](Role role) {
    return std::clamp<std::int64_t>(table.integer_or(role, 1), 0, 1 << 20);
  };
  index.rows.push_back({kernel.kernel, size(Role::GridX) * size(Role::GridY) * size(Role::GridZ),
                        table.integer_or(Role::Dispatch, 0)});
  index.launches.push_back(static_cast<std::uint32_t>(launch));
  return true;
}

Expected<void> CsvTraces::read_kernels(const Input& input) {
  auto table = CsvTable::open(input, group_.meter);
  if (!table) return forward(table.error());
  CommonAttributes common(group_.draft, (*table)->header());
  auto& index = traces_.emplace_back();
  index.file = (*table)->name();
  std::vector<std::pair<std::size_t, AttributeColumn>>
      others; // columns that no version of the tool documents
  for (const auto column : (*table)->header().counters)
    if (others.size() < kMaxOthers)
      others.emplace_back(column, AttributeColumn((*table)->header().titles[column], ""));
  return (*table)->for_each(group_.issues, [&] {
    if (!add_kernel(**table, common, index)) return;
    const auto launch = group_.draft.launches.start.size() - 1;
    for (auto& [column, attribute] : others) attribute.put(group_.draft, launch, (*table)->field(column));
  });
}

Expected<void> CsvTraces::read_copies(const Input& input) {
  std::optional<std::size_t> size_column;
  const auto header = header_in(input.head, input.whole());
  for (const auto column : header.counters)
    for (const auto* title : {"size", "bytes", "sizebytes"})
      if (plain_title(header.titles[column]) == title) size_column = column;
  return for_rows(input, [&](const CsvTable& table) {
    const auto times = times_of(table, group_.issues);
    if (!times) return;
    auto kind =
        copy_kind(table.text(table.header().has(Role::Direction) ? Role::Direction : Role::Operation));
    const auto source = trimmed(table.text(Role::SourceAgent)),
               target = trimmed(table.text(Role::TargetAgent));
    if (kind == TransferKind::DeviceToDevice && source != target && !source.empty() && !target.empty())
      kind = TransferKind::PeerToPeer;
    const auto agent = kind == TransferKind::DeviceToHost ? Role::SourceAgent : Role::TargetAgent;
    const auto device = group_.places.device(process_of(table), agent_number(table.text(agent)));
    if (copies_.contains({times->start, times->duration})) {
      group_.issues.count(Severity::Info, "copies-in-two-tables", [&] {
        return fmt::format("{} is a copy that the table of operations also lists: it is read once",
                           table.place());
      });
      return;
    }
    const auto bytes = size_column ? parse_whole_number(table.field(*size_column)).value_or(-1) : -1;
    if (bytes < 0) report_unknown_bytes(group_, table);
    push_transfer(group_.draft, *times, kind, bytes < 0 ? store::kUnknownBytes : bytes,
                  group_.places.stream(device, 0, "copies"),
                  low_bits(table.integer_or(Role::Correlation, 0)));
  });
}

// Marks and starts of ranges look the same: a start without an end is a mark.
Expected<void> CsvTraces::read_markers(const Input& input) {
  const auto roctx = group_.draft.strings.intern("ROCTX").value;
  SpillVector<Marker> markers;
  std::uint32_t thread = kNone;
  std::size_t id_column = 0, message_column = 0, time_column = 0;
  auto done = for_rows(input, [&](const CsvTable& table) {
    if (thread == kNone) {
      thread = group_.places.thread(process_of(table), 0);
      for (std::size_t column = 0; column < table.header().titles.size(); ++column) {
        const auto title = plain_title(table.header().titles[column]);
        if (title == "roctxid") id_column = column;
        if (title == "message") message_column = column;
        if (title == "timestamp") time_column = column;
      }
    }
    const auto time = parse_whole_number(table.field(time_column));
    const auto good = checked_times(group_.issues, time, time, [&] { return table.place(); });
    if (!good) return;
    const auto message = trimmed(table.field(message_column));
    markers.push_back({good->start, parse_whole_number(table.field(id_column)).value_or(0),
                       message.empty() ? kNone : name_of(message)});
  });
  if (!done) return done;
  std::stable_sort(markers.begin(), markers.end(),
                   [](const Marker& a, const Marker& b) { return a.time < b.time; });
  std::map<std::int64_t, std::vector<std::size_t>> open; // by id, the innermost last
  SpillVector<std::int64_t> durations(markers.size(), -1);
  for (std::size_t i = 0; i < markers.size(); ++i) {
    auto& begun = open[markers[i].id];
    if (markers[i].name != kNone) {
      begun.push_back(i);
    } else if (!begun.empty()) {
      durations[begun.back()] = markers[i].time - markers[begun.back()].time;
      begun.pop_back();
    } else {
      group_.issues.count(Severity::Drop, "end-without-begin", [&] {
        return fmt::format("a range that ends at {} ns has no beginning in {}", markers[i].time,
                           input.file_name());
      });
    }
  }
  for (std::size_t i = 0; i < markers.size(); ++i)
    if (markers[i].name != kNone)
      push_range(group_.draft, {markers[i].time, std::max<std::int64_t>(durations[i], 0)}, markers[i].name,
                 roctx, thread, durations[i] < 0 ? kMark : kPushPopRange);
  return {};
}

Expected<void> CsvTraces::read_ranges(const Input& input, const char* domain) {
  const auto domain_name = group_.draft.strings.intern(domain).value;
  return for_rows(input, [&](const CsvTable& table) {
    const auto times = times_of(table, group_.issues);
    if (!times) return;
    const auto thread = group_.places.thread(process_of(table), table.integer_or(Role::Thread, 0));
    push_range(group_.draft, *times, name_of(table.text(Role::Operation)), domain_name, thread,
               kStartEndRange);
  });
}

const TraceIndex* CsvTraces::trace_of(const std::string& file) const {
  const TraceIndex* best = nullptr;
  std::size_t length = 0;
  for (const auto& trace : traces_) {
    if (trace.launches.empty()) continue;
    const auto [a, b] = std::mismatch(trace.file.begin(), trace.file.end(), file.begin(), file.end());
    const auto common = static_cast<std::size_t>(a - trace.file.begin());
    if (!best || common > length) {
      best = &trace;
      length = common;
    }
  }
  return best;
}

Expected<void> CsvTraces::read_samples(const Input& input) {
  const auto* trace = trace_of(input.file_name());
  std::unordered_map<std::int64_t, std::uint32_t> launch_of;
  if (trace)
    for (std::size_t row = 0; row < trace->rows.size(); ++row)
      launch_of.emplace(trace->rows[row].dispatch, trace->launches[row]);
  auto& attributes = group_.draft.attributes;
  std::map<std::string, std::size_t> reasons;
  return for_rows(input, [&](const CsvTable& table) {
    const auto dispatch = table.whole(Role::Dispatch);
    const auto launch = dispatch ? launch_of.find(*dispatch) : launch_of.end();
    if (launch == launch_of.end()) {
      group_.issues.count(Severity::Drop, "samples-without-launch", [&] {
        return fmt::format("{} is a sample of a dispatch that no kernel trace next to the file contains",
                           table.place());
      });
      return;
    }
    add_one(group_.draft,
            attributes.number("pc_samples", "", "Number of samples of the program counter during the launch"),
            launch->second);
    const auto reason = short_reason(table.text(Role::StallReason));
    if (reason.empty()) return;
    auto known = reasons.find(reason);
    if (known == reasons.end() && reasons.size() < kMaxReasons)
      known =
          reasons
              .emplace(reason,
                       attributes.number("pc_samples_" + reason, "",
                                         "Number of samples in which the wave was stalled for this reason"))
              .first;
    if (known != reasons.end()) add_one(group_.draft, known->second, launch->second);
  });
}

} // namespace jitterscope::import::rocm
