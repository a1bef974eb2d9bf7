#pragma once

#include <string>

#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// One table as text, one row per line, references written as the names they refer to: two equivalent traces
/// give the same text, even with different numbers. Floats are written exactly.
std::string table_text(const store::TraceData& data, const store::Table& table);

/// The resource tree, one line per resource.
std::string resources_text(const store::TraceData& data);

} // namespace jitterscope::import
