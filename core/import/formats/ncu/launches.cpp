#include "core/import/formats/ncu/launches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/core.h>

#include "core/import/records/units.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::ncu {
namespace {

using store::Severity;

// Metrics with the duration of the whole launch, the best one last.
constexpr std::string_view kDurations[] = {"gpu__time_active.avg",
                                           "gpu__time_active.sum",
                                           "gpu__time_duration_measured_user.sum",
                                           "gpu__time_duration.min",
                                           "gpu__time_duration.max",
                                           "gpu__time_duration.avg",
                                           "gpu__time_duration",
                                           "Duration",
                                           "gpu__time_duration.sum"};
constexpr std::uint8_t kFromCycles = 255; // instead of the index in kDurations

struct KnownMetric {
  std::string_view metric;
  std::uint32_t Configuration::*field;
};
constexpr KnownMetric kKnownMetrics[] = {
    {"Registers Per Thread", &Configuration::registers},
    {"launch__registers_per_thread", &Configuration::registers},
    {"Static Shared Memory Per Block", &Configuration::static_shared_memory},
    {"launch__shared_mem_per_block_static", &Configuration::static_shared_memory},
    {"Dynamic Shared Memory Per Block", &Configuration::dynamic_shared_memory},
    {"launch__shared_mem_per_block_dynamic", &Configuration::dynamic_shared_memory},
    {"launch__grid_dim_x", &Configuration::grid_x},
    {"launch__grid_dim_y", &Configuration::grid_y},
    {"launch__grid_dim_z", &Configuration::grid_z},
    {"launch__block_dim_x", &Configuration::block_x},
    {"launch__block_dim_y", &Configuration::block_y},
    {"launch__block_dim_z", &Configuration::block_z},
};
// Products of the three extents: used only where the extents themselves are missing.
constexpr std::string_view kGridSizes[] = {"Grid Size", "launch__grid_size"};
constexpr std::string_view kBlockSizes[] = {"Block Size", "launch__block_size"};

bool is_one_of(std::string_view metric, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), metric) != names.end();
}

bool counts(double value) {
  return value >= 0 && value <= std::numeric_limits<std::uint32_t>::max();
}

std::int64_t number_or(std::string_view text, std::int64_t otherwise) {
  return parse_integer(text).value_or(otherwise);
}

} // namespace

bool parse_extent(std::string_view text, std::uint32_t& x, std::uint32_t& y, std::uint32_t& z) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
  std::array<std::uint32_t, 3> extents{1, 1, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto end = std::min(text.find_first_of(",x"), text.size());
    const auto value = parse_integer(text.substr(0, end));
    if (!value || *value < 0 || *value > std::numeric_limits<std::uint32_t>::max()) return false;
    extents[i] = static_cast<std::uint32_t>(*value);
    if (end == text.size()) {
      x = extents[0], y = extents[1], z = extents[2];
      return true;
    }
    text.remove_prefix(end + 1);
  }
  return false;
}

std::size_t Launches::KeyHash::operator()(const Key& key) const {
  auto hash = static_cast<std::uint64_t>(key.process) * 0x9E3779B97F4A7C15ull;
  hash = (hash ^ static_cast<std::uint64_t>(key.id)) * 0xC2B2AE3D27D4EB4Full;
  return (hash ^ hash >> 29) + key.configuration * 0x9E3779B97F4A7C15ull;
}

Launches::Launches(Draft& draft, RowIssues& issues, Site& site)
    : draft_(draft), issues_(issues), names_(draft), site_(site), first_(draft.launches.start.size()) {}

Configuration Launches::configuration_of(const CsvReader& csv, const Header& header) {
  Configuration configuration;
  configuration.kernel = names_.of(field(csv, header.kernel)).kernel;
  const auto extent = [&](std::size_t column, std::uint32_t& x, std::uint32_t& y, std::uint32_t& z) {
    const auto text = field(csv, column);
    if (!trimmed(text).empty() && !parse_extent(text, x, y, z))
      issues_.count(Severity::Repair, "bad-configuration", [&] {
        return fmt::format("{}: \"{}\" is not the size of a grid or block; it is read as 0", csv.place(),
                           clean_text(text.substr(0, 80)));
      });
  };
  extent(header.grid, configuration.grid_x, configuration.grid_y, configuration.grid_z);
  extent(header.block, configuration.block_x, configuration.block_y, configuration.block_z);
  return configuration;
}

std::uint32_t Launches::stream_of(const CsvReader& csv, const Header& header) {
  const auto number = number_or(field(csv, header.device), 0);
  if (const auto capability = trimmed(field(csv, header.compute_capability)); !capability.empty()) {
    auto& known = site_.devices[number].properties["compute_capability"];
    if (known.empty()) {
      known = clean_text(capability);
      site_.places.describe(number, site_.devices[number]);
    }
  }
  auto& places = site_.places;
  const auto process = places.process(number_or(field(csv, header.process_id), 0),
                                      clean_text(field(csv, header.process_name)));
  return places.stream(places.device(process, number), number_or(field(csv, header.stream), 0));
}

void Launches::name_device(std::int64_t number, std::string_view name) {
  auto& device = site_.devices[number];
  if (!device.name.empty()) return;
  device.name = clean_text(trimmed(name));
  site_.places.describe(number, device);
}

std::uint32_t Launches::add(const Configuration& configuration, std::uint32_t stream, std::int64_t id) {
  identities_.push_back({id, configuration.kernel, stream});
  configurations_.push_back(configuration);
  duration_rank_.push_back(0);
  return draft_.add_untimed_launch(0, stream, store::kMissingDuration);
}

std::uint32_t Launches::add(const CsvReader& csv, const Header& header) {
  return add(configuration_of(csv, header), stream_of(csv, header), number_or(field(csv, header.id), -1));
}

std::uint32_t Launches::of(const CsvReader& csv, const Header& header) {
  const auto configuration = configuration_of(csv, header);
  const Key key{number_or(field(csv, header.process_id), 0), number_or(field(csv, header.id), -1),
                draft_.configuration(configuration)};
  const auto [place, added] = known_.try_emplace(key, 0);
  if (added) place->second = add(configuration, stream_of(csv, header), key.id);
  return place->second;
}

void Launches::learn(std::uint32_t launch, std::string_view metric, double value) {
  auto& configuration = configurations_[launch - first_];
  const auto* known = std::find_if(std::begin(kKnownMetrics), std::end(kKnownMetrics),
                                   [&](const KnownMetric& k) { return k.metric == metric; });
  if (known != std::end(kKnownMetrics) && counts(value)) {
    configuration.*(known->field) = static_cast<std::uint32_t>(std::lround(value));
    return;
  }
  const auto size = [&](std::span<const std::string_view> names, std::uint32_t& x, std::uint32_t& y,
                        std::uint32_t& z) {
    if (is_one_of(metric, names) && x == 0 && counts(value))
      x = static_cast<std::uint32_t>(std::lround(value)), y = z = 1;
  };
  size(kGridSizes, configuration.grid_x, configuration.grid_y, configuration.grid_z);
  size(kBlockSizes, configuration.block_x, configuration.block_y, configuration.block_z);
  if (metric == "sm__cycles_elapsed.avg") cycles_[launch].elapsed = value;
  if (metric == "sm__cycles_elapsed.avg.per_second") cycles_[launch].per_second = value;
  const auto* duration = std::find(std::begin(kDurations), std::end(kDurations), metric);
  const auto rank = duration - std::begin(kDurations) + 1;
  if (duration == std::end(kDurations) || rank < duration_rank_[launch - first_]) return;
  if (value < 0 || value > 1e18) return;
  draft_.launches.duration[launch] = std::llround(value);
  duration_rank_[launch - first_] = static_cast<std::uint8_t>(rank);
}

void Launches::finish() {
  for (std::size_t i = 0; i < configurations_.size(); ++i)
    draft_.launches.configuration[first_ + i] = draft_.configuration(configurations_[i]);
  for (const auto& [launch, cycles] : cycles_) {
    const auto lasted = cycles.elapsed / cycles.per_second * 1e9;
    if (duration_rank_[launch - first_] != 0 || cycles.elapsed <= 0 || cycles.per_second <= 0 ||
        !(lasted < 1e18))
      continue;
    draft_.launches.duration[launch] = std::llround(lasted);
    duration_rank_[launch - first_] = kFromCycles;
    issues_.count(Severity::Info, "duration-from-cycles", [] {
      return "durations are sm__cycles_elapsed.avg divided by sm__cycles_elapsed.avg.per_second: no metric "
             "states them";
    });
  }
  const auto without = std::count(duration_rank_.begin(), duration_rank_.end(), 0);
  if (without > 0)
    issues_.count(
        Severity::Doubt, "missing-duration",
        [] {
          return "no metric gives the duration of the launch: profile with --metrics gpu__time_duration.sum";
        },
        without);
}

void doubt_rounded_time(RowIssues& issues, std::string_view metric, std::string_view unit,
                        const CsvReader& csv) {
  const auto scale = nanoseconds_in(unit);
  if (!scale || *scale < 1'000'000) return;
  issues.count(Severity::Doubt, "rounded-times", [&] {
    return fmt::format("{}: {} is given in {}, which rounds short times; export again with --print-units "
                       "base for exact times",
                       csv.place(), clean_text(metric), clean_text(unit));
  });
}

} // namespace jitterscope::import::ncu
