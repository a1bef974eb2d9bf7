#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jitterscope {

/// Up to three of `names` that may have been meant by an unknown name, nearest first: names that contain it,
/// are contained in it or differ by a few letters (optimal string alignment distance; case is ignored and
/// `_`, `-` and space are equal).
std::vector<std::string> similar_names(std::string_view given, const std::vector<std::string>& names);

/// A hint for errors: `Did you mean "a", "b" or "c"?`, or `otherwise` when nothing is similar.
std::string did_you_mean(std::string_view given, const std::vector<std::string>& names,
                         std::string otherwise = {});

} // namespace jitterscope
