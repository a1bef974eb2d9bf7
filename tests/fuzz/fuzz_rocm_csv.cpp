#include "core/import/formats/rocm/csv/rocm_csv.h"
#include "tests/fuzz/fuzz_reader.h"

namespace jitterscope::import {
namespace {

// The bytes are the files of one folder, with a byte of value 1 between them.
std::vector<Input> files_in(std::string_view bytes) {
  static constexpr std::string_view kNames[] = {"pmc_perf.csv", "SQ_LEVEL_WAVES.csv", "7_kernel_trace.csv",
                                                "7_counter_collection.csv", "sysinfo.csv"};
  std::vector<Input> inputs;
  for (std::size_t file = 0; file < std::size(kNames); ++file) {
    const auto end = bytes.find('\1');
    inputs.push_back(Input::from_memory(std::string(kNames[file]), std::string(bytes.substr(0, end))));
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
  }
  return inputs;
}

void read_as_group(std::string_view bytes) {
  const auto inputs = files_in(bytes);
  for (const auto& input : inputs) {
    (void)rocm::kCsvReader.recognises(input);
    (void)rocm::kCsvReader.group(input);
    (void)rocm::kCsvReader.companions(input);
  }
  Draft draft;
  store::Source source;
  const Job job;
  const auto size = static_cast<std::int64_t>(bytes.size());
  const auto done = rocm::kCsvReader.read(inputs, draft, source, Progress{job, 0, size, size});
  if (!done) {
    if (done.error().message.empty()) std::abort();
    return;
  }
  FilePart part;
  part.to = draft.sizes();
  if (!assemble(std::move(draft), {part}, job)) std::abort();
}

} // namespace
} // namespace jitterscope::import

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  jitterscope::import::read_as_group({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
