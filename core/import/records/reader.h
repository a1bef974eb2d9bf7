#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/import/input/input.h"
#include "core/import/records/draft.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::import {

/// Progress of one call of a reader within the whole import: the reader reports how much of its inputs is
/// done.
struct Progress {
  const Job& job;
  std::int64_t done_before = 0; ///< bytes on disk of the inputs that earlier calls have read
  std::int64_t file_bytes = 0;  ///< bytes on disk of the inputs of this call
  std::int64_t total_bytes = 0;

  /// `part` of `whole` units of these inputs are done. False after cancellation.
  bool report(std::int64_t part, std::int64_t whole, const std::string& what) const;
};

/// Number of threads that a reader may use.
int reading_threads(const ImportOptions& options);

/// A kind of file that can be imported. Readers are tried in the order of the registry; the first that
/// recognises an input reads it.
struct Reader {
  std::string_view format; ///< name of the format, copied to Source.format
  /// Decides by content (input.head), never by the file's name.
  bool (*recognises)(const Input& input) = nullptr;
  /// Appends the rows of the inputs (in the order of their names) to the draft and fills source.tool, schema,
  /// utc_ns and timeless. Errors: BadInput with the input's name, the place and what to do; Cancelled.
  Expected<void> (*read)(std::span<const Input> inputs, Draft& draft, store::Source& source,
                         const Progress& progress) = nullptr;
  /// Inputs of one reader with the same key are read by one call. Null: every input separately.
  std::string (*group)(const Input& input) = nullptr;
  /// Files that belong to this one and are read with it when they are next to it. Null: none.
  std::vector<std::string> (*companions)(const Input& input) = nullptr;
  /// The content describes a machine instead of a run: no rows of tables, no time axis.
  bool of_machine = false;
  /// The content is a log of a monitor: samples that are attached to the devices of traces (Draft::logs).
  bool of_monitor = false;
};

} // namespace jitterscope::import
