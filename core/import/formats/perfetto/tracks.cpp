#include "core/import/formats/perfetto/tracks.h"

#include <fmt/core.h>

#include "core/import/formats/perfetto/fields.h"
#include "core/import/records/units.h"
#include "core/import/text/json/values.h"
#include "core/import/text/protobuf/wire.h"
#include "core/import/text/text.h"

namespace jitterscope::import::perfetto {
namespace {

using protobuf::bytes_of;
using protobuf::Fields;
using protobuf::number_of;

constexpr std::int64_t kMaxNumber = 65'535; // maximum number of a device or stream
constexpr int kMaxParents = 16;

// The number in brackets after a word: "COMPUTE AGENT [4] QUEUE [1] (GPU)".
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == std::string_view::npos) return {};
  auto rest = text.substr(at + word.size());
  const auto open = rest.find_first_not_of(" [");
  if (open == std::string_view::npos) return {};
  rest = rest.substr(open);
  const auto number = json::integer(rest.substr(0, rest.find_first_not_of("0123456789")));
  return number && *number >= 0 && *number <= kMaxNumber ? number : std::nullopt;
}

CounterValues counter_of(std::string_view descriptor) {
  CounterValues values;
  const auto unit = number_of(descriptor, counter::kUnit);
  if (unit == counter::kBytes)
    values.unit = "B";
  else if (unit == counter::kNanoseconds || number_of(descriptor, counter::kType) == counter::kThreadTime)
    values.unit = "ns";
  else if (const auto name = bytes_of(descriptor, counter::kUnitName); !name.empty()) {
    auto named = normalised_unit(clean_text(name));
    values.unit = std::move(named.base), values.factor = named.factor;
  }
  const auto multiplier = static_cast<std::int64_t>(number_of(descriptor, counter::kMultiplier));
  if (multiplier > 0) values.factor *= static_cast<double>(multiplier);
  values.incremental = number_of(descriptor, counter::kIncremental) != 0;
  return values;
}

} // namespace

void Tracks::add_process(std::string_view descriptor) {
  const auto pid = static_cast<std::int32_t>(number_of(descriptor, process::kPid));
  if (const auto name = bytes_of(descriptor, process::kName); !name.empty())
    process_names_[pid] = clean_text(name);
}

void Tracks::add(std::string_view descriptor) {
  const auto uuid = number_of(descriptor, track::kUuid);
  auto& known = track(uuid);
  Fields fields(descriptor);
  while (const auto field = fields.next()) {
    if (field->number == track::kParent && field->is_number()) known.parent = field->value;
    if (!field->is_bytes()) continue;
    if (field->number == track::kName || field->number == track::kStaticName)
      known.name = clean_text(field->bytes);
    if (field->number == track::kCounter) known.counter = counter_of(field->bytes);
    if (field->number == track::kProcess) {
      known.pid = static_cast<std::int32_t>(number_of(field->bytes, process::kPid));
      add_process(field->bytes);
    }
    if (field->number == track::kThread) {
      known.pid = static_cast<std::int32_t>(number_of(field->bytes, thread::kPid));
      known.tid = static_cast<std::int32_t>(number_of(field->bytes, thread::kTid));
      if (const auto name = bytes_of(field->bytes, thread::kName); !name.empty() && known.name.empty())
        known.name = clean_text(name);
    }
  }
  lanes_.erase(uuid);
}

const Track* Tracks::find(std::uint64_t uuid) const {
  const auto found = tracks_.find(uuid);
  return found == tracks_.end() ? nullptr : &found->second;
}

const Lane& Tracks::lane(std::uint64_t uuid) {
  if (const auto found = lanes_.find(uuid); found != lanes_.end()) return found->second;
  Lane lane;
  const auto* own = find(uuid);
  std::optional<std::int64_t> pid;
  const auto* ancestor = own;
  for (int step = 0; ancestor && step < kMaxParents; ++step) {
    if (!pid) pid = ancestor->pid;
    ancestor = ancestor->parent != 0 ? find(ancestor->parent) : nullptr;
  }
  lane.pid = fmt::format("{}", pid.value_or(0));
  lane.tid = own && own->tid ? fmt::format("{}", *own->tid) : fmt::format("track {:x}", uuid);
  if (own) {
    lane.name = own->name;
    lane.device = number_behind(own->name, "AGENT");
    if (!lane.device) lane.device = number_behind(own->name, "GPU");
    lane.stream = number_behind(own->name, "QUEUE");
    if (!lane.stream) lane.stream = number_behind(own->name, "STREAM");
    if (!lane.stream) lane.stream = number_behind(own->name, "THREAD");
  }
  return lanes_.emplace(uuid, std::move(lane)).first->second;
}

} // namespace jitterscope::import::perfetto
