#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/spill_vector.h"

namespace jitterscope::import::paraver {

/// Bytes that must be readable after a line for Fields::read(); the first of them is not a digit.
inline constexpr std::size_t kLinePadding = 16;

/// The numbers of a record: "1:2:3".
class Fields {
public:
  /// False for other text. Numbers that do not fit are limited to the largest or smallest value: huge() is
  /// then true. `line` is followed by kLinePadding readable bytes.
  bool read(std::string_view line);
  bool huge() const { return huge_; }
  /// Valid until the next call of read().
  std::span<const std::int64_t> numbers() const { return {numbers_.data(), count_}; }

private:
  const char* read_slowly(const char* at, const char* end, std::int64_t& number);

  SpillVector<std::int64_t> numbers_; ///< room for the numbers of the longest line so far
  std::size_t count_ = 0;
  bool huge_ = false;
};

} // namespace jitterscope::import::paraver
