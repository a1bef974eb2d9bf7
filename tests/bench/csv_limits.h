#pragma once

#include <cstddef>
#include <string>

#include "tests/bench/measure.h"

namespace jitterscope::bench {

/// Lower bounds for any reader of comma-separated tables, on all processors at once.
struct CsvLimits {
  Cost file;       ///< reading the bytes into a buffer that stays in the cache
  Cost memory;     ///< first access to the memory of the stored rows
  Cost fields;     ///< finding the fields and reading the numbers, of text in the first-level cache
  Cost from_chars; ///< reading the numbers at known positions of the same text with std::from_chars
  double kept_megabytes = 0;

  /// The steps that every reader has to do, one after the other.
  double wall_s() const { return file.wall_s + memory.wall_s + fields.wall_s; }
};

/// `kept`: bytes that a reader stores of the file's rows.
CsvLimits csv_limits(const std::string& path, std::size_t kept);

/// Current resident memory of the process in bytes, without pages of files.
std::size_t resident_bytes();

} // namespace jitterscope::bench
