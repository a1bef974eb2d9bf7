#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/store/format/store.h"

namespace jitterscope::efficiency {

/// "0-3, 7"; of more than eight pieces the first seven, "…" and the last one.
std::string as_ranges(const std::set<std::int64_t>& numbers);

/// Checks that the stores have all of these ranks, and these ranks (empty: all processes) all of these device
/// numbers. Errors: BadUse with the numbers that do not exist and, as advice, those that do; its place is
/// "ranks" or "devices".
Expected<void> require_present(std::span<const store::Store* const> stores,
                               const std::vector<std::int32_t>& ranks,
                               const std::vector<std::int64_t>& devices);

} // namespace jitterscope::efficiency
