#include "core/analysis/filter/condition_values.h"

namespace jitterscope::analysis {

using Node = FilterNode;
using Kind = Node::Kind;

std::string only_column(const Node& node) {
  if (node.kind == Kind::CompareColumns) return {};
  if (node.children.empty()) return node.column;
  std::string column = only_column(*node.children.front());
  for (const auto& child : node.children)
    if (only_column(*child) != column) return {};
  return column;
}

ValueSet accepted_values(const Node& node) {
  switch (node.kind) {
  case Kind::And:
  case Kind::Or: {
    ValueSet set = accepted_values(*node.children.front());
    for (std::size_t c = 1; c < node.children.size(); ++c) {
      const ValueSet next = accepted_values(*node.children[c]);
      set = node.kind == Kind::And ? set & next : set | next;
    }
    return set;
  }
  case Kind::Not:
    return !accepted_values(*node.children.front());
  case Kind::Missing:
    return ValueSet::missing();
  case Kind::In:
    return ValueSet::of(node.members);
  case Kind::Compare:
  case Kind::CompareColumns:
    break;
  }
  const double x = node.number;
  if (node.comparison == "<") return ValueSet::below(x, false);
  if (node.comparison == "<=") return ValueSet::below(x, true);
  if (node.comparison == ">") return ValueSet::above(x, false);
  if (node.comparison == ">=") return ValueSet::above(x, true);
  if (node.comparison == "=") return ValueSet::between(x, x);
  return ValueSet::below(x, false) | ValueSet::above(x, false);
}

} // namespace jitterscope::analysis
