#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jitterscope {

/// Up to three of `names` that may have been meant by a name that is none of them, nearest first: they hold
/// it, it holds them, or a few letters differ (optimal string alignment distance, case and `_`, `-`, space
/// alike).
std::vector<std::string> similar_names(std::string_view given, const std::vector<std::string>& names);

/// A hint for errors: `Did you mean "a", "b" or "c"?`, or `otherwise` when nothing is similar.
std::string did_you_mean(std::string_view given, const std::vector<std::string>& names,
                         std::string otherwise = {});

} // namespace jitterscope
