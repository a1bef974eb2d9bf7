#pragma once

#include <flatbuffers/flatbuffers.h>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/engine/messages/messages.h"

namespace jitterscope::engine {

struct TimeRange; // selection_options.fbs

/// Whether `bytes` are a table of this type that can be read safely.
template <TableType Table>
bool verify_table(std::span<const std::uint8_t> bytes) {
  constexpr int kMaxDepth = 64;
  constexpr int kMaxTables = 1'000'000;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxDepth, kMaxTables);
  return bytes.size() >= 8 && verifier.VerifyBuffer<typename Table::TableType>(nullptr);
}

/// The values of bytes that verify_table() accepts.
template <TableType Table>
Table decode_table(std::span<const std::uint8_t> bytes) {
  Table values;
  flatbuffers::GetRoot<typename Table::TableType>(bytes.data())->UnPackTo(&values);
  return values;
}

template <TableType Table>
Bytes encode_table(const Table& values) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Table::TableType::Pack(builder, &values));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

/// The values of a typed answer. Errors: Engine if it is an answer of another type or damaged.
template <TableType Table>
Expected<Table> table_of(const Answer& answer) {
  if (answer.type != Table::TableType::GetFullyQualifiedName() || !verify_table<Table>(answer.table))
    return failure(ErrorKind::Engine, "an answer of the engine is damaged or of another type");
  return decode_table<Table>(answer.table);
}

} // namespace jitterscope::engine

namespace flatbuffers { // conversions that generated code calls

jitterscope::engine::TimeRange Pack(const jitterscope::Interval& interval);
jitterscope::Interval UnPack(const jitterscope::engine::TimeRange& range);

} // namespace flatbuffers
