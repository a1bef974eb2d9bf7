#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::gpu_trace {

/// Timeline tables printed by nsys stats (GPU activities, ranges, calls, launches with their
/// execution); those of one report, identified by the beginning of their names, share an axis.
bool recognises_nsys(const Input& input);
std::string nsys_group(const Input& input);
Expected<void> read_nsys(std::span<const Input> inputs, Draft& draft, store::Source& source,
                         const Progress& progress);

/// Sums over launches, from nsys stats and nvprof: rows by kernel name, without time.
bool recognises_summary(const Input& input);
Expected<void> read_summary(std::span<const Input> inputs, Draft& draft, store::Source& source,
                            const Progress& progress);

/// nvprof --print-gpu-trace --csv: units in a separate row, samples of clock, power and temperature
/// between the kernels.
bool recognises_nvprof(const Input& input);
Expected<void> read_nvprof(std::span<const Input> inputs, Draft& draft, store::Source& source,
                           const Progress& progress);

inline constexpr Reader kNsysReader = {"nsys stats trace", recognises_nsys, read_nsys, nsys_group};
inline constexpr Reader kNvprofReader = {"nvprof GPU trace", recognises_nvprof, read_nvprof};
inline constexpr Reader kSummaryReader = {"kernel summary", recognises_summary, read_summary};

} // namespace jitterscope::import::gpu_trace
