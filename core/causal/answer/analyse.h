#pragma once

#include "core/base/communicator.h"
#include "core/base/error.h"
#include "core/base/job.h"
#include "core/causal/base/result.h"
#include "core/causal/base/row_source.h"
#include "core/causal/discovery/discovery.h"

namespace jitterscope::causal {

/// Which features drive the target, how strongly and with what certainty. Collective: every rank calls it
/// with the same source and options; the result is the same on every rank and bit-equal for any number of
/// ranks. Rows with a missing value in a column of the graph are left out. A column that has missing values
/// and turns out to have no edge costs no rows: it is dropped, and the analysis is repeated with the rows it
/// had excluded. Memory per rank: 13 bytes per row of its share, plus the block statistics. BadUse: unknown
/// target, feature or method; BadInput: a table without usable rows.
Expected<CausalResult> analyse(const RowSource& source, const Options& options, Communicator& communicator,
                               const Job& job = {});

} // namespace jitterscope::causal
