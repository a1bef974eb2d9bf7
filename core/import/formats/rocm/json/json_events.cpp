#include "core/import/formats/rocm/json/json_events.h"
#include "core/import/records/events.h"

#include <map>

#include <fmt/core.h>

#include "core/import/text/text.h"

namespace jitterscope::import::rocm {
namespace {

using import::json::Cursor;
using store::Severity;
using store::TransferKind;

constexpr auto kKind = path_number("kind"), kOperation = path_number("operation"),
               kStart = path_number("start_timestamp"), kEnd = path_number("end_timestamp"),
               kThread = path_number("thread_id"), kCorrelation = path_number("correlation_id.internal");

constexpr std::size_t kMaxUnlisted = 65'536;

} // namespace

JsonEvents::JsonEvents(Draft& draft, RowIssues& issues, const JsonTables& tables, std::uint32_t host)
    : draft_(draft), issues_(issues), tables_(tables), places_(draft, host), kernels_(draft),
      process_(places_.process(tables.pid)) {
  for (const auto& [handle, agent] : tables.agents)
    if (agent.gpu) places_.describe(agent.number, agent.described);
}

std::optional<Times> JsonEvents::times_of(const JsonRecord& record, const std::string& table) {
  return checked_times(issues_, record.integer(kStart), record.integer(kEnd),
                       [&] { return fmt::format("{} record {}", table, records_); });
}

// One stream per queue: streams of the program are more numerous, most of them used once.
std::uint32_t JsonEvents::stream_of(std::optional<std::uint64_t> agent, std::optional<std::uint64_t> queue) {
  const auto known = agent ? tables_.agents.find(*agent) : tables_.agents.end();
  std::int64_t number = 0;
  if (known != tables_.agents.end())
    number = known->second.number;
  else if (const auto found = agent ? unlisted_.find(*agent) : unlisted_.end(); found != unlisted_.end())
    number = found->second;
  else if (agent && queue && tables_.agents.empty() &&
           unlisted_.size() < kMaxUnlisted) // copies refer to the host, too
    unlisted_.emplace(*agent, number = static_cast<std::int64_t>(unlisted_.size()));
  if (known == tables_.agents.end())
    issues_.count(Severity::Doubt, "missing-device", [&] {
      return tables_.agents.empty() && agent
                 ? fmt::format("record {} ran on agent {}, but the file lists no agents: they are numbered "
                               "in the order in which they appear",
                               records_, *agent)
                 : fmt::format("record {} does not state on which of the listed agents it ran; it is shown "
                               "on device 0",
                               records_);
    });
  const auto device = places_.device(process_, number);
  if (!queue) return places_.stream(device, 0, "copies");
  return places_.stream(device, static_cast<std::int64_t>(*queue & 0x7FFFFFFFFFFFFFFFull));
}

std::uint32_t JsonEvents::thread_of(const JsonRecord& record) {
  return places_.thread(process_, record.integer(kThread).value_or(0));
}

// Numbers of kinds and operations change between releases; the file's own tables define them.
const std::string* JsonEvents::operation(const JsonRecord& record, std::string* kind_name) {
  const auto kind = record.integer(kKind), number = record.integer(kOperation);
  if (!kind || *kind < 0 || *kind >= static_cast<std::int64_t>(tables_.kinds.size())) return nullptr;
  const auto& known = tables_.kinds[static_cast<std::size_t>(*kind)];
  if (kind_name) *kind_name = known.name;
  if (!number || *number < 0 || *number >= static_cast<std::int64_t>(known.operations.size())) return nullptr;
  return &known.operations[static_cast<std::size_t>(*number)];
}

const KernelNames::Known& JsonEvents::kernel_of(std::optional<std::int64_t> id) {
  const auto found = id ? tables_.symbols.find(*id) : tables_.symbols.end();
  if (found != tables_.symbols.end() && !found->second.name.empty()) return kernels_.of(found->second.name);
  issues_.count(Severity::Doubt, "dangling-name", [&] {
    return fmt::format("record {} refers to a kernel that the file does not contain", records_);
  });
  return kernels_.of(fmt::format("(unknown kernel {})", id.value_or(-1)));
}

Configuration JsonEvents::configuration_of(const JsonRecord& record, const std::string& prefix) {
  Configuration configuration;
  WorkSize size;
  bool reported = true;
  static constexpr const char* kAxes[] = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis) {
    const auto group = record.integer(path_number(fmt::format("{}workgroup_size.{}", prefix, kAxes[axis])));
    const auto grid = record.integer(path_number(fmt::format("{}grid_size.{}", prefix, kAxes[axis])));
    reported = reported && group && grid;
    size.group[axis] = group.value_or(0);
    size.grid[axis] = grid.value_or(0);
  }
  if (!set_work_size(configuration, size) || !reported)
    issues_.count(Severity::Doubt, "odd-grid", [&] {
      return fmt::format(
          "record {} has a grid that is not a multiple of its work-group or not a 32-bit unsigned integer",
          records_);
    });
  configuration.static_shared_memory =
      count_or_zero(record.integer(path_number(prefix + "group_segment_size")));
  return configuration;
}

// The registers in the record, else those of the kernel's symbol.
void JsonEvents::set_registers(const JsonRecord& record, std::optional<std::int64_t> kernel,
                               std::size_t launch) {
  const auto found = kernel ? tables_.symbols.find(*kernel) : tables_.symbols.end();
  const auto either = [&](const char* own, std::optional<std::int64_t> JsonTables::Symbol::*other) {
    const auto value = record.integer(path_number(own));
    return value || found == tables_.symbols.end() ? value : found->second.*other;
  };
  const auto set = [&](const char* title, const char* unit, std::optional<std::int64_t> value) {
    if (value)
      draft_.attributes.set(draft_.attributes.number(title, unit), launch, static_cast<double>(*value));
  };
  set("accum_vgpr", "", either("accum_vgpr_count", &JsonTables::Symbol::accum_vgpr));
  set("sgpr", "", either("sgpr_count", &JsonTables::Symbol::sgpr));
}

void JsonEvents::add_dispatch(const JsonRecord& record) {
  const auto times = times_of(record, "kernel_dispatch");
  if (!times) return;
  const auto id = record.integer(path_number("dispatch_info.kernel_id"));
  const auto stream = stream_of(record.handle(path_number("dispatch_info.agent_id.handle")),
                                record.handle(path_number("dispatch_info.queue_id.handle")).value_or(0));
  const auto correlation = low_bits(record.integer(kCorrelation).value_or(0));
  const auto& kernel = kernel_of(id);
  if (kernel.memory_operation) {
    issues_.count(Severity::Info, "copy-kernels", [&] {
      return fmt::format(
          "record {} is a runtime kernel that copies or fills memory: it is shown as a memory operation "
          "of unknown size",
          records_);
    });
    return push_transfer(draft_, *times, *kernel.memory_operation, store::kUnknownBytes, stream, correlation);
  }
  auto configuration = configuration_of(record, "dispatch_info.");
  configuration.kernel = kernel.kernel;
  const auto symbol = id ? tables_.symbols.find(*id) : tables_.symbols.end();
  if (symbol != tables_.symbols.end()) configuration.registers = count_or_zero(symbol->second.vgpr);
  const auto launch = draft_.launches.start.size();
  push_launch(draft_, *times, draft_.configuration(configuration), stream, correlation);
  if (times->duration == 0)
    issues_.count(Severity::Info, "zero-duration",
                  [&] { return fmt::format("record {} lasts 0 ns", records_); });
  if (const auto scratch = record.integer(path_number("dispatch_info.private_segment_size")))
    draft_.attributes.set(draft_.attributes.number("scratch", "B"), launch, static_cast<double>(*scratch));
  set_registers(record, id, launch);
  if (const auto hip_stream = record.integer(path_number("stream_id.handle")))
    draft_.attributes.set(
        draft_.attributes.number("hip_stream", "",
                                 "Number of the HIP stream; rows of the timeline are hardware queues"),
        launch, static_cast<double>(*hip_stream));
  if (tables_.has_counters)
    if (const auto dispatch = record.integer(path_number("dispatch_info.dispatch_id")))
      launches_[*dispatch] = launch;
}

void JsonEvents::add_copy(const JsonRecord& record) {
  const auto times = times_of(record, "memory_copy");
  if (!times) return;
  const auto source = record.handle(path_number("src_agent_id.handle")),
             target = record.handle(path_number("dst_agent_id.handle"));
  const auto is_gpu = [&](std::optional<std::uint64_t> agent) {
    const auto known = agent ? tables_.agents.find(*agent) : tables_.agents.end();
    return known != tables_.agents.end() && known->second.gpu;
  };
  const auto* name = operation(record);
  auto kind = name ? copy_kind(*name) : TransferKind::Unknown;
  if (kind == TransferKind::Unknown && source && target)
    kind = is_gpu(source) ? (is_gpu(target) ? TransferKind::DeviceToDevice : TransferKind::DeviceToHost)
                          : (is_gpu(target) ? TransferKind::HostToDevice : TransferKind::HostToHost);
  if (kind == TransferKind::DeviceToDevice && source != target && is_gpu(source) && is_gpu(target))
    kind = TransferKind::PeerToPeer;
  auto bytes = record.integer(path_number("bytes"));
  if (!bytes || *bytes < 0 || *bytes > kMaxOperationBytes) {
    issues_.count(bytes ? Severity::Repair : Severity::Doubt, bytes ? "bad-bytes" : "missing-bytes", [&] {
      return fmt::format(
          "memory_copy record {} has no size between 0 and 1 PiB: its size is treated as unknown", records_);
    });
    bytes = store::kUnknownBytes;
  }
  push_transfer(draft_, *times, kind, *bytes, stream_of(is_gpu(target) ? target : source, {}),
                low_bits(record.integer(kCorrelation).value_or(0)));
}

void JsonEvents::add_call(const JsonRecord& record, const std::string& table) {
  const auto times = times_of(record, table);
  if (!times) return;
  const auto* name = operation(record);
  if (!name)
    issues_.count(Severity::Doubt, "dangling-name", [&] {
      return fmt::format("{} record {} belongs to an operation that the file does not name", table, records_);
    });
  push_call(draft_, *times, draft_.strings.intern(name ? *name : "(unknown function)").value,
            thread_of(record), low_bits(record.integer(kCorrelation).value_or(0)));
}

void JsonEvents::add_marker(const JsonRecord& record) {
  const auto times = times_of(record, "marker_api");
  if (!times) return;
  const auto* name = operation(record);
  const std::string function = name ? *name : std::string();
  auto text = tables_.markers.end();
  if (const auto number = record.integer(kCorrelation)) text = tables_.markers.find(*number);
  const auto& title = text != tables_.markers.end() ? text->second : function;
  const auto kind = function.find("Mark") != std::string::npos         ? kMark
                    : function.find("RangeStart") != std::string::npos ? kStartEndRange
                                                                       : kPushPopRange;
  push_range(draft_, kind == kMark ? Times{times->start, 0} : *times, draft_.strings.intern(title).value,
             draft_.strings.intern("ROCTx").value, thread_of(record), kind);
}

void JsonEvents::add_allocation(const JsonRecord& record, const std::string& table, const char* domain) {
  const auto times = times_of(record, table);
  if (!times) return;
  const auto* name = operation(record);
  push_range(draft_, *times, draft_.strings.intern(name ? *name : domain).value,
             draft_.strings.intern(domain).value, thread_of(record), kStartEndRange);
}

void JsonEvents::leave_out(const std::string& table) {
  issues_.count(Severity::Drop, "other-records", [&] {
    return fmt::format("{} record {}: records of this kind are not imported", clean_text(table), records_);
  });
}

Expected<void> JsonEvents::read_buffers(Cursor& cursor, JsonRecords& records) {
  return import::json::each_member(cursor, [&](const std::string& table) {
    records_ = 0;
    const bool api = table.ends_with("_api") || table.ends_with("_api_ext");
    return records.each(cursor, [&](const JsonRecord& record) {
      ++records_;
      if (table == "kernel_dispatch") return add_dispatch(record);
      if (table == "memory_copy") return add_copy(record);
      if (table == "memory_allocation") return add_allocation(record, table, "memory allocation");
      if (table == "scratch_memory") return add_allocation(record, table, "scratch memory");
      if (!api) return leave_out(table);
      table.starts_with("marker") ? add_marker(record) : add_call(record, table);
    });
  });
}

// The launch whose counters are in a record. Counters are often recorded without a trace: then the dispatch
// becomes a launch here, with its times if the release writes them.
std::size_t JsonEvents::launch_of_counters(const JsonRecord& record) {
  const auto dispatch = record.integer(path_number("dispatch_data.dispatch_info.dispatch_id"));
  if (dispatch)
    if (const auto found = launches_.find(*dispatch); found != launches_.end()) return found->second;
  if (tables_.has_dispatches) return static_cast<std::size_t>(-1);
  const auto id = record.integer(path_number("dispatch_data.dispatch_info.kernel_id"));
  auto configuration = configuration_of(record, "dispatch_data.dispatch_info.");
  configuration.kernel = kernel_of(id).kernel;
  configuration.registers = count_or_zero(record.integer(path_number("arch_vgpr_count")));
  const auto stream =
      stream_of(record.handle(path_number("dispatch_data.dispatch_info.agent_id.handle")),
                record.handle(path_number("dispatch_data.dispatch_info.queue_id.handle")).value_or(0));
  const auto start = record.integer(path_number("dispatch_data.start_timestamp")),
             end = record.integer(path_number("dispatch_data.end_timestamp"));
  const auto row = draft_.launches.start.size();
  if (!timeless_ && start && end && *start > 0) {
    const auto times = checked_times(issues_, start, end,
                                     [&] { return fmt::format("counter_collection record {}", records_); });
    if (!times) return static_cast<std::size_t>(-1);
    push_launch(draft_, *times, draft_.configuration(configuration), stream, 0);
  } else {
    if (row > 0 && !timeless_ && !launches_.empty()) return static_cast<std::size_t>(-1); // others have times
    timeless_ = true;
    draft_.add_untimed_launch(draft_.configuration(configuration), stream,
                              start && end && *end > *start ? *end - *start : store::kMissingDuration);
  }
  set_registers(record, id, row);
  if (dispatch) launches_[*dispatch] = row;
  return row;
}

void JsonEvents::add_counters(const JsonRecord& record) {
  const auto launch = launch_of_counters(record);
  if (launch == static_cast<std::size_t>(-1)) {
    issues_.count(Severity::Drop, "counters-without-launch", [&] {
      return fmt::format("counter_collection record {} belongs to no dispatch in the file", records_);
    });
    return;
  }
  std::map<std::string, std::pair<double, int>> values; // several instances of one counter are summed
  for (const auto& [written, value] : record.counters()) {
    const auto handle = import::json::handle(written);
    const auto number = import::json::real(value);
    if (!handle || !number) continue;
    const auto known = tables_.counters.find(*handle);
    const auto name = known == tables_.counters.end() ? fmt::format("counter {}", *handle) : known->second;
    auto& sum = values[name];
    sum.first += *number;
    ++sum.second;
  }
  for (const auto& counted : values) {
    const auto& name = counted.first;
    const auto& sum = counted.second;
    if (sum.second > 1)
      issues_.count(Severity::Info, "counter-instances-summed", [&] {
        return fmt::format("{} has {} instances in one dispatch: their sum is used", name, sum.second);
      });
    draft_.attributes.set(draft_.attributes.number(name, ""), launch, sum.first);
  }
}

Expected<void> JsonEvents::read_callbacks(Cursor& cursor, JsonRecords& records) {
  return import::json::each_member(cursor, [&](const std::string& key) {
    records_ = 0;
    return records.each(cursor, [&](const JsonRecord& record) {
      ++records_;
      key == "counter_collection" ? add_counters(record) : leave_out(key);
    });
  });
}

} // namespace jitterscope::import::rocm
