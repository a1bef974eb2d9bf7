#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/analysis/columns/columns.h"
#include "core/store/format/analysis_rows.h"

namespace jitterscope::analysis {

/// Whether the analysed rows of all traces are of this kind.
bool rows_are(const Session& session, store::AnalysisRows kind);

/// Whether all open stores were imported from tables with a header, whose column names are meaningful.
bool of_plain_tables(const Session& session);

/// Whether the kernel only has the name of its file, because the rows of the table state no kernel.
bool is_named_after_file(const Session& session, std::uint32_t kernel);

/// Whether the session is a table whose rows need not be launches: it states no kernel, and either no
/// durations or a single configuration.
bool of_no_launches(const Session& session);

/// Target of causal questions that name none.
std::string default_target(const Session& session, const LaunchColumns& columns);

/// The header of a recorded column. The importer adds "recorded_" to headers that are names of its own
/// columns.
std::string_view header_of(std::string_view column);

} // namespace jitterscope::analysis
