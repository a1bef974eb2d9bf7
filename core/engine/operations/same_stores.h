#pragma once

#include "core/analysis/session/session.h"
#include "core/base/communicator.h"

namespace jitterscope::engine {

/// Checks that all ranks have opened the same files: size, modification time, manifest, tables with their
/// columns and rows, and resources. On a cluster the folder of the stores may differ between nodes.
/// Collective. Errors: BadInput with the file and the rank on which it differs.
Expected<void> same_stores(const analysis::Session& session, Communicator& communicator);

} // namespace jitterscope::engine
