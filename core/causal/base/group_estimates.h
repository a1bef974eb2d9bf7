#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace jitterscope::causal {

/// Part of the variance of the target's logarithm at one level of nested groups.
struct VarianceComponent {
  std::string
      group; ///< column that names the groups; "kernel", "configuration"; "rest": between rows of one group
  std::string label;                           ///< "GPUs"
  std::int64_t levels = 0;                     ///< groups; rows of the rest
  double percent = 0, ci_low = 0, ci_high = 0; ///< 95 %
};

/// A device, or what else the innermost places are.
struct DeviceEstimate {
  std::string name;
  std::vector<std::string>
      places; ///< names of the groups around it, outermost first; empty text: no row says so
  std::int64_t n = 0;
  double mean = 0; ///< of the target, in its unit
  double difference_percent =
      0; ///< from the mean of all devices, pulled towards 0 by the scatter of its rows
  double ci_low = 0, ci_high = 0;
};

/// Where the variance of a table of many devices is.
struct GroupEstimates {
  std::vector<VarianceComponent> components; ///< outermost first, the rest last; percents sum to 100
  VarianceComponent between;                 ///< all components of places together, that of runs left out
  std::vector<DeviceEstimate> devices;       ///< highest first
  std::string unit;                          ///< "GPUs": what `devices` are
  std::vector<std::string> place_columns;    ///< of DeviceEstimate::places
  std::vector<std::string> sentences;        ///< where the variance is; the slowest; places that are missing
};

/// Adds variance_components, devices, device_unit, device_places and variance_between to an object.
void add_json(const GroupEstimates& estimates, nlohmann::json& to);
/// The same back from an object; nothing where it has none.
std::optional<GroupEstimates> group_estimates_of(const nlohmann::json& from);

} // namespace jitterscope::causal
