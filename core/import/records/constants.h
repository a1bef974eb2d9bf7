#pragma once

#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// Names the columns of launches that hold at most one value (missing ones aside) in the manifest: analyses
/// pass them over, lists say so. Columns that point into other tables are not looked at.
void mark_constants(store::TraceData& data);

} // namespace jitterscope::import
