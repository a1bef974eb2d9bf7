#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace jitterscope::engine {

/// Texts about the rows of analysis are written for launches. These functions are the only place that changes
/// them for rows of another kind: "the same launches elsewhere" becomes "the same bursts elsewhere". `rows`
/// is the member "rows" of the document about a session: "launches", "bursts", "ranges", "calls" or "mixed"
/// (noun: row).
///
/// Unchanged: text in backticks, launches that are not rows ("launch configuration", "kernel launch",
/// "launch call", "graph launch", "launch order"), identifiers and links.
std::string with_row_noun(std::string_view text, std::string_view rows);
Error with_row_noun(Error error, std::string_view rows);

/// with_row_noun() for the texts of an answer, chosen by their keys; codes, names and values stay. `of_rows`:
/// the answer explains rows, so that its labels, sentences and notes are changed; else only descriptions of
/// columns are.
void set_row_noun(nlohmann::json& document, std::string_view rows, bool of_rows);

} // namespace jitterscope::engine
