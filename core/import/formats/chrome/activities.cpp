#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <string>

#include <fmt/core.h>

#include "core/import/formats/chrome/trace.h"
#include "core/import/formats/unitrace/command.h"
#include "core/import/records/events.h"
#include "core/import/text/json/values.h"
#include "core/import/text/text.h"

namespace jitterscope::import::chrome {
namespace {

using store::Severity;
using store::TransferKind;

constexpr std::int64_t kMaxDevice = 65'535; // maximum device number; no machine has more devices
constexpr std::size_t kMaxAttributes = 512;

// Arguments that are columns of their own or numbers without meaning outside the profiler.
constexpr std::array<std::string_view, 39> kNoAttributes = {"device",
                                                            "context",
                                                            "stream",
                                                            "correlation",
                                                            "correlation id",
                                                            "External id",
                                                            "Ev Idx",
                                                            "external id",
                                                            "cbid",
                                                            "cid",
                                                            "registers per thread",
                                                            "shared memory",
                                                            "grid",
                                                            "block",
                                                            "bytes",
                                                            "kind",
                                                            "Addr",
                                                            "BeginNs",
                                                            "EndNs",
                                                            "DurationNs",
                                                            "dev-id",
                                                            "queue-id",
                                                            "stream-id",
                                                            "pid",
                                                            "tid",
                                                            "Record function id",
                                                            "Trace iteration",
                                                            "graph id",
                                                            "graph node id",
                                                            "graph exec id",
                                                            "rank",
                                                            "finished",
                                                            "Model Id",
                                                            "Task Id",
                                                            "Batch Id",
                                                            "Subtask Id",
                                                            "Physic Stream Id",
                                                            "connection_id",
                                                            "graph launch"};
// Texts that are kept: others may contain anything, including command lines.
constexpr std::array<std::string_view, 6> kTexts = {
    "Task Type",          "Collective name",           "dtype",
    "Process Group Name", "Process Group Description", "Process Group Type"};

struct Described {
  std::string_view key, unit, text;
};
constexpr std::array kDescribed = {
    Described{"queued", "", "Recorded by the profiler as \"queued\""},
    Described{"blocks per SM", "", "Number of blocks of the grid per multiprocessor of the device"},
    Described{"warps per SM", "", "Number of warps of the grid per multiprocessor of the device"},
    Described{"est. achieved occupancy %", "%",
              "Occupancy of the multiprocessors as estimated by the profiler"},
    Described{"theoretical achieved occupancy %", "%",
              "Occupancy of the multiprocessors as estimated by the profiler"},
    Described{"In msg nelems", "", "Number of elements of the collective's input"},
    Described{"Out msg nelems", "", "Number of elements of the collective's output"},
    Described{"Group size", "", "Number of ranks that take part in the collective"}};

bool contains(const auto& list, std::string_view key) {
  return std::find(list.begin(), list.end(), key) != list.end();
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](auto b) { return text.starts_with(b); });
}

// "hipLaunchKernel", "cudaMemcpy", "cuLaunchKernel", "hsa_queue_create".
bool is_api_name(std::string_view name) {
  for (const std::string_view prefix : {"hip", "cuda", "cu", "hsa_"}) {
    if (!name.starts_with(prefix) || name.size() <= prefix.size()) continue;
    const auto next = static_cast<unsigned char>(name[prefix.size()]);
    if (prefix == "hsa_" || std::isupper(next)) return true;
  }
  return false;
}

// MTIA's copies: "dma_request".
bool is_dma(const Event& event) {
  return json::unquoted(event.name).starts_with("dma_request");
}

// Activities of a stream of CANN: tasks of the AI cores, of the device's AI CPU, of the random number
// generator (DSA) and of the media units (DVPP) are kernels; others wait, mark or copy.
enum class Task { None, Kernel, Copy, Other };
Task task_of(const Event& event) {
  const auto type = json::unquoted(event.argument(Key::TaskType));
  if (type.empty()) return Task::None;
  if (type == "Other") // msprof does not know the type: EVENT_RECORD, MEMCPY_ASYNC or the name of an operator
    return json::unquoted(event.name).find_first_of("abcdefghijklmnopqrstuvwxyz") != std::string_view::npos
               ? Task::Kernel
           : moves(json::unquoted(event.name)) ? Task::Copy
                                               : Task::Other;
  if (starts_with_any(type, {"AI_", "MIX_", "AIC", "AIV", "KERNEL", "DSA", "DVPP", "DPP"}))
    return Task::Kernel;
  return starts_with_any(type, {"SDMA", "RDMA", "PCIE_DMA", "MEMCPY"}) ? Task::Copy : Task::Other;
}

// "Memcpy HtoA (…)": arrays are in device memory.
TransferKind kind_of(const Event& event) {
  if (event.category == Category::Set) return TransferKind::Memset;
  if (const auto direction = event.argument(Key::CopyDirection); !direction.empty())
    return copy_kind(json::unquoted(direction));
  auto name = std::string(json::unquoted(event.name));
  if (event.category == Category::Ran && copy_kind(name) == TransferKind::Unknown && // "…AppendMemoryFill(…)"
      (name.find("Fill") != std::string::npos || name.find("fill") != std::string::npos))
    return TransferKind::Memset;
  if (is_dma(event)) name = json::unquoted(event.argument(Key::Direction));
  const auto bracket = name.find('(');
  if (event.category != Category::Ran && bracket != std::string::npos && bracket > 0) name.resize(bracket);
  for (const auto& [array, plain] :
       {std::pair("HtoA", "HtoD"), std::pair("AtoH", "DtoH"), std::pair("AtoA", "DtoD"),
        std::pair("AtoD", "DtoD"), std::pair("DtoA", "DtoD"), std::pair("H2D", "HtoD"),
        std::pair("D2H", "DtoH"), std::pair("D2D", "DtoD"), std::pair("P2P", "PtoP"),
        std::pair("M2D", "HtoD"), std::pair("D2M", "DtoH")}) // M: host memory, as written by Intel's tools
    if (const auto place = name.find(array); place != std::string::npos)
      name.replace(place, std::string_view(array).size(), plain);
  const auto kind = copy_kind(name);
  return kind == TransferKind::Unknown ? copy_kind(json::unquoted(event.argument(Key::Kind))) : kind;
}

// Scripts that merge the traces of several ranks add the rank to each event.
std::optional<std::int32_t> rank_in(const Event& event) {
  constexpr std::int64_t kMaxRanks = 10'000'000;
  const auto rank = json::integer_in_padded(event.argument(Key::Rank));
  if (!rank || *rank < 0 || *rank > kMaxRanks) return {};
  return static_cast<std::int32_t>(*rank);
}

std::uint32_t correlation_of(const Event& event) {
  auto number = json::integer_in_padded(event.argument(Key::Correlation));
  if (!number) number = json::integer_in_padded(event.argument(Key::CorrelationId));      // TensorFlow, JAX
  if (!number) number = json::integer_in_padded(event.argument(Key::CorrelationInWords)); // PaddlePaddle
  return low_bits(number.value_or(0));
}

// TensorFlow and JAX: "regs:32 static_shared:0 dynamic_shared:64 grid:1,1,1 block:256,1,1 occ_pct:100".
std::optional<Triple> triple_in(std::string_view details, std::string_view key) {
  const auto place = details.find(key);
  if (place == std::string_view::npos) return {};
  auto rest = details.substr(place + key.size());
  rest = rest.substr(0, rest.find_first_not_of("0123456789,"));
  std::array<std::int64_t, 3> numbers = {1, 1, 1};
  for (auto& number : numbers) {
    const auto comma = rest.find(',');
    number = json::integer(rest.substr(0, comma)).value_or(1);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return Triple{numbers[0], numbers[1], numbers[2]};
}

// "device_0", "GPU 1".
std::optional<std::int64_t> device_in(std::string_view pid) {
  if (!pid.starts_with("device") && !pid.starts_with("gpu") && !pid.starts_with("GPU")) return {};
  const auto number = json::integer(pid.substr(pid.find_last_not_of("0123456789") + 1));
  return number && *number >= 0 && *number <= kMaxDevice ? number : std::nullopt;
}

std::optional<std::int64_t> number_behind(std::string_view text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return {};
  const auto number = json::integer(text.substr(beginning.size()));
  return number && *number >= 0 && *number <= kMaxDevice ? number : std::nullopt;
}

// Scripts write device and stream as text: nsys2json "Device 0" and "Stream 7", nvprof2json "[0:1] Stream 7"
// (device and context), PyTorch before Kineto "CUDA functions" and the number of the device.
std::optional<StreamPlace> written_place(std::string_view pid, std::string_view tid) {
  if (const auto device = number_behind(pid, "Device "))
    if (const auto stream = number_behind(tid, "Stream ")) return StreamPlace{*device, 0, *stream};
  if (pid == "CUDA functions")
    if (const auto device = number_behind(tid, "")) return StreamPlace{*device, 0, 0};
  const auto bracket = pid.find("] Stream ");
  const auto colon = pid.find(':');
  if (!pid.starts_with('[') || bracket == std::string_view::npos || colon > bracket) return {};
  const auto device = number_behind(pid.substr(0, colon), "["),
             context = number_behind(pid.substr(0, bracket).substr(colon), ":"),
             stream = number_behind(pid.substr(bracket), "] Stream ");
  if (!device || !context || !stream) return {};
  return StreamPlace{*device, *context, *stream};
}

} // namespace

// Scripts write words such as "cuda" or "gpu" in the category of GPU activities, but also in those of waits,
// marks and calls.
bool names_gpu(std::string_view category) {
  std::string words(category);
  for (auto& c : words) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto has_any = [&](std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return words.find(part) != std::string::npos; });
  };
  return has_any({"cuda", "gpu", "hip", "rocm", "kernel", "device"}) &&
         !has_any({"api", "runtime", "driver", "sync", "event", "annotation", "user", "nvtx", "host", "cpu",
                   "queue"});
}

bool moves(std::string_view name) {
  if (starts_with_any(name, {"Copy", "Fill", "Memcpy", "Memset", "MEMCPY", "MEMSET", "[CUDA mem"}))
    return true;
  return starts_with_any(name, {"ze", "cl", "ur"}) &&
         (name.find("Memory") != std::string_view::npos || name.find("Mem") != std::string_view::npos ||
          name.find("Buffer") != std::string_view::npos);
}

// The stream of an activity: by its arguments, else pid and tid ("stream 7").
std::optional<std::uint32_t> Trace::stream_of(const Event& event) {
  const auto argument = [&](Key key) { return json::integer_in_padded(event.argument(key)); };
  auto device = argument(Key::Device);
  if (!device) device = argument(Key::DeviceOfQueue);
  if (!device)
    if (const auto place = written_place(event.pid, event.tid))
      return lanes.stream(place->device, place->context, place->number, event.pid, event.tid);
  if (!device) device = Lanes::device_of(lanes.process_at(lanes.process(event.pid)));
  const bool reported = device.has_value();
  if (!device) device = json::integer(event.pid);
  if (!device && (device = device_in(event.pid))) // Triton's Proton: pid "device_0", tid "Core0 CTA1"
    return lanes.stream(*device, 0, lanes.lane(event.pid, event.tid), event.pid, event.tid);
  if (reported && (*device < 0 || *device > kMaxDevice)) {
    issues.count(Severity::Drop, "missing-device", [&] {
      return fmt::format("{} does not state a valid device number (0 to {})", place(), kMaxDevice);
    });
    return {};
  }
  if (!device || *device < 0 || *device > kMaxDevice) { // "pid" is the recording process
    issues.count(Severity::Doubt, "unknown-device", [&] {
      return fmt::format("{} does not state on which device it ran: device 0 is assumed", place());
    });
    device = 0;
  }
  auto stream = argument(Key::Stream);
  if (!stream) stream = argument(Key::Queue);
  if (!stream) stream = Lanes::stream_of(lanes.process_at(lanes.process(event.pid)));
  if (!stream) {
    const auto digits = event.tid.find_first_of("0123456789");
    stream = digits == std::string_view::npos ? std::nullopt : json::integer(event.tid.substr(digits));
  }
  return lanes.stream(*device, argument(Key::Context).value_or(0), stream.value_or(0), event.pid, event.tid,
                      rank_in(event).value_or(-1));
}

// The use of an argument is determined once, with its first value that can be kept.
Trace::AttributeKey Trace::attribute_of(std::string_view key, bool text) {
  if (contains(kNoAttributes, key) || attributes_ >= kMaxAttributes) return {AttributeKey::Never, 0};
  ++attributes_;
  const auto written = clean_text(json::text_of(key));
  // "l2_hits [%]": written by Jitterscope's export.
  const auto bracket = written.ends_with(']') ? written.rfind(" [") : std::string::npos;
  const auto title = written.substr(0, bracket);
  const auto unit = bracket == std::string::npos ? std::string()
                                                 : written.substr(bracket + 2, written.size() - bracket - 3);
  if (text) return {AttributeKey::Text, draft.attributes.text(title)};
  const auto known = std::find_if(kDescribed.begin(), kDescribed.end(),
                                  [&](const Described& described) { return described.key == key; });
  return {AttributeKey::Number, known == kDescribed.end()
                                    ? draft.attributes.number(title, unit)
                                    : draft.attributes.number(title, known->unit, known->text)};
}

Trace::AttributeKey& Trace::attribute_at(const Argument& argument) {
  if (argument.number >= Keys::kUnnumbered) return attribute_named(argument.key);
  auto& keys = *known_keys_;
  if (keys.size() <= argument.number) keys.resize(argument.number + 1);
  auto*& known = keys[argument.number];
  if (!known) known = &attribute_named(argument.key);
  return *known;
}

Trace::AttributeKey& Trace::attribute_named(std::string_view key) {
  if (auto* known = attribute_keys_.find(key)) return *known;
  // Beyond this number of keys none becomes an attribute; memory stays bounded.
  if (attribute_keys_.size() >= 2 * Keys::kMaxKeys) return no_attribute_;
  return attribute_keys_.add(key, {});
}

void Trace::set_attributes(const Event& event, std::size_t launch) {
  for (const auto& argument : event.arguments) {
    auto& key = attribute_at(argument);
    if (key.kind == AttributeKey::Never) continue;
    const bool text = json::is_text(argument.value);
    if (text ? key.kind == AttributeKey::Number : key.kind == AttributeKey::Text) continue;
    const auto number = text ? std::nullopt : json::real_in_padded(argument.value);
    if (key.kind == AttributeKey::New) {
      if (text ? !contains(kTexts, argument.key) : !number) continue;
      key = attribute_of(argument.key, text);
      if (key.kind == AttributeKey::Never) continue;
    }
    if (text)
      draft.attributes.set_text(key.column, launch, names(argument.value));
    else if (number)
      draft.attributes.set(key.column, launch, *number);
  }
}

std::uint32_t Trace::kernel_of(std::string_view written) {
  if (const auto* known = written_kernels_.find(written)) return *known;
  const auto text = json::text_of(written);
  return written_kernels_.add(written, kernels.of(unitrace::command_of(without_duration(text)).name).kernel);
}

void Trace::add_kernel(const Event& event, const Times& times) {
  if (json::unquoted(event.name).empty()) return drop("missing-name", "is a kernel without a name");
  if (is_dma(event)) return add_copy(event, times);
  const auto stream = stream_of(event);
  if (!stream) return;
  bool good = true;
  const auto count = [&](std::optional<std::int64_t> number) {
    good = good && (!number || (*number >= 0 && *number < std::int64_t{kNone}));
    return count_or_zero(number);
  };
  Configuration c;
  c.kernel = kernel_of(event.name);
  if (event.grid)
    c.grid_x = count(event.grid->x), c.grid_y = count(event.grid->y), c.grid_z = count(event.grid->z);
  if (event.block)
    c.block_x = count(event.block->x), c.block_y = count(event.block->y), c.block_z = count(event.block->z);
  const auto command = unitrace::command_of(json::unquoted(event.name));
  if (const auto& grid = command.groups)
    c.grid_x = count((*grid)[0]), c.grid_y = count((*grid)[1]), c.grid_z = count((*grid)[2]);
  if (const auto& size = command.group_size)
    c.block_x = count((*size)[0]), c.block_y = count((*size)[1]), c.block_z = count((*size)[2]);
  if (const auto details = json::unquoted(event.argument(Key::KernelDetails)); !details.empty()) {
    const auto first = [&](std::string_view key) {
      const auto numbers = triple_in(details, key);
      return numbers ? std::optional(numbers->x) : std::nullopt;
    };
    if (const auto grid = triple_in(details, "grid:"))
      c.grid_x = count(grid->x), c.grid_y = count(grid->y), c.grid_z = count(grid->z);
    if (const auto block = triple_in(details, "block:"))
      c.block_x = count(block->x), c.block_y = count(block->y), c.block_z = count(block->z);
    c.registers = count(first("regs:"));
    c.static_shared_memory = count(first("static_shared:"));
    c.dynamic_shared_memory = count(first("dynamic_shared:"));
    if (const auto both = first(" shm:")) c.dynamic_shared_memory = count(both); // TensorFlow until 2.3
  }
  if (const auto registers = json::integer_in_padded(event.argument(Key::RegistersPerThread)))
    c.registers = count(registers);
  // The profiler writes the sum of static and dynamic shared memory.
  if (const auto shared = json::integer_in_padded(event.argument(Key::SharedMemory)))
    c.dynamic_shared_memory =
        count(*shared >= c.static_shared_memory ? *shared - c.static_shared_memory : shared);
  if (!good)
    issues.count(Severity::Repair, "bad-configuration", [&] {
      return fmt::format("{} has a grid, block, register or shared memory value that is not a 32-bit "
                         "unsigned integer; it is read as 0",
                         place());
    });
  const auto launch = draft.launches.start.size();
  push_launch(draft, times, draft.configuration(c), *stream, correlation_of(event));
  if (draft.launches.correlation.back() == 0)
    placed_launches_.push_back(
        {lanes.lane(event.pid, event.tid), times.start, static_cast<std::uint32_t>(launch)});
  if (json::integer_in_padded(event.argument(Key::GraphNode)).value_or(0) != 0 ||
      json::integer_in_padded(event.argument(Key::GraphLaunch)).value_or(0) != 0)
    draft.launches.flags.back() |= store::kLaunchGraph;
  set_attributes(event, launch);
}

void Trace::add_copy(const Event& event, const Times& times) {
  const auto stream = stream_of(event);
  if (!stream) return;
  const auto kind = kind_of(event);
  if (kind == TransferKind::Unknown)
    issues.count(Severity::Doubt, "unknown-copy-kind", [&] {
      return fmt::format("{} is a memory operation of an unknown kind ({})", place(),
                         clean_text(json::text_of(event.name)));
    });
  auto bytes = json::integer_in_padded(event.argument(Key::Bytes));
  if (const auto details = json::unquoted(event.argument(Key::MemcpyDetails)); !bytes && !details.empty())
    if (const auto size = triple_in(details, "size:")) bytes = size->x;
  if (!bytes && is_dma(event)) bytes = json::integer(json::unquoted(event.argument(Key::Size)));
  if (!bytes) bytes = json::integer_in_padded(event.argument(Key::CopySize));
  if (!bytes) bytes = unitrace::command_of(json::unquoted(event.name)).bytes;
  const bool reported = bytes.has_value();
  if (bytes && (*bytes < 0 || *bytes > kMaxOperationBytes)) {
    issues.count(Severity::Repair, "bad-bytes", [&] {
      return fmt::format("{} has a size of {} bytes, which is out of range: its size is treated as unknown",
                         place(), *bytes);
    });
    bytes.reset();
  }
  const auto row = static_cast<std::uint32_t>(draft.transfers.start.size());
  if (!reported) {
    if (sizeless_.empty()) first_sizeless_ = place();
    sizeless_.push_back(row);
  }
  push_transfer(draft, times, kind, bytes.value_or(store::kUnknownBytes), *stream, correlation_of(event));
  if (draft.transfers.correlation.back() == 0)
    placed_transfers_.push_back({lanes.lane(event.pid, event.tid), times.start, row});
}

void Trace::add_call(const Event& event, const Times& times) {
  const auto pid = event.argument(Key::Pid), tid = event.argument(Key::Tid); // rocprof v1
  const auto lane = pid.empty() || tid.empty() ? lanes.used_lane(event.pid, event.tid)
                                               : lanes.used_lane(json::unquoted(pid), json::unquoted(tid));
  ++lanes.process_of(lane).calls;
  if (const auto rank = rank_in(event)) lanes.process_of(lane).rank = rank;
  const auto correlation = correlation_of(event);
  if (correlation == 0)
    placed_calls_.push_back({lanes.lane(event.pid, event.tid), times.start,
                             static_cast<std::uint32_t>(draft.calls.start.size())});
  if (correlation != 0) keep_details(event, static_cast<std::uint32_t>(draft.calls.start.size()));
  push_call(draft, times, names(event.name), lane, correlation);
}

// Events without a category that identifies them: rocprof v1 and rocmProfileData write none. Their kind
// follows from their lane and their name.
bool Trace::add_unnamed(const Event& event, const Times& times) {
  auto& process = lanes.process_at(lanes.process(event.pid));
  process.judged = true;
  const auto name = json::unquoted(event.name);
  const auto description = json::unquoted(event.argument(Key::Description));
  const bool written = written_place(event.pid, event.tid).has_value();
  const bool reported = !event.argument(Key::Device).empty() && !event.argument(Key::Stream).empty() &&
                        names_gpu(event.category_name);
  const bool on_device =
      written || reported || Lanes::device_of(process) || !event.argument(Key::DeviceOfQueue).empty();
  if (on_device) {
    // TensorFlow and JAX put steps and modules next to the streams of a device; a TPU has no streams.
    const auto kind = Lanes::kind_of(lanes.at(lanes.lane(event.pid, event.tid)));
    const auto task = task_of(event);
    const bool ran = written || reported || is_dma(event) || kind == DeviceLane::Stream ||
                     (kind == DeviceLane::Operations && !process.has_streams);
    if (!ran || starts_with_any(name, {"Barrier", "Marker"}) || task == Task::Other) return false;
    if (lanes.is_repeated(process)) {
      issues.count(Severity::Info, "repeated-streams", [&] {
        return fmt::format("\"{}\" repeats what the file lists for each stream: it was left out",
                           process.name);
      });
      return true;
    }
    const auto timeline = Lanes::place_of(process);
    const bool copies = timeline == TimelinePlace::Copies || timeline == TimelinePlace::CopiesOfStream ||
                        moves(name) || task == Task::Copy || starts_with_any(description, {"Copy", "Fill"});
    copies ? add_copy(event, times) : add_kernel(event, times);
    return true;
  }
  const bool api = process.name.ends_with(" API") || process.name == "CANN" || is_api_name(name);
  if (api) add_call(event, times);
  return api;
}

void Trace::add_counters(const Event& event, const Times& times) {
  if (json::unquoted(event.name).empty())
    return drop("missing-name", "has counters but does not name a kernel");
  Counted counted{times, kernel_of(event.name), {}};
  for (const auto& argument : event.arguments)
    if (const auto number = json::real(argument.value); number && !contains(kNoAttributes, argument.key))
      counted.values.emplace_back(clean_text(json::text_of(argument.key)), *number);
  counted_.push_back(std::move(counted));
}

} // namespace jitterscope::import::chrome
