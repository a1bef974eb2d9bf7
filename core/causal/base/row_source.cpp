#include "core/causal/base/row_source.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace jitterscope::causal {

void MemoryRows::add(FeatureInfo info, const std::vector<double>& column) {
  const auto n = static_cast<Eigen::Index>(column.size());
  assert(columns.empty() || n == values.rows());
  values.conservativeResize(n, values.cols() + 1);
  values.col(values.cols() - 1) = Eigen::Map<const Eigen::VectorXd>(column.data(), n);
  columns.push_back(std::move(info));
}

Expected<void> MemoryRows::read(std::int64_t first, std::int64_t count, RowBlock& block) const {
  if (first < 0 || count < 0 || first + count > rows())
    return failure(ErrorKind::Internal, fmt::format("rows {} to {} do not exist", first, first + count));
  block.values = values.middleRows(first, count);
  const auto part = [&](const auto& from, auto& to) {
    to.assign(from.begin() + (from.empty() ? 0 : first),
              from.empty() ? from.end() : from.begin() + first + count);
  };
  part(group, block.group);
  part(duration_ns, block.duration_ns);
  return {};
}

std::uint32_t MemoryRows::groups() const {
  std::uint32_t count = 0;
  for (const auto g : group)
    if (g != kNone) count = std::max(count, g + 1);
  return count;
}

std::uint32_t MemoryRows::kernel_of(std::uint32_t g) const {
  return g < kernel_of_group.size() ? kernel_of_group[g] : 0;
}

std::string MemoryRows::kernel_name(std::uint32_t kernel) const {
  return kernel < kernel_names.size() ? kernel_names[kernel] : std::string();
}

} // namespace jitterscope::causal
