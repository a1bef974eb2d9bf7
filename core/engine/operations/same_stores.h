#pragma once

#include "core/analysis/session/session.h"
#include "core/base/communicator.h"

namespace jitterscope::engine {

/// Whether all ranks have opened the same files: size, time of the last change, manifest, tables with their
/// columns and rows, and resources. On a cluster the folder of the stores may be another one on another node.
/// Collective. Errors: BadInput naming the file and the rank on which it differs.
Expected<void> same_stores(const analysis::Session& session, Communicator& communicator);

} // namespace jitterscope::engine
