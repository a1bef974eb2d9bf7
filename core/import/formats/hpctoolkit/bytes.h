#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/import/input/input.h"

namespace jitterscope::import::hpctoolkit {

/// A piece of a file, addressed by offsets in the file. Reads outside it return nothing.
class Bytes {
public:
  Bytes() = default;
  Bytes(std::string content, std::uint64_t begin) : content_(std::move(content)), begin_(begin) {}

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return begin_ + content_.size(); }
  bool holds(std::uint64_t offset, std::uint64_t size) const;
  /// A little-endian number of 1 to 8 bytes.
  std::optional<std::uint64_t> number(std::uint64_t offset, unsigned size) const;
  std::uint64_t number_or(std::uint64_t offset, unsigned size, std::uint64_t otherwise) const {
    return number(offset, size).value_or(otherwise);
  }
  /// The text up to its terminating zero byte; empty where there is none.
  std::string_view text(std::uint64_t offset) const;

private:
  std::string content_;
  std::uint64_t begin_ = 0;
};

/// A file of a database, read piece by piece.
class File {
public:
  /// Errors: BadInput, Io, Cancelled.
  static Expected<File> open(const Input& input, const Job& job);

  /// As much of [begin, begin + size) as the file holds. Errors: Io.
  Expected<Bytes> read(std::uint64_t begin, std::uint64_t size) const;
  std::uint64_t size() const { return size_; }

  /// The section whose size and offset are stored at `offset` in the file's header ("{sz,p}Section"); empty
  /// where it is outside the file. Errors: Io.
  Expected<Bytes> section(std::uint64_t offset) const;

private:
  std::shared_ptr<const std::string> memory_; ///< null for a file on disk
  std::shared_ptr<LocalFile> local_;
  std::uint64_t size_ = 0;
};

} // namespace jitterscope::import::hpctoolkit
