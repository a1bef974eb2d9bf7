#include "core/store/hdf5/store_bytes.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include <unistd.h>

namespace jitterscope::store {

bool StoreBytes::read(std::uint64_t at, void* out, std::size_t size) {
  auto* to = static_cast<char*>(out);
  std::size_t done = 0;
  while (done < size) {
    const auto got = ::pread(output_.descriptor(), to + done, size - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  std::memset(to + done, 0, size - done); // zeros after the end of the file, as with HDF5's own drivers
  for (const auto& [begin, bytes] : refused_) {
    const auto first = std::max(at, begin), last = std::min(at + size, begin + bytes.size());
    if (first < last) std::memcpy(to + (first - at), bytes.data() + (first - begin), last - first);
  }
  return true;
}

void StoreBytes::write(std::uint64_t at, const void* data, std::size_t size, bool values) {
  const std::string_view bytes(static_cast<const char*>(data), size);
  bytes_ = std::max(bytes_, at + size);
  if (!problem_)
    if (auto written = output_.write_at(at, bytes); !written) problem_ = written.error();
  sums_.write(at, std::as_bytes(std::span(bytes)));
  if (problem_ && !values) refused_.emplace_back(at, bytes);
}

void StoreBytes::truncate(std::uint64_t size) {
  bytes_ = size;
  if (problem_) return;
  if (auto resized = output_.resize(size); !resized) problem_ = resized.error();
}

void StoreBytes::append_sums() {
  if (problem_) return;
  const auto sums = sums_.finish(output_.descriptor(), bytes_);
  if (!sums) {
    problem_ = Error{ErrorKind::Io,
                     "the store cannot be read back to compute its checksums",
                     output_.path(),
                     {},
                     "Check the disk, then import again."};
    return;
  }
  const auto tail = encode(*sums);
  if (auto written = output_.write_at(bytes_, {reinterpret_cast<const char*>(tail.data()), tail.size()});
      !written)
    problem_ = written.error();
}

} // namespace jitterscope::store
