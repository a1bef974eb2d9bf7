#include "core/import/registry.h"

#include <algorithm>
#include <array>

#include "core/base/big_memory.h"
#include "core/import/chrome/chrome_reader.h"
#include "core/import/gpu_trace/gpu_trace_reader.h"
#include "core/import/kernel_tuner/kernel_tuner_reader.h"
#include "core/import/ncu/ncu_reader.h"
#include "core/import/paraver/paraver_reader.h"
#include "core/import/rocm/json_reader.h"
#include "core/import/rocm/rocm_csv.h"
#include "core/import/sqlite/sqlite_reader.h"
#include "core/import/table/table_reader.h"

namespace jitterscope::import {
namespace {

using namespace std::string_view_literals;

constexpr std::array kReaders = {sqlite::kReader,
                                 ncu::kReader,
                                 gpu_trace::kNvprofReader,
                                 gpu_trace::kNsysReader,
                                 gpu_trace::kSummaryReader,
                                 kernel_tuner::kReader,
                                 paraver::kReader,
                                 rocm::kJsonReader,
                                 chrome::kReader,
                                 rocm::kCsvReader,
                                 table::kReader};

/// A kind of file that people have and that cannot be imported as it is.
struct Foreign {
  std::string_view magic;
  std::string_view message;
  std::string_view hint;
};

constexpr Foreign kForeign[] = {
    {"NVIDIA Tegra Profiler Report"sv,
     "this is an Nsight Systems report (.nsys-rep or .qdrep) that has not been exported",
     "Export it: nsys export --type sqlite --output REPORT.sqlite REPORT.nsys-rep — then open "
     "REPORT.sqlite."},
    {"NVR\0"sv, "this is an Nsight Compute report (.ncu-rep), which has no published format",
     "Export it: ncu --import REPORT.ncu-rep --page raw --csv --print-units base > REPORT.csv. For a "
     "timeline record "
     "with Nsight Systems."},
    {"version https://git-lfs"sv, "this is a Git LFS pointer, not the file itself",
     "Fetch the file: git lfs pull — then open it again."},
    {"\x89HDF\r\n\x1a\n"sv, "this is an HDF5 file, not a profiler's export",
     "A Jitterscope store (.jts) is opened directly, without import."},
    {"PK\x03\x04"sv, "this is a zip archive inside an archive",
     "Unpack the outer one and open what is inside."},
};

tl::unexpected<Error> bad(const Input& input, std::string_view message, std::string_view hint) {
  return failure(ErrorKind::BadInput, std::string(message), input.name(), {}, std::string(hint));
}

const Foreign* foreign(const Input& input) {
  for (const auto& kind : kForeign)
    if (input.head.starts_with(kind.magic)) return &kind;
  return nullptr;
}

} // namespace

bool Progress::report(std::int64_t part, std::int64_t whole, const std::string& what) const {
  const double share =
      whole > 0 ? std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0) : 0.0;
  job.progress(done_before + static_cast<std::int64_t>(share * static_cast<double>(file_bytes)), total_bytes,
               what);
  BigMemory::relieve();
  return !job.cancelled();
}

Expected<const Reader*> reader_for(const Input& input) {
  if (input.head.empty())
    return bad(input, "the file is empty",
               "The export may have been interrupted or the disk full: export again.");
  for (const auto& reader : kReaders)
    if (reader.recognises(input)) return &reader;
  if (const auto* kind = foreign(input)) return bad(input, kind->message, kind->hint);
  if (std::string_view("SQLite format 3\0", 16).starts_with(input.head))
    return bad(input, "the SQLite file is cut off in its first bytes", "Copy or export the file again.");
  return bad(
      input, "this kind of file is not known",
      "Supported: exports of Nsight Systems and Nsight Compute, nvprof, rocprof, rocprofv3, rocprof-compute, "
      "PyTorch and Chrome traces, Paraver traces, Kernel Tuner caches and tables in CSV.");
}

bool is_foreign(const Input& input) {
  return foreign(input) != nullptr;
}

} // namespace jitterscope::import
