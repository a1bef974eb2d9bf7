#include "core/store/hdf5/block_sums.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <unistd.h>

#include "core/store/hdf5/crc32c.h"

namespace jitterscope::store {
namespace {

constexpr char kMagic[] = {'J', 'T', 'S', 'U', 'M', 'S', '0', '1'};

struct Tail {
  char magic[8];
  std::uint64_t bytes;
  std::uint32_t block;
  std::uint32_t own_sum; ///< checksum of the sums and of the fields above
};
static_assert(sizeof(Tail) == 24);

std::size_t blocks_of(std::uint64_t bytes) {
  return static_cast<std::size_t>((bytes + kSumBlock - 1) / kSumBlock);
}

std::uint32_t own_sum(const std::vector<std::uint32_t>& sums, const Tail& tail) {
  return crc32c(&tail, offsetof(Tail, own_sum), crc32c(sums.data(), sums.size() * sizeof(std::uint32_t)));
}

} // namespace

std::size_t BlockSums::first_mismatch(std::size_t first, std::size_t last, const std::byte* data) const {
  for (auto block = first; block < last; ++block, data += kSumBlock) {
    const auto size = std::min<std::uint64_t>(kSumBlock, bytes - std::uint64_t{block} * kSumBlock);
    if (crc32c(data, static_cast<std::size_t>(size)) != sums[block]) return block;
  }
  return last;
}

std::vector<std::byte> encode(const BlockSums& sums) {
  Tail tail{};
  std::memcpy(tail.magic, kMagic, sizeof kMagic);
  tail.bytes = sums.bytes;
  tail.block = kSumBlock;
  tail.own_sum = own_sum(sums.sums, tail);
  const auto list = std::as_bytes(std::span(sums.sums)), end = std::as_bytes(std::span(&tail, 1));
  std::vector<std::byte> out(list.begin(), list.end());
  out.insert(out.end(), end.begin(), end.end());
  return out;
}

std::optional<BlockSums> read_block_sums(int descriptor, std::uint64_t file_bytes) {
  Tail tail{};
  if (file_bytes < sizeof tail || !read_all(descriptor, file_bytes - sizeof tail, &tail, sizeof tail))
    return {};
  if (std::memcmp(tail.magic, kMagic, sizeof kMagic) != 0 || tail.block != kSumBlock ||
      tail.bytes > file_bytes)
    return {};
  BlockSums found{tail.bytes, std::vector<std::uint32_t>(blocks_of(tail.bytes))};
  const auto list_bytes = found.sums.size() * sizeof(std::uint32_t);
  if (tail.bytes + list_bytes + sizeof tail != file_bytes ||
      !read_all(descriptor, tail.bytes, found.sums.data(), list_bytes) ||
      own_sum(found.sums, tail) != tail.own_sum)
    return {};
  return found;
}

void SumsOfWrites::write(std::uint64_t at, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const auto end = at + bytes.size();
  if (blocks_of(end) > sums_.size()) {
    sums_.resize(blocks_of(end));
    known_.resize(blocks_of(end));
  }
  for (auto block = at / kSumBlock; block * kSumBlock < end; ++block) {
    const auto begin = block * kSumBlock;
    known_[block] = begin >= at && begin + kSumBlock <= end;
    if (known_[block]) sums_[block] = crc32c(bytes.data() + (begin - at), kSumBlock);
  }
}

std::optional<BlockSums> SumsOfWrites::finish(int descriptor, std::uint64_t bytes) {
  sums_.resize(blocks_of(bytes));
  known_.resize(blocks_of(bytes));
  std::array<std::byte, kSumBlock> buffer;
  for (std::size_t block = 0; block < sums_.size(); ++block) {
    const auto begin = std::uint64_t{block} * kSumBlock;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kSumBlock, bytes - begin));
    if (known_[block] && size == kSumBlock) continue;
    if (!read_all(descriptor, begin, buffer.data(), size)) return {};
    sums_[block] = crc32c(buffer.data(), size);
  }
  return BlockSums{bytes, std::move(sums_)};
}

bool read_all(int descriptor, std::uint64_t at, void* out, std::size_t size) {
  auto* to = static_cast<char*>(out);
  while (size > 0) {
    errno = 0;
    const auto got = ::pread(descriptor, to, size, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    at += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

} // namespace jitterscope::store
