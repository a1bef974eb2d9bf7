#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace jitterscope::engine {

/// Names of a session and of a request in which with_row_noun() would change a word: kernels, ranges,
/// counters, columns, files. They are never changed, wherever they are inserted into a text. If such a name
/// is the noun itself ("launch"), this word is unchanged in all texts.
class NounNames {
public:
  /// Adds a name; without effect unless the noun occurs in it.
  void add(std::string_view name);
  /// Adds a text in the options of a request, except the bare noun, which is a keyword of the request.
  void add_option(std::string_view text);
  /// Whether the noun at `at` belongs to a name.
  bool covers(std::string_view text, std::size_t at) const;

private:
  std::set<std::pair<std::string, std::size_t>> nouns_; ///< names, with the position of each noun
};

/// Texts about the analysis rows are written for launches. Only this function rewords them for rows of
/// another kind: "the same launches elsewhere" becomes "the same bursts elsewhere". `rows` is `rows` of the
/// document about a session: "launches", "bursts", "ranges", "calls", or "mixed" and "rows" (noun: row).
///
/// Unchanged: `names`, text in backticks or quotes, launches that are not rows ("launch configuration",
/// "kernel launch", "launch call", "graph launch", "launch order"), identifiers and links.
std::string with_row_noun(std::string_view text, std::string_view rows, const NounNames& names = {});
Error with_row_noun(Error error, std::string_view rows, const NounNames& names);

/// Applies with_row_noun() to the descriptions of columns in a document.
void set_row_noun(nlohmann::json& document, std::string_view rows, const NounNames& names);

} // namespace jitterscope::engine
