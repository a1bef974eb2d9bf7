#pragma once

#include "core/import/ncu/header.h"
#include "core/import/ncu/launches.h"
#include "core/import/registry.h"

namespace jitterscope::import::ncu {

/// Tables of Nsight Compute: the long form (one row per launch and metric, --page details) and the wide one
/// (one row per launch, --page raw), behind whatever the profiled program wrote before them. The launches
/// have an order, but no times: the profiler runs them one by one and several times.
bool recognises(const Input& input);

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"Nsight Compute CSV", recognises, read};

/// One table being read; the record at hand is its titles.
struct Table {
  CsvReader& csv;
  Draft& draft;
  RowIssues& issues;
  Launches& launches;
  const Progress& progress;
  std::int64_t bytes; ///< of the input on disk
};

Expected<void> read_long(Table& table);
Expected<void> read_wide(Table& table);

/// Progress of a table; Cancelled when it is not wanted any more.
Expected<void> tick(const Table& table);

} // namespace jitterscope::import::ncu
