#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace jitterscope {

/// Where the bytes of an output go; every file that the program writes on request is one of these.
///
/// - A regular file, or a name that is free: the bytes go to a temporary file next to it
/// ("NAME.partial-PID"), which
///   takes the place of NAME at commit(). Until then the old content stays. Permissions stay as they were.
///   Where the folder cannot be written but the file can, the file itself is overwritten.
/// - A symbolic link is followed, also to a name that is free.
/// - A character device, a pipe or an open descriptor (/dev/stdout, /dev/fd/N) is written through, or refused
/// where
///   `Special::Refused` is asked for.
/// - Folders, block devices and sockets are refused.
///
/// Errors: BadUse for what is refused, Io for what the system refuses, with its reason.
class OutputFile {
public:
  enum class Special { Written, Refused };
  static Expected<OutputFile> create(const std::string& path, Special special = Special::Written);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile(); ///< removes what was not committed

  Expected<void> write(std::string_view bytes);
  /// At a place of its own, of a regular file only.
  Expected<void> write_at(std::uint64_t at, std::string_view bytes);
  Expected<void> resize(std::uint64_t bytes);
  /// Writes to the disk what the system still keeps in memory, which commit() then need not wait for. Looks
  /// for a cancel every 8 MB: true if it was cancelled. Optional.
  bool write_back(const std::function<bool()>& cancelled);
  /// Flushes to the disk and puts a temporary file in its place. Nothing can be written afterwards.
  Expected<void> commit();

  int descriptor() const { return descriptor_; }
  /// As given.
  const std::string& path() const { return path_; }

private:
  OutputFile() = default;
  void give_up();

  std::string path_, target_, partial_; ///< partial_: empty when the target itself is written
  int descriptor_ = -1;
};

/// The whole output at once.
Expected<void> write_output(const std::string& path, std::string_view bytes);

/// Removes "<path>.partial-*" of processes that no longer live.
void remove_stale_partials(const std::string& path);

/// A write beyond the limit of file sizes (ulimit -f) fails with an error of its own instead of ending the
/// process. To be called once when a program starts.
void report_file_size_limit_as_error();

} // namespace jitterscope
