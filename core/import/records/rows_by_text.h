#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "core/import/text/text_table.h"

namespace jitterscope::import {

/// Rows that are identified by several fields of a record together (a configuration, a stream). Most records
/// repeat a few combinations: known ones are found by their texts, which are then not parsed again.
class RowsByText {
public:
  /// The row of these texts; `make()` creates it where it is not known.
  template <class Make>
  std::uint32_t row(std::initializer_list<std::string_view> texts, Make&& make) {
    key_.clear();
    for (const auto text : texts) key_.append(text).append(1, kBetween);
    if (const auto* known = rows_.find(key_)) return *known;
    const std::uint32_t row = make();
    if (rows_.size() < kMaxKept && key_.size() < kLongestKept) rows_.add(key_, row);
    return row;
  }

  /// row() for rows that differ between processes.
  template <class Make>
  std::uint32_t row(std::int64_t process, std::initializer_list<std::string_view> texts, Make&& make) {
    if (process != process_) rows_ = {}, process_ = process;
    return row(texts, std::forward<Make>(make));
  }

private:
  // At most 64 MiB of texts, for any file.
  static constexpr std::size_t kMaxKept = 16'384, kLongestKept = 4'096;
  static constexpr char kBetween = '\x1f';
  TextTable<std::uint32_t> rows_;
  std::string key_;
  std::int64_t process_ = 0;
};

} // namespace jitterscope::import
