#include "core/import/formats/hpctoolkit/bytes.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

namespace jitterscope::import::hpctoolkit {

bool Bytes::holds(std::uint64_t offset, std::uint64_t size) const {
  return offset >= begin_ && offset <= end() && size <= end() - offset;
}

std::optional<std::uint64_t> Bytes::number(std::uint64_t offset, unsigned size) const {
  if (!holds(offset, size)) return {};
  std::uint64_t value = 0;
  for (unsigned byte = size; byte-- > 0;)
    value = value << 8 | static_cast<unsigned char>(content_[offset - begin_ + byte]);
  return value;
}

std::string_view Bytes::text(std::uint64_t offset) const {
  if (!holds(offset, 1)) return {};
  const auto rest = std::string_view(content_).substr(offset - begin_);
  const auto end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

Expected<File> File::open(const Input& input, const Job& job) {
  File file;
  if (input.memory) {
    file.memory_ = input.memory;
    file.size_ = input.memory->size();
    return file;
  }
  auto local = input.local(job);
  if (!local) return forward(local.error());
  file.local_ = std::make_shared<LocalFile>(std::move(*local));
  std::error_code failed;
  file.size_ = std::filesystem::file_size(file.local_->path(), failed);
  if (failed) return failure(ErrorKind::Io, failed.message(), input.name());
  return file;
}

Expected<Bytes> File::read(std::uint64_t begin, std::uint64_t size) const {
  begin = std::min(begin, size_);
  size = std::min(size, size_ - begin);
  if (memory_) return Bytes(memory_->substr(begin, size), begin);
  std::string content(size, '\0');
  std::ifstream in(local_->path(), std::ios::binary);
  in.seekg(static_cast<std::streamoff>(begin));
  in.read(content.data(), static_cast<std::streamsize>(size));
  content.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) return failure(ErrorKind::Io, "the file cannot be read", local_->path());
  return Bytes(std::move(content), begin);
}

Expected<Bytes> File::section(std::uint64_t offset) const {
  const auto header = read(offset, 16);
  if (!header) return header;
  const auto size = header->number(offset, 8), begin = header->number(offset + 8, 8);
  if (!size || !begin || *begin > size_ || *size > size_ - *begin) return Bytes();
  return read(*begin, *size);
}

} // namespace jitterscope::import::hpctoolkit
