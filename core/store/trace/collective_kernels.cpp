#include "core/store/trace/collective_kernels.h"

#include <algorithm>

namespace jitterscope::store {

CollectiveKernels::CollectiveKernels(const std::string& expression) {
  if (expression.empty()) return;
  if (auto pattern = TextPattern::of(expression)) pattern_ = std::move(*pattern);
}

bool CollectiveKernels::operator()(std::string_view kernel) const {
  for (const std::string_view part : {"nccl", "rccl", "nvshmem"}) {
    const auto found =
        std::search(kernel.begin(), kernel.end(), part.begin(), part.end(), [](char a, char b) {
          return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
        });
    if (found != kernel.end()) return true;
  }
  return pattern_ && pattern_->found_in(kernel);
}

} // namespace jitterscope::store
