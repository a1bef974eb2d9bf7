#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/gpu_specification.h"
#include "core/base/network_measurement.h"

namespace jitterscope::store {

/// Properties of a machine that were read from benchmark results (MT4G, BabelStream, OSU).
struct Machine {
  std::vector<GpuSpecification> gpus;
  std::vector<NetworkMeasurement> networks;
  std::vector<BandwidthMeasurement> bandwidths;

  bool empty() const { return gpus.empty() && networks.empty() && bandwidths.empty(); }
};

/// {gpus, networks, bandwidths}; quantities with their units in the keys, null where unknown.
nlohmann::json to_json(const Machine& machine);
nlohmann::json to_json(const GpuSpecification& gpu);
/// Throws nlohmann::json::exception if the document does not have this form.
Machine machine_from_json(const nlohmann::json& json);

} // namespace jitterscope::store
