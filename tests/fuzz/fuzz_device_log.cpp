#include "core/import/assemble/device_logs.h"
#include "core/import/formats/device_log/device_log_reader.h"
#include "tests/fuzz/fuzz_reader.h"

// The same bytes as the text of dmon, as a table of samples, and next to a trace.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace jitterscope;
  using namespace jitterscope::import;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const auto input = Input::from_memory("fuzz", text);
  (void)device_log::is_table_of_samples(input, {});
  for (const auto* reader : {&device_log::kDmonReader, &device_log::kTableReader}) {
    Draft draft;
    const auto host = draft.add_resource(store::ResourceKind::Host, kNone, 0, {});
    const auto process = draft.add_resource(store::ResourceKind::Process, host, 1, {});
    draft.add_resource(store::ResourceKind::Device, process, 0, {});
    FilePart part;
    part.from = draft.sizes();
    store::Source trace, source;
    const Job job;
    const Progress progress{job, 0, input.disk_bytes, input.disk_bytes};
    if (const auto done = reader->read({&input, 1}, draft, source, progress); !done) {
      if (done.error().message.empty()) std::abort();
      continue;
    }
    part.to = draft.sizes();
    trace.utc_ns = source.utc_ns;
    const TracesOfLogs traces{{trace}, {FileSpan{0, 1'000'000'000, 1, 1, -1}}};
    const auto placement = place_log(draft.logs[0], source, draft, traces);
    if (!placement) continue;
    align_log(*placement, traces, source);
    part.shift_ns = source.shift_ns;
    std::vector<FilePart> parts{part};
    store::ImportReport report;
    attach_logs(draft, parts, {0}, traces, report);
    if (!assemble(std::move(draft), parts, job)) std::abort();
  }
  return 0;
}
