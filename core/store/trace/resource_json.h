#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/store/trace/trace_data.h"

namespace jitterscope::store {

/// The resource tree as stored in the file.
nlohmann::json to_json(const std::vector<Resource>& resources);
/// Checks that parents precede their children and that `physical` refers to a device.
Expected<std::vector<Resource>> resources_from_json(const nlohmann::json& json);

} // namespace jitterscope::store
