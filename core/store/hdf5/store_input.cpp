#include "core/store/hdf5/store_input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace jitterscope::store {
namespace {

tl::unexpected<Error> cannot_open(const std::string& path, int problem) {
  return failure(ErrorKind::BadInput,
                 "the file cannot be opened: " + std::error_code(problem, std::generic_category()).message(),
                 path);
}

} // namespace

Expected<StoreInput> StoreInput::open(const std::string& path, Check check) {
  StoreInput input;
  input.path_ = path;
  input.check_ = check;
  input.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (input.descriptor_ < 0) return cannot_open(path, errno);
  struct stat status {};
  if (::fstat(input.descriptor_, &status) != 0) return cannot_open(path, errno);
  if (!S_ISREG(status.st_mode))
    return failure(ErrorKind::BadInput, "the file is not a Jitterscope store", path);
  input.identity_ = FileIdentity(status);
  input.sums_ = read_block_sums(input.descriptor_, input.identity_.bytes);
  return input;
}

StoreInput::StoreInput(StoreInput&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)),
      identity_(other.identity_), sums_(std::move(other.sums_)), check_(other.check_),
      damaged_(other.damaged_) {}

StoreInput::~StoreInput() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool StoreInput::begins_as_hdf5() const {
  char begin[8];
  return read_all(descriptor_, 0, begin, sizeof begin) &&
         std::memcmp(begin, "\x89HDF\r\n\x1a\n", sizeof begin) == 0;
}

bool StoreInput::read(std::uint64_t at, void* out, std::size_t size) {
  const auto end = std::min(at + size, data_bytes());
  const auto inside = static_cast<std::size_t>(end > at ? end - at : 0);
  auto* const to = static_cast<std::byte*>(out);
  std::memset(to + inside, 0, size - inside); // zeros after the end of the file, as with HDF5's own drivers
  if (!sums_ || check_ == Check::Nothing) return read_all(descriptor_, at, to, inside);
  const bool good = read_checked(at, to, inside);
  damaged_ = damaged_ || !good;
  return good;
}

// Reads in pieces of whole blocks.
bool StoreInput::read_checked(std::uint64_t at, std::byte* out, std::size_t size) {
  constexpr std::size_t kPiece = 64;
  std::vector<std::byte> piece(std::min(kPiece, size / kSumBlock + 2) * kSumBlock);
  for (std::size_t done = 0; done < size;) {
    const auto first = static_cast<std::size_t>((at + done) / kSumBlock);
    const auto begin = std::uint64_t{first} * kSumBlock;
    const auto got = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), sums_->bytes - begin));
    const auto last = first + (got + kSumBlock - 1) / kSumBlock;
    if (!read_all(descriptor_, begin, piece.data(), got)) return false;
    const auto skipped = static_cast<std::size_t>(at + done - begin),
               taken = std::min(got - skipped, size - done);
    const auto needed = first + (skipped + taken + kSumBlock - 1) / kSumBlock;
    if (sums_->first_mismatch(first, std::min(needed, last), piece.data()) != std::min(needed, last))
      return false;
    std::memcpy(out + done, piece.data() + skipped, taken);
    done += taken;
  }
  return true;
}

} // namespace jitterscope::store
