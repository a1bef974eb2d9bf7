#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// The error of compressed content that is truncated, for example after an interrupted copy. Thread-safe.
class Torn {
public:
  void note(const Error& error) {
    const std::lock_guard guard(lock_);
    error_ = error;
  }
  std::optional<Error> error() const {
    const std::lock_guard guard(lock_);
    return error_;
  }

private:
  mutable std::mutex lock_;
  std::optional<Error> error_;
};

/// A text that ends where its compressed data are truncated; `torn` then has the error. The incomplete last
/// line, whose numbers may have lost digits, is dropped. JSON, which begins with a brace or a bracket, keeps
/// everything. If no complete line precedes the truncation, or the data are damaged in another way, read()
/// returns the error.
ByteStreamPointer until_cut_off(ByteStreamPointer stream, std::shared_ptr<Torn> torn);

} // namespace jitterscope::import
