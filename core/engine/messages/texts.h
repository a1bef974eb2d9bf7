#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/engine/messages/messages.h"

namespace jitterscope::engine {

/// Adds a list of texts as two arrays, which are read much faster than JSON: NAME/bytes (UTF-8, one text
/// after the other) and NAME/ends (position after each text).
void add_texts(Answer& answer, const std::string& name, const std::vector<std::string_view>& texts);

/// The texts of a list, as views into the answer; empty if there is no such list or its arrays do not match.
std::vector<std::string_view> texts_of(const Answer& answer, const std::string& name);

} // namespace jitterscope::engine
