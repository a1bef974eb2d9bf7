#pragma once

#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/import/records/draft.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// Rows [from, to) of every table came from one file whose times are shifted by `shift_ns`.
struct FilePart {
  DraftSizes from, to;
  std::int64_t shift_ns = 0;
};

/// Makes the tables of a TraceData from a draft: shifts times to the common axis, sorts events by start, puts
/// resources in the order of the tree, adjusts references, computes the nesting depth of ranges. The "range"
/// column and the features of launches are added later (context.h). The draft is consumed. Errors: Cancelled;
/// BadInput when a table has more rows than references can address (2^32 − 1).
Expected<store::TraceData> assemble(Draft&& draft, const std::vector<FilePart>& parts, const Job& job);

} // namespace jitterscope::import
