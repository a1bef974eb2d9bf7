#pragma once

#include <QString>
#include <optional>
#include <vector>

namespace jitterscope::views {

/// Observed values of a feature.
struct WhatIfValues {
  std::vector<double> few = {}; ///< all of them, ascending, if the column has few; else empty
  bool whole = false;           ///< whole numbers
  bool operator==(const WhatIfValues&) const = default;
};

/// A feature that can be set.
struct WhatIfFeature {
  QString key; ///< column of the graph
  QString label;
  QString unit;
  double minimum = 0, maximum = 1; ///< range of the observed values
  double mean = 0;
  bool event = false; ///< true if the only values are 0 and 1
  WhatIfValues values = {};
};

/// Change of durations [ns].
struct WhatIfChange {
  double mean = 0, low = 0, high = 0; ///< mean change and its 95 % interval
};

/// Expected result for all rows when the feature is set: do(feature = value).
struct WhatIfAnswer {
  double meanBefore = 0, meanAfter = 0, low = 0,
         high = 0; ///< values of the target, with a 95 % interval of meanAfter
  double stdBefore = 0, stdAfter = 0;
  bool outside = false;                    ///< true if the value is outside the observed range
  double stdLow = 0, stdHigh = 0;          ///< 95 % interval of stdAfter; both 0 where it is not known
  std::optional<WhatIfChange> longer = {}; ///< mean increase of the duration of launches; nullopt if unknown
  bool aroundMedian = false; ///< means and deviations are those of |duration − median of the configuration|
};

/// Counterfactual for one row.
struct WhatIfRow {
  QString name;                                    ///< "vecadd at 1.234 s"
  double from = 0;                                 ///< recorded value of the feature in the row
  double before = 0, after = 0, low = 0, high = 0; ///< values of the target
  QString sentence; ///< "this launch would have taken 3.1 µs instead of 25 µs"; may be empty
};

struct WhatIfData {
  QString target;
  QString unit;
  std::vector<WhatIfFeature> features; ///< sorted by effect on the target, largest first
  bool empty() const { return features.empty(); }
};

/// The target's mean when the feature is set to this value in every row, with a 95 % interval.
struct WhatIfPoint {
  double value = 0;
  double mean = 0, low = 0, high = 0;
};

/// State of the view: a feature set to a value, and the expected result.
struct WhatIfShown {
  WhatIfData data;
  int feature = -1; ///< index into data.features; −1: none
  double value = 0;
  std::optional<WhatIfAnswer> answer;
  std::optional<WhatIfRow> row;
  std::vector<WhatIfPoint> curve; ///< points over all values of the feature, ascending; may be empty
};

} // namespace jitterscope::views
