#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/store/hdf5/block_sums.h"
#include "core/store/hdf5/crc32c.h"

namespace jitterscope::test {

/// Calls `change` while the store at `path` is a plain HDF5 file without checksums, then writes checksums of
/// the changed file. The result is a store with wrong content and valid checksums.
template <class F>
void change_with_sums(const std::string& path, F&& change) {
  using namespace store;
  const auto read = [&] {
    std::ifstream in(path, std::ios::binary);
    return std::vector<char>{std::istreambuf_iterator<char>(in), {}};
  };
  std::uint64_t end = 0;
  const auto before = read();
  std::copy_n(&before[before.size() - 16], sizeof end, reinterpret_cast<char*>(&end));
  std::filesystem::resize_file(path, end);
  change();
  const auto bytes = read();
  BlockSums sums{bytes.size(), {}};
  for (std::size_t at = 0; at < bytes.size(); at += kSumBlock)
    sums.sums.push_back(crc32c(&bytes[at], std::min(kSumBlock, bytes.size() - at)));
  const auto tail = encode(sums);
  std::ofstream(path, std::ios::binary | std::ios::app)
      .write(reinterpret_cast<const char*>(tail.data()), static_cast<long>(tail.size()));
}

} // namespace jitterscope::test
