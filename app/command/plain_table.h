#pragma once

#include <string>

#include "core/base/job.h"

namespace jitterscope::app {

/// True for a plain table, with columns of unknown meaning; tables of profilers are imported like traces.
bool is_plain_table(const std::string& file, const Job& job);

/// True if rows at the beginning of a table have a duration: the rows are then launches.
bool table_has_durations(const std::string& file, const Job& job);

} // namespace jitterscope::app
