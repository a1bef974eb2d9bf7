#pragma once

#include <cstdint>

#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// Whether all open stores were imported from tables with a header, whose column names are meaningful.
bool of_plain_tables(const Session& session);

/// Whether the kernel only has the name of its file, because the rows of the table state no kernel.
bool is_named_after_file(const Session& session, std::uint32_t kernel);

/// Whether the session is a table whose rows need not be launches: it states no kernel, and either no
/// durations or a single configuration.
bool of_no_launches(const Session& session);

} // namespace jitterscope::analysis
