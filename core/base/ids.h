#pragma once

#include <compare>
#include <cstdint>

namespace jitterscope {

/// Row number of one table, typed so that a kernel cannot be mistaken for a configuration.
template <class Tag>
struct Id {
  std::uint32_t value = 0;
  auto operator<=>(const Id&) const = default;
};

using StringId = Id<struct StringTag>;               ///< row of the string table
using ResourceId = Id<struct ResourceTag>;           ///< row of the resource tree
using KernelId = Id<struct KernelTag>;               ///< row of table "kernels"
using ConfigurationId = Id<struct ConfigurationTag>; ///< row of table "configurations"

/// "No such row" in uint32 reference columns (call, range, stream).
inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;

} // namespace jitterscope
