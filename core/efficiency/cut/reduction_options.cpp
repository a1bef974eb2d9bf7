#include "core/efficiency/cut/reduction_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace jitterscope::efficiency {
namespace {

constexpr std::array<std::string_view, kRowKinds> kNames = {
    "kernels", "collectives", "transfers", "calls", "mpi", "ranges", "states", "bursts", "samples"};

} // namespace

std::string to_string(RowKind kind) {
  return std::string(kNames[static_cast<std::size_t>(kind)]);
}

Expected<unsigned> kinds_from(const std::vector<std::string>& names) {
  unsigned kinds = 0;
  for (const auto& name : names) {
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end())
      return failure(ErrorKind::BadUse, fmt::format("\"{}\" is not a kind of rows", name), {}, "keep",
                     fmt::format("The kinds are {}.", fmt::join(kNames, ", ")));
    kinds |= 1u << (found - kNames.begin());
  }
  return kinds;
}

} // namespace jitterscope::efficiency
