#pragma once

#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// Lists in the manifest the columns of launches that hold at most one value (apart from missing ones):
/// analyses skip them, lists mark them. Columns that refer to other tables are not examined.
void mark_constants(store::TraceData& data);

} // namespace jitterscope::import
