#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/import/draft.h"
#include "core/store/manifest.h"

namespace jitterscope::import {

/// Work of one file within the work of all: readers report how far they are through it.
struct Progress {
  const Job& job;
  std::int64_t done_before = 0; ///< bytes of the files before this one
  std::int64_t file_bytes = 0;
  std::int64_t total_bytes = 0;

  /// `part` of `whole` units of this file are done. False when the caller wants no more.
  bool report(std::int64_t part, std::int64_t whole, const std::string& what) const;
};

/// A kind of file that can be imported.
struct Reader {
  std::string_view format; ///< as in Source.format
  bool (*recognises)(std::string_view head);
  /// Appends the file's rows to the draft and fills source.tool, schema and utc_ns.
  Expected<void> (*read)(const std::string& path, Draft& draft, store::Source& source,
                         const Progress& progress);
};

/// The reader for a file, by its first bytes.
/// Errors: BadInput when it is not there, cannot be read, is empty, or is of a kind that cannot be imported;
/// the hint says how to make an importable file of it.
Expected<const Reader*> reader_for(const std::string& path);

} // namespace jitterscope::import
