#include "core/import/formats/paraver/objects.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "core/paraver/event_types.h"

namespace jitterscope::import::paraver {
namespace {

using store::ResourceKind;

// Maximum number of an object and maximum count of objects: every object costs memory, and a damaged or
// malicious file may state any number.
constexpr std::int64_t kMaxNumber = 100'000'000;
constexpr std::size_t kMaxObjects = 10'000'000;
// Maximum number of threads in the header; with more, objects are stored in a map.
constexpr std::int64_t kMaxDeclared = 1'000'000;
// Maximum number of threads of a task in which the device of its metrics is searched.
constexpr std::int64_t kMaxExamined = 65'536;

std::optional<std::int64_t> consume_digits(std::string_view& text) {
  std::int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || number < 0) return {};
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  return number;
}

} // namespace

std::optional<StreamLabel> stream_label(std::string_view name) {
  StreamLabel label;
  if (name.starts_with("GPU_")) {
    const auto point = name.find('.');
    if (point == std::string_view::npos || point <= 4) return {};
    label.uuid = std::string(name.substr(4, point - 4));
    name.remove_prefix(point + 1);
    if (name.starts_with('S')) name.remove_prefix(1);
    const auto stream = consume_digits(name);
    label.stream = stream.value_or(0);
    return stream ? std::optional(label) : std::nullopt;
  }
  const auto place = name.find("-D");
  static constexpr std::string_view kKinds[] = {"CUDA",   "HIP",  "GPU",  "OpenCL",
                                                "OPENCL", "OACC", "SYCL", "ROCM"};
  if (place == std::string_view::npos || std::none_of(std::begin(kKinds), std::end(kKinds), [&](auto kind) {
        return name.substr(0, place) == kind;
      }))
    return {};
  name.remove_prefix(place + 2);
  const auto device = consume_digits(name);
  if (!device || !name.starts_with(".S")) return {};
  name.remove_prefix(2);
  const auto stream = consume_digits(name);
  if (!stream) return {};
  label.device = *device;
  label.stream = *stream;
  return label;
}

Objects::Objects(Draft& draft, const Header& header, const Rows& rows)
    : draft_(draft), header_(header), rows_(rows) {
  for (std::size_t row = 0; row < header.tasks.size(); ++row)
    task_rows_.try_emplace({header.tasks[row].application, header.tasks[row].number}, row);
  std::int64_t threads = 0;
  for (const auto& task : header.tasks) threads += std::min<std::int64_t>(task.threads, kMaxDeclared + 1);
  if (threads > kMaxDeclared) return;
  declared_.resize(static_cast<std::size_t>(threads));
  std::size_t first = 0;
  for (const auto& task : header.tasks) { // applications and tasks are numbered in the order of the header
    const auto application = static_cast<std::size_t>(task.application);
    places_.resize(std::max(places_.size(), application));
    const auto of_task = static_cast<std::size_t>(task.threads);
    places_[application - 1].push_back({first, of_task});
    first += of_task;
  }
}

Objects::Declared* Objects::declared_place(std::int64_t application, std::int64_t task, std::int64_t thread) {
  const auto a = static_cast<std::size_t>(application - 1), t = static_cast<std::size_t>(task - 1);
  if (a >= places_.size() || t >= places_[a].size()) return nullptr;
  const auto& place = places_[a][t];
  last_ = {application, task, place};
  const auto i = static_cast<std::size_t>(thread - 1);
  return i < place.threads ? &declared_[place.first + i] : nullptr;
}

const Task* Objects::declared(std::int64_t application, std::int64_t task) const {
  const auto found = task_rows_.find({application, task});
  return found == task_rows_.end() ? nullptr : &header_.tasks[found->second];
}

// Number of a task through all applications, from 0; −1 for a task that cannot be one of the header.
std::int32_t Objects::index_of(std::int64_t application, std::int64_t task) const {
  const auto found = task_rows_.find({application, task});
  if (found != task_rows_.end()) return static_cast<std::int32_t>(found->second);
  return application <= 1 && task > 0 && task <= kMaxNumber ? static_cast<std::int32_t>(task - 1) : -1;
}

// With a single application, the numbers of tasks are MPI's ranks.
std::int32_t Objects::rank_of(std::int64_t application, std::int64_t task) const {
  const auto index = index_of(application, task);
  return index >= 0 && static_cast<std::size_t>(index) < ranks_.size()
             ? ranks_[static_cast<std::size_t>(index)]
             : index;
}

void Objects::remove_ranks() {
  for (const auto& [task, process] : processes_) draft_.resources[process].rank = -1;
}

bool Objects::several_applications() const {
  return !header_.tasks.empty() && header_.tasks.front().application != header_.tasks.back().application;
}

std::int64_t Objects::without_records() const {
  return std::ranges::count_if(header_.tasks, [&](const Task& task) {
    return !processes_.contains({task.application, task.number}) &&
           (ranks_.empty() || rank_of(task.application, task.number) >= 0);
  });
}

std::uint32_t Objects::host(std::int64_t node) {
  const auto [place, added] = hosts_.try_emplace(std::max<std::int64_t>(node, 1), 0);
  if (added)
    place->second =
        draft_.add_resource(ResourceKind::Host, kNone, place->first, rows_.name("NODE", place->first - 1));
  return place->second;
}

std::uint32_t Objects::process(std::int64_t application, std::int64_t task) {
  const auto [place, added] = processes_.try_emplace({application, task}, 0);
  if (!added) return place->second;
  const auto* known = declared(application, task);
  auto name = known ? rows_.name("TASK", index_of(application, task)) : std::string();
  const auto number = fmt::format("TASK {}.{}", application, task);
  if (several_applications()) // ranks count through all applications
    name = fmt::format("application {}, rank {}{}", application, task - 1,
                       name.empty() || name == number ? std::string() : ": " + name);
  if (name.empty()) name = number;
  const auto row = draft_.add_resource(ResourceKind::Process, host(known ? known->node : 1), task, name);
  draft_.resources[row].rank = rank_of(application, task);
  return place->second = row;
}

std::uint32_t Objects::device(std::uint32_t process, const StreamLabel& label) {
  const auto key = label.uuid.empty() ? std::to_string(label.device) : label.uuid;
  const auto [place, added] = devices_.try_emplace({process, key}, 0);
  if (!added) return place->second;
  place->second = draft_.add_resource(ResourceKind::Device, process, label.device, label.uuid);
  if (const auto seen = draft_.device_with(label.uuid); seen != kNone)
    draft_.resources[place->second].physical = seen;
  else
    draft_.devices.push_back({place->second, label.uuid, label.uuid, 0, {}});
  return place->second;
}

// "Metrics GPU1" belongs to device 1 of the task's streams, or to its only device: the sampler may number
// devices differently. kNone when there is none.
std::uint32_t Objects::measured_device(const Task& task, std::uint32_t process, std::string_view number) {
  const auto requested = consume_digits(number);
  std::optional<StreamLabel> only;
  bool several = false;
  for (std::int64_t thread = 0; thread < std::min(task.threads, kMaxExamined); ++thread) {
    auto label = stream_label(rows_.name("THREAD", task.first_thread + thread));
    if (!label) continue;
    if (requested && label->uuid.empty() && label->device == *requested) return device(process, *label);
    several = several || (only && (only->device != label->device || only->uuid != label->uuid));
    only = std::move(label);
  }
  return only && !several ? device(process, *only) : kNone;
}

Object Objects::make(std::int64_t application, std::int64_t task, std::int64_t thread) {
  Object object;
  object.process = process(application, task);
  object.rank = rank_of(application, task);
  const auto* known = declared(application, task);
  const bool in_header = known && thread <= known->threads;
  if (!in_header) ++undeclared_;
  const auto name = in_header ? rows_.name("THREAD", known->first_thread + thread - 1) : std::string();
  const auto label = stream_label(name);
  object.metrics = name.starts_with(prv::kMetricsThread);
  if (object.metrics) {
    object.resource =
        measured_device(*known, object.process, std::string_view(name).substr(prv::kMetricsThread.size()));
    if (object.resource != kNone) return object;
  }
  if (!label) {
    object.resource = draft_.add_resource(ResourceKind::Thread, object.process, thread, name);
    return object;
  }
  object.gpu = true;
  object.resource =
      draft_.add_resource(ResourceKind::Stream, device(object.process, *label), label->stream, name);
  return object;
}

std::size_t Objects::KeyHash::operator()(const Key& key) const {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ull; // Fibonacci hashing
  const auto [application, task, thread] = key;
  auto mixed = static_cast<std::uint64_t>(application) * kOdd + static_cast<std::uint64_t>(task);
  mixed = mixed * kOdd + static_cast<std::uint64_t>(thread);
  return mixed * kOdd >> 20;
}

Object* Objects::find_or_make(std::int64_t application, std::int64_t task, std::int64_t thread) {
  if (auto* place = declared_place(application, task, thread)) {
    if (!place->made) {
      place->object = make(application, task, thread);
      place->made = true;
      ++count_;
    }
    return &place->object;
  }
  const Key key{application, task, thread};
  const auto usable = [](std::int64_t number) { return number >= 1 && number <= kMaxNumber; };
  if (!usable(application) || !usable(task) || !usable(thread)) return nullptr;
  auto found = objects_.find(key);
  if (found == objects_.end()) {
    if (count_ >= kMaxObjects) return nullptr;
    found = objects_.emplace(key, make(application, task, thread)).first;
    ++count_;
  }
  return &found->second;
}

} // namespace jitterscope::import::paraver
