#include "core/import/formats/table/own_export.h"

#include <algorithm>
#include <array>

namespace jitterscope::import::table {
namespace {

constexpr std::array<std::string_view, 9> kDerivedAgain = {"short_name",         "blocks",
                                                           "threads_per_block",  "first_launch",
                                                           "kernel_variability", "relative_variability",
                                                           "memory_stall",       "gap_ns",
                                                           "concurrency"};

} // namespace

bool is_own_export(const std::vector<std::string>& titles) {
  const auto has = [&](std::string_view title) {
    return std::find(titles.begin(), titles.end(), title) != titles.end();
  };
  return !titles.empty() && titles.front() == "name" && has("short_name") && has("first_launch");
}

bool is_derived_again(std::string_view title) {
  return std::find(kDerivedAgain.begin(), kDerivedAgain.end(), title) != kDerivedAgain.end();
}

} // namespace jitterscope::import::table
