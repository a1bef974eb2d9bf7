#include "core/import/formats/nsys/nsys_reader.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/core.h>

#include "core/import/formats/nsys/session.h"
#include "core/import/records/call_index.h"
#include "core/import/records/clock_offset.h"
#include "core/import/text/text.h"

namespace jitterscope::import::nsys {
namespace {

using sqlite::Database;
using sqlite::Rows;
using store::Severity;
using store::Source;

constexpr std::array kGpuTables = {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
                                   "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"};
constexpr const char* kCallTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::array kMetaTables = {"META_DATA_EXPORT", "EXPORT_META_DATA"};
constexpr const char* kRecordAgain =
    "Record again with nsys profile --trace=cuda,nvtx PROGRAM and export with nsys export --type sqlite.";

Expected<void> read_versions(Session& session, Source& source) {
  for (const auto* table : kMetaTables) {
    auto done = session.for_each(table, {"name", "value"}, [&](const Rows& rows) {
      if (!rows.is_text(0) || !rows.is_text(1)) return;
      if (rows.text(0) == "EXPORT_PRODUCT_VERSION") source.tool = clean_text(rows.text(1));
      if (rows.text(0) == "EXPORT_SCHEMA_VERSION") source.schema = clean_text(rows.text(1));
    });
    if (!done) return done;
  }
  return session.for_each("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, [&](const Rows& rows) {
    const auto utc = integer(rows, 0);
    if (utc && *utc > 0 && *utc < (std::int64_t{1} << 62) && source.utc_ns < 0) source.utc_ns = *utc;
  });
}

std::string called(const Source& source) {
  if (source.schema.empty()) return "an export of an early Nsight Systems version (2020.3 to 2021.3)";
  return fmt::format("an Nsight Systems export (tool {}, schema {})", source.tool, source.schema);
}

bool has_gpu_rows(const Session& session) {
  return std::ranges::any_of(kGpuTables, [&](const char* table) { return session.db.has_rows(table); });
}

/// Why a file has no GPU rows, and what to do. `calls`: number of its CUDA calls.
Error without_gpu_rows(const Session& session, const Source& source, std::size_t calls) {
  Error error{ErrorKind::BadInput, {}, source.path, {}, {}};
  if (!session.db.has_rows(kCallTable)) {
    error.message =
        fmt::format("no kernel was recorded: this is {} without any CUDA activity", called(source));
    error.hint = fmt::format("The program did not use CUDA, or CUDA was not traced. {}", kRecordAgain);
    return error;
  }
  error.message =
      fmt::format("no kernel was recorded: this is {} with {} CUDA call{} but no kernel, copy or memset",
                  called(source), calls, calls == 1 ? "" : "s");
  error.hint = fmt::format(
      "The program ended before it launched a kernel, or the driver hid the GPU from the profiler "
      "(common under WSL and in containers without permission). {}",
      kRecordAgain);
  return error;
}

// Tables that can be long.
const std::vector<std::string> kLongTables = {"CUPTI_ACTIVITY_KIND_KERNEL",
                                              "CUPTI_ACTIVITY_KIND_MEMCPY",
                                              "CUPTI_ACTIVITY_KIND_MEMSET",
                                              "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                              "CUPTI_ACTIVITY_KIND_RUNTIME",
                                              "NVTX_EVENTS",
                                              "ThreadNames",
                                              "GPU_METRICS"};

Expected<void> read_tables(Session& session) {
  if (auto done = session.names.read(session.db); !done) return done;
  if (auto done = session.devices.read(session.db); !done) return done;
  session.host = session.draft.host_of(session.devices.uuids());
  CallIndex index;
  if (auto done = read_calls(session, index); !done) return done;
  if (auto done = read_kernels(session, index); !done) return done;
  if (auto done = read_graphs(session, index); !done) return done;
  if (auto done = read_memory_operations(session, index); !done) return done;
  if (auto done = read_nvtx(session); !done) return done;
  if (auto done = read_mpi(session); !done) return done;
  if (auto done = read_process_names(session); !done) return done;
  if (auto done = read_metrics(session); !done) return done;
  return report_left_out(session);
}

Expected<void> read_session(Session& session, Source& source) {
  if (auto done = read_versions(session, source); !done) return done;
  session.expect(kLongTables);
  const auto before = session.draft.sizes();
  if (auto done = read_tables(session); !done) return done;
  check_calls(session.draft, before, session.issues);
  const auto after = session.draft.sizes();
  if (after.launches == before.launches && after.transfers == before.transfers) {
    if (has_gpu_rows(session))
      return failure(ErrorKind::BadInput,
                     "no usable kernel, copy or memset: every row of the GPU tables is invalid", source.path,
                     {}, "Export the report again: nsys export --type sqlite REPORT.nsys-rep");
    const auto why = without_gpu_rows(session, source, after.calls - before.calls);
    if (after.messages == before.messages && after.ranges == before.ranges) return forward(why);
    session.issues.count(Severity::Doubt, "no-kernels",
                         [&] { return fmt::format("{}. {}", why.message, why.hint); });
  } else if (after.launches == before.launches) {
    session.issues.count(Severity::Doubt, "no-kernels", [&] {
      return fmt::format("{} contains copies or memsets but no kernels",
                         std::filesystem::path(source.path).filename().string());
    });
  }
  session.issues.move_to(session.draft.report);
  return {};
}

} // namespace

bool recognises(const Database& db) {
  const auto has_any = [&](const auto& tables) {
    return std::any_of(std::begin(tables), std::end(tables), [&](const char* t) { return db.has_table(t); });
  };
  return db.has_table("StringIds") &&
         (has_any(kGpuTables) || db.has_table(kCallTable) || has_any(kMetaTables) ||
          db.has_table("TARGET_INFO_GPU") || db.has_table("ProcessStreams"));
}

Expected<void> read(Database& database, const Input&, Draft& draft, Source& source,
                    const Progress& progress) {
  Session session(database, draft, progress);
  return read_session(session, source);
}

} // namespace jitterscope::import::nsys
