#include "core/store/hdf5/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#include <nmmintrin.h>
#define JITTERSCOPE_CRC_INSTRUCTION 1
#endif

namespace jitterscope::store {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78; // reflected

// Table k: remainder of a byte followed by k more bytes ("slicing by 8").
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) ? kPolynomial : 0);
    tables[0][byte] = rest;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xFF];
  return tables;
}

constexpr Tables kTables = make_tables();

// All functions below work on the inverted remainder.
std::uint32_t by_tables(const unsigned char* at, std::size_t size, std::uint32_t rest) {
  for (; size >= 8; at += 8, size -= 8) {
    std::uint32_t first, second;
    std::memcpy(&first, at, 4);
    std::memcpy(&second, at + 4, 4);
    first ^= rest;
    rest = kTables[7][first & 0xFF] ^ kTables[6][first >> 8 & 0xFF] ^ kTables[5][first >> 16 & 0xFF] ^
           kTables[4][first >> 24] ^ kTables[3][second & 0xFF] ^ kTables[2][second >> 8 & 0xFF] ^
           kTables[1][second >> 16 & 0xFF] ^ kTables[0][second >> 24];
  }
  for (; size > 0; ++at, --size) rest = (rest >> 8) ^ kTables[0][(rest ^ *at) & 0xFF];
  return rest;
}

#ifdef JITTERSCOPE_CRC_INSTRUCTION

// The instruction has a latency of three cycles and a throughput of one: three lanes of kLane bytes are
// summed concurrently.
constexpr std::size_t kLane = 1360;  // three of them and 16 bytes make a page
constexpr std::size_t kAhead = 8192; // prefetch distance [B]

// Remainder after kLane zero bytes, tabulated for each of its four bytes.
using Advance = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr std::uint32_t after_zeros(std::uint32_t rest, std::size_t bytes) {
  for (; bytes > 0; --bytes) rest = (rest >> 8) ^ kTables[0][rest & 0xFF];
  return rest;
}

constexpr Advance make_advance() {
  // The map is linear in the bits: computed for each bit, then summed for each byte.
  std::array<std::uint32_t, 32> bits{};
  for (std::size_t bit = 0; bit < 32; ++bit) bits[bit] = after_zeros(std::uint32_t{1} << bit, kLane);
  Advance advance{};
  for (std::size_t byte = 0; byte < 4; ++byte)
    for (std::size_t value = 0; value < 256; ++value)
      for (std::size_t bit = 0; bit < 8; ++bit)
        if (value >> bit & 1) advance[byte][value] ^= bits[8 * byte + bit];
  return advance;
}

const Advance kAdvance = make_advance();

std::uint32_t advanced(std::uint32_t rest) {
  return kAdvance[0][rest & 0xFF] ^ kAdvance[1][rest >> 8 & 0xFF] ^ kAdvance[2][rest >> 16 & 0xFF] ^
         kAdvance[3][rest >> 24];
}

std::uint64_t word_at(const unsigned char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, 8);
  return word;
}

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(const unsigned char* at, std::size_t size,
                                                               std::uint32_t rest) {
  for (; size >= 3 * kLane; at += 3 * kLane, size -= 3 * kLane) {
    std::uint64_t first = rest, second = 0, third = 0;
    for (std::size_t i = 0; i < kLane; i += 8) {
      if (i % 64 == 0) // 25 % faster from memory, no slower from caches
        for (std::size_t lane = 0; lane < 3; ++lane) __builtin_prefetch(at + lane * kLane + i + kAhead);
      first = _mm_crc32_u64(first, word_at(at + i));
      second = _mm_crc32_u64(second, word_at(at + kLane + i));
      third = _mm_crc32_u64(third, word_at(at + 2 * kLane + i));
    }
    rest = advanced(advanced(static_cast<std::uint32_t>(first)) ^ static_cast<std::uint32_t>(second)) ^
           static_cast<std::uint32_t>(third);
  }
  std::uint64_t one = rest;
  for (; size >= 8; at += 8, size -= 8) one = _mm_crc32_u64(one, word_at(at));
  rest = static_cast<std::uint32_t>(one);
  for (; size > 0; ++at, --size) rest = _mm_crc32_u8(rest, *at);
  return rest;
}

// Initialised before the first signal handler runs.
const bool kHasInstruction = __builtin_cpu_supports("sse4.2");

#endif

} // namespace

std::uint32_t crc32c_by_tables(const void* data, std::size_t size, std::uint32_t before) {
  return ~by_tables(static_cast<const unsigned char*>(data), size, ~before);
}

std::uint32_t crc32c(const void* data, std::size_t size, std::uint32_t before) {
#ifdef JITTERSCOPE_CRC_INSTRUCTION
  if (kHasInstruction) return ~by_instruction(static_cast<const unsigned char*>(data), size, ~before);
#endif
  return crc32c_by_tables(data, size, before);
}

} // namespace jitterscope::store
