#pragma once

#include <string>

#include "core/base/error.h"

namespace jitterscope::store {

/// A file that appears under its final name only when complete. Written as "<path>.partial-<pid>"; the
/// destructor removes what was not published. Leftovers of processes that no longer live are removed on
/// construction.
class PartialFile {
public:
  explicit PartialFile(std::string path);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::string& name() const { return partial_; }
  /// Flushes to disk and renames to the final name, replacing what stood there.
  Expected<void> publish();

private:
  std::string path_;
  std::string partial_;
  bool published_ = false;
};

/// Removes "<path>.partial-*" of processes that no longer live.
void remove_stale_partials(const std::string& path);

} // namespace jitterscope::store
