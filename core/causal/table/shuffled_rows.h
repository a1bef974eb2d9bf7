#pragma once

#include <vector>

#include "core/base/job.h"
#include "core/causal/base/row_source.h"
#include "core/causal/discovery/discovery.h"

namespace jitterscope::causal {

/// Rows of a plain table that is sorted by its target, in random order: the order of such rows says nothing
/// about time, and neighbouring rows would count as repeated observations. Other tables keep their order.
class ShuffledRows final : public ChangedRows {
public:
  static Expected<ShuffledRows> make(const RowSource& source, const Options& options, const Job& job);
  Expected<void> read(std::int64_t first, std::int64_t count, RowBlock& block) const override;
  std::int64_t origin_of(std::int64_t row) const override;
  std::vector<Warning> remarks() const override;

private:
  using ChangedRows::ChangedRows;
  RowBlock all_; ///< in their new order; empty if the order is kept
  std::vector<std::int64_t> order_;
};

} // namespace jitterscope::causal
