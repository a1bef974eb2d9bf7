#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/causal/base/row_source.h"

namespace jitterscope::causal {

/// Launches in memory: a table with durations, configurations and kernels.
class LaunchTable final : public MemoryRows {
public:
  std::vector<std::uint32_t> group;
  std::vector<double> duration_ns;
  std::vector<std::uint32_t> kernel_of_group; ///< index of the kernel of each group; empty: one kernel
  std::vector<std::string> kernel_names;
  std::vector<bool> waiting_kernels; ///< by kernel: waits_for_absent(); empty: none waits

  /// Appends a column; all columns must be of equal length.
  void add(FeatureInfo info, const std::vector<double>& column) {
    const auto n = static_cast<Eigen::Index>(column.size());
    assert(columns.empty() || n == values.rows());
    values.conservativeResize(n, values.cols() + 1);
    values.col(values.cols() - 1) = Eigen::Map<const Eigen::VectorXd>(column.data(), n);
    columns.push_back(std::move(info));
  }

  std::int64_t rows() const override {
    return columns.empty() ? static_cast<std::int64_t>(duration_ns.size()) : values.rows();
  }
  Expected<void> read(std::int64_t first, std::int64_t count, RowBlock& block) const override {
    if (auto done = MemoryRows::read(first, count, block); !done) return done;
    const auto part = [&](const auto& from, auto& to) {
      if (!from.empty()) to.assign(from.begin() + first, from.begin() + first + count);
    };
    part(group, block.group), part(duration_ns, block.duration_ns);
    return {};
  }
  bool has_durations() const override { return !duration_ns.empty(); }
  std::uint32_t groups() const override {
    std::uint32_t count = 0;
    for (const auto g : group)
      if (g != kNone) count = std::max(count, g + 1);
    return count;
  }
  std::uint32_t kernel_of(std::uint32_t g) const override {
    return g < kernel_of_group.size() ? kernel_of_group[g] : 0;
  }
  std::string kernel_name(std::uint32_t kernel) const override {
    return kernel < kernel_names.size() ? kernel_names[kernel] : std::string();
  }
  bool waits_for_absent(std::uint32_t kernel) const override {
    return kernel < waiting_kernels.size() && waiting_kernels[kernel];
  }
};

} // namespace jitterscope::causal
