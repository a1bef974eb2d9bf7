#pragma once

#include <string>

#include "core/base/job.h"

namespace jitterscope::app {

/// True for a plain table, with columns of unknown meaning; tables of profilers are imported like traces.
bool is_plain_table(const std::string& file, const Job& job);

/// True if a table names kernels, or states when its rows started or how long they took: the rows are then
/// launches.
bool table_has_launches(const std::string& file, const Job& job);

} // namespace jitterscope::app
