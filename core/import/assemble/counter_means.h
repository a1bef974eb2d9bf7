#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/base/stop.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// Maximum number of counter names that get a column of their own.
inline constexpr std::size_t kMaxCounterColumns = 128;

/// Mean of the samples of one counter name, by launch.
struct CounterMeans {
  std::string name, unit; ///< name and unit of the counter
  SpillVector<float> values;
};

/// One entry for each counter name (see context.h); names beyond kMaxCounterColumns are reported.
std::vector<CounterMeans> counter_means(const store::TraceData& data,
                                        const std::vector<std::uint32_t>& physical,
                                        store::ImportReport& report, Stop& stop);

/// Appends the means as columns mean_<metric>.
void append(store::Table& launches, std::vector<CounterMeans>&& means);

} // namespace jitterscope::import
