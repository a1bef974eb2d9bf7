#include "core/causal/base/row_source.h"

#include <fmt/format.h>

namespace jitterscope::causal {

Expected<void> MemoryRows::read(std::int64_t first, std::int64_t count, RowBlock& block) const {
  if (first < 0 || count < 0 || first + count > rows())
    return failure(ErrorKind::Internal, fmt::format("rows {} to {} do not exist", first, first + count));
  block.values = values.middleRows(first, count);
  block.group.clear(), block.duration_ns.clear();
  return {};
}

} // namespace jitterscope::causal
