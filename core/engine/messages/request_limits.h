#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace flatbuffers {
struct TypeTable;
}

namespace jitterscope::engine {

/// Limits of one request. Any program of the same user may send requests: one that exceeds a limit fails with
/// BadUse and the limit, before any work is done.
struct RequestLimits {
  static constexpr int kNesting = 64;              ///< levels of lists and objects
  static constexpr std::size_t kText = 64'000'000; ///< bytes of all options together
  static constexpr std::size_t kList = 1'000'000;  ///< members of one list or object
  static constexpr std::size_t kAxes =
      256; ///< axes of parallel coordinates, also of a request that only sorts them
  static constexpr std::int64_t kBins = 100'000;     ///< "bins", "columns" and "rows" if they are numbers
  static constexpr std::int64_t kCells = 16'000'000; ///< rows × columns of one heat map or scatter plot
  static constexpr std::int64_t kPairCells =
      64'000'000; ///< cells over all pairs of axes, for all, selected and each class
  static constexpr std::int64_t kListed = 1'000'000;    ///< maximum "count", "most", "most_axes", "top_count"
  static constexpr std::int64_t kResamples = 1'000'000; ///< maximum "bootstrap"
  static constexpr int kRanks = 1'024;                  ///< maximum ranks of an engine
  /// Default and maximum number of launches in a causal answer. The default takes seconds, with intervals of
  /// a percent or two. Up to the maximum are analysed if a sample of the default size does not represent the
  /// variability of all launches.
  static constexpr std::int64_t kCausalRows = 131'072, kMaxCausalRows = 2'000'000;
};

/// Checks an unparsed JSON text: its length and the nesting depth of its brackets.
Expected<void> check_text(std::string_view json);
/// Checks encoded options of any operation, which must be verified before. Returns all their texts, which
/// refer to `options`. The number of cells is checked once the bins of axes are known: check_pair_cells.
Expected<std::vector<std::string_view>> check_limits(std::span<const std::uint8_t> options,
                                                     const flatbuffers::TypeTable& fields);
/// Checks the number of cells of `axes` adjacent pairs with `bins` in each direction, counted for `sets` sets
/// of rows.
Expected<void> check_pair_cells(std::size_t axes, std::int64_t bins, std::size_t sets);

} // namespace jitterscope::engine
