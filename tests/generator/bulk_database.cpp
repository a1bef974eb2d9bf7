#include "tests/generator/bulk_run.h"

namespace jitterscope::generator {

Expected<void> write_bulk_database(const BulkOptions& options, const std::string& path) {
  if (auto good = check(options); !good) return good;
  const BulkProgram program;
  BulkLaunches launches(options, program);
  BulkCopies copies(options);
  Trace trace;
  trace.kernels = program.kernels;
  trace.configurations = program.configurations;
  trace.end = options.launches * 10'000; // ns, after the last launch
  Options database;
  database.launches = options.launches;
  database.kernels = kBulkKernels;
  database.streams = options.streams;
  database.seed = options.seed;
  RowSource rows;
  rows.launch = [&](LaunchRow& row) {
    const bool more = launches.next(row);
    row.stream = static_cast<std::int16_t>(kFirstStream + row.stream);
    return more;
  };
  rows.copy = [&](MemoryRow& row) { return copies.next(row); };
  return write_database(database, std::move(trace), std::move(rows), path);
}

} // namespace jitterscope::generator
