#include "core/causal/base/text_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include <zlib.h>

namespace jitterscope::causal {

Expected<std::string> read_text_file(const std::string& file) {
  constexpr std::size_t maximum = std::size_t{1} << 32;
  std::error_code status;
  if (std::filesystem::is_directory(file, status))
    return failure(ErrorKind::BadUse, "this is a folder", file, {}, "Name a file.");
  if (std::filesystem::exists(file, status) && !std::filesystem::is_regular_file(file, status))
    return failure(ErrorKind::BadUse, "this is a device or a pipe, not a file", file, {},
                   "Copy its content into a file first.");
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> handle(gzopen(file.c_str(), "rb"), &gzclose);
  if (!handle)
    return failure(ErrorKind::Io, std::string("cannot open the file: ") + std::strerror(errno), file);
  gzbuffer(handle.get(), 1u << 18);
  std::string text;
  for (;;) {
    constexpr std::size_t piece = std::size_t{1} << 20;
    const std::size_t size = text.size();
    text.resize(size + piece);
    const int got = gzread(handle.get(), text.data() + size, static_cast<unsigned>(piece));
    if (got < 0) break;
    text.resize(size + static_cast<std::size_t>(got));
    if (text.size() > maximum) return failure(ErrorKind::BadInput, "the table is larger than 4 GiB", file);
    if (static_cast<std::size_t>(got) < piece) break;
  }
  int code = Z_OK;
  const char* reason = gzerror(handle.get(), &code);
  if (code != Z_OK && code != Z_STREAM_END)
    return failure(ErrorKind::BadInput, std::string("the compressed file is damaged: ") + reason, file, {},
                   "Copy the file again.");
  return text;
}

} // namespace jitterscope::causal
