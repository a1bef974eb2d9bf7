#include "core/efficiency/talp/talp_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace jitterscope::efficiency {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{256} << 20;

std::string first_bytes(const std::string& path, std::size_t count) {
  std::string text(count, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(count));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

} // namespace

bool is_talp_file(const std::string& path) {
  return looks_like_talp(first_bytes(path, std::size_t{1} << 20));
}

Expected<TalpFile> read_talp_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return failure(ErrorKind::BadInput, "the file does not exist", path);
  const auto bytes = std::filesystem::file_size(path, ignored);
  if (bytes > kMaxBytes)
    return failure(ErrorKind::BadInput, "the file is larger than 256 MiB, the limit for TALP files", path);
  return read_talp(first_bytes(path, bytes), path);
}

} // namespace jitterscope::efficiency
