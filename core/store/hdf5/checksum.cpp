#include "core/store/hdf5/checksum.h"

#include <cstdio>
#include <memory>
#include <vector>

#include <fmt/core.h>
#include <openssl/evp.h>

namespace jitterscope::store {

Expected<std::string> sha256_of_file(const std::string& path, const Job& job) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return failure(ErrorKind::BadInput, "the file cannot be opened", path);
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!digest || EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr) != 1)
    return failure(ErrorKind::Internal, "SHA-256 is not available");
  std::vector<unsigned char> buffer(1 << 20);
  while (const auto got = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    EVP_DigestUpdate(digest.get(), buffer.data(), got);
    if (job.cancelled()) return Job::cancelled_error();
  }
  if (std::ferror(file.get())) return failure(ErrorKind::Io, "the file cannot be read", path);
  unsigned char sum[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_DigestFinal_ex(digest.get(), sum, &length);
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", sum[i]);
  return text;
}

} // namespace jitterscope::store
