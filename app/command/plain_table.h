#pragma once

#include <string>

#include "core/base/job.h"

namespace jitterscope::app {

/// A plain table, with columns of no known meaning; tables of profilers are imported like traces.
bool is_plain_table(const std::string& file, const Job& job);

/// Whether the first rows of a table say how long something took, and perhaps when: they are launches then.
bool table_has_durations(const std::string& file, const Job& job);

} // namespace jitterscope::app
