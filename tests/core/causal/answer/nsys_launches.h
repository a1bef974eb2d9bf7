#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "core/causal/base/row_source.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal::test {

using Query = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

inline std::vector<std::vector<std::int64_t>> query(sqlite3* database, const std::string& sql, int columns) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &raw, nullptr) != SQLITE_OK) return {};
  const Query statement(raw, &sqlite3_finalize);
  std::vector<std::vector<std::int64_t>> rows;
  while (sqlite3_step(raw) == SQLITE_ROW) {
    auto& row = rows.emplace_back();
    for (int c = 0; c < columns; ++c) row.push_back(sqlite3_column_int64(raw, c));
  }
  return rows;
}

/// The launches of an Nsight Systems export with the few features that the causal tests need, computed in the
/// simplest way. Features: configuration, stream, gap, queue delay, first launch, unified-memory migrations
/// (copyKind 11 to 13) and ordinary copies during the launch.
inline LaunchTable read_nsys_launches(const std::string& file) {
  sqlite3* opened = nullptr;
  sqlite3_open_v2(("file:" + file + "?immutable=1").c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                  nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, &sqlite3_close);
  const auto launches =
      query(opened,
            "SELECT start, end, streamId, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread,"
            " staticSharedMemory, dynamicSharedMemory, demangledName, correlationId"
            " FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start",
            14);
  const auto transfers =
      query(opened, "SELECT start, end, bytes, copyKind FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY start", 4);
  std::map<std::int64_t, std::int64_t> returned;
  for (const auto& call : query(opened, "SELECT correlationId, end FROM CUPTI_ACTIVITY_KIND_RUNTIME", 2))
    returned[call[0]] = call[1];

  LaunchTable rows;
  std::map<std::vector<std::int64_t>, std::uint32_t> configurations;
  std::map<std::int64_t, std::uint32_t> kernels;
  std::map<std::int64_t, std::int64_t> stream_end;
  std::map<std::int64_t, double> stream_codes;
  const std::size_t n = launches.size();
  enum {
    kGridX,
    kGridY,
    kBlockX,
    kRegisters,
    kStream,
    kGap,
    kDelay,
    kMigrationNs,
    kMigrationBytes,
    kMigrationCount,
    kCopyNs,
    kFirst,
    kColumns
  };
  std::array<std::vector<double>, kColumns> c;
  for (auto& column : c) column.assign(n, 0.0);
  FeatureInfo stream;
  for (const auto& l : launches) stream_codes[l[2]] = 0;
  for (auto& [id, code] : stream_codes)
    code = static_cast<double>(stream.labels.size()), stream.labels.push_back(std::to_string(id));
  for (std::size_t i = 0; i < n; ++i) {
    const auto& l = launches[i];
    const std::vector<std::int64_t> key(l.begin() + 3, l.begin() + 13);
    const auto [configuration, fresh] =
        configurations.emplace(key, static_cast<std::uint32_t>(configurations.size()));
    if (fresh) {
      const auto [kernel, unseen] = kernels.emplace(l[12], static_cast<std::uint32_t>(kernels.size()));
      if (unseen) rows.kernel_names.push_back("kernel " + std::to_string(l[12]));
      rows.kernel_of_group.push_back(kernel->second);
      c[kFirst][i] = 1;
    }
    rows.group.push_back(configuration->second);
    rows.duration_ns.push_back(static_cast<double>(l[1] - l[0]));
    c[kGridX][i] = static_cast<double>(l[3]), c[kGridY][i] = static_cast<double>(l[4]);
    c[kBlockX][i] = static_cast<double>(l[6]), c[kRegisters][i] = static_cast<double>(l[9]);
    c[kStream][i] = stream_codes[l[2]];
    const auto previous = stream_end.find(l[2]);
    c[kGap][i] = previous == stream_end.end()
                     ? 0.0
                     : static_cast<double>(std::max<std::int64_t>(0, l[0] - previous->second));
    stream_end[l[2]] = l[1];
    const auto call = returned.find(l[13]);
    c[kDelay][i] = call == returned.end() ? 0.0 : static_cast<double>(l[0] - call->second);
    for (const auto& t : transfers) {
      const auto overlap = static_cast<double>(std::min(t[1], l[1]) - std::max(t[0], l[0]));
      if (overlap <= 0) continue;
      const bool migration = t[3] >= 11 && t[3] <= 13;
      if (!migration)
        c[kCopyNs][i] += overlap;
      else
        c[kMigrationNs][i] += overlap, c[kMigrationBytes][i] += static_cast<double>(t[2]),
            c[kMigrationCount][i] += 1;
    }
  }
  stream.name = "stream", stream.tier = 0, stream.role = FeatureRole::category;
  rows.add(stream, c[kStream]);
  const auto add = [&](const char* name, const char* unit, int tier, int column) {
    FeatureInfo info;
    info.name = name, info.unit = unit, info.tier = tier;
    rows.add(std::move(info), c[static_cast<std::size_t>(column)]);
  };
  add("grid_x", "", 1, kGridX), add("grid_y", "", 1, kGridY), add("block_x", "", 1, kBlockX),
      add("registers", "", 1, kRegisters);
  add("gap_ns", "ns", 2, kGap), add("queue_delay_ns", "ns", 2, kDelay);
  add("migration_ns", "ns", 2, kMigrationNs), add("migration_bytes", "B", 2, kMigrationBytes),
      add("migration_count", "", 2, kMigrationCount);
  add("overlap_transfer_ns", "ns", 2, kCopyNs), add("first_launch", "", 2, kFirst);
  return rows;
}

} // namespace jitterscope::causal::test
