#include "core/import/records/constants.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <variant>
#include <vector>

#include "core/base/parallel.h"

namespace jitterscope::import {
namespace {

template <class T>
bool missing(const T& value) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  return false;
}

// Nearly all constant columns hold the same bytes in every row: comparing those is as fast as reading
// memory.
template <class Values>
bool same_bytes(const Values& values) {
  constexpr std::size_t kPiece = 32'768;
  for (std::size_t row = 1; row < values.size(); row += kPiece) {
    SpillMemory::relieve();
    const auto count = std::min(kPiece, values.size() - row);
    if (std::memcmp(values.data() + row - 1, values.data() + row, count * sizeof(values[0])) != 0)
      return false;
  }
  return true;
}

template <class Values>
bool constant(const Values& values, bool text) {
  if (same_bytes(values)) return true;
  const auto absent = [&](const auto& value) {
    if (text && static_cast<double>(value) == static_cast<double>(kNone)) return true;
    return missing(value);
  };
  std::size_t row = 0;
  for (; row < values.size() && absent(values[row]); ++row) SpillMemory::relieve_at(row);
  if (row == values.size()) return true;
  const auto first = values[row];
  for (; row < values.size(); ++row) {
    SpillMemory::relieve_at(row);
    if (!absent(values[row]) && values[row] != first) return false;
  }
  return true;
}

} // namespace

void mark_constants(store::TraceData& data) {
  const auto& table = *data.find("launches");
  const auto& columns = table.columns;
  // Attributes and context come after the common columns, the last of which is flags.
  const auto flags =
      std::find_if(columns.begin(), columns.end(), [](const auto& c) { return c.name == "flags"; });
  const std::span own(flags == columns.end() ? flags : flags + 1, columns.end());
  std::vector<char> found(own.size());
  parallel_for(own.size(), worker_threads(), [&](std::size_t i) {
    found[i] = std::visit(
        [&](const auto& values) { return constant(values, own[i].unit == store::kTextUnit); }, own[i].values);
  });
  for (std::size_t i = 0; i < own.size(); ++i)
    if (found[i]) data.manifest.constant_columns.push_back(own[i].name);
}

} // namespace jitterscope::import
