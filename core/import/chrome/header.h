#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/import/chrome/trace.h"

namespace jitterscope::import::chrome {

/// Members of the object around the events that are looked at; all others are passed over, among them what
/// holds command lines and environments.
bool is_header_member(std::string_view key);

/// Takes what a member says; `value` is its JSON text.
void take_header_member(Header& header, std::string_view key, std::string_view value);

/// The rank that a file's name tells: "worker3_step_12.pt.trace.json", "rank-34.Jul_15.json", "rank_0.json",
/// "trace_rank3.json".
std::optional<std::int32_t> rank_in_name(std::string_view file_name);

} // namespace jitterscope::import::chrome
