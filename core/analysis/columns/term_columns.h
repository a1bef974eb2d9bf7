#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// Columns of launches with values computed elsewhere: a model of launches, a metric, efficiencies.
class TermColumns {
public:
  struct TermColumn {
    std::string_view name, unit, description;
    int tier = 0;                                    ///< causal tier (causal/base/tiers.h)
    bool of_durations = false;                       ///< the column is left out if no duration was measured
    const std::vector<std::string>* texts = nullptr; ///< for text columns; values are indices into this list
    bool constant = false;                           ///< known to have at most one value
  };

  virtual ~TermColumns() = default;
  virtual const std::vector<TermColumn>& terms() const = 0;
  /// Values of the column at an index of terms(), for the rows of a segment; NaN where missing.
  virtual std::vector<double> read_term(std::size_t term, const Segment& segment) const = 0;
};

} // namespace jitterscope::analysis
