#pragma once

namespace jitterscope::engine {

/// For tests of ranks that are out of step: with JITTERSCOPE_TEST_HOLD set to a number (the seed), this rank
/// sleeps at random, in one of 200 calls for at most 20 ms and in one of 4,000 for 60 ms. Does nothing
/// without it. Called where ranks meet and where they look for a stop.
void hold_rank_for_test(int rank);

} // namespace jitterscope::engine
