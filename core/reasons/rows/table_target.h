#pragma once

#include <string>
#include <string_view>

#include "core/analysis/columns/columns.h"
#include "core/analysis/session/plain_tables.h"
#include "core/store/format/analysis_rows.h"

namespace jitterscope::analysis {

/// Whether the analysed rows of all traces are of this kind.
bool rows_are(const Session& session, store::AnalysisRows kind);

/// Target of causal questions that name none.
std::string default_target(const Session& session, const LaunchColumns& columns);

/// The header of a recorded column. The importer adds "recorded_" to headers that are names of its own
/// columns.
std::string_view header_of(std::string_view column);

} // namespace jitterscope::analysis
