#pragma once

#include <cstdint>
#include <vector>

#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// Sorts resources for display: each host, its processes by rank and number, below them devices with their
/// streams, then threads, by number. The result does not depend on the order in which rows were read. Returns
/// the new row of every old one. Afterwards `physical` is the row of the first device of each piece of
/// hardware.
std::vector<std::uint32_t> order_resources(std::vector<store::Resource>& resources);

} // namespace jitterscope::import
