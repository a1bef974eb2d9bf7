#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"

namespace jitterscope {

/// Files that something open in this process was read from. As long as this object or a copy of it exists,
/// no OutputFile replaces them. Thread-safe.
class InputFiles {
public:
  InputFiles() = default;
  /// Relative paths refer to the current folder. Files that do not exist are ignored.
  explicit InputFiles(const std::vector<std::string>& paths);

private:
  std::shared_ptr<const std::vector<std::string>> paths_;
};

/// BadUse if the path, or the file that it links to, is one of the existing InputFiles.
Expected<void> refuse_input(const std::string& path);

/// BadUse if one of the files exists, unless `overwrite`. For outputs that are replaced only on request.
Expected<void> refuse_existing(const std::vector<std::string>& outputs, bool overwrite);

/// Destination of an output. Every file that the program writes on request is written through this class.
///
/// - A regular file, or a path that does not exist: the bytes go to a temporary file next to it
///   ("NAME.partial-PID"), which replaces NAME at commit(). Until then the old content is kept.
///   Permissions are preserved. If the folder is not writable but the file is, the file itself is
///   overwritten.
/// - A symbolic link is followed, even if its target does not exist yet.
/// - A character device, a pipe or an open descriptor (/dev/stdout, /dev/fd/N) is written to directly, or
///   refused if `Special::Refused` is given.
/// - Folders, block devices and sockets are refused.
/// - A file that exists as InputFiles is refused.
///
/// Errors: BadUse for refused files, Io with the system's reason for failed system calls.
class OutputFile {
public:
  enum class Special { Written, Refused };
  static Expected<OutputFile> create(const std::string& path, Special special = Special::Written);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile(); ///< removes an uncommitted temporary file

  Expected<void> write(std::string_view bytes);
  /// Writes at an offset; regular files only.
  Expected<void> write_at(std::uint64_t at, std::string_view bytes);
  Expected<void> resize(std::uint64_t bytes);
  /// Writes dirty pages to the disk, so that commit() need not wait for them. Checks for cancellation every 8
  /// MB and returns true if it was cancelled. Optional.
  bool write_back(const std::function<bool()>& cancelled);
  /// Flushes to the disk and renames the temporary file to its final name. No writes are allowed afterwards.
  Expected<void> commit();

  int descriptor() const { return descriptor_; }
  /// The path as given to create().
  const std::string& path() const { return path_; }

private:
  OutputFile() = default;
  void give_up();

  std::string path_, target_,
      partial_; ///< partial_: path of the temporary file; empty if the target itself is written
  int descriptor_ = -1;
};

/// An output file written in pieces of about 1 MiB. Without finish() the file does not exist.
class BufferedOutput {
public:
  explicit BufferedOutput(OutputFile file) : file_(std::move(file)) {}

  Expected<void> add(std::string_view text);
  /// Writes the rest, flushes it to the disk and gives the file its name. Errors: Cancelled, Io.
  Expected<void> finish(const Job& job);
  std::int64_t bytes() const { return bytes_; }

private:
  Expected<void> flush();

  OutputFile file_;
  std::string buffer_;
  std::int64_t bytes_ = 0;
};

/// Writes a whole output in one call.
Expected<void> write_output(const std::string& path, std::string_view bytes);

/// Removes the files "<path>.partial-*" of processes that no longer run.
void remove_stale_partials(const std::string& path);

/// Makes a write beyond the file size limit (ulimit -f) fail with an error instead of ending the process.
/// Call it once at program start.
void report_file_size_limit_as_error();

} // namespace jitterscope
