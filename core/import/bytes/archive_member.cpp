#include "core/import/bytes/archive_member.h"

#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

#include "core/import/bytes/decompress.h"

namespace jitterscope::import {
namespace {

constexpr std::size_t kArchiveBlock = std::size_t{1} << 18;

// A zip or tar on disk; the stream is the content of the current member.
class Archive final : public ByteStream {
public:
  explicit Archive(std::string path)
      : path_(std::move(path)), archive_(archive_read_new(), archive_read_free) {}

  Expected<void> open() {
    for (const auto filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ,
                              ARCHIVE_FILTER_ZSTD, ARCHIVE_FILTER_LZ4})
      archive_read_support_filter_by_code(archive_.get(), filter);
    archive_read_support_format_zip(archive_.get());
    archive_read_support_format_tar(archive_.get());
    if (auto done = open_gzip(); !done) return done;
    const auto opened = packed_ ? archive_read_open(archive_.get(), this, nullptr, &Archive::pull, nullptr)
                                : archive_read_open_filename(archive_.get(), path_.c_str(), kArchiveBlock);
    return opened == ARCHIVE_OK ? Expected<void>() : damaged();
  }

  /// Reads a gzip file to its end, where its checksum is verified.
  Expected<void> read_rest() {
    while (packed_) {
      const auto got = packed_->read(buffer_);
      if (!got) return forward(got.error());
      if (*got == 0) break;
    }
    return {};
  }

  /// Moves to the next ordinary file; false after the last.
  Expected<bool> next() {
    archive_entry* entry = nullptr;
    for (;;) {
      const auto result = archive_read_next_header(archive_.get(), &entry);
      if (result == ARCHIVE_EOF) return false;
      if (result < ARCHIVE_WARN) return damaged();
      const char* name = archive_entry_pathname(entry);
      if (archive_entry_filetype(entry) != AE_IFREG || !name) continue;
      name_ = name;
      return true;
    }
  }
  const std::string& name() const { return name_; }

  /// Skips the rest of the member.
  Expected<void> skip_rest() {
    const auto done = archive_read_data_skip(archive_.get());
    return done < ARCHIVE_WARN ? damaged() : Expected<void>();
  }

  /// After an error: true if the archive is truncated; the bytes before the end are valid.
  bool cut_off() const override {
    if (problem_) return packed_->cut_off();
    const char* reason = archive_error_string(archive_.get()); // libarchive reports truncation only as text
    return reason && (std::strstr(reason, "runcated") || std::strstr(reason, "No progress"));
  }

  Expected<std::size_t> read(std::span<char> into) override {
    const auto got = archive_read_data(archive_.get(), into.data(), into.size());
    if (got < 0) return damaged();
    return static_cast<std::size_t>(got);
  }
  std::int64_t consumed() const override {
    return packed_ ? packed_->consumed() : archive_filter_bytes(archive_.get(), -1);
  }

private:
  // libarchive does not verify the checksums of gzip.
  Expected<void> open_gzip() {
    auto file = open_file(path_);
    if (!file) return forward(file.error());
    std::array<char, 2> first{};
    if (const auto got = read_fully(**file, first); !got) return forward(got.error());
    if (first != std::array{'\x1f', '\x8b'}) return {};
    auto again = open_file(path_);
    if (!again) return forward(again.error());
    packed_ = gunzip(std::move(*again), path_);
    buffer_.resize(kArchiveBlock);
    return {};
  }

  static la_ssize_t pull(archive*, void* self, const void** buffer) {
    auto& own = *static_cast<Archive*>(self);
    auto got = own.packed_->read(own.buffer_);
    if (!got) {
      own.problem_ = got.error();
      return ARCHIVE_FATAL;
    }
    *buffer = own.buffer_.data();
    return static_cast<la_ssize_t>(*got);
  }

  tl::unexpected<Error> damaged() const {
    if (problem_) return forward(*problem_);
    const char* reason = archive_error_string(archive_.get());
    if (reason && std::string_view(reason).find("assphrase") != std::string_view::npos)
      return failure(ErrorKind::BadInput, "the archive is protected by a password", path_, name_,
                     "Unpack it with its password and open the files in it.");
    return failure(ErrorKind::BadInput,
                   "the archive is damaged or truncated: " + std::string(reason ? reason : "no reason given"),
                   path_, name_, "Copy the file again.");
  }

  std::string path_, name_;
  ByteStreamPointer packed_; // for gzip, else null
  std::vector<char> buffer_;
  std::optional<Error> problem_; // error while reading packed_
  std::unique_ptr<archive, int (*)(archive*)> archive_;
};

} // namespace

Expected<void> for_each_member(const std::string& path,
                               const std::function<Expected<bool>(const std::string&, ByteStream&)>& each,
                               std::optional<ArchiveEnd>& end) {
  Archive archive(path);
  if (auto opened = archive.open(); !opened) return opened;
  int whole = 0;
  const auto ends = [&](const Error& error, const std::string& within) -> Expected<void> {
    if (whole == 0 || error.kind != ErrorKind::BadInput || !archive.cut_off()) return forward(error);
    end = ArchiveEnd{error, within};
    return {};
  };
  for (;; ++whole) {
    const auto more = archive.next();
    if (!more) return ends(more.error(), {});
    if (!*more) {
      auto rest = archive.read_rest();
      return rest ? rest : ends(rest.error(), {});
    }
    const auto go_on = each(archive.name(), archive);
    if (!go_on) return ends(go_on.error(), archive.name());
    if (!*go_on) return {};
    if (const auto rest = archive.skip_rest(); !rest) return ends(rest.error(), archive.name());
  }
}

Expected<ByteStreamPointer> open_member(const std::string& path, const std::string& member) {
  auto archive = std::make_unique<Archive>(path);
  if (auto opened = archive->open(); !opened) return forward(opened.error());
  for (;;) {
    const auto more = archive->next();
    if (!more) return forward(more.error());
    if (!*more) return failure(ErrorKind::BadInput, "the archive does not contain this file", path, member);
    if (archive->name() == member) return archive;
  }
}

} // namespace jitterscope::import
