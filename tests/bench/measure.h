#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "core/base/error.h"

namespace jitterscope::bench {

struct Cost {
  double wall_s = 0;
  double cpu_s = 0;
};

inline double cpu_now() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline Cost cost_of(const std::function<void()>& work) {
  using namespace std::chrono;
  const auto begin = steady_clock::now();
  const double cpu = cpu_now();
  work();
  return {duration<double>(steady_clock::now() - begin).count(), cpu_now() - cpu};
}

/// The median by CPU time of `times` runs.
inline Cost median_of(int times, const std::function<void()>& work) {
  std::vector<Cost> costs;
  for (int i = 0; i < times; ++i) costs.push_back(cost_of(work));
  std::sort(costs.begin(), costs.end(), [](const Cost& a, const Cost& b) { return a.cpu_s < b.cpu_s; });
  return costs[costs.size() / 2];
}

/// Steps through the columns that an import of Nsight Systems reads, if the file has them, and does nothing
/// else.
inline void bare_scan(const std::string& path) {
  struct Table {
    const char* name;
    std::vector<const char*> columns;
  };
  static const Table kTables[] = {
      {"CUPTI_ACTIVITY_KIND_KERNEL",
       {"start",
        "end",
        "globalPid",
        "deviceId",
        "contextId",
        "streamId",
        "correlationId",
        "demangledName",
        "shortName",
        "gridX",
        "gridY",
        "gridZ",
        "blockX",
        "blockY",
        "blockZ",
        "staticSharedMemory",
        "dynamicSharedMemory",
        "registersPerThread",
        "launchType",
        "graphNodeId",
        "graphId"}},
      {"CUPTI_ACTIVITY_KIND_RUNTIME",
       {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"}},
      {"CUPTI_ACTIVITY_KIND_MEMCPY",
       {"start", "end", "globalPid", "deviceId", "contextId", "streamId", "correlationId", "bytes",
        "copyKind", "migrationCause"}},
      {"CUPTI_ACTIVITY_KIND_MEMSET",
       {"start", "end", "globalPid", "deviceId", "contextId", "streamId", "correlationId", "bytes"}},
      {"NVTX_EVENTS", {"start", "end", "eventType", "text", "textId", "globalTid", "domainId"}},
      {"GPU_METRICS", {"timestamp", "typeId", "metricId", "value"}}};
  sqlite3* database = nullptr;
  sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  std::int64_t sum = 0;
  for (const auto& table : kTables) {
    std::string query;
    for (const char* column : table.columns)
      if (sqlite3_table_column_metadata(database, nullptr, table.name, column, nullptr, nullptr, nullptr,
                                        nullptr, nullptr) == SQLITE_OK)
        query += (query.empty() ? "SELECT " : ",") + std::string(column);
    if (query.empty()) continue;
    query += std::string(" FROM ") + table.name;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      std::fprintf(stderr, "%s: %s\n", path.c_str(), sqlite3_errmsg(database));
      std::exit(3);
    }
    const int columns = sqlite3_column_count(statement);
    while (sqlite3_step(statement) == SQLITE_ROW)
      for (int c = 0; c < columns; ++c) sum += sqlite3_column_int64(statement, c);
    sqlite3_finalize(statement);
  }
  sqlite3_close(database);
  if (sum == 42) std::puts("");
}

[[noreturn]] inline void stop(const Error& error) {
  std::fprintf(stderr, "%s\n", describe(error).c_str());
  std::exit(3);
}

} // namespace jitterscope::bench
