#include "core/import/formats/table/preview.h"

#include <algorithm>
#include <array>

namespace jitterscope::import::table {
namespace {

constexpr std::array kDoubts = {"times-without-unit", "duration-without-unit"};

// Several columns may name kernels.
std::string columns_of(const Preview& preview, ColumnRole role) {
  std::string names;
  for (const auto& column : preview.columns)
    if (column.role == role) names += (names.empty() ? "" : ", ") + column.name;
  return names;
}

} // namespace

bool Preview::doubtful() const {
  return std::any_of(remarks.entries().begin(), remarks.entries().end(), [](const auto& entry) {
    return std::find(kDoubts.begin(), kDoubts.end(), entry.code) != kDoubts.end();
  });
}

TableMapping mapping_between(const Preview& found, const Preview& chosen) {
  TableMapping mapping;
  for (std::size_t role = 0; role < kColumnRoles; ++role) {
    auto names = columns_of(chosen, static_cast<ColumnRole>(role));
    if (names != columns_of(found, static_cast<ColumnRole>(role))) mapping.columns[role] = std::move(names);
  }
  for (std::size_t i = 0; i < std::min(found.columns.size(), chosen.columns.size()); ++i)
    if (chosen.columns[i].unit != found.columns[i].unit)
      mapping.units[found.columns[i].name] = chosen.columns[i].unit;
  return mapping;
}

void copy_recognised_roles(const Preview& checked, const TableMapping& mapping, Preview& preview) {
  const auto is_recognised = [&](const std::optional<ColumnRole>& role) {
    return role && !mapping.column(*role);
  };
  for (std::size_t i = 0; i < std::min(checked.columns.size(), preview.columns.size()); ++i) {
    auto& role = preview.columns[i].role;
    if (is_recognised(role)) role = {};
    if (const auto& recognised = checked.columns[i].role; !role && is_recognised(recognised))
      role = recognised;
  }
}

} // namespace jitterscope::import::table
