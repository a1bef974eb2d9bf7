#include "core/import/bytes/byte_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace jitterscope::import {
namespace {

class FileStream final : public ByteStream {
public:
  FileStream(std::FILE* file, std::string path) : file_(file, std::fclose), path_(std::move(path)) {
    std::setvbuf(file, nullptr, _IONBF, 0); // callers read in large pieces
  }
  Expected<std::size_t> read(std::span<char> into) override {
    const auto got = std::fread(into.data(), 1, into.size(), file_.get());
    if (got == 0 && std::ferror(file_.get())) return failure(ErrorKind::Io, "the file cannot be read", path_);
    consumed_ += static_cast<std::int64_t>(got);
    return got;
  }
  std::int64_t consumed() const override { return consumed_; }

private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string path_;
  std::int64_t consumed_ = 0;
};

class MemoryStream final : public ByteStream {
public:
  explicit MemoryStream(std::string_view bytes) : bytes_(bytes) {}
  Expected<std::size_t> read(std::span<char> into) override {
    const auto count = std::min(into.size(), bytes_.size() - at_);
    std::copy_n(bytes_.data() + at_, count, into.data());
    at_ += count;
    return count;
  }
  std::int64_t consumed() const override { return static_cast<std::int64_t>(at_); }

private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

} // namespace

Expected<ByteStreamPointer> open_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file)
    return failure(ErrorKind::BadInput, std::string("the file cannot be opened: ") + std::strerror(errno),
                   path, {}, "Check its read permissions.");
  return std::make_unique<FileStream>(file, path);
}

ByteStreamPointer open_memory(std::string_view bytes) {
  return std::make_unique<MemoryStream>(bytes);
}

Expected<std::size_t> read_fully(ByteStream& stream, std::span<char> into) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const auto got = stream.read(into.subspan(filled));
    if (!got) return got;
    if (*got == 0) break;
    filled += *got;
  }
  return filled;
}

} // namespace jitterscope::import
