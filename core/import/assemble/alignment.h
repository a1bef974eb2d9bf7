#pragma once

#include <cstdint>
#include <vector>

#include "core/store/trace/manifest.h"

namespace jitterscope::import {

/// When a file's events happened, in ns of its own clock, and what tells files with equal times apart.
struct FileSpan {
  std::int64_t first = 0, last = 0;
  std::int64_t rows = 0, duration = 0; ///< events and the sum of their durations
  std::int32_t rank = -1;              ///< of its first process, -1 unknown
};

/// Fills shift_ns and alignment of every source: by absolute time; files that do not know theirs
/// begin at the axis' zero, which is reported as doubtful. A clock that counts from the start of a machine
/// begins at its first event, also of a single file: days in front of it tell nothing. Returns the absolute
/// time of the axis' zero, -1 when unknown.
std::int64_t align(std::vector<store::Source>& sources, const std::vector<FileSpan>& spans,
                   store::ImportReport& report);

/// Tables without time follow each other on an axis of rows, which readers number through already.
std::int64_t align_tables(std::vector<store::Source>& sources);

} // namespace jitterscope::import
