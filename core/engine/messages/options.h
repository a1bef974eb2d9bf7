#pragma once

#include <flatbuffers/flatbuffers.h>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/engine/messages/messages.h"

namespace jitterscope::engine {

struct TimeRange; // selection_options.fbs

/// Whether `bytes` are a table of this type that can be read safely.
template <class Options>
bool verify_options(std::span<const std::uint8_t> bytes) {
  constexpr int kMaxDepth = 64;
  constexpr int kMaxTables = 1'000'000;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxDepth, kMaxTables);
  return bytes.size() >= 8 && verifier.VerifyBuffer<typename Options::TableType>(nullptr);
}

/// Options of bytes that verify_options() accepts.
template <class Options>
Options decode_options(std::span<const std::uint8_t> bytes) {
  Options options;
  flatbuffers::GetRoot<typename Options::TableType>(bytes.data())->UnPackTo(&options);
  return options;
}

template <class Options>
Bytes encode_options(const Options& options) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Options::TableType::Pack(builder, &options));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

} // namespace jitterscope::engine

namespace flatbuffers { // conversions that generated code calls

jitterscope::engine::TimeRange Pack(const jitterscope::Interval& interval);
jitterscope::Interval UnPack(const jitterscope::engine::TimeRange& range);

} // namespace flatbuffers
