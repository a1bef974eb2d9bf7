#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/import/assemble/assemble.h"
#include "core/import/records/reader.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::import {

/// Gives arbitrary inputs to one reader, whether or not it would recognise them, and assembles tables of
/// the result. For any bytes, the reader returns: with consistent rows, or with an error that has a
/// message.
inline int fuzz_reader(const Reader& reader, const std::vector<Input>& inputs) {
  (void)reader.recognises(inputs.front());
  Draft draft;
  store::Source source;
  const Job job;
  const auto size = inputs.front().disk_bytes;
  const Progress progress{job, 0, size, size};
  const auto done = reader.read(inputs, draft, source, progress);
  if (!done) {
    if (done.error().message.empty()) std::abort();
    return 0;
  }
  FilePart part;
  part.to = draft.sizes();
  if (!assemble(std::move(draft), {part}, job)) std::abort();
  return 0;
}

/// Arbitrary bytes are one input.
inline int fuzz_reader(const Reader& reader, const std::uint8_t* bytes, std::size_t size) {
  return fuzz_reader(reader,
                     {Input::from_memory("fuzz", std::string(reinterpret_cast<const char*>(bytes), size))});
}

} // namespace jitterscope::import

/// Defines the entry point of libFuzzer for one reader.
#define JITTERSCOPE_FUZZ_READER(reader)                                                                      \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {                       \
    return jitterscope::import::fuzz_reader(reader, bytes, size);                                            \
  }
