#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::causal {

/// What the user knows, by column name.
struct Knowledge {
  std::vector<std::pair<std::string, int>> tiers;             ///< column, 0 … 5
  std::vector<std::pair<std::string, std::string>> required;  ///< from, to
  std::vector<std::pair<std::string, std::string>> forbidden; ///< from, to

  bool empty() const { return tiers.empty() && required.empty() && forbidden.empty(); }
};

/// JSON `{"tiers": {"grid_x": 1, …}, "required": [["a", "b"], …], "forbidden": [["a", "b"], …]}`, or CSV with
/// the header `column,tier` or `from,to,kind` (kind: required or forbidden).
/// `place` names the line or the key in errors.
Expected<Knowledge> parse_knowledge(const std::string& text, const std::string& file = {});
Expected<Knowledge> read_knowledge(const std::string& file);

} // namespace jitterscope::causal
