#include "core/store/trace/manifest.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace jitterscope::store {
namespace {

using nlohmann::json;

constexpr Severity kSeverities[] = {Severity::Info, Severity::Repair, Severity::Doubt, Severity::Drop};

Severity severity_from(const std::string& text) {
  for (auto severity : kSeverities)
    if (to_string(severity) == text) return severity;
  return Severity::Doubt;
}

json to_json(const Source& s) {
  json out = {{"path", s.path},        {"bytes", s.bytes},       {"sha256", s.sha256},
              {"format", s.format},    {"tool", s.tool},         {"schema", s.schema},
              {"utc_ns", s.utc_ns},    {"shift_ns", s.shift_ns}, {"alignment", s.alignment},
              {"timeless", s.timeless}};
  if (s.end_ns) out["end_ns"] = *s.end_ns;
  return out;
}

Source source_from(const json& j) {
  Source source = {j.at("path"),   j.at("bytes"),  j.at("sha256"),   j.at("format"),    j.at("tool"),
                   j.at("schema"), j.at("utc_ns"), j.at("shift_ns"), j.at("alignment"), j.at("timeless")};
  if (const auto end = j.find("end_ns"); end != j.end()) source.end_ns = end->get<std::int64_t>();
  return source;
}

json to_json(const DeviceInfo& d) {
  return {{"resource", d.resource},
          {"name", d.name},
          {"uuid", d.uuid},
          {"multiprocessors", d.multiprocessors},
          {"properties", d.properties}};
}

DeviceInfo device_from(const json& j) {
  return {j.at("resource"), j.at("name"), j.at("uuid"), j.at("multiprocessors"), j.at("properties")};
}

json to_json(const ReportEntry& e) {
  return {{"severity", to_string(e.severity)}, {"code", e.code}, {"count", e.count}, {"text", e.text}};
}

ReportEntry entry_from(const json& j) {
  return {severity_from(j.at("severity")), j.at("code"), j.at("count"), j.at("text")};
}

json to_json(const std::map<std::int64_t, std::string>& names) {
  json out = json::array();
  for (const auto& [number, name] : names) out.push_back({number, name});
  return out;
}

std::map<std::int64_t, std::string> names_from(const json& j) {
  std::map<std::int64_t, std::string> names;
  for (const auto& item : j) names.emplace(item.at(0), item.at(1));
  return names;
}

template <class T>
json array_of(const std::vector<T>& items) {
  json out = json::array();
  for (const auto& item : items) out.push_back(to_json(item));
  return out;
}

} // namespace

std::string to_string(Severity severity) {
  switch (severity) {
  case Severity::Info:
    return "info";
  case Severity::Repair:
    return "repair";
  case Severity::Drop:
    return "drop";
  case Severity::Doubt:
    break;
  }
  return "doubt";
}

void ImportReport::add(Severity severity, const std::string& code, const std::string& text,
                       std::int64_t count) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const ReportEntry& e) { return e.code == code; });
  if (found == entries_.end())
    entries_.push_back({severity, code, count, text});
  else
    found->count += count;
}

json to_json(const Manifest& manifest) {
  json out = {{"sources", array_of(manifest.sources)}, {"devices", array_of(manifest.devices)},
              {"report", array_of(manifest.report)},   {"origin_utc_ns", manifest.origin_utc_ns},
              {"launch_order", manifest.launch_order}, {"constant_columns", manifest.constant_columns}};
  if (!manifest.parameter_columns.empty()) out["parameter_columns"] = manifest.parameter_columns;
  if (!manifest.collective_kernels.empty()) out["collective_kernels"] = manifest.collective_kernels;
  if (!manifest.paraver.empty())
    out["paraver"] = {{"states", to_json(manifest.paraver.states)},
                      {"range_types", to_json(manifest.paraver.range_types)}};
  if (!manifest.machine.empty()) out["machine"] = to_json(manifest.machine);
  return out;
}

Expected<Manifest> manifest_from_json(const json& j) {
  try {
    Manifest manifest;
    for (const auto& item : j.at("sources")) manifest.sources.push_back(source_from(item));
    for (const auto& item : j.at("devices")) manifest.devices.push_back(device_from(item));
    for (const auto& item : j.at("report")) manifest.report.push_back(entry_from(item));
    manifest.origin_utc_ns = j.at("origin_utc_ns");
    manifest.launch_order = j.at("launch_order");
    manifest.constant_columns = j.at("constant_columns").get<std::vector<std::string>>();
    if (const auto parameters = j.find("parameter_columns"); parameters != j.end())
      manifest.parameter_columns = parameters->get<std::vector<std::string>>();
    manifest.collective_kernels = j.value("collective_kernels", std::string());
    if (const auto paraver = j.find("paraver"); paraver != j.end())
      manifest.paraver = {names_from(paraver->at("states")), names_from(paraver->at("range_types"))};
    if (const auto machine = j.find("machine"); machine != j.end())
      manifest.machine = machine_from_json(*machine);
    return manifest;
  } catch (const json::exception& problem) {
    return failure(ErrorKind::BadInput, "the store's manifest is damaged", {}, problem.what());
  }
}

} // namespace jitterscope::store
