#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/import/assemble/assemble.h"
#include "core/import/input/input.h"
#include "core/import/records/draft.h"

namespace jitterscope::import {

/// The result of one call of a reader.
struct RunRecord {
  const std::vector<Input>* inputs = nullptr;
  std::string name;   ///< name of the inputs, for messages
  std::string format; ///< format of the inputs, as in Source.format
  bool timeless = false;
  FilePart part;
};

/// Profilers write one run in several formats: report.sqlite and report_cuda_gpu_trace.csv, 12_results.db,
/// 12_results.json and 12_kernel_trace.csv. Finds records for which another record of the run has more data:
/// more kinds of rows, else more attributes of launches, else a format that keeps more (first databases, then
/// JSON, then text). Each is reported; the result is true for every record that must be left out.
///
/// Two records belong to one run when they hold equally many launches, whose starts (relative to the first)
/// and durations agree to kSameNs. Their kernels must have the same names or, where tools shorten names
/// differently, equally many launches each. With fewer than kManyLaunches launches, where agreement may be
/// chance, the files must also have similar names or the same clock. Records of one format must agree to the
/// nanosecond on the same clock: one run exported twice. Records of different ranks never belong to one run.
std::vector<bool> repeated_runs(const Draft& draft, const std::vector<RunRecord>& records,
                                store::ImportReport& report);

inline constexpr std::int64_t kSameNs = 2'000; ///< maximum difference of equal times; some formats write µs
inline constexpr std::size_t kManyLaunches = 16;

/// The common part of the names of one run's files: "report" of "report_cuda_gpu_trace.csv".
std::string stem_of_run(const Input& input);

} // namespace jitterscope::import
