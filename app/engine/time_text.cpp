#include "app/engine/time_text.h"

#include <cmath>

#include "core/analysis/filter/filter_tokens.h"

namespace jitterscope::app {

Expected<std::int64_t> parse_time(const std::string& text, const std::string& option) {
  const auto tokens = analysis::tokenize_filter(text);
  using analysis::Dimension;
  const auto is_time = [](const analysis::Token& token) {
    return token.kind == analysis::TokenKind::Number &&
           (token.dimension == Dimension::None || token.dimension == Dimension::Time);
  };
  if (!tokens || tokens->size() != 2 || !is_time(tokens->front()))
    return failure(ErrorKind::BadUse, "\"" + text + "\" is not a time", {}, option,
                   "Examples: 10ms, 250us, 1.5s, 20000 (ns).");
  const double value = tokens->front().number;
  if (tokens->front().dimension == Dimension::None && value != std::round(value))
    return failure(ErrorKind::BadUse, "\"" + text + "\" is not a whole number of ns", {}, option,
                   "State the unit, for example " + text + "s or " + text + "ms.");
  if (!(value > -9e18 && value < 9e18))
    return failure(ErrorKind::BadUse, "\"" + text + "\" is out of range", {}, option,
                   "A time is between −9e18 and 9e18 ns.");
  return static_cast<std::int64_t>(std::llround(value)); // 1.001 s as a double: 1000999999.9999999 ns
}

Expected<std::vector<std::int64_t>> parse_range(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos)
    return failure(ErrorKind::BadUse, "\"" + text + "\" is not a range", {}, "--range",
                   "Example: 155.3s:155.4s");
  auto begin = parse_time(text.substr(0, colon), "--range");
  if (!begin) return forward(begin.error());
  auto end = parse_time(text.substr(colon + 1), "--range");
  if (!end) return forward(end.error());
  if (*end <= *begin) return failure(ErrorKind::BadUse, "the range \"" + text + "\" is empty", {}, "--range");
  return std::vector<std::int64_t>{*begin, *end};
}

} // namespace jitterscope::app
