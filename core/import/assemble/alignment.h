#pragma once

#include <cstdint>
#include <vector>

#include "core/store/trace/manifest.h"

namespace jitterscope::import {

/// Time span of a file's events, in ns of its own clock, and what distinguishes files with equal times.
struct FileSpan {
  std::int64_t first = 0, last = 0;
  std::int64_t rows = 0, duration = 0; ///< number of events and the sum of their durations
  std::int32_t rank = -1;              ///< rank of the file's first process, -1 when unknown
};

/// Fills shift_ns and alignment of every source, from absolute times; files without absolute times begin at
/// the axis' zero, which is reported as doubtful. A clock that counts from the start of a machine begins at
/// its first event, also for a single file: days before it carry no information. Returns the absolute
/// time of the axis' zero, -1 when unknown.
std::int64_t align(std::vector<store::Source>& sources, const std::vector<FileSpan>& spans,
                   store::ImportReport& report);

/// Tables without times follow each other on an axis of rows, which the readers already number consecutively.
std::int64_t align_tables(std::vector<store::Source>& sources);

} // namespace jitterscope::import
