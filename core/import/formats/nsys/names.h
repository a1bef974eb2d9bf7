#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/spill_vector.h"
#include "core/import/sqlite/database.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import::nsys {

/// Table StringIds: texts by number. A text enters the draft's string table when it is first used.
class Names {
public:
  Expected<void> read(sqlite::Database& database);

  /// Whether the file has a text with this number; if not, text() is empty.
  bool has(std::int64_t id) const { return find(id) < ids_.size(); }
  std::string_view text(std::int64_t id) const;

  /// The number in the draft's string table, kNone when the file has no such number.
  std::uint32_t intern(std::int64_t id, store::StringTable& strings);

private:
  std::size_t find(std::int64_t id) const;
  std::string_view bytes(std::size_t index) const;
  void sort();

  SpillVector<std::int64_t> ids_;  // ascending
  SpillVector<std::size_t> begin_; // offsets into arena_
  SpillVector<std::uint32_t> length_;
  std::string arena_;
  SpillVector<std::uint32_t> interned_;
};

} // namespace jitterscope::import::nsys
