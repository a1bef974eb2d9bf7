#pragma once

#include <string>
#include <string_view>

namespace jitterscope::causal {

/// "36 % (31–40 %)": a share in percent and its interval, rounded to `digits` decimals. The interval is
/// omitted if both ends round to the share. `name` precedes the interval, e.g. "95 % interval ".
std::string share_with_interval(double percent, double low, double high, int digits,
                                std::string_view name = {});

} // namespace jitterscope::causal
