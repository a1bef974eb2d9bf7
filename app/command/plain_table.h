#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/job.h"

namespace jitterscope::app {

/// True for a plain table, with columns of unknown meaning; tables of profilers are imported like traces.
bool is_plain_table(const std::string& file, const Job& job);

/// True if a table names kernels, or states when its rows started or how long they took: the rows are then
/// launches.
bool table_has_launches(const std::string& file, const Job& job);

/// Name of the launch column that was created from the header `given` of a table; `given` itself if it is a
/// column, or if there is no such column. `columns`: those of the info document.
std::string column_of_launches(const nlohmann::json& columns, const std::string& given);
/// The same for a target: a header of one of `files` that became the durations gives "duration".
std::string column_of_launches(const nlohmann::json& columns, const std::string& given,
                               const std::vector<std::string>& files, const Job& job);

} // namespace jitterscope::app
