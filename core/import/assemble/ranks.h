#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/import/input/input.h"
#include "core/import/records/draft.h"

namespace jitterscope::import {

/// The rank that a file's name tells: "worker3_step_12.pt.trace.json", "rank-34.Jul_15.json", "rank_0.json",
/// "prof_rank3.sqlite".
std::optional<std::int32_t> rank_in_name(std::string_view file_name);

/// The same of a file, or of the folder it lies in: "rank_0/trace.json".
std::optional<std::int32_t> rank_of(const Input& input);

/// What a reader made from the resource `first_resource` on is of the rank that the name of the file tells,
/// where the file does not say itself and holds a single process. That is told.
void note_rank_of_name(Draft& draft, std::size_t first_resource, const Input& input);

} // namespace jitterscope::import
