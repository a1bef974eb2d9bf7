#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace jitterscope::causal {

/// Share of the variance of the target's logarithm at one level of nested groups.
struct VarianceComponent {
  std::string
      group; ///< column that names the groups; "kernel", "configuration"; "rest": between rows of one group
  std::string label;                           ///< name of the level in the plural, "GPUs"
  std::int64_t levels = 0;                     ///< number of groups; for "rest", of rows
  double percent = 0, ci_low = 0, ci_high = 0; ///< share, and its 95 % interval
};

/// A device, or another innermost group.
struct DeviceEstimate {
  std::string name;
  /// Names of the enclosing groups, outermost first; empty text: not recorded.
  std::vector<std::string> places;
  std::int64_t n = 0;
  double mean = 0; ///< mean of the target, in its unit
  /// Difference from the mean of all devices, shrunk towards 0 by the scatter of the device's rows.
  double difference_percent = 0;
  double ci_low = 0, ci_high = 0;
};

/// Distribution of the variance of a table of many devices over its levels.
struct GroupEstimates {
  std::vector<VarianceComponent> components; ///< outermost first, the rest last; percents sum to 100
  VarianceComponent between;                 ///< sum over all components of places, without runs
  std::vector<DeviceEstimate> devices;       ///< devices with the highest mean first
  std::string unit;                          ///< noun for `devices`: "GPUs"
  std::vector<std::string> place_columns;    ///< names of the columns in DeviceEstimate::places
  std::vector<std::string> sentences;        ///< where the variance is; the slowest device; missing places
};

/// Writes variance_components, devices, variance_between, device_unit, device_places and device_sentences
/// into an object.
void add_json(const GroupEstimates& estimates, nlohmann::json& to);

} // namespace jitterscope::causal
