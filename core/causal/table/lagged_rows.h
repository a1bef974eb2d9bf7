#pragma once

#include <vector>

#include "core/base/communicator.h"
#include "core/base/job.h"
#include "core/causal/base/row_source.h"
#include "core/causal/discovery/discovery.h"

namespace jitterscope::causal {

/// A column and its offset in rows from the durations that it affects.
struct Lag {
  std::size_t feature = 0;
  /// Positive: a launch is compared with the value `rows` launches before it; negative: after it.
  std::int64_t rows = 0;
  /// Events: number of launches, from `rows` before this one backwards, that it acts on. The value of a
  /// launch is the sum over all of them.
  std::int64_t span = 1;
  /// A temperature that fits better after the launch follows the durations: it keeps its rows, and its
  /// direction is not assumed.
  bool follows = false;
};

/// Columns that are clearly more closely associated with the durations of other rows than with those of their
/// own rows. An event may act some launches later. A sampled clock or temperature may be recorded late or
/// early: values after the launch are tried, too, but only for sampled columns, because nothing else can act
/// before it happens.
///
/// Measure: the covariance of the values, centred in their configuration, with the ranks of the durations
/// among launches of their configuration that follow the same launches, in 32 stretches of the run. A lag is
/// used if its covariance is at least 1.02 times that without lag and the difference has the same sign in the
/// stretches (self-normalised sum above 3.5, Efron 1969). For events, the effects at lags −8 to 8 are fitted
/// together, and those at negative lags, where an event cannot act, are subtracted; an event acts on the
/// launches around the strongest effect that have at least a quarter of it.
///
/// A temperature that acts is associated with the durations before and after its sample alike. One that is
/// associated more closely with those before it follows the durations.
///
/// If the target is a column, only sampled columns are examined, and the target takes the place of the
/// durations. Without a target, durations or groups the result is empty. Columns that the options name, other
/// than by a tier, keep their rows, except sampled ones. Collective.
Expected<std::vector<Lag>> find_lags(const RowSource& source, const Options& options,
                                     Communicator& communicator, const Job& job);

/// Rows of a source with its lagged columns moved to the rows whose durations they affect. A column of events
/// that act later is named "X (3 before)".
class LaggedRows final : public ChangedRows {
public:
  LaggedRows(const RowSource& source, std::vector<Lag> lags);
  Expected<void> read(std::int64_t first, std::int64_t count, RowBlock& block) const override;
  /// Background knowledge with the new names of lagged columns.
  Knowledge renamed(Knowledge knowledge) const;
  std::vector<Warning> remarks() const override;

private:
  std::vector<Lag> lags_;
};

} // namespace jitterscope::causal
