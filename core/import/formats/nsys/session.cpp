#include "core/import/formats/nsys/session.h"

#include <fmt/core.h>

namespace jitterscope::import::nsys {
namespace {

using store::ResourceKind;
using store::Severity;

std::int64_t process_number(std::int64_t global_pid) {
  return (static_cast<std::uint64_t>(global_pid) >> 24) & 0xFFFFFF;
}

std::int64_t without_thread(std::int64_t global_tid) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(global_tid) & ~std::uint64_t{0xFFFFFF});
}

} // namespace

std::uint32_t Session::find_process(std::optional<std::int64_t> global_pid) {
  const auto key = global_pid.value_or(kUnknownProcess);
  const auto [place, added] = processes_.try_emplace(key, 0);
  if (added)
    place->second = draft.add_resource(ResourceKind::Process, host, global_pid ? process_number(key) : 0,
                                       global_pid ? "" : "unknown process");
  return place->second;
}

std::uint32_t Session::find_thread(std::optional<std::int64_t> global_tid) {
  const auto key = global_tid.value_or(kUnknownProcess);
  if (const auto found = threads_.find(key); found != threads_.end()) return found->second;
  const auto owner = process(global_tid ? std::optional(without_thread(key)) : std::nullopt);
  const auto row = draft.add_resource(ResourceKind::Thread, owner, global_tid ? key & 0xFFFFFF : 0, "");
  threads_.emplace(key, row);
  return row;
}

std::uint32_t Session::find_device(std::uint32_t process_row, std::int64_t cuda_device) {
  const auto [place, added] = devices_.try_emplace({process_row, cuda_device}, 0);
  if (!added) return place->second;
  const auto row = draft.add_resource(ResourceKind::Device, process_row, cuda_device, "");
  place->second = row;
  draft.resources[row].physical = physical_of(row, process_row, cuda_device);
  return row;
}

// The device resource that represents the same hardware: identified by its unique id, by the profiler's
// number, or (where the file does not describe the GPU) by CUDA's number, which is then assumed to be the
// same in all processes.
std::uint32_t Session::physical_of(std::uint32_t device_row, std::uint32_t process_row,
                                   std::int64_t cuda_device) {
  const Gpu* gpu = devices.of_process(draft.resources[process_row].number, cuda_device);
  if (!gpu) {
    const auto [place, added] = first_device_of_number_.try_emplace(cuda_device, device_row);
    if (added) draft.devices.push_back({device_row, "", "", 0, {}});
    return place->second;
  }
  draft.resources[device_row].name = gpu->name;
  const auto [place, added] = first_device_of_gpu_.try_emplace(gpu, device_row);
  if (!added) return place->second;
  if (const auto seen = draft.device_with(gpu->uuid); seen != kNone)
    place->second = seen;
  else
    describe(device_row, *gpu);
  return place->second;
}

void Session::describe(std::uint32_t device_row, const Gpu& gpu) {
  draft.devices.push_back({device_row, gpu.name, gpu.uuid, gpu.multiprocessors, gpu.properties});
}

std::uint32_t Session::find_stream(std::uint32_t device_row, std::int64_t context, std::int64_t number) {
  // Streams of two contexts may have the same number; each context is distinguished by a resource number of
  // its own.
  const auto in_context =
      contexts_.try_emplace({device_row, context}, static_cast<std::uint32_t>(contexts_.size()));
  const auto [place, added] = streams_.try_emplace({in_context.first->second, number}, 0);
  if (added) place->second = draft.add_resource(ResourceKind::Stream, device_row, number, "");
  return place->second;
}

std::uint32_t Session::device_of_gpu(std::int64_t gpu_id) {
  const Gpu* gpu = devices.with_id(gpu_id);
  if (gpu) {
    if (const auto used = first_device_of_gpu_.find(gpu); used != first_device_of_gpu_.end())
      return used->second;
  } else if (const auto used = first_device_of_number_.find(gpu_id); used != first_device_of_number_.end()) {
    return used->second;
  }
  std::uint32_t owner = kNone;
  for (const auto& [key, row] : processes_) owner = std::min(owner, row);
  if (owner == kNone) owner = process(std::nullopt);
  return device(owner, gpu && gpu->cuda_device >= 0 ? gpu->cuda_device : gpu_id);
}

std::uint32_t Session::name(std::int64_t id, const std::string& table) {
  const auto interned = names.intern(id, draft.strings);
  if (interned != kNone) return interned;
  issues.count(Severity::Doubt, "dangling-name", [&] {
    return fmt::format("{} refers to a string (number {}) that the file does not contain", table, id);
  });
  return draft.strings.intern("(unknown name)").value;
}

std::optional<Times> Session::times(const sqlite::Rows& rows, int start_column, int end_column,
                                    const std::string& table, OpenEnd open_end) {
  const auto start = integer(rows, start_column);
  auto end = integer(rows, end_column);
  if (start && open_end == OpenEnd::StaysOpen && rows.is_null(end_column)) {
    issues.count(Severity::Repair, "open-range", [&] {
      return fmt::format("{} has no end: it was still open when the capture stopped; its end is set to the "
                         "end of the latest activity read before it",
                         place_of(rows, table));
    });
    end = std::max(*start, last_event);
  }
  if (!start || !end) {
    issues.count(Severity::Drop, "missing-time", [&] {
      return fmt::format("{} has a start or end that is not a number", place_of(rows, table));
    });
    return {};
  }
  if (std::max(*start, *end) > kMaxTime || std::min(*start, *end) < -kMaxTime) {
    issues.count(Severity::Drop, "impossible-time", [&] {
      return fmt::format("{} has the times {} to {} ns, which are out of range", place_of(rows, table),
                         *start, *end);
    });
    return {};
  }
  if (*end < *start) {
    issues.count(Severity::Drop, "negative-duration", [&] {
      return fmt::format("{} ends at {} ns, before its start at {} ns", place_of(rows, table), *end, *start);
    });
    return {};
  }
  return Times{*start, *end - *start};
}

} // namespace jitterscope::import::nsys
