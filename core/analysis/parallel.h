#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/selection.h"

namespace jitterscope::analysis {

struct ParallelOptions {
  std::vector<std::string> axes; ///< columns of launches in display order; empty: default_axes()
  int bins = 128;                ///< per numeric axis, 2 … 1,024
};

struct ParallelAxis {
  std::string column, unit, description;
  double minimum = 0, maximum = 1;     ///< of all launches
  bool log = false;                    ///< bins are equal steps of the logarithm
  std::vector<std::string> categories; ///< when set, value i stands for categories[i]
  std::vector<double> codes;           ///< the column's own value of each category
  std::int64_t missing = 0;
  std::vector<std::int64_t> all, selected; ///< 1-D histogram
};

/// Counts of two neighbouring axes: counts[left · right_bins + right].
struct ParallelPair {
  std::string left, right;
  int left_bins = 0, right_bins = 0;
  std::vector<std::int64_t> all, selected;
};

struct ParallelCounts {
  std::vector<ParallelAxis> axes;
  std::vector<ParallelPair> pairs;
  std::int64_t rows = 0, selected_rows = 0;
};

/// Columns that differ between launches, the ones most asked for first; at most `most`. Collective.
Expected<std::vector<std::string>> default_axes(const Session& session, const LaunchColumns& columns,
                                                std::size_t most, Communicator& communicator, const Job& job);

/// Histograms of single axes and neighbouring pairs over all and over the selected launches. Collective, same
/// result on every rank: only integers are summed. Errors: BadUse (unknown column).
Expected<ParallelCounts> parallel_counts(const Session& session, const LaunchColumns& columns,
                                         const Selection& selection, const ParallelOptions& options,
                                         Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
