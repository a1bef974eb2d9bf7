#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// Common ids for everything that is drawn with a name: session kernels first (id = index of the kernel),
/// then kinds of memory operations, then API calls, ranges and messages by text.
class NameTable {
public:
  explicit NameTable(const Session& session);

  const std::vector<std::string>& names() const { return names_; }
  std::uint32_t of_transfer(std::uint8_t kind) const { return transfers_ + kind; }
  /// Id of a string of a trace that is the name of a call or range.
  std::uint32_t of_string(std::size_t trace, std::uint32_t string) const { return of_string_[trace][string]; }

private:
  std::vector<std::string> names_;
  std::uint32_t transfers_ = 0;
  std::vector<std::vector<std::uint32_t>> of_string_;
};

} // namespace jitterscope::analysis
