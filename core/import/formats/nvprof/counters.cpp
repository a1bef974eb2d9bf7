#include "core/import/formats/nvprof/counters.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/core.h>

namespace jitterscope::import::nvprof {
namespace {

using store::Severity;

constexpr std::size_t kNoLaunch = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMaxColumns = 1024; // devices have some 200 metrics

// CUPTI's stall reasons of a warp.
constexpr std::array kReasons = {"invalid",           "none",
                                 "instruction fetch", "execution dependency",
                                 "memory dependency", "texture",
                                 "synchronisation",   "constant memory dependency",
                                 "pipe busy",         "memory throttle",
                                 "not selected",      "other",
                                 "sleeping"};

// Integers below 2^52 are denormal numbers when read as doubles; no metric is that small.
bool is_plausible(double value) {
  constexpr double kMin = 1e-100, kMax = 1e100;
  return value == 0 || (std::isfinite(value) && std::abs(value) > kMin && std::abs(value) < kMax);
}

} // namespace

LaunchCounters::LaunchCounters(Draft& draft, std::size_t first_launch, RowIssues& issues)
    : draft_(draft), issues_(issues) {
  const auto& correlations = draft.launches.correlation;
  for (auto row = first_launch; row < correlations.size(); ++row)
    if (correlations[row] != 0) launch_of_.try_emplace(correlations[row], row);
}

std::size_t LaunchCounters::launch(std::uint32_t correlation) {
  const auto found = launch_of_.find(correlation);
  if (found != launch_of_.end()) return found->second;
  issues_.count(Severity::Drop, "counters-without-launch", [&] {
    return fmt::format("a counter value belongs to launch number {}, which the file does not contain",
                       correlation);
  });
  return kNoLaunch;
}

bool LaunchCounters::add(Columns& columns, std::uint32_t correlation, std::int64_t id, double value,
                         std::int64_t bits, bool of_instance) {
  if (!columns.contains(id) && metrics_.size() + events_.size() >= kMaxColumns) {
    issues_.count(Severity::Drop, "too-many-counters", [] {
      return fmt::format("the file has more counters than the {} that are read", kMaxColumns);
    });
    return false;
  }
  const auto row = launch(correlation);
  if (row == kNoLaunch) return false;
  auto& sum = columns[id].launches[row];
  if (of_instance && sum.of_device) return true;
  if (!of_instance) sum = {.of_device = true};
  sum.value += value;
  sum.bits =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(sum.bits) + static_cast<std::uint64_t>(bits));
  ++sum.count;
  return true;
}

void LaunchCounters::add_metric(std::uint32_t correlation, std::int64_t id, std::string_view bytes,
                                bool of_instance) {
  std::int64_t bits = 0;
  if (bytes.size() != sizeof bits) {
    issues_.count(Severity::Drop, "missing-value", [&] {
      return fmt::format("a value of metric {} takes {} bytes instead of {}", id, bytes.size(), sizeof bits);
    });
    return;
  }
  std::memcpy(&bits, bytes.data(), sizeof bits);
  const auto value = std::bit_cast<double>(bits);
  if (add(metrics_, correlation, id, is_plausible(value) ? value : 0, bits, of_instance) &&
      !is_plausible(value))
    metrics_[id].integers = true;
}

void LaunchCounters::add_metric(std::uint32_t correlation, std::int64_t id, double value, bool of_instance) {
  add(metrics_, correlation, id, value, 0, of_instance);
}

void LaunchCounters::add_event(std::uint32_t correlation, std::int64_t id, double value, bool of_instance) {
  add(events_, correlation, id, value, 0, of_instance);
}

void LaunchCounters::add_samples(std::uint32_t correlation, std::int64_t reason, std::uint32_t samples,
                                 std::uint32_t waiting) {
  const auto row = launch(correlation);
  if (row == kNoLaunch) return;
  const bool known = reason > 0 && reason < static_cast<std::int64_t>(kReasons.size());
  samples_[known ? reason : 0][row] += samples;
  waiting_[row] += waiting;
}

void LaunchCounters::finish() {
  auto& attributes = draft_.attributes;
  for (const auto& [id, column] : metrics_) {
    const auto to =
        attributes.number(fmt::format("metric {}", id), "",
                          fmt::format("Metric {} of nvprof; the file does not contain its name", id));
    for (const auto& [row, sum] : column.launches)
      attributes.set(to, row,
                     (column.integers ? static_cast<double>(sum.bits) : sum.value) /
                         static_cast<double>(sum.count));
  }
  for (const auto& [id, column] : events_) {
    const auto to =
        attributes.number(fmt::format("event {}", id), "",
                          fmt::format("Event {} of nvprof; the file does not contain its name", id));
    for (const auto& [row, sum] : column.launches) attributes.set(to, row, sum.value);
  }
  if (!metrics_.empty() || !events_.empty())
    issues_.count(Severity::Info, "counters-without-name", [&] {
      return fmt::format("{} metrics and {} events have numbers instead of names in the file; nvprof --csv "
                         "--print-gpu-trace --metrics … writes names",
                         metrics_.size(), events_.size());
    });
  if (samples_.empty()) return;
  for (const auto& [reason, launches] : samples_) {
    const auto to = attributes.number(fmt::format("samples {}", kReasons[static_cast<std::size_t>(reason)]),
                                      "", "Program counter samples in which a warp had this stall reason");
    for (const auto& [row, samples] : launches) attributes.set(to, row, samples);
  }
  const auto to = attributes.number("samples waiting", "",
                                    "Program counter samples at which the scheduler issued no instruction");
  for (const auto& [row, samples] : waiting_) attributes.set(to, row, samples);
}

} // namespace jitterscope::import::nvprof
