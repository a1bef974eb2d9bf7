#include "core/import/formats/device_log/log_columns.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/import/records/units.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::device_log {
namespace {

using Kind = LogColumn::Kind;
using namespace std::string_view_literals;

// Names of quantities, by slugs of titles without their units.
constexpr std::array kQuantities = {
    std::pair("clocks_current_sm|clocks_sm|sm_clock|clock_sm"sv, "SM Clock"sv),
    std::pair("clocks_current_memory|clocks_current_mem|clocks_mem|clocks_memory|memory_clock|mem_clock"sv,
              "Memory Clock"sv),
    std::pair("clocks_current_graphics|clocks_gr|clocks_graphics|graphics_clock|gfx_clock|gfx_clk"sv,
              "Graphics Clock"sv),
    std::pair("clocks_current_video|clocks_video"sv, "Video Clock"sv),
    std::pair("power_draw|power_usage|power"sv, "Power"sv),
    std::pair("power_draw_instant"sv, "Instant Power"sv),
    std::pair("power_draw_average"sv, "Average Power"sv),
    std::pair("temperature_gpu|gpu_temperature|gpu_temp|temperature|temp"sv, "Temperature"sv),
    std::pair("temperature_memory|memory_temperature"sv, "Memory Temperature"sv),
    std::pair("utilization_gpu|gpu_utilization"sv, "GPU Utilization"sv),
    std::pair("utilization_memory"sv, "Memory Utilization"sv),
    std::pair("memory_used"sv, "Memory Used"sv),
    std::pair("fan_speed"sv, "Fan Speed"sv),
    std::pair("clocks_event_reasons_sw_power_cap"sv, "Power Cap Active"sv),
    std::pair("clocks_event_reasons_hw_slowdown"sv, "Hardware Slowdown Active"sv),
    std::pair("clocks_event_reasons_sw_thermal_slowdown"sv, "Software Thermal Slowdown Active"sv),
    std::pair("clocks_event_reasons_hw_thermal_slowdown"sv, "Hardware Thermal Slowdown Active"sv),
    std::pair("clocks_event_reasons_hw_power_brake_slowdown"sv, "Power Brake Active"sv)};

// Columns of nvidia-smi dmon (nvidia-smi manual, "Device Monitoring").
constexpr std::array kDmon = {std::pair("pwr"sv, "Power"sv),
                              std::pair("gtemp"sv, "Temperature"sv),
                              std::pair("mtemp"sv, "Memory Temperature"sv),
                              std::pair("sm"sv, "SM Utilization"sv),
                              std::pair("mem"sv, "Memory Utilization"sv),
                              std::pair("enc"sv, "Encoder Utilization"sv),
                              std::pair("dec"sv, "Decoder Utilization"sv),
                              std::pair("jpg"sv, "JPEG Utilization"sv),
                              std::pair("ofa"sv, "Optical Flow Utilization"sv),
                              std::pair("mclk"sv, "Memory Clock"sv),
                              std::pair("pclk"sv, "Processor Clock"sv),
                              std::pair("fb"sv, "Memory Used"sv),
                              std::pair("bar1"sv, "BAR1 Memory Used"sv),
                              std::pair("ccpm"sv, "Protected Memory Used"sv),
                              std::pair("rxpci"sv, "PCIe Received"sv),
                              std::pair("txpci"sv, "PCIe Sent"sv),
                              std::pair("pviol"sv, "Power Violations"sv),
                              std::pair("tviol"sv, "Thermal Violation"sv)};

constexpr std::string_view kTimes =
    "time|timestamp|ts|t|datetime|date_time|unix|unixtime|unix_time|epoch|epoch_time|date|time_utc|utc|"
    "utc_time|sample_time|time_stamp|local_time|unix_timestamp";
constexpr std::string_view kDevices =
    "index|gpu|gpu_index|gpu_id|gpuid|device|device_id|device_index|dev|idx";
constexpr std::string_view kUuids = "uuid|gpu_uuid";
constexpr std::string_view kHosts = "host|hostname|host_name|node|node_name|nodename";
constexpr std::string_view kRanks = "rank|mpi_rank|global_rank|world_rank";
constexpr std::string_view kIgnored =
    "name|gpu_name|driver_version|count|gpu_serial|serial|pid|vbios_version|pstate";
// First parts of the fields that `nvidia-smi --help-query-gpu` lists.
constexpr std::string_view kFields =
    "clocks|clocks_throttle_reasons|clocks_event_reasons|clocks_event_reasons_counters|power|enforced|"
    "temperature|utilization|memory|fan|pcie|pci|encoder|ecc|module|retired_pages|fabric";

constexpr std::array kReasons = {
    ClockReason{0x4, "Power Cap Active"}, ClockReason{0x8, "Hardware Slowdown Active"},
    ClockReason{0x20, "Software Thermal Slowdown Active"},
    ClockReason{0x40, "Hardware Thermal Slowdown Active"}, ClockReason{0x80, "Power Brake Active"}};

// Older drivers write clocks_throttle_reasons for clocks_event_reasons.
std::string key_of(std::string_view title) {
  constexpr auto kOld = "clocks_throttle_reasons"sv;
  auto key = slug(title);
  if (key.starts_with(kOld)) key.replace(0, kOld.size(), "clocks_event_reasons");
  return key;
}

bool are_reasons(std::string_view title) {
  return title == "clocks_event_reasons.active" || title == "clocks_throttle_reasons.active";
}

Kind kind_of(std::string_view title, const std::string& name) {
  if (are_reasons(title)) return Kind::Reasons;
  if (is_listed(name, kTimes)) return Kind::Time;
  if (is_listed(name, kDevices)) return Kind::Device;
  if (is_listed(name, kUuids)) return Kind::Uuid;
  if (is_listed(name, kHosts)) return Kind::Host;
  if (is_listed(name, kRanks)) return Kind::Rank;
  // Fields that are not sampled: sums since the boot, and settings.
  constexpr std::array kNoSamples = {"pci."sv, "clocks_event_reasons_counters."sv, "clocks.max."sv,
                                     "clocks.applications."sv, "clocks.default_applications."sv};
  const bool ignored =
      is_listed(name, kIgnored) ||
      std::any_of(kNoSamples.begin(), kNoSamples.end(), [&](auto part) { return title.starts_with(part); });
  return ignored ? Kind::Ignored : Kind::Counter;
}

template <class List>
std::string known_name(const List& list, std::string_view key, std::string otherwise) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& entry) { return is_listed(key, entry.first); });
  return found == list.end() ? std::move(otherwise) : std::string(found->second);
}

void keep_first_of_each_kind(std::vector<LogColumn>& columns) {
  for (const auto kind : {Kind::Time, Kind::Device, Kind::Uuid, Kind::Host, Kind::Rank})
    for (bool seen = false; auto& column : columns)
      if (column.kind == kind && std::exchange(seen, true)) column.kind = Kind::Counter;
}

// nvidia-smi documents these units, which a header may leave out.
std::string usual_unit(const std::string& name, std::string_view title) {
  if (name.ends_with("Temperature")) return "C";
  if (!is_query_field(title)) return {};
  return name.ends_with("Clock") ? "MHz" : name.ends_with("Power") ? "W" : "";
}

bool same_title(const std::string& title, std::string_view requested) {
  return title == requested || slug(title) == slug(requested) || split_unit(title).title == requested;
}

// The user's choice takes the place of a column that was found by its name.
void choose(std::vector<LogColumn>& columns, std::span<const std::string> titles, Kind kind,
            const std::optional<std::string>& requested) {
  if (!requested) return;
  for (auto& column : columns)
    if (column.kind == kind) column.kind = Kind::Counter;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!requested->empty() && same_title(titles[i], *requested)) {
      columns[i].kind = kind;
      return;
    }
}

} // namespace

std::vector<LogColumn> columns_of_table(std::span<const std::string> titles, const TableMapping& mapping) {
  std::vector<LogColumn> columns;
  for (const auto& written : titles) {
    const auto [title, unit] = split_unit(written);
    const auto name = key_of(title);
    columns.push_back(
        {kind_of(title, name), known_name(kQuantities, name, clean_text(title)), clean_text(unit)});
    auto& column = columns.back();
    if (column.unit.empty()) column.unit = usual_unit(column.name, title);
    if (const auto stated = mapping.units.find(written); stated != mapping.units.end())
      column.unit = stated->second;
  }
  choose(columns, titles, Kind::Time, mapping.samples);
  choose(columns, titles, Kind::Device, mapping.column(ColumnRole::Device));
  choose(columns, titles, Kind::Rank, mapping.column(ColumnRole::Rank));
  keep_first_of_each_kind(columns);
  return columns;
}

std::vector<LogColumn> columns_of_dmon(std::span<const std::string> titles,
                                       std::span<const std::string> units) {
  std::vector<LogColumn> columns;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const auto name = slug(titles[i]);
    LogColumn column{Kind::Counter, known_name(kDmon, name, clean_text(titles[i])),
                     i < units.size() ? clean_text(units[i]) : std::string()};
    if (name == "date") column.kind = Kind::Date;
    if (name == "time") column.kind = Kind::Time;
    if (name == "gpu") column.kind = Kind::Device;
    if (column.unit == "bool" || column.unit == "-") column.unit.clear();
    columns.push_back(std::move(column));
  }
  keep_first_of_each_kind(columns);
  return columns;
}

bool is_query_field(std::string_view title) {
  const auto name = split_unit(title).title;
  const auto dot = name.find('.');
  return dot != std::string_view::npos && is_listed(name.substr(0, dot), kFields);
}

std::span<const ClockReason> clock_reasons() {
  return kReasons;
}

} // namespace jitterscope::import::device_log
