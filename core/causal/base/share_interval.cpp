#include "core/causal/base/share_interval.h"

#include <fmt/format.h>

namespace jitterscope::causal {

std::string share_with_interval(double percent, double low, double high, int digits, std::string_view name) {
  const auto rounded = [digits](double value) { return fmt::format("{:.{}f}", value, digits); };
  const auto share = rounded(percent), from = rounded(low), to = rounded(high);
  if (from == share && to == share) return fmt::format("{} %", share);
  return fmt::format("{} % ({}{}–{} %)", share, name, from, to);
}

} // namespace jitterscope::causal
