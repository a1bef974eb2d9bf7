#include <algorithm>
#include <string_view>

#include "core/import/formats/hpctoolkit/hpctoolkit_reader.h"
#include "tests/fuzz/fuzz_reader.h"

namespace jitterscope::import {
namespace {

// The bytes are the files of one database; two bytes before each are its length.
std::vector<Input> files_in(std::string_view bytes) {
  std::vector<Input> inputs;
  for (const auto* name : {"meta.db", "profile.db", "trace.db"}) {
    if (bytes.size() < 2) break;
    const auto size = static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) << 8 |
                      static_cast<unsigned char>(bytes[1]);
    inputs.push_back(Input::from_memory(name, std::string(bytes.substr(2, size))));
    bytes.remove_prefix(std::min(2 + size, bytes.size()));
  }
  return inputs;
}

} // namespace
} // namespace jitterscope::import

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto inputs = jitterscope::import::files_in({reinterpret_cast<const char*>(bytes), size});
  return inputs.empty() ? 0
                        : jitterscope::import::fuzz_reader(jitterscope::import::hpctoolkit::kReader, inputs);
}
