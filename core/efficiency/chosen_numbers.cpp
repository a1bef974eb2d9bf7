#include "core/efficiency/chosen_numbers.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace jitterscope::efficiency {

namespace {

Expected<void> require(const std::set<std::int64_t>& requested, const std::set<std::int64_t>& present,
                       const std::string& what, const std::string& subject) {
  std::set<std::int64_t> missing;
  std::ranges::set_difference(requested, present, std::inserter(missing, missing.end()));
  if (missing.empty()) return {};
  return failure(
      ErrorKind::BadUse,
      fmt::format("{} no {}{} {}", subject, what, missing.size() > 1 ? "s" : "", as_ranges(missing)), {},
      what + "s",
      present.empty() ? fmt::format("No {}s are recorded.", what)
                      : fmt::format("Recorded {}s: {}.", what, as_ranges(present)));
}

} // namespace

std::string as_ranges(const std::set<std::int64_t>& numbers) {
  std::vector<std::string> pieces;
  for (auto first = numbers.begin(); first != numbers.end();) {
    auto last = first;
    while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) ++last;
    pieces.push_back(first == last ? fmt::format("{}", *first) : fmt::format("{}-{}", *first, *last));
    first = std::next(last);
  }
  if (pieces.size() > 8) {
    const auto last = pieces.back();
    pieces.resize(7);
    pieces.insert(pieces.end(), {"…", last});
  }
  return fmt::format("{}", fmt::join(pieces, ", "));
}

Expected<void> require_present(std::span<const store::Store* const> stores,
                               const std::vector<std::int32_t>& ranks,
                               const std::vector<std::int64_t>& devices) {
  const std::set<std::int64_t> chosen_ranks{ranks.begin(), ranks.end()};
  std::set<std::int64_t> all_ranks, all_devices;
  for (const auto* store : stores) {
    const auto& resources = store->resources();
    for (const auto& one : resources) {
      if (one.kind == store::ResourceKind::Process && one.rank >= 0) all_ranks.insert(one.rank);
      if (one.kind != store::ResourceKind::Device) continue;
      const auto rank = one.parent < resources.size() ? resources[one.parent].rank : -1;
      if (ranks.empty() || chosen_ranks.contains(rank)) all_devices.insert(one.number);
    }
  }
  if (auto present = require(chosen_ranks, all_ranks, "rank", "the trace has"); !present) return present;
  return require({devices.begin(), devices.end()}, all_devices, "device",
                 ranks.empty() ? "the trace has" : "the chosen ranks have");
}

} // namespace jitterscope::efficiency
