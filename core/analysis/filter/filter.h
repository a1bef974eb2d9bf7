#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/columns/columns.h"

namespace jitterscope::analysis {

struct FilterNode;

/// A condition on launches, written in the filter language of the window and of `--where`:
///
///   duration > 20us and name ~ /gemm/ and stream in (7, 13) and not (grid_x >= 2^10 or range = "step 3")
///
/// Operators: = == != < <= > >=, `~ /regex/` and `!~ /regex/` (RE2 syntax) on texts, `in (a, b)`,
/// `between a and b` (both included), `is missing`, `is not missing`, and, or, not, brackets. Numbers take
/// units (filter_tokens.h), and powers like 2^10; they are converted to the unit of the column. Comparisons
/// with a missing value are false. Two columns can be compared: duration > linked_transfer_ns.
class Filter {
public:
  /// Empty text selects everything. Errors: BadUse with the position in the text as place.
  static Expected<Filter> parse(const std::string& text, const LaunchColumns& columns);

  Filter();
  ~Filter();
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;

  bool everything() const;
  /// The parsed text, in which each number except 0 has the unit of its column: "duration > 20" is
  /// "duration > 20ns".
  const std::string& text() const { return text_; }
  /// 1 for each selected row of the segment, else 0.
  std::vector<std::uint8_t> select(const LaunchColumns& columns, const Segment& segment) const;

  /// The condition tree (filter_node.h); null selects everything. Each subtree is itself a filter.
  const std::shared_ptr<const FilterNode>& root() const { return root_; }
  static Filter of(std::shared_ptr<const FilterNode> root);

private:
  std::shared_ptr<const FilterNode> root_;
  std::string text_;
};

} // namespace jitterscope::analysis
