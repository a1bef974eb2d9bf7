#include "core/import/sqlite_reader.h"

#include <array>

#include "core/import/formats/ascend/ascend_db.h"
#include "core/import/formats/nsys/nsys_reader.h"
#include "core/import/formats/nvprof/nvprof_db.h"
#include "core/import/formats/rocm/database/databases.h"
#include "core/import/sqlite/unfinished_writes.h"

namespace jitterscope::import::sqlite {
namespace {

constexpr std::array kDialects = {
    Dialect{"Nsight Systems SQLite", nsys::recognises, nsys::read},
    Dialect{"nvprof database", nvprof::recognises, nvprof::read},
    Dialect{"Ascend database", ascend::recognises_db, ascend::read_db},
    Dialect{"rocmProfileData (RPD)", rocm::recognises_rpd, rocm::read_rpd},
    Dialect{"rocpd", rocm::recognises_rocpd, rocm::read_rocpd},
    Dialect{"rocprof-compute analysis database", rocm::recognises_compute_db, rocm::read_compute_db},
    Dialect{"rocprof results database", rocm::recognises_rocprof_db, rocm::read_rocprof_db},
};

} // namespace

bool recognises(const Input& input) {
  return input.head.starts_with(std::string_view("SQLite format 3\0", 16));
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  const Input& input = inputs.front();
  const auto in_input = [&](Error error) {
    error.file = input.name();
    return forward(std::move(error));
  };
  const bool is_plain_file = !input.packed && !input.memory;
  const auto file = is_plain_file ? with_unfinished_writes(input.path, draft.report, progress.job)
                                  : input.local(progress.job);
  if (!file) return in_input(file.error());
  auto database = Database::open(file->path(), progress.job);
  if (!database) return in_input(database.error());
  (*database)->use_threads(reading_threads(draft.options));
  for (const auto& dialect : kDialects) {
    if (!dialect.recognises(**database)) continue;
    source.format = dialect.format;
    auto done = dialect.read(**database, input, draft, source, progress);
    if (!done) return in_input(done.error());
    return done;
  }
  return failure(ErrorKind::BadInput, "this is an SQLite database, but not one of a supported profiler",
                 input.name(),
                 (*database)->has_table("StringIds") ? "no table of CUDA activity" : "no known table",
                 "Supported: databases made by nsys export --type sqlite REPORT.nsys-rep, nvprof, rocprofv3, "
                 "rocprof, rocmProfileData, torch_npu and msprof.");
}

} // namespace jitterscope::import::sqlite
