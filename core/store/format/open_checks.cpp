#include "core/store/format/open_checks.h"

#include <algorithm>
#include <array>

#include "core/base/vector_clones.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::store {
namespace {

constexpr std::size_t kBlock = 4096; // values per block; a block fits the L1 cache

// With shift 1, kNone wraps to 0 and all others grow by one, so that one comparison checks them all.
JITTERSCOPE_VECTOR_CLONES
std::uint32_t greatest(const std::uint32_t* values, std::size_t count, std::uint32_t shift) {
  std::uint32_t maximum = 0;
  for (std::size_t i = 0; i < count; ++i) maximum = std::max(maximum, values[i] + shift);
  return maximum;
}

JITTERSCOPE_VECTOR_CLONES
bool any_bad_duration(const std::int64_t* values, std::size_t count, std::int64_t maximum,
                      std::int64_t missing) {
  std::uint64_t bad = 0;
  for (std::size_t i = 0; i < count; ++i)
    bad |= static_cast<std::uint64_t>(values[i] < 0) & static_cast<std::uint64_t>(values[i] != missing);
  for (std::size_t i = 0; i < count; ++i) bad |= static_cast<std::uint64_t>(values[i] > maximum);
  return bad != 0;
}

JITTERSCOPE_VECTOR_CLONES
bool any_falls(const std::int64_t* values, std::size_t count) {
  std::uint64_t falls = 0;
  for (std::size_t i = 1; i < count; ++i) falls |= static_cast<std::uint64_t>(values[i] < values[i - 1]);
  return falls != 0;
}

JITTERSCOPE_VECTOR_CLONES
std::uint8_t greatest_byte(const std::uint8_t* values, std::size_t count) {
  std::uint8_t maximum = 0;
  for (std::size_t i = 0; i < count; ++i) maximum = std::max(maximum, values[i]);
  return maximum;
}

// Calls good(values, count) for all values of a column, block by block, until it returns false.
template <class T, class Good>
bool each_block(const ColumnView& column, Good&& good) {
  const Values<T> values(column);
  std::array<T, kBlock> block;
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const auto last = std::min(first + kBlock, values.size());
    values.read(first, last, block.data());
    if (!good(block.data(), last - first)) return false;
  }
  return true;
}

} // namespace

bool all_inside(const ColumnView& references, std::size_t rows, bool none_allowed) {
  return each_block<std::uint32_t>(references, [&](const std::uint32_t* values, std::size_t count) {
    const auto maximum = greatest(values, count, none_allowed ? 1 : 0);
    return none_allowed ? maximum <= rows : maximum < rows;
  });
}

bool all_durations(const ColumnView& durations, std::int64_t maximum, bool may_miss) {
  return each_block<std::int64_t>(durations, [&](const std::int64_t* values, std::size_t count) {
    return !any_bad_duration(values, count, maximum, may_miss ? kMissingDuration : 0);
  });
}

bool is_ascending(std::span<const std::int64_t> values) {
  return !any_falls(values.data(), values.size());
}

std::uint8_t largest(std::span<const std::uint8_t> values) {
  return greatest_byte(values.data(), values.size());
}

} // namespace jitterscope::store
