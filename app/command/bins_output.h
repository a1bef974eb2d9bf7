#pragma once

#include <iosfwd>
#include <string>

#include "core/engine/messages/messages.h"

namespace jitterscope::app {

/// The document that `bins --json` writes: the engine's answer to "bins" with all bins, its arrays converted
/// to the list "bins". The list is written as text directly, because it can have hundreds of thousands of
/// bins.
std::string bins_json(const engine::Answer& answer);

/// Writes a header and one line per bin: index, start_ns, launches, n, the statistics, rank, kept and, if
/// bins are divided, group.
void write_bins_csv(std::ostream& out, const engine::Answer& answer);

} // namespace jitterscope::app
