#include <algorithm>
#include <cctype>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/formats/rocm/database/rocpd_run.h"
#include "core/import/records/events.h"

namespace jitterscope::import::rocm {
namespace {

using sqlite::Rows;
using store::Severity;
using store::TransferKind;

constexpr int kStart = 0, kEnd = 1, kStartId = 2, kEndId = 3, kTrack = 4, kNode = 5, kProcess = 6,
              kThread = 7, kAgent = 8, kQueue = 9, kEventId = 10, kFirstOwn = 11;

std::string upper(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

} // namespace

const std::vector<std::string> RocpdRun::kCommon = {"start", "end", "start_id", "end_id",   "track_id", "nid",
                                                    "pid",   "tid", "agent_id", "queue_id", "event_id"};

std::vector<std::string> RocpdRun::common_and(std::initializer_list<const char*> own) {
  auto columns = kCommon;
  columns.insert(columns.end(), own.begin(), own.end());
  return columns;
}

bool is_api_call(std::string_view category, std::string_view name) {
  const auto c = upper(category);
  if (c.find("MARKER") != std::string::npos || c.find("ROCTX") != std::string::npos) return false;
  for (const auto* part : {"_API", "HIP", "HSA", "RCCL", "NCCL", "ROCDECODE", "ROCJPEG", "OMPT"})
    if (c.find(part) != std::string::npos) return true;
  if (!c.empty()) return false;
  return name.starts_with("hip") || name.starts_with("hsa_") || name.starts_with("nccl") ||
         name.starts_with("rccl") || name.starts_with("__hip");
}

RocpdRun::Place RocpdRun::place_of_row(const Rows& rows) const {
  Place place;
  if (const auto track = integer(rows, kTrack))
    if (const auto known = tracks_.find(*track); known != tracks_.end()) place = known->second;
  if (const auto node = integer(rows, kNode)) place.node = *node;
  if (const auto process = integer(rows, kProcess)) place.process = *process;
  if (const auto thread = integer(rows, kThread)) place.thread = thread;
  if (const auto agent = integer(rows, kAgent)) place.agent = agent;
  if (const auto queue = integer(rows, kQueue)) place.queue = queue;
  return place;
}

std::optional<std::int64_t> RocpdRun::timestamp(const Rows& rows, int direct, int by_id) const {
  if (const auto value = integer(rows, direct)) return value;
  const auto id = integer(rows, by_id);
  if (!id) return {};
  const auto found = timestamps_.find(*id);
  return found == timestamps_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Times> RocpdRun::times_of_row(const Rows& rows, const std::string& name) {
  return checked_times(session_.issues, timestamp(rows, kStart, kStartId), timestamp(rows, kEnd, kEndId),
                       [&] { return place_of(rows, name); });
}

// Rows refer to processes and threads by row id or by system id.
std::uint32_t RocpdRun::process_of(const Place& place) {
  const auto known = pids_.find(place.process);
  const auto pid = known != pids_.end() ? known->second : place.process;
  const auto name = process_names_.find(place.process);
  return places(place.node).process(pid, name != process_names_.end() ? name->second : std::string());
}

std::uint32_t RocpdRun::thread_of(const Place& place) {
  const auto process = process_of(place);
  const auto row = place.thread.value_or(0);
  const auto known = tids_.find(row);
  const auto name = thread_names_.find(row);
  return places(place.node)
      .thread(process, known != tids_.end() ? known->second : row,
              name != thread_names_.end() ? name->second : std::string());
}

std::uint32_t RocpdRun::stream_of(const Place& place, std::optional<std::int64_t> agent,
                                  const std::string& name) {
  const auto known = agent ? agents_.find(*agent) : agents_.end();
  if (known == agents_.end())
    session_.issues.count(Severity::Doubt, "missing-device", [&] {
      return fmt::format("{}: a row does not state on which of the listed agents it ran; its own agent "
                         "number is shown as the device",
                         name);
    });
  auto& at = places(place.node);
  const auto number = known == agents_.end() ? agent.value_or(0) : known->second.number;
  const auto device =
      at.device(process_of(place), number, known == agents_.end() ? std::string() : known->second.name);
  if (!place.queue) return at.stream(device, 0, "copies");
  const auto queue = queue_names_.find(*place.queue);
  return at.stream(device, *place.queue, queue == queue_names_.end() ? std::string() : queue->second);
}

Expected<void> RocpdRun::read_kernels() {
  const auto name = table("rocpd_kernel_dispatch");
  auto& attributes = session_.draft.attributes;
  return session_.for_each(
      name,
      common_and({"kernel_id", "private_segment_size", "group_segment_size", "workgroup_size_x",
                  "workgroup_size_y", "workgroup_size_z", "grid_size_x", "grid_size_y", "grid_size_z"}),
      [&](const Rows& rows) {
        const auto times = times_of_row(rows, name);
        if (!times) return;
        auto place = place_of_row(rows);
        if (!place.queue) place.queue = 0;
        const auto id = integer(rows, kFirstOwn);
        const auto found = id ? symbols_.find(*id) : symbols_.end();
        static const Symbol kUnknown;
        const Symbol& symbol = found == symbols_.end() ? kUnknown : found->second;
        if (symbol.name.empty())
          session_.issues.count(Severity::Doubt, "dangling-name", [&] {
            return fmt::format("{} refers to a kernel that the file does not contain", place_of(rows, name));
          });
        const auto& kernel = session_.kernels.of(
            symbol.name.empty() ? fmt::format("(unknown kernel {})", id.value_or(-1)) : symbol.name);
        const auto* asked = event(integer(rows, kEventId));
        const auto correlation = asked ? asked->correlation : 0;
        const auto stream = stream_of(place, place.agent, name);
        if (kernel.memory_operation) {
          session_.issues.count(Severity::Info, "copy-kernels", [&] {
            return fmt::format(
                "{} is a kernel of the runtime that moves memory ({}): it is shown as a memory "
                "operation of unknown size",
                place_of(rows, name), symbol.name);
          });
          return push_transfer(session_.draft, *times, *kernel.memory_operation, store::kUnknownBytes, stream,
                               correlation);
        }
        Configuration configuration;
        configuration.kernel = kernel.kernel;
        configuration.registers = count_or_zero(symbol.vgpr);
        configuration.static_shared_memory =
            count_or_zero(rows.is_integer(kFirstOwn + 2) ? integer(rows, kFirstOwn + 2) : symbol.lds);
        WorkSize size;
        for (int i = 0; i < 3; ++i) {
          size.group[i] = integer(rows, kFirstOwn + 3 + i).value_or(-1);
          size.grid[i] = integer(rows, kFirstOwn + 6 + i).value_or(-1);
        }
        if (!set_work_size(configuration, size))
          session_.issues.count(Severity::Doubt, "odd-grid", [&] {
            return fmt::format(
                "{} has a grid that is not a multiple of its work-group or not a 32-bit unsigned integer",
                place_of(rows, name));
          });
        const auto launch = session_.draft.launches.start.size();
        push_launch(session_.draft, *times, session_.draft.configuration(configuration), stream, correlation);
        const auto set = [&](const char* title, const char* unit, std::optional<std::int64_t> value) {
          if (value) attributes.set(attributes.number(title, unit), launch, static_cast<double>(*value));
        };
        set("scratch", "B", rows.is_integer(kFirstOwn + 1) ? integer(rows, kFirstOwn + 1) : symbol.scratch);
        set("accum_vgpr", "", symbol.accum_vgpr);
        set("sgpr", "", symbol.sgpr);
        if (const auto event_id = integer(rows, kEventId))
          launch_of_event_.push_back({*event_id, static_cast<std::int64_t>(launch)});
      });
}

Expected<void> RocpdRun::read_copies() {
  const auto name = table("rocpd_memory_copy");
  return session_.for_each(
      name, common_and({"name_id", "size", "src_agent_id", "dst_agent_id"}), [&](const Rows& rows) {
        const auto times = times_of_row(rows, name);
        if (!times) return;
        const auto place = place_of_row(rows);
        const auto source = integer(rows, kFirstOwn + 2), target = integer(rows, kFirstOwn + 3);
        const auto is_gpu = [&](std::optional<std::int64_t> agent) {
          const auto known = agent ? agents_.find(*agent) : agents_.end();
          return known != agents_.end() && known->second.gpu;
        };
        auto kind = copy_kind(string(integer(rows, kFirstOwn)));
        if (kind == TransferKind::Unknown && source && target)
          kind = is_gpu(source) ? (is_gpu(target) ? TransferKind::DeviceToDevice : TransferKind::DeviceToHost)
                                : (is_gpu(target) ? TransferKind::HostToDevice : TransferKind::HostToHost);
        if (kind == TransferKind::DeviceToDevice && source != target && is_gpu(source) && is_gpu(target))
          kind = TransferKind::PeerToPeer;
        const auto agent = is_gpu(target) ? target : is_gpu(source) ? source : place.agent;
        const auto bytes = checked_bytes(session_.issues, integer(rows, kFirstOwn + 1),
                                         [&] { return place_of(rows, name); });
        const auto* asked = event(integer(rows, kEventId));
        push_transfer(session_.draft, *times, kind, bytes, stream_of(place, agent, name),
                      asked ? asked->correlation : 0);
      });
}

Expected<void> RocpdRun::read_regions() {
  const auto name = table("rocpd_region");
  auto& strings = session_.draft.strings;
  return session_.for_each(name, common_and({"name_id"}), [&](const Rows& rows) {
    const auto times = times_of_row(rows, name);
    if (!times) return;
    const auto thread = thread_of(place_of_row(rows));
    const auto event_id = integer(rows, kEventId);
    const auto* asked = event(event_id);
    const auto category =
        asked && asked->category != kNone ? strings[StringId{asked->category}] : std::string();
    auto text = string(integer(rows, kFirstOwn));
    if (is_api_call(category, text))
      return push_call(session_.draft, *times, session_.intern(text), thread, asked ? asked->correlation : 0);
    if (event_id)
      if (const auto said = marker_texts_.find(*event_id); said != marker_texts_.end()) text = said->second;
    push_range(session_.draft, *times, session_.intern(text), session_.intern(category), thread,
               times->duration == 0 ? kMark : kPushPopRange);
  });
}

Expected<void> RocpdRun::read_allocations() {
  const auto name = table("rocpd_memory_allocate");
  const auto domain = session_.intern("memory allocation");
  return session_.for_each(name, common_and({"type", "level"}), [&](const Rows& rows) {
    const auto times = times_of_row(rows, name);
    if (!times) return;
    push_range(session_.draft, *times,
               session_.intern(text_or_empty(rows, kFirstOwn + 1) + " " + text_or_empty(rows, kFirstOwn)),
               domain, thread_of(place_of_row(rows)), kStartEndRange);
  });
}

Expected<void> RocpdRun::read_samples() {
  const auto name = table("rocpd_sample");
  auto columns = common_and({"timestamp", "timestamp_id", "name_id"});
  SpillVector<EventRow> with_values;
  auto done = session_.for_each(table("rocpd_pmc_event"), {"event_id"}, [&](const Rows& rows) {
    if (const auto id = integer(rows, 0)) with_values.push_back({*id, 0});
  });
  if (!done) return done;
  std::sort(with_values.begin(), with_values.end());
  const auto domain = session_.intern("samples");
  return session_.for_each(name, columns, [&](const Rows& rows) {
    const auto time = timestamp(rows, kFirstOwn, kFirstOwn + 1);
    const auto times = checked_times(session_.issues, time, time, [&] { return place_of(rows, name); });
    if (!times) return;
    const auto event_id = integer(rows, kEventId);
    if (event_id && std::binary_search(with_values.begin(), with_values.end(), EventRow{*event_id, 0})) {
      time_of_event_.push_back({*event_id, times->start});
      return;
    }
    // A sample without value becomes a mark.
    auto text = string(integer(rows, kFirstOwn + 2));
    if (text.empty())
      if (const auto track = track_names_.find(integer(rows, kTrack).value_or(-1));
          track != track_names_.end())
        text = string(track->second);
    push_range(session_.draft, *times, session_.intern(text), domain, thread_of(place_of_row(rows)), kMark);
  });
}

void RocpdRun::set_counter(Pmc& pmc, std::size_t launch, double value) {
  auto& attributes = session_.draft.attributes;
  if (!pmc.column_made) pmc.column = attributes.number(pmc.name, pmc.unit);
  pmc.column_made = true;
  const auto& numbers = attributes.all()[pmc.column].numbers.values();
  const bool again = launch < numbers.size() && numbers[launch] == numbers[launch];
  if (again)
    session_.issues.count(Severity::Info, "counter-instances-summed", [&] {
      return fmt::format("{} was read on several instances for one launch: their sum is used", pmc.name);
    });
  attributes.set(pmc.column, launch, again ? numbers[launch] + value : value);
}

void RocpdRun::add_sample(Pmc& pmc, std::int64_t time, double value) {
  auto& draft = session_.draft;
  if (pmc.counter == kNone) {
    const auto known = pmc.agent ? agents_.find(*pmc.agent) : agents_.end();
    const auto process = process_of({pmc.node, pmc.process, {}, {}, {}});
    const auto device = places(pmc.node).device(process, known == agents_.end() ? 0 : known->second.number,
                                                known == agents_.end() ? std::string() : known->second.name);
    pmc.counter = draft.add_counter(pmc.name, pmc.unit, device);
  }
  push_sample(draft, time, pmc.counter, value);
}

Expected<void> RocpdRun::read_pmc_events() {
  std::stable_sort(launch_of_event_.begin(), launch_of_event_.end());
  std::stable_sort(time_of_event_.begin(), time_of_event_.end());
  const auto find = [](const SpillVector<EventRow>& rows, std::int64_t id) -> const EventRow* {
    const auto found = std::lower_bound(rows.begin(), rows.end(), EventRow{id, 0});
    return found != rows.end() && found->event == id ? &*found : nullptr;
  };
  const auto name = table("rocpd_pmc_event");
  return session_.for_each(name, {"event_id", "pmc_id", "value"}, [&](const Rows& rows) {
    const auto id = integer(rows, 0), counter = integer(rows, 1);
    const auto pmc = counter ? pmcs_.find(*counter) : pmcs_.end();
    const auto* launch = id ? find(launch_of_event_, *id) : nullptr;
    const auto* sample = id && !launch ? find(time_of_event_, *id) : nullptr;
    if (pmc == pmcs_.end() || !rows.is_number(2) || (!launch && !sample)) {
      session_.issues.count(Severity::Drop, "dangling-counter", [&] {
        return fmt::format("{} belongs to no launch, sample or counter of the file, or has no value",
                           place_of(rows, name));
      });
      return;
    }
    if (launch)
      set_counter(pmc->second, static_cast<std::size_t>(launch->row), rows.number(2));
    else
      add_sample(pmc->second, sample->row, rows.number(2));
  });
}

} // namespace jitterscope::import::rocm
