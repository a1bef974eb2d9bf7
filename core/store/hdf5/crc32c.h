#pragma once

#include <cstddef>
#include <cstdint>

namespace jitterscope::store {

/// CRC-32C (Castagnoli polynomial 0x1EDC6F41, reflected, as in RFC 3720 appendix B.4) of `size` bytes.
/// `before` is the result for the preceding bytes, 0 for none. Uses the instruction of SSE 4.2 where the
/// processor has it, otherwise tables, with the same result. Allocates nothing; may be called from a signal
/// handler.
std::uint32_t crc32c(const void* data, std::size_t size, std::uint32_t before = 0);

/// crc32c() by tables on any processor, for tests.
std::uint32_t crc32c_by_tables(const void* data, std::size_t size, std::uint32_t before = 0);

} // namespace jitterscope::store
