#include "core/import/formats/rocm/csv/csv_group.h"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/text/csv/number.h"

namespace jitterscope::import::rocm {
namespace {

using store::Severity;

// Units of derived counters, which are not in the files (ROCm documentation, counter_defs.yaml: sizes are
// divided by 1024).
std::string_view unit_of(std::string_view title) {
  for (const std::string_view size : {"FETCH_SIZE", "WRITE_SIZE", "FetchSize", "WriteSize"})
    if (title == size) return "KiB";
  for (const std::string_view share :
       {"OccupancyPercent", "L2CacheHit", "MemUnitBusy", "MemUnitStalled", "WriteUnitStalled", "VALUBusy",
        "SALUBusy", "VALUUtilization", "LDSBankConflict", "ALUStalledByLDS", "GPUBusy", "GPU_UTIL",
        "MfmaUtil", "VALUUtil"})
    if (title == share) return "%";
  return "";
}

} // namespace

SpillVector<Execution> executions_of(const SpillVector<DispatchRow>& rows, bool with_grid) {
  SpillVector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return rows[a].dispatch < rows[b].dispatch; };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::stable_sort(order.begin(), order.end(), before);
  SpillVector<Execution> executions(rows.size());
  std::unordered_map<Execution, std::uint32_t, ExecutionHash> counts;
  for (const auto row : order) {
    Execution execution{rows[row].kernel, with_grid ? rows[row].grid : 0, 0};
    const auto occurrence = counts[execution]++;
    execution.occurrence = occurrence;
    executions[row] = execution;
  }
  return executions;
}

Configuration configuration_of(CsvGroup& group, const CsvTable& table, std::uint32_t kernel) {
  Configuration configuration;
  configuration.kernel = kernel;
  const auto& header = table.header();
  if (header.has(Role::Grid) || header.has(Role::GridX)) {
    WorkSize size;
    static constexpr Role kGrid[] = {Role::GridX, Role::GridY, Role::GridZ};
    static constexpr Role kGroup[] = {Role::GroupX, Role::GroupY, Role::GroupZ};
    for (int i = 0; i < 3; ++i) {
      size.grid[i] = header.has(kGrid[i]) ? table.integer_or(kGrid[i], -1) : 1;
      size.group[i] = header.has(kGroup[i]) ? table.integer_or(kGroup[i], -1) : 1;
    }
    if (header.has(Role::Grid)) size.grid[0] = table.integer_or(Role::Grid, -1);
    if (header.has(Role::Group)) size.group[0] = table.integer_or(Role::Group, -1);
    if (!set_work_size(configuration, size))
      group.issues.count(Severity::Doubt, "odd-grid", [&] {
        return fmt::format("{} has a grid of work-items that is not a multiple of its work-group, or not a "
                           "32-bit unsigned integer: a partial block is counted as one block",
                           table.place());
      });
  }
  configuration.static_shared_memory = count_or_zero(table.whole(Role::Lds));
  configuration.registers = count_or_zero(table.whole(Role::Vgpr));
  return configuration;
}

CommonAttributes::CommonAttributes(Draft& draft, const Header& header) : draft_(draft) {
  struct Known {
    Role role;
    const char *title, *unit, *description;
  };
  static constexpr Known kKnown[] = {
      {Role::Scratch, "scratch", "B", "Scratch memory of a work-item"},
      {Role::AccumVgpr, "accum_vgpr", "", "Number of accumulation registers of a work-item"},
      {Role::Sgpr, "sgpr", "", "Number of scalar registers of a wave"},
      {Role::WaveSize, "wave_size", "", "Number of work-items of a wave"},
      {Role::Stream, "hip_stream", "", "Number of the HIP stream; rows of the timeline are hardware queues"}};
  for (const auto& known : kKnown)
    if (header.has(known.role))
      columns_.emplace_back(known.role, draft.attributes.number(known.title, known.unit, known.description));
}

void CommonAttributes::set(const CsvTable& table, std::size_t launch) {
  for (const auto& [role, column] : columns_)
    if (const auto value = table.whole(role))
      draft_.attributes.set(column, launch, static_cast<double>(*value));
}

std::size_t counter_attribute(Attributes& attributes, const std::string& title) {
  return attributes.number(title, unit_of(title));
}

std::uint32_t stream_of(CsvGroup& group, const CsvTable& table) {
  const auto pid = table.whole(Role::Process);
  const auto process =
      pid && *pid >= 0 ? group.places.process(*pid) : group.places.process(-1, group.workload);
  const auto device = group.places.device(process, agent_number(table.text(Role::Gpu)));
  return group.places.stream(device, table.integer_or(Role::Queue, 0));
}

void PassDurations::add(std::size_t launch, std::int64_t duration) {
  const auto value = static_cast<double>(duration);
  auto& sum = sums_[launch];
  sum.minimum = sum.count == 0 ? value : std::min(sum.minimum, value);
  sum.greatest = sum.count == 0 ? value : std::max(sum.greatest, value);
  sum.sum += value;
  ++sum.count;
}

void PassDurations::write(Draft& draft) const {
  if (std::none_of(sums_.begin(), sums_.end(), [](const auto& sum) { return sum.second.count > 1; })) return;
  auto& attributes = draft.attributes;
  const auto mean =
      attributes.number("pass_duration_mean", "ns", "Mean duration of the executions that recorded counters");
  const auto minimum = attributes.number("pass_duration_min", "ns",
                                         "Shortest duration of the executions that recorded counters");
  const auto greatest = attributes.number("pass_duration_max", "ns",
                                          "Longest duration of the executions that recorded counters");
  for (const auto& [launch, sum] : sums_) {
    attributes.set(mean, launch, sum.sum / static_cast<double>(sum.count));
    attributes.set(minimum, launch, sum.minimum);
    attributes.set(greatest, launch, sum.greatest);
  }
}

} // namespace jitterscope::import::rocm
