#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/gpu_specification.h"
#include "core/base/network_measurement.h"

namespace jitterscope::store {

/// What files say of a machine instead of a run: results of MT4G, BabelStream and OSU.
struct Machine {
  std::vector<GpuSpecification> gpus;
  std::vector<NetworkMeasurement> networks;
  std::vector<BandwidthMeasurement> bandwidths;

  bool empty() const { return gpus.empty() && networks.empty() && bandwidths.empty(); }
};

/// {gpus, networks, bandwidths}; quantities with their units in the keys, null where unknown.
nlohmann::json to_json(const Machine& machine);
nlohmann::json to_json(const GpuSpecification& gpu);
/// Throws nlohmann::json::exception where the document is not such a one.
Machine machine_from_json(const nlohmann::json& json);

} // namespace jitterscope::store
