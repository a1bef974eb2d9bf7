#pragma once

#include <iosfwd>
#include <string>

#include "core/engine/messages/messages.h"

namespace jitterscope::app {

/// The bins document of the JSON contract: the engine's answer to "bins" with all bins, its arrays
/// converted to the list "bins". Writes hundreds of thousands of bins as text directly.
std::string bins_json(const engine::Answer& answer);

/// Writes one line per bin: index, start_ns, launches, the statistics, rank, kept.
void write_bins_csv(std::ostream& out, const engine::Answer& answer);

} // namespace jitterscope::app
