#pragma once

#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// Lists in the manifest the attributes and context columns of launches that have at most one value (apart
/// from missing ones): analyses skip them, lists mark them. The common columns, from start to flags, are not
/// examined.
void mark_constants(store::TraceData& data);

} // namespace jitterscope::import
