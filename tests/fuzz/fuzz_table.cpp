// Tables as launches, and as the columns of a causal analysis.

#include <cmath>
#include <cstdlib>

#include "core/import/formats/table/all_columns.h"
#include "core/import/formats/table/table_reader.h"
#include "tests/fuzz/fuzz_reader.h"

namespace jitterscope::import {
namespace {

void read_columns(std::string text) {
  const auto read = table::read_all_columns(Input::from_memory("fuzz", std::move(text)), {});
  if (!read) {
    if (read.error().message.empty()) std::abort();
    return;
  }
  const auto width = read->titles.size();
  if (read->values.size() != width || read->labels.size() != width || read->units.size() != width)
    std::abort();
  for (std::size_t c = 0; c < width; ++c) {
    if (read->values[c].size() != read->values.front().size()) std::abort();
    for (const double value : read->values[c]) {
      if (std::isinf(value)) std::abort();
      if (!read->labels[c].empty() && value >= static_cast<double>(read->labels[c].size())) std::abort();
    }
  }
}

} // namespace
} // namespace jitterscope::import

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace jitterscope::import;
  read_columns(std::string(reinterpret_cast<const char*>(bytes), size));
  return fuzz_reader(table::kReader, bytes, size);
}
