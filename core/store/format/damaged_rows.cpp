#include "core/store/format/damaged_rows.h"

#include <algorithm>

#include <fmt/core.h>

namespace jitterscope::store {

std::vector<DamagedRows> rows_in(const Layout& layout, ByteRange range) {
  std::vector<DamagedRows> found;
  for (const auto& table : layout.tables)
    for (const auto& column : table.columns) {
      if (!column.mappable) continue;
      const auto width = size_of(column.stored);
      const auto begin = std::max(range.begin, column.offset);
      const auto end = std::min<std::uint64_t>(range.end, column.offset + column.rows * width);
      if (begin >= end) continue;
      found.push_back({table.name, column.name, static_cast<std::size_t>((begin - column.offset) / width),
                       static_cast<std::size_t>((end - column.offset + width - 1) / width)});
    }
  return found;
}

std::string describe(const std::vector<DamagedRows>& rows) {
  constexpr std::size_t kMax = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), kMax); ++i)
    text += fmt::format("{}{}.{} rows {} to {}", i == 0 ? "" : ", ", rows[i].table, rows[i].column,
                        rows[i].first, rows[i].last - 1);
  if (rows.size() > kMax) text += fmt::format(" and {} more columns", rows.size() - kMax);
  return rows.empty() ? "structure of the file" : text;
}

} // namespace jitterscope::store
