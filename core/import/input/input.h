#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/import/bytes/byte_stream.h"
#include "core/import/bytes/torn.h"

namespace jitterscope::import {

/// Number of bytes of an input that are available before a reader is chosen.
inline constexpr std::size_t kHeadBytes = 65'536;

/// An ordinary file on disk: the input's own, or an unpacked copy that is deleted with this object.
class LocalFile {
public:
  explicit LocalFile(std::string path) : path_(std::move(path)) {}
  /// A temporary file, locked through the descriptor as long as it is needed: a file without a lock was
  /// left by a killed process.
  LocalFile(std::string path, int locked) : path_(std::move(path)), locked_(locked) {}
  LocalFile(LocalFile&& other) noexcept;
  LocalFile& operator=(LocalFile&&) = delete;
  ~LocalFile();
  const std::string& path() const { return path_; }

private:
  std::string path_;
  int locked_ = -1; ///< file descriptor of a temporary file
};

namespace json {
struct Records;
}

/// One readable unit: a file, or a member of an archive, in any compression.
struct Input {
  std::string path;            ///< the file on disk
  std::string member;          ///< name of the member inside the archive, empty for a file on disk
  std::string head;            ///< the first kHeadBytes of the content, or all of it
  std::int64_t disk_bytes = 0; ///< size of the file on disk; for a member: its share of the archive
  bool named = true;           ///< the user named this file, or the archive whose only file it is
  bool packed = false;         ///< `path` is compressed or an archive
  bool utf16 = false;          ///< the content is text in UTF-16, which is converted to UTF-8
  bool windows1252 = false;    ///< the content is text in Windows-1252, which is converted to UTF-8
  std::shared_ptr<Torn>
      torn; ///< has the error of truncated compressed content after reading; null for uncompressed content
  std::shared_ptr<const json::Records>
      records; ///< the records, if the input is JSON records that are read as a table; else null
  std::shared_ptr<const std::string>
      memory; ///< content that is not on disk (tests); `path` is then only a name

  /// For messages: "runs.zip: node1/trace.json", "trace.json.gz".
  std::string name() const;
  /// The last part of the file's or member's name, without compression extensions: "kernel_trace.csv".
  std::string file_name() const;
  /// The folder shared with other inputs; archives count as folders.
  std::string folder() const;
  /// True when `head` is the whole content.
  bool whole() const { return head.size() < kHeadBytes; }

  /// The content from its beginning; truncated compressed text ends at the truncation, and `torn` then has
  /// the error. Errors: BadInput, Io.
  Expected<ByteStreamPointer> open() const;
  /// The content as an ordinary file, for readers that cannot stream (SQLite). A packed one is unpacked to
  /// the folder for temporary files ($TMPDIR, else /var/tmp). Errors: BadInput, Io, Cancelled.
  Expected<LocalFile> local(const Job& job) const;

  static Input from_memory(std::string name, std::string content);

private:
  Expected<ByteStreamPointer> opened(bool up_to_cut) const;
};

/// Writes the rest of a stream to a file in the folder for temporary files ($TMPDIR, else /var/tmp). `name`
/// is for messages. Errors: Io, Cancelled, those of the stream.
Expected<LocalFile> temporary_copy(ByteStream& stream, const std::string& name, const Job& job);

/// The input for an ordinary file that is not an archive, as expand() returns it; nothing for others and for
/// unreadable files.
std::optional<Input> file_alone(const std::string& path);

/// All inputs at a path: the file itself, the files of a folder (including its subfolders, in order of their
/// names, without hidden ones) or the members of an archive. Empty files of a folder are left out. With
/// `left_out`, so are damaged and unreadable files of a folder and the truncated end of an archive, and
/// `left_out` gets the reasons. Errors: BadInput when there are no inputs or too many, or when the path
/// cannot be read; Cancelled.
Expected<std::vector<Input>> expand(const std::string& path, const Job& job,
                                    std::vector<Error>* left_out = nullptr);

} // namespace jitterscope::import
