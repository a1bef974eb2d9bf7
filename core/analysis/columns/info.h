#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/analysis/columns/columns.h"
#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// Kind of the analysis rows: "launches", "bursts", "ranges" or "calls"; "mixed" if traces differ; "rows" of
/// tables whose rows need not be launches.
std::string rows_name(const Session& session);
/// Code of the entry of "report" about traces of the same file, whose common content counts twice.
inline constexpr std::string_view kSameSource = "same-source";
/// Description of a session as JSON.
nlohmann::json info(const Session& session, const LaunchColumns& columns);
/// The key "columns" of info(): [{name, unit, description, kind, tier, recorded, constant, chosen}].
nlohmann::json column_list(const LaunchColumns& columns);

} // namespace jitterscope::analysis
