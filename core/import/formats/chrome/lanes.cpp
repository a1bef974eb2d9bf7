#include "core/import/formats/chrome/lanes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

#include <fmt/core.h>

#include "core/import/text/text.h"

namespace jitterscope::import::chrome {
namespace {

using store::ResourceKind;

// Bounds for damaged or malicious traces; no real one reaches them.
constexpr std::size_t kMaxLanes = 1'000'000;
constexpr std::uint32_t kMaxStreams = 65'536;
constexpr std::int64_t kLargestRank = 10'000'000;

std::optional<std::int64_t> digits(std::string_view text) {
  std::int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return {};
  return number;
}

// "stream 7" → 7, "thread 12 (python)" → 12.
std::int64_t number_in(std::string_view text) {
  const auto first = text.find_first_of("0123456789");
  if (first == std::string_view::npos) return 0;
  const auto end = std::min(text.find_first_not_of("0123456789", first), text.size());
  return digits(text.substr(first, end - first)).value_or(0);
}

// The device in "/device:GPU:1" and what follows it; PyTorch and AMD's tools write "GPU 1".
std::string_view device_name(std::string_view text) {
  constexpr std::string_view kMark = "/device:";
  const auto mark = text.find(kMark);
  return mark == std::string_view::npos ? text : text.substr(mark + kMark.size());
}

// "GPU:0/stream:all Compute" → "GPU:0".
std::string_view without_place(std::string_view device) {
  return device.substr(0, device.find('/'));
}

// Words that may follow "GPU" in the output of scripts for a single GPU; browsers have a process called "GPU
// Process".
bool is_only_gpu(std::string_view rest) {
  static constexpr std::array<std::string_view, 10> kWords = {
      "", "kernels", "activity", "activities", "stream", "streams", "(CUDA)", "(HIP)", "device", "timeline"};
  return std::find(kWords.begin(), kWords.end(), rest) != kWords.end();
}

struct IntelDevice {
  std::string_view name;
  std::int64_t number = 0;
};

// unitrace: "RANK 0 DEVICE<node1>[Intel(R) Data Center GPU Max 1550] 0:3a:0:0 #1", of a tile "#1.0".
std::optional<IntelDevice> intel_device(std::string_view text) {
  const auto place = text.find("DEVICE<"), number = text.rfind(" #");
  if (place == std::string_view::npos || number == std::string_view::npos || number < place) return {};
  constexpr std::int64_t kTiles = 16; // more than a card has
  const auto open = text.find('[', place), close = text.rfind(']', number);
  IntelDevice device;
  if (open != std::string_view::npos && close != std::string_view::npos && open < close)
    device.name = text.substr(open + 1, close - open - 1);
  const auto written = text.substr(number + 2);
  const auto dot = written.find('.');
  device.number = number_in(written);
  if (dot != std::string_view::npos) device.number = device.number * kTiles + number_in(written.substr(dot));
  return device;
}

// False for names such as "stream 7", which contain only the number of the stream.
bool names_more_than_number(std::string_view name) {
  const auto first = name.find_first_of("0123456789");
  if (name.empty() || first == std::string_view::npos) return !name.empty();
  const auto last = name.find_first_not_of("0123456789", first);
  return last != std::string_view::npos || (name.substr(0, first) != "stream " && first != 0);
}

} // namespace

std::uint32_t Lanes::process(std::string_view pid) {
  if (const auto* known = process_rows_.find(pid)) return *known;
  if (processes_.size() >= kMaxLanes) return static_cast<std::uint32_t>(processes_.size() - 1);
  Process process;
  process.pid = clean_text(pid);
  process.number = digits(pid);
  const auto row = static_cast<std::uint32_t>(processes_.size());
  processes_.push_back(std::move(process));
  return process_rows_.add(pid, row);
}

std::uint32_t Lanes::lane(std::string_view pid, std::string_view tid) {
  key_.assign(pid).append(1, '\n').append(tid);
  if (const auto* known = lane_rows_.find(key_)) return *known;
  if (lanes_.size() >= kMaxLanes) return static_cast<std::uint32_t>(lanes_.size() - 1);
  Lane lane;
  lane.process = process(pid);
  lane.tid = clean_text(tid);
  const auto row = static_cast<std::uint32_t>(lanes_.size());
  lanes_.push_back(std::move(lane));
  return lane_rows_.add(key_, row);
}

std::uint32_t Lanes::stream(std::int64_t device, std::int64_t context, std::int64_t number,
                            std::string_view pid, std::string_view tid, std::int32_t rank) {
  const StreamPlace place{device, context, number, rank};
  if (last_stream_ != kNone && streams_[last_stream_] == place) return last_stream_;
  if (const auto found = stream_rows_.find(place); found != stream_rows_.end())
    return last_stream_ = found->second;
  if (streams_.size() >= kMaxStreams) return kMaxStreams - 1;
  const auto row = static_cast<std::uint32_t>(streams_.size());
  streams_.push_back(place);
  stream_lanes_.push_back(lane(pid, tid));
  stream_rows_.emplace(place, row);
  return row;
}

TimelinePlace Lanes::place_of(const Process& process) {
  const std::string_view name = process.name;
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (!name.starts_with('/') || !(name.ends_with(" Compute") || name.ends_with(" Tensors")))
    return TimelinePlace::None;
  if (has("/stream:all")) return TimelinePlace::AllStreams;
  if (has("/memcpy")) return TimelinePlace::Copies;
  if (has("/stream"))
    return has("emcpy") || has("emset") ? TimelinePlace::CopiesOfStream : TimelinePlace::Stream;
  return TimelinePlace::Scheduler;
}

std::optional<std::int64_t> Lanes::stream_of(const Process& process) {
  const auto place = place_of(process);
  if (place != TimelinePlace::Stream && place != TimelinePlace::CopiesOfStream) return {};
  constexpr std::string_view kMark = "/stream";
  return number_in(std::string_view(process.name).substr(process.name.find(kMark) + kMark.size()));
}

void Lanes::name_process(std::uint32_t process, std::string name) {
  auto& named = processes_[process];
  named.name = std::move(name);
  if (named.name.starts_with("RANK ") && named.name.find(" HOST<") != std::string::npos)
    named.rank = static_cast<std::int32_t>(std::min<std::int64_t>(number_in(named.name), kLargestRank));
  const auto place = place_of(named);
  places_are_streams_ = places_are_streams_ || place == TimelinePlace::Stream;
  places_are_copies_ = places_are_copies_ || place == TimelinePlace::CopiesOfStream;
}

bool Lanes::is_repeated(const Process& process) const {
  if (!places_are_streams_ && !places_are_copies_) return false;
  const auto place = place_of(process);
  return (place == TimelinePlace::AllStreams && places_are_streams_) ||
         (place == TimelinePlace::Copies && places_are_copies_);
}

std::optional<std::int64_t> Lanes::device_of(const Process& process) {
  const auto place = place_of(process);
  if (place == TimelinePlace::Scheduler) return {};
  if (constexpr std::string_view kMark = "/gpu:"; place != TimelinePlace::None)
    if (const auto mark = process.name.find(kMark); mark != std::string::npos)
      return number_in(std::string_view(process.name).substr(mark + kMark.size()));
  if (const auto device = intel_device(process.name)) return device->number;
  if (process.name == "Ascend Hardware") return 0; // CANN does not write its number
  for (const auto* text : {&process.label, &process.name}) {
    auto rest = device_name(*text);
    static constexpr std::array<std::string_view, 7> kDevices = {"GPU", "TPU",  "XPU", "HPU",
                                                                 "NPU", "MTIA", "DCU"};
    const auto kind = std::find_if(kDevices.begin(), kDevices.end(),
                                   [&](std::string_view k) { return rest.starts_with(k); });
    if (kind == kDevices.end()) continue;
    rest.remove_prefix(kind->size());
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == ':')) rest.remove_prefix(1);
    const auto end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (const auto number = digits(rest.substr(0, end))) return number;
    if (*kind == "GPU" && text->starts_with("GPU") && is_only_gpu(rest)) return 0;
  }
  return {};
}

DeviceLane Lanes::kind_of(const Lane& lane) {
  if (lane.name.empty() || lane.name.find("tream") != std::string::npos) return DeviceLane::Stream;
  return lane.name == "XLA Ops" || lane.name == "XLA ops" ? DeviceLane::Operations : DeviceLane::Other;
}

void Lanes::name_lane(std::uint32_t lane, std::string name) {
  lanes_[lane].name = std::move(name);
  if (!lanes_[lane].name.empty() && kind_of(lanes_[lane]) == DeviceLane::Stream)
    process_of(lane).has_streams = true;
}

// JAX and TensorFlow give names to devices and streams: "/device:GPU:0", "Stream #14(Compute,MemcpyH2D)".
void Lanes::name_devices(Draft& draft, const Tree& tree) const {
  for (const auto& process : processes_)
    if (const auto device = device_of(process); device && process.name.find("/device:") != std::string::npos)
      if (const auto resource = tree.device(*device);
          resource != kNone && draft.resources[resource].name.empty())
        draft.resources[resource].name = without_place(device_name(process.name));
  for (const auto& process : processes_)
    if (const auto device = intel_device(process.name))
      for (auto& info : draft.devices)
        if (info.resource == tree.device(device->number)) info.name = clean_text(device->name);
  for (std::size_t row = 0; row < streams_.size(); ++row)
    if (stream_lanes_[row] < lanes_.size())
      if (const auto& name = lanes_[stream_lanes_[row]].name; names_more_than_number(name))
        draft.resources[tree.streams[row]].name = name;
}

// The pid with the most calls that is not a device; in a tie the one labelled "CPU", else one that is not 0,
// else the one with the most ranges.
std::uint32_t Lanes::main_process() const {
  std::uint32_t best = kNone;
  const auto weight = [&](std::uint32_t row) {
    const auto& p = processes_[row];
    const bool real = p.number && !device_of(p);
    return std::tuple(real, p.calls, p.label == "CPU", *p.number != 0, p.ranges);
  };
  for (std::uint32_t row = 0; row < processes_.size(); ++row)
    if (processes_[row].number && !device_of(processes_[row]) &&
        (best == kNone || weight(row) > weight(best)))
      best = row;
  return best;
}

// Pids that are devices ("GPU 0"), not numeric ("Spans") or 0 (libkineto's threads of the interpreter) belong
// to the process that launched.
std::uint32_t Lanes::resource_of(Draft& draft, Process& process, const Tree& tree) {
  if (process.resource != kNone) return process.resource;
  const bool own = process.number && *process.number != 0 && !device_of(process);
  if (!own) return process.resource = tree.main_process;
  process.resource = draft.add_resource(ResourceKind::Process, tree.host, *process.number, process.name);
  if (process.rank) draft.resources[process.resource].rank = *process.rank;
  return process.resource;
}

std::uint32_t Lanes::Tree::device(std::int64_t number) const {
  for (const auto& device : devices)
    if (device.number == number) return device.resource;
  return kNone;
}

std::uint32_t Lanes::Tree::device(std::int64_t number, std::uint32_t process) const {
  for (const auto& device : devices)
    if (device.number == number && device.process == process) return device.resource;
  return kNone;
}

std::size_t Lanes::calling_processes() const {
  return static_cast<std::size_t>(
      std::count_if(processes_.begin(), processes_.end(), [](const Process& p) { return p.calls > 0; }));
}

// Returns an index in Lanes; kNone for the process with the most calls.
std::uint32_t Lanes::owner_of(std::size_t stream) const {
  const auto rank = streams_[stream].rank;
  std::uint32_t best = kNone;
  for (std::uint32_t row = 0; rank >= 0 && row < processes_.size(); ++row)
    if (processes_[row].rank == rank && (best == kNone || processes_[row].calls > processes_[best].calls))
      best = row;
  if (best != kNone) return best;
  const auto found = owners_.find(static_cast<std::uint32_t>(stream));
  return found == owners_.end() ? kNone : found->second;
}

// Each rank has its own device, even if ranks use the same number; processes without rank share devices of
// the same number.
std::uint32_t Lanes::device_of_stream(Draft& draft, Tree& tree, std::size_t stream) {
  const auto& place = streams_[stream];
  const auto owner = owner_of(stream);
  const auto process = owner == kNone ? tree.main_process : resource_of(draft, processes_[owner], tree);
  if (process == tree.main_process) return add_device(draft, tree, place.device);
  if (const auto known = tree.device(place.device, process); known != kNone) return known;
  const auto same = place.rank < 0 ? tree.device(place.device) : kNone;
  const auto row = draft.add_resource(ResourceKind::Device, process, place.device, "");
  if (same != kNone) {
    draft.resources[row].physical = draft.resources[same].physical;
  } else {
    store::DeviceInfo info;
    info.resource = row;
    draft.devices.push_back(std::move(info));
  }
  tree.devices.push_back({place.device, row, process});
  return row;
}

std::uint32_t Lanes::add_device(Draft& draft, Tree& tree, std::int64_t number) {
  if (const auto known = tree.device(number, tree.main_process); known != kNone) return known;
  const auto row = draft.add_resource(ResourceKind::Device, tree.main_process, number, "");
  store::DeviceInfo info;
  info.resource = row;
  draft.devices.push_back(std::move(info));
  tree.devices.push_back({number, row, tree.main_process});
  return row;
}

Lanes::Tree Lanes::make_resources(Draft& draft, std::int32_t rank, std::uint32_t host) {
  Tree tree;
  tree.host = host == kNone ? draft.add_resource(ResourceKind::Host, kNone, 0, "") : host;
  const auto main = main_process();
  tree.main_process = main == kNone ? draft.add_resource(ResourceKind::Process, tree.host, 0, "")
                                    : draft.add_resource(ResourceKind::Process, tree.host,
                                                         *processes_[main].number, processes_[main].name);
  if (main != kNone) processes_[main].resource = tree.main_process;
  draft.resources[tree.main_process].rank = main == kNone ? rank : processes_[main].rank.value_or(rank);
  for (std::size_t stream = 0; stream < streams_.size(); ++stream)
    tree.streams.push_back(draft.add_resource(ResourceKind::Stream, device_of_stream(draft, tree, stream),
                                              streams_[stream].number, ""));
  name_devices(draft, tree);
  for (auto& lane : lanes_) {
    if (!lane.used) {
      tree.threads.push_back(kNone);
      continue;
    }
    const auto parent = resource_of(draft, processes_[lane.process], tree);
    auto name = lane.name;
    const auto number = digits(lane.tid);
    if (const auto device = device_of(processes_[lane.process]); device && lane.on_device)
      name = fmt::format("{} {}",
                         processes_[lane.process].name.find("/device:") == std::string::npos
                             ? fmt::format("GPU {}", *device)
                             : std::string(device_name(processes_[lane.process].name)),
                         name.empty() ? fmt::format("stream {}", lane.tid) : name);
    else if (name.empty() && !number)
      name = lane.tid.empty() ? processes_[lane.process].pid : lane.tid;
    tree.threads.push_back(
        draft.add_resource(ResourceKind::Thread, parent, number ? *number : number_in(lane.tid), name));
  }
  return tree;
}

std::uint32_t Lanes::counter_place(Draft& draft, Tree& tree, std::uint32_t process) {
  auto& owner = processes_[process];
  if (const auto device = device_of(owner)) {
    const auto known = tree.device(*device);
    return known != kNone ? known : add_device(draft, tree, *device);
  }
  for (std::size_t row = 0; row < lanes_.size(); ++row)
    if (lanes_[row].process == process && tree.threads[row] != kNone) return tree.threads[row];
  return draft.add_resource(ResourceKind::Thread, resource_of(draft, owner, tree), 0, "counters");
}

} // namespace jitterscope::import::chrome
