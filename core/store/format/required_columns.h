#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/store/trace/column_view.h"

namespace jitterscope::store {

/// What the values of a reference column refer to.
enum class Reference : std::uint8_t {
  None,
  String,
  Resource,
  Kernels,
  Configurations,
  Calls,
  Ranges,
  Counters,
  CallsOrNone,
  RangesOrNone
};

/// A column that every store has, with its type and what its values refer to.
struct RequiredColumn {
  std::string_view table;
  std::string_view column;
  ElementType type;
  Reference reference = Reference::None;
};

/// The schema of TraceData, used to check data before writing and stores after opening.
std::span<const RequiredColumn> required_columns();

/// The table that a reference column refers to, empty for strings, resources and None.
std::string_view referenced_table(Reference reference);
bool may_be_none(Reference reference);

} // namespace jitterscope::store
