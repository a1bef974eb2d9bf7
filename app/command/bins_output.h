#pragma once

#include <iosfwd>
#include <string>

#include "core/engine/messages/messages.h"

namespace jitterscope::app {

/// The bins document of the JSON contract: what the engine answers to "bins" with all bins, its arrays
/// written as the list "bins". Hundreds of thousands of bins are written as text at once.
std::string bins_json(const engine::Answer& answer);

/// One line for each bin: index, start_ns, launches, the statistics, rank, kept.
void write_bins_csv(std::ostream& out, const engine::Answer& answer);

} // namespace jitterscope::app
