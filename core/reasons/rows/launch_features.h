#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/analysis/columns/columns.h"
#include "core/causal/base/row_source.h"
#include "core/reasons/rows/typical_rows.h"

namespace jitterscope::analysis {

/// Names of columns that several files of this room treat differently from others.
inline constexpr std::string_view kGap = "gap_ns", kConcurrencyColumn = "concurrency";

/// Codes of a feature's values.
struct FeatureCodes {
  std::vector<double> values;      ///< column value of each category, sorted; empty for numbers
  std::vector<std::size_t> places; ///< by value: index of its label; empty: in the order of `values`
  double place_of(double value) const {
    const auto at = static_cast<std::size_t>(std::ranges::lower_bound(values, value) - values.begin());
    return static_cast<double>(at < places.size() ? places[at] : at);
  }
};

/// Columns of launches as features of the causal engine; one member of `codes` per feature.
struct LaunchFeatures {
  std::vector<causal::FeatureInfo> infos;
  std::vector<FeatureCodes> codes;
};

/// Which columns are features besides the default ones.
struct FeatureRequest {
  std::string target;             ///< any column of launches; added if it is not a feature by default
  std::vector<std::string> named; ///< terms of the performance model, columns that the user chose
  bool chosen = false;            ///< all columns that the user chose (LaunchColumn::chosen)
};

/// The features of a session's launches: environment (device, rank, stream), configuration, all context
/// columns of the stores, and the requested ones; those that `typical.bursts` provides instead of the stored
/// ones, except the target.
LaunchFeatures launch_features(const Session& session, const LaunchColumns& columns,
                               const TypicalRows& typical, const FeatureRequest& requested);

} // namespace jitterscope::analysis
