#include "core/import/machine_file.h"

#include "core/import/records/draft.h"
#include "core/import/registry.h"
#include "core/store/format/store.h"

namespace jitterscope::import {
namespace {

tl::unexpected<Error> of_no_machine(const std::string& path) {
  return failure(ErrorKind::BadInput, "the file does not describe a machine", path, {},
                 "Name a result of MT4G, OSU or BabelStream.");
}

} // namespace

Expected<store::Machine> machine_of_file(const std::string& path, const Job& job) {
  if (path.ends_with(".jts")) {
    const auto store = store::Store::open(path);
    if (!store) return forward(store.error());
    if (store->manifest().machine.empty()) return of_no_machine(path);
    return store->manifest().machine;
  }
  const auto inputs = expand(path, job);
  if (!inputs) return forward(inputs.error());
  Draft draft;
  for (const auto& input : *inputs) {
    const auto reader = reader_for(input);
    if (!reader) return forward(reader.error());
    if (!(*reader)->of_machine) return of_no_machine(path);
    store::Source source;
    const Progress progress{job, 0, input.disk_bytes, input.disk_bytes};
    if (auto done = (*reader)->read({&input, 1}, draft, source, progress); !done)
      return forward(done.error());
  }
  return std::move(draft.machine);
}

} // namespace jitterscope::import
