#include "core/import/constants.h"

#include <cmath>
#include <variant>

namespace jitterscope::import {
namespace {

template <class T>
bool missing(const T& value) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  return false;
}

template <class Values>
bool constant(const Values& values, bool text) {
  const auto absent = [&](const auto& value) {
    if (text && static_cast<double>(value) == static_cast<double>(kNone)) return true;
    return missing(value);
  };
  std::size_t row = 0;
  while (row < values.size() && absent(values[row])) ++row;
  if (row == values.size()) return true;
  const auto first = values[row];
  for (; row < values.size(); ++row)
    if (!absent(values[row]) && values[row] != first) return false;
  return true;
}

} // namespace

void mark_constants(store::TraceData& data) {
  const auto& table = *data.find("launches");
  bool own = false; // attributes and context follow the columns that every launch has
  for (const auto& column : table.columns) {
    if (own &&
        std::visit([&](const auto& values) { return constant(values, column.unit == store::kTextUnit); },
                   column.values))
      data.manifest.constant_columns.push_back(column.name);
    if (column.name == "flags") own = true;
  }
}

} // namespace jitterscope::import
