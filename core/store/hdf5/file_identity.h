#pragma once

#include <cstdint>
#include <string>

#include <sys/stat.h>

namespace jitterscope::store {

/// Identifies the content of a file, so that a later change under the same name is detected.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0, bytes = 0;
  std::int64_t modified_s = 0, modified_ns = 0;

  FileIdentity() = default;
  explicit FileIdentity(const struct stat& status)
      : device(status.st_dev), inode(status.st_ino), bytes(static_cast<std::uint64_t>(status.st_size)),
        modified_s(status.st_mtim.tv_sec), modified_ns(status.st_mtim.tv_nsec) {}
  bool operator==(const FileIdentity&) const = default;

  /// Whether the file at `path` was replaced or changed. A deleted file counts as unchanged: a mapping of it
  /// keeps its content.
  bool differs_from(const std::string& path) const {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && *this != FileIdentity(status);
  }
};

} // namespace jitterscope::store
