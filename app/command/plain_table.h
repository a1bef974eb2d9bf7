#pragma once

#include <string>

#include "core/base/job.h"

namespace jitterscope::app {

/// True for a plain table, with columns of unknown meaning; tables of profilers are imported like traces.
bool is_plain_table(const std::string& file, const Job& job);

/// True if the first rows of a table contain durations and optionally timestamps: the rows are then launches.
bool table_has_durations(const std::string& file, const Job& job);

} // namespace jitterscope::app
