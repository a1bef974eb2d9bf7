#include "core/import/bytes/decompress.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

namespace jitterscope::import {
namespace {

using namespace std::string_view_literals;

/// Bytes that were already read, followed by the rest.
class Again final : public ByteStream {
public:
  Again(std::string examined, ByteStreamPointer rest)
      : examined_(std::move(examined)), rest_(std::move(rest)) {}
  Expected<std::size_t> read(std::span<char> into) override {
    if (given_ == examined_.size()) return rest_->read(into);
    const auto count = std::min(into.size(), examined_.size() - given_);
    std::copy_n(examined_.data() + given_, count, into.data());
    given_ += count;
    return count;
  }
  std::int64_t consumed() const override { return rest_->consumed(); }
  bool cut_off() const override { return rest_->cut_off(); }

private:
  std::string examined_;
  std::size_t given_ = 0;
  ByteStreamPointer rest_;
};

// Reads the first bytes of a stream and puts them back.
Expected<std::string> examine(ByteStreamPointer& stream) {
  std::string first(8, '\0');
  const auto got = read_fully(*stream, first);
  if (!got) return forward(got.error());
  first.resize(*got);
  stream = std::make_unique<Again>(first, std::move(stream));
  return first;
}

// libarchive reads compressed bytes from another stream and returns the decompressed ones.
class Unpacked final : public ByteStream {
public:
  Unpacked(ByteStreamPointer packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), archive_(archive_read_new(), archive_read_free),
        buffer_(std::size_t{1} << 18) {}

  Expected<void> open() {
    for (const auto filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ,
                              ARCHIVE_FILTER_LZMA, ARCHIVE_FILTER_ZSTD, ARCHIVE_FILTER_LZ4})
      archive_read_support_filter_by_code(archive_.get(), filter);
    archive_read_support_format_raw(archive_.get());
    archive_entry* entry = nullptr;
    if (archive_read_open(archive_.get(), this, nullptr, &Unpacked::pull, nullptr) != ARCHIVE_OK ||
        archive_read_next_header(archive_.get(), &entry) != ARCHIVE_OK ||
        archive_filter_code(archive_.get(), 0) ==
            ARCHIVE_FILTER_NONE) // the header of the compressed data is damaged
      return damaged();
    return {};
  }

  Expected<std::size_t> read(std::span<char> into) override {
    const auto got = archive_read_data(archive_.get(), into.data(), into.size());
    if (got < 0) return damaged();
    return static_cast<std::size_t>(got);
  }
  std::int64_t consumed() const override { return packed_->consumed(); }
  bool cut_off() const override { // libarchive reports truncation only as text
    const char* reason = at_end_ ? archive_error_string(archive_.get()) : nullptr;
    return reason != nullptr &&
           (std::strstr(reason, "runcated") != nullptr || std::strstr(reason, "No progress") != nullptr);
  }

private:
  static la_ssize_t pull(archive*, void* self, const void** buffer) {
    auto& stream = *static_cast<Unpacked*>(self);
    auto got = stream.packed_->read(stream.buffer_);
    if (!got) {
      stream.problem_ = got.error();
      return ARCHIVE_FATAL;
    }
    *buffer = stream.buffer_.data();
    stream.at_end_ = stream.at_end_ || *got == 0;
    return static_cast<la_ssize_t>(*got);
  }

  tl::unexpected<Error> damaged() const {
    if (!problem_.message.empty()) return forward(problem_);
    const char* reason = archive_error_string(archive_.get());
    return failure(ErrorKind::BadInput,
                   "the compressed data is damaged or truncated: " +
                       std::string(reason ? reason : "no reason given"),
                   name_, {}, "Copy the file again.");
  }

  ByteStreamPointer packed_;
  bool at_end_ = false; ///< the end of the compressed data has been reached
  std::string name_;
  std::unique_ptr<archive, int (*)(archive*)> archive_;
  std::vector<char> buffer_;
  Error problem_;
};

constexpr std::array kCompressed = {"\x1f\x8b"sv, "BZh"sv, "\xFD\x37zXZ\0"sv, "\x28\xB5\x2F\xFD"sv,
                                    "\x04\x22\x4D\x18"sv};

} // namespace

Expected<ByteStreamPointer> decompress(ByteStreamPointer packed, const std::string& name) {
  constexpr int kMaxLayers = 8; // data that decompress to themselves would never end
  for (int layer = 0;; ++layer) {
    const auto first = examine(packed);
    if (!first) return forward(first.error());
    if (layer > 0 && !is_compressed(*first)) return packed;
    if (layer == kMaxLayers || !first->starts_with(kCompressed[0])) break;
    packed = gunzip(std::move(packed), name);
  }
  auto stream = std::make_unique<Unpacked>(std::move(packed), name);
  if (auto opened = stream->open(); !opened) return forward(opened.error());
  return stream;
}

bool is_compressed(std::string_view head) {
  return std::any_of(kCompressed.begin(), kCompressed.end(),
                     [&](auto magic) { return head.starts_with(magic); });
}

bool is_archive(std::string_view head) {
  return head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv) ||
         (head.size() >= 262 && head.substr(257, 5) == "ustar"sv);
}

} // namespace jitterscope::import
