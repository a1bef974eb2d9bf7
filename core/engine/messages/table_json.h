#pragma once

#include <span>
#include <string>
#include <string_view>

#include <flatbuffers/flatbuffers.h>
#include <nlohmann/json.hpp>

#include "core/engine/messages/messages.h"

namespace jitterscope::engine {

/// Name of a value of an enum in lower case, with blanks for "_".
std::string words_of_enum(std::string_view name);

/// A table that was encoded with all its numbers as JSON, by the names of its fields. Numbers that are NaN or
/// not set are null, an enum is words_of_enum() of its value; lists and texts without content are [] and "".
/// Left out: tables that are not set.
nlohmann::json json_of_table(std::span<const std::uint8_t> bytes, const flatbuffers::TypeTable& type);

/// A typed answer, or a part of it, as the document that commands print (--json).
template <TableType Table>
nlohmann::json json_of(const Table& values) {
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceDefaults(true);
  builder.Finish(Table::TableType::Pack(builder, &values));
  return json_of_table({builder.GetBufferPointer(), builder.GetSize()},
                       *Table::TableType::MiniReflectTypeTable());
}

} // namespace jitterscope::engine
