#pragma once

namespace jitterscope::engine {

/// For tests of ranks that are out of step: if JITTERSCOPE_TEST_HOLD is set to a number (the seed), this rank
/// sleeps at random, in one of 200 calls for at most 20 ms and in one of 4,000 for 60 ms. Otherwise it does
/// nothing. Called where ranks synchronise and where they poll for a stop.
void hold_rank_for_test(int rank);

} // namespace jitterscope::engine
