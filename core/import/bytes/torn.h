#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// Where compressed content broke off, as a copy that was interrupted leaves it. For any thread.
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

/// Text up to where compressed data are cut off, which is its end then and noted in `torn`; of text in lines,
/// not the line that broke off, whose numbers may have lost digits. JSON, which begins with a brace or a
/// bracket, ends where it ends. The error is given on where not one line came before it, and of data that are
/// wrong.
ByteStreamPointer until_cut_off(ByteStreamPointer stream, std::shared_ptr<Torn> torn);

} // namespace jitterscope::import
