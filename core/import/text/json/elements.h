#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "core/import/text/json/cursor.h"

namespace jitterscope::import::json {

/// The bytes of a scalar as in the text, without trailing blanks; "[" or "{" for other values;
/// empty where a broken text has none.
inline std::string_view token(simdjson::ondemand::value& value) {
  auto text = value.raw_json_token();
  if (text.size() > 2 * kMaxElement)
    return {}; // after the last token of a broken text, its length is garbage
  while (!text.empty() &&
         (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

/// Issues of elements, which are repaired or left out.
struct ElementIssues {
  std::int64_t not_utf8 = 0; ///< elements with invalid UTF-8 or control characters, repaired
  std::int64_t broken = 0;   ///< elements that are not JSON, left out
};

/// Parses elements with simdjson's On-Demand interface; one parser for all chunks. Texts of values are valid
/// until the next chunk.
class Elements {
public:
  using Value = simdjson::ondemand::value;

  /// Calls `parse(value)` for every element, and `use()` when that returned no error. Elements that are not
  /// JSON are left out and counted, without affecting the others.
  template <class Parse, class Use>
  void for_each(const Chunk& chunk, ElementIssues& issues, Parse&& parse, Use&& use) {
    rewritten_.clear();
    const auto done = pass(chunk.data, chunk.size, chunk.capacity, parse, use);
    if (!done.failed) return;
    one_by_one(chunk.text(), done.used, issues, [&](char* data, std::size_t size, std::size_t capacity) {
      return !pass(data, size, capacity, parse, use).failed;
    });
  }

private:
  struct Pass {
    std::size_t used = 0; ///< elements before the first bad one
    bool failed = false;
  };

  template <class Parse, class Use>
  Pass pass(char* data, std::size_t size, std::size_t capacity, Parse& parse, Use& use) {
    Pass done{0, true};
    simdjson::ondemand::document document;
    if (parser_.iterate(simdjson::padded_string_view(data, size, capacity)).get(document)) return done;
    simdjson::ondemand::array array;
    if (document.get_array().get(array)) return done;
    for (auto element : array) {
      Value value;
      if (element.get(value) || parse(value)) return done;
      use();
      ++done.used;
    }
    done.failed = false;
    return done;
  }

  using Try = std::function<bool(char*, std::size_t, std::size_t)>;
  void one_by_one(std::string_view text, std::size_t first, ElementIssues& issues, const Try& attempt);

  simdjson::ondemand::parser parser_;
  std::deque<std::string> rewritten_; ///< elements of the last chunk that were parsed individually
};

} // namespace jitterscope::import::json
