#include "core/import/formats/chrome/trace.h"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/import/text/json/values.h"
#include "core/import/text/text.h"

namespace jitterscope::import::chrome {
namespace {

constexpr std::string_view kHeaderMembers =
    "baseTimeNanoseconds|distributedInfo|deviceProperties|schemaVersion|cupti_version|roctracer_version|"
    "cuda_driver_version|cuda_runtime_version|hip_runtime_version|displayTimeUnit|span_indx";

constexpr std::int64_t kMaxRank = 0x7FFFFFFF;

std::optional<std::int64_t> number(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (found->is_number_integer()) return found->get<std::int64_t>();
  if (found->is_string()) return json::integer(found->get_ref<const std::string&>());
  return {};
}

void read_distributed(Header& header, const nlohmann::json& info) {
  if (!info.is_object()) return;
  if (const auto rank = number(info, "rank"); rank && *rank >= 0 && *rank <= kMaxRank)
    header.rank = static_cast<std::int32_t>(*rank);
  header.world_size = number(info, "world_size");
}

std::optional<std::pair<std::int64_t, store::DeviceInfo>> device_in(const nlohmann::json& object) {
  if (!object.is_object()) return {};
  const auto id = number(object, "id");
  if (!id) return {};
  store::DeviceInfo device;
  if (const auto name = object.find("name"); name != object.end() && name->is_string())
    device.name = clean_text(name->get_ref<const std::string&>());
  for (const auto* key : {"numSms", "multiProcessorCount"})
    if (const auto count = number(object, key))
      device.multiprocessors = std::clamp<std::int64_t>(*count, 0, 1 << 20);
  for (const auto& [key, value] : object.items())
    if (key != "id" && key != "name" && value.is_number() && device.properties.size() < 64)
      device.properties[clean_text(key)] = value.dump();
  return std::pair(*id, std::move(device));
}

void read_devices(Header& header, const nlohmann::json& list) {
  if (!list.is_array()) return;
  for (const auto& object : list)
    if (auto device = device_in(object); device && header.devices.size() < 4096)
      header.devices.push_back(std::move(*device));
}

} // namespace

bool is_header_member(std::string_view key) {
  return is_listed(key, kHeaderMembers);
}

void read_header_member(Header& header, std::string_view key, std::string_view value) {
  const auto versioned = [&](const char* what) {
    if (!header.tool.empty()) header.tool += ", ";
    header.tool += fmt::format("{} {}", what, clean_text(json::unquoted(value)));
  };
  if (key == "baseTimeNanoseconds") {
    header.base_ns = json::integer(value).value_or(-1);
    header.libkineto = true;
  } else if (key == "schemaVersion") {
    header.schema = clean_text(json::unquoted(value)).substr(0, 64);
    header.libkineto = true;
  } else if (key == "span_indx") {
    header.paddle = true;
    header.tool = "PaddlePaddle";
  } else if (key == "cupti_version") {
    versioned("CUPTI");
  } else if (key == "roctracer_version") {
    versioned("roctracer");
  } else if (key == "distributedInfo") {
    header.libkineto = true;
    read_distributed(header, nlohmann::json::parse(value, nullptr, false));
  } else if (key == "deviceProperties") {
    header.libkineto = true;
    read_devices(header, nlohmann::json::parse(value, nullptr, false));
  }
}

} // namespace jitterscope::import::chrome
