#pragma once

#include <cstddef>
#include <string>

#include "tests/bench/measure.h"

namespace jitterscope::bench {

/// What no reader of a table of comma-separated values can be quicker than, on all processors at once.
struct CsvLimits {
  Cost file;       ///< its bytes, read into a buffer that stays near
  Cost memory;     ///< what is kept of the rows, touched for the first time
  Cost fields;     ///< its fields found and its numbers read, of text that lies in the nearest cache
  Cost from_chars; ///< its numbers read by std::from_chars, whose places are known, of the same text
  double kept_megabytes = 0;

  /// All that a reader has to do, one after the other.
  double wall_s() const { return file.wall_s + memory.wall_s + fields.wall_s; }
};

/// `kept`: bytes that a reader keeps of the file's rows.
CsvLimits csv_limits(const std::string& path, std::size_t kept);

/// Bytes of memory that the process holds just now, without those of files.
std::size_t resident_bytes();

} // namespace jitterscope::bench
