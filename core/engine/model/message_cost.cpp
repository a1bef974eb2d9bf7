#include "core/engine/model/message_cost.h"

namespace jitterscope::engine {

double message_us(const LinkClass& link, std::int64_t bytes, double pairs) {
  const auto n = static_cast<double>(bytes);
  if (bytes <= link.short_limit) return link.short_alpha_us + pairs * link.short_beta_us * n;
  const auto& rate = bytes < link.eager_limit ? link.eager : link.rendezvous;
  return rate.alpha_us + pairs * n / (rate.base + (pairs - 1) * rate.more);
}

const LinkClass& between_nodes() {
  static constexpr LinkClass kLink{1.54512082,
                                   0.000883596657,
                                   128,
                                   65'537,
                                   {2.36001414, 4924.61829, 2311.46845},
                                   {10.5599635, 17948.3348, 2223.29686}};
  return kLink;
}

const LinkClass& within_node() {
  static constexpr LinkClass kLink{0.629309486,
                                   0.000621256175,
                                   128,
                                   12'288,
                                   {0.765340788, 9071.09437, 4324.50318},
                                   {3.58606982, 17977.1262, 15255.5214}};
  return kLink;
}

} // namespace jitterscope::engine
