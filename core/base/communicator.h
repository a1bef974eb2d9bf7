#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "core/base/error.h"

namespace jitterscope {

/// A group of ranks that run the same function on their own share of the rows.
///
/// Every call below is collective: all ranks make the same calls in the same order. Each call first checks
/// that no rank has failed. When one rank has failed or was cancelled (it returns, and the runner calls
/// `finish(false)`), the next collective call of every other rank returns an Error of kind Cancelled
/// ("another rank stopped") and all unwind together. So a rank may return early with an error at any point,
/// and `finish` must close every job.
///
/// Only integers are summed: sums of doubles would depend on the number of ranks. Doubles are exchanged by
/// all_gather in rank order, and the caller adds them in a fixed order.
class Communicator {
public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Replaces values by their element-wise sum over ranks, on every rank. Same length everywhere.
  virtual Expected<void> sum(std::span<std::int64_t> values) = 0;
  /// Replaces values by their element-wise minimum over ranks, on every rank.
  virtual Expected<void> minimum(std::span<std::int64_t> values) = 0;
  /// Concatenation in rank order of every rank's bytes (lengths may differ), on every rank.
  virtual Expected<std::vector<std::byte>> all_gather_bytes(std::span<const std::byte> mine) = 0;
  /// Concatenation in rank order on rank 0; empty elsewhere.
  virtual Expected<std::vector<std::byte>> gather_bytes(std::span<const std::byte> mine) = 0;

  /// Closes a job; `ok` is false on a rank that failed outside a collective call. True if no rank failed.
  virtual bool finish(bool ok) = 0;

  template <class T>
  Expected<std::vector<T>> all_gather(std::span<const T> mine) {
    return typed<T>(all_gather_bytes(std::as_bytes(mine)));
  }
  template <class T>
  Expected<std::vector<T>> gather(std::span<const T> mine) {
    return typed<T>(gather_bytes(std::as_bytes(mine)));
  }

private:
  template <class T>
  static Expected<std::vector<T>> typed(Expected<std::vector<std::byte>> bytes) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!bytes) return forward(bytes.error());
    std::vector<T> values(bytes->size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes->data(), values.size() * sizeof(T));
    return values;
  }
};

/// Communicator of a single rank; sends no messages.
std::unique_ptr<Communicator> local_communicator();

/// The contiguous share [first, last) of `count` items that rank `rank` of `size` works on.
struct Share {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
constexpr Share share_of(std::int64_t count, int rank, int size) {
  const auto part = [&](std::int64_t r) { // count * r / size without overflow
    return count / size * r + count % size * r / size;
  };
  return {part(rank), part(rank + 1)};
}

} // namespace jitterscope
