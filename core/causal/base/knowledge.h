#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/error.h"
#include "core/causal/base/lists.h"

namespace jitterscope::causal {

/// Background knowledge from the user, by column name.
struct Knowledge {
  std::vector<std::pair<std::string, int>> tiers;             ///< columns with their tiers, 0 … 5
  std::vector<std::pair<std::string, std::string>> required;  ///< edges from, to
  std::vector<std::pair<std::string, std::string>> forbidden; ///< edges from, to
  std::vector<std::string> ignored;                           ///< columns that are left out

  bool has_tier(const std::string& column) const {
    return contains(tiers, column, &std::pair<std::string, int>::first);
  }
  /// Whether an edge from or to the column is required or forbidden.
  bool has_edge(const std::string& column) const;
  bool empty() const { return tiers.empty() && required.empty() && forbidden.empty() && ignored.empty(); }
};

/// JSON `{"tiers": {"grid_x": 1, …}, "required": [["a", "b"], …], "forbidden": [["a", "b"], …], "ignored":
/// ["c", …]}`, or CSV with the header `column,tier` (a tier or "ignored") or `from,to,kind` (kind: required
/// or forbidden). Error::place names the line or the key.
Expected<Knowledge> parse_knowledge(const std::string& text, const std::string& file = {});
Expected<Knowledge> read_knowledge(const std::string& file);
/// The JSON form, without empty keys.
nlohmann::json to_json(const Knowledge& knowledge);

} // namespace jitterscope::causal
