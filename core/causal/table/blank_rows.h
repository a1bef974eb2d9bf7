#pragma once

#include <vector>

#include "core/base/communicator.h"
#include "core/base/job.h"
#include "core/causal/base/row_source.h"
#include "core/causal/discovery/discovery.h"

namespace jitterscope::causal {

/// Rows of a plain table whose blank fields say something: "none", "not used", "not measured in this case".
/// In a text column, blank is a value of its own, "(blank)". A number that is blank in rows with another mean
/// of the target gets a column that is 1 where it is blank ("retries (blank)"; missing-indicator method:
/// Jones 1996), whose direction is open. Its blank fields have values of other rows (hot-deck imputation:
/// Andridge and Little 2010), so that these rows are not left out, and are not associated with any one value.
/// Columns with blanks in fewer than 5 % or more than 95 % of the rows keep them.
class BlankRows final : public ChangedRows {
public:
  /// Collective.
  static Expected<BlankRows> make(const RowSource& source, const Options& options, Communicator& communicator,
                                  const Job& job);
  Expected<void> read(std::int64_t first, std::int64_t count, RowBlock& block) const override;

private:
  using ChangedRows::ChangedRows;
  struct Blank {
    std::size_t feature = 0;
    std::vector<double> values; ///< of which blank fields have one
  };
  std::vector<Blank> blanks_;
  std::vector<std::size_t> marked_; ///< numbers with a column of their blanks, in the order of these columns
};

} // namespace jitterscope::causal
