#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace jitterscope::import {

/// Number of bytes of a text that are examined together.
inline constexpr std::size_t kMaskBlock = 64;

/// Positions of several bytes in a block: a bit for every byte of the block, the first one lowest.
template <std::size_t N>
using ByteMasks = std::array<std::uint64_t, N>;

/// Searches for some bytes in `blocks` consecutive blocks, with the widest instructions of the processor.
/// Instantiated for the numbers of bytes that readers search for.
template <std::size_t N>
void find_bytes(const char* text, std::size_t blocks, const std::array<char, N>& requested,
                ByteMasks<N>* masks);

extern template void find_bytes<4>(const char*, std::size_t, const std::array<char, 4>&, ByteMasks<4>*);
extern template void find_bytes<7>(const char*, std::size_t, const std::array<char, 7>&, ByteMasks<7>*);

} // namespace jitterscope::import
