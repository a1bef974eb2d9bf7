// Profiles of TAU. The bytes are one file, or two metrics of a thread separated by a zero byte.

#include <algorithm>

#include "core/import/formats/tau/tau_reader.h"
#include "tests/fuzz/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace jitterscope::import;
  const auto* const end = bytes + size;
  const auto* const zero = std::find(bytes, end, 0);
  std::vector<Input> inputs = {Input::from_memory("MULTI__TIME/profile.0.0.0", std::string(bytes, zero))};
  if (zero != end)
    inputs.push_back(Input::from_memory("MULTI__PAPI_TOT_INS/profile.0.0.0", std::string(zero + 1, end)));
  return fuzz_reader(tau::kReader, inputs);
}
