#include "core/base/text_pattern.h"

#include <re2/re2.h>

namespace jitterscope {

Expected<TextPattern> TextPattern::of(std::string_view expression) {
  re2::RE2::Options quiet;
  quiet.set_log_errors(false);
  TextPattern pattern;
  pattern.compiled_ =
      std::make_shared<const re2::RE2>(re2::StringPiece(expression.data(), expression.size()), quiet);
  if (pattern.compiled_->ok()) return pattern;
  return failure(ErrorKind::BadUse, "the regular expression is not valid: " + pattern.compiled_->error(), {},
                 {}, "Expressions follow the syntax of RE2.");
}

bool TextPattern::found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

} // namespace jitterscope
