#pragma once

#include <cstdint>
#include <vector>

namespace jitterscope {

/// One of the items of each of `strata` equal parts of items 0 … items − 1, at a random place in it:
/// ascending, and the same in every run on every platform. All items if there are at most `strata`.
///
/// Items at equal distances would be a biased sample of anything that is periodic, such as the steps of a
/// training run.
std::vector<std::int64_t> stratified_sample(std::int64_t items, std::int64_t strata);

} // namespace jitterscope
