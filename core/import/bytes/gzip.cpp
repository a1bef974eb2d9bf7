#include "core/import/bytes/decompress.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <zlib.h>

namespace jitterscope::import {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr unsigned char kMagic[] = {0x1f, 0x8b};

class Gunzip final : public ByteStream {
public:
  Gunzip(ByteStreamPointer packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), buffer_(std::size_t{1} << 18) {
    ready_ = inflateInit2(&zlib_, kGzipOnly) == Z_OK;
  }
  ~Gunzip() override { inflateEnd(&zlib_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  Expected<std::size_t> read(std::span<char> into) override {
    if (!ready_) return failure(ErrorKind::Io, "not enough memory to decompress the file", name_);
    const auto room = std::min<std::size_t>(into.size(), std::numeric_limits<uInt>::max());
    zlib_.next_out = reinterpret_cast<Bytef*>(into.data());
    zlib_.avail_out = static_cast<uInt>(room);
    while (!ended_ && zlib_.avail_out == room && room > 0) {
      if (auto filled = fill(); !filled) return forward(filled.error());
      const auto result = inflate(&zlib_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        if (auto more = begin_next(); !more) return forward(more.error());
      } else if (result == Z_BUF_ERROR && zlib_.avail_in == 0) {
        cut_off_ = true;
        return damaged("it ends too early");
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        return damaged(zlib_.msg ? zlib_.msg : "no reason given");
      }
    }
    return room - zlib_.avail_out;
  }
  std::int64_t consumed() const override { return packed_->consumed(); }
  bool cut_off() const override { return cut_off_; }

private:
  Expected<void> fill() {
    if (zlib_.avail_in > 0) return {};
    const auto got = packed_->read(buffer_);
    if (!got) return forward(got.error());
    zlib_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    zlib_.avail_in = static_cast<uInt>(*got);
    return {};
  }

  // The next two bytes show whether another member follows.
  Expected<void> begin_next() {
    for (const auto expected : kMagic) {
      if (auto filled = fill(); !filled) return filled;
      ended_ = zlib_.avail_in == 0 || *zlib_.next_in != expected;
      if (ended_) return {};
      ++zlib_.next_in;
      --zlib_.avail_in;
    }
    // inflate() must read these bytes itself; they may have been in the previous buffer.
    const auto rest_in = zlib_.next_in;
    const auto rest = zlib_.avail_in;
    inflateReset(&zlib_);
    unsigned char magic[] = {kMagic[0], kMagic[1]};
    zlib_.next_in = magic;
    zlib_.avail_in = sizeof magic;
    const auto result = inflate(&zlib_, Z_NO_FLUSH);
    zlib_.next_in = rest_in;
    zlib_.avail_in = rest;
    return result == Z_OK || result == Z_BUF_ERROR ? Expected<void>() : damaged("no reason given");
  }

  tl::unexpected<Error> damaged(const std::string& reason) const {
    return failure(ErrorKind::BadInput, "the compressed data is damaged or truncated: " + reason, name_, {},
                   "Copy the file again.");
  }

  ByteStreamPointer packed_;
  std::string name_;
  std::vector<char> buffer_;
  z_stream zlib_{};
  bool ready_ = false, ended_ = false, cut_off_ = false;
};

} // namespace

ByteStreamPointer gunzip(ByteStreamPointer packed, std::string name) {
  return std::make_unique<Gunzip>(std::move(packed), std::move(name));
}

} // namespace jitterscope::import
