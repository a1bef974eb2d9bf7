#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/text_pattern.h"

namespace jitterscope::store {

/// Which kernels communicate between devices: those whose names contain "nccl", "rccl" or "nvshmem"
/// (case-insensitive), and those in whose names the user's regular expression is found.
class CollectiveKernels {
public:
  /// `expression`: Manifest::collective_kernels; an empty or invalid one adds no kernels.
  explicit CollectiveKernels(const std::string& expression = {});
  bool operator()(std::string_view kernel) const;

private:
  std::optional<TextPattern> pattern_;
};

} // namespace jitterscope::store
