#include "core/import/formats/rocm/database/databases.h"

#include <set>

#include "core/import/formats/rocm/database/rocpd_run.h"

namespace jitterscope::import::rocm {
namespace {

constexpr const char* kEventTables[] = {"rocpd_kernel_dispatch", "rocpd_memory_copy", "rocpd_region"};

std::set<std::string> suffixes(const sqlite::Database& database) {
  std::set<std::string> found;
  for (const auto& table : database.tables())
    for (const std::string_view prefix : kEventTables)
      if (table.starts_with(prefix)) found.insert(table.substr(prefix.size()));
  return found;
}

} // namespace

bool recognises_rocpd(const sqlite::Database& database) {
  return !database.has_table("rocpd_op") && !suffixes(database).empty();
}

Expected<void> read_rocpd(sqlite::Database& database, const Input&, Draft& draft, store::Source& source,
                          const Progress& progress) {
  SqliteSession session(database, draft, progress);
  const auto runs = suffixes(database);
  for (const auto& suffix : runs)
    for (const auto* table :
         {"rocpd_string", "rocpd_event", "rocpd_region", "rocpd_kernel_dispatch", "rocpd_memory_copy",
          "rocpd_pmc_event", "rocpd_sample", "rocpd_memory_allocate", "rocpd_timestamp"})
      session.expect({table + suffix});
  Nodes nodes;
  for (const auto& suffix : runs) {
    RocpdRun run(session, nodes, suffix);
    if (auto done = run.read(source); !done) return done;
  }
  return session.finish("a rocpd database of rocprofv3",
                        "Record again with rocprofv3 --kernel-trace --memory-copy-trace -- PROGRAM.");
}

} // namespace jitterscope::import::rocm
