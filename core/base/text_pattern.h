#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace re2 {
class RE2;
}

namespace jitterscope {

/// A regular expression in the syntax of RE2, which needs linear time and bounded memory for any text.
class TextPattern {
public:
  /// Errors: BadUse, "the regular expression is not valid: " and the reason.
  static Expected<TextPattern> of(std::string_view expression);
  /// Whether a part of the text, such as all of it, matches.
  bool found_in(std::string_view text) const;

private:
  std::shared_ptr<const re2::RE2> compiled_;
};

} // namespace jitterscope
