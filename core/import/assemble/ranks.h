#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/import/input/input.h"
#include "core/import/records/draft.h"

namespace jitterscope::import {

/// The rank in a file's name: "worker3_step_12.pt.trace.json", "rank-34.Jul_15.json", "rank_0.json",
/// "prof_rank3.sqlite".
std::optional<std::int32_t> rank_in_name(std::string_view file_name);

/// The rank in the name of a file, or of the folder that contains it: "rank_0/trace.json".
std::optional<std::int32_t> rank_of(const Input& input);

/// Assigns the rank in the name of the file or its folder to the process among the resources that a reader
/// made from `first_resource` on, if the file does not state a rank and holds a single process. The
/// assignment is reported.
void note_rank_of_name(Draft& draft, std::size_t first_resource, const Input& input);

} // namespace jitterscope::import
