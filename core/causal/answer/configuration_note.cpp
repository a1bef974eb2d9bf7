#include "core/causal/answer/configuration_note.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/causal/base/note_specs.h"
#include "core/causal/base/wording.h"

namespace jitterscope::causal {

std::optional<Warning> note_on_configurations(const ConfigurationCount& count,
                                              const std::vector<std::string>& labels) {
  if (labels.empty() || !few_configurations(count)) return std::nullopt;
  std::vector<std::string> named = labels;
  if (const auto more = shorten(named, 3))
    named.push_back(fmt::format("{} other {}", more, more == 1 ? "column" : "columns"));
  const std::string kernels =
      count.kernels == 1 ? "one kernel" : fmt::format("{} kernels", grouped(count.kernels));
  return note<notes::kFewConfigurations>(fmt::join(named, ", "), grouped(count.configurations), kernels,
                                         kMinConfigurations);
}

} // namespace jitterscope::causal
