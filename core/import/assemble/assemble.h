#pragma once

#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/import/records/draft.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// Rows [from, to) of every table came from one file whose times are moved by `shift_ns`.
struct FilePart {
  DraftSizes from, to;
  std::int64_t shift_ns = 0;
};

/// Makes the tables of a TraceData out of a draft: times moved to the common axis, events sorted by start,
/// resources in the order of the tree, references adjusted, nesting depth of ranges computed. The "range"
/// column and the features of launches come later (context.h). The draft is consumed. Errors: Cancelled;
/// BadInput when a table has more rows than references can count (2^32 − 1).
Expected<store::TraceData> assemble(Draft&& draft, const std::vector<FilePart>& parts, const Job& job);

} // namespace jitterscope::import
