#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/base/error.h"

namespace jitterscope::engine {

/// What one request may ask for. A program of the same user may send anything: beyond these limits a request
/// ends with BadUse and the limit that it exceeds, before any work is done.
struct RequestLimits {
  static constexpr int kNesting = 64;              ///< levels of lists and objects
  static constexpr std::size_t kText = 64'000'000; ///< bytes of all options
  static constexpr std::size_t kList = 1'000'000;  ///< members of one list or object
  static constexpr std::size_t kAxes = 256; ///< of parallel coordinates, also when they are only put in order
  static constexpr std::int64_t kBins = 100'000;     ///< "bins", "columns" and "rows" where they are numbers
  static constexpr std::int64_t kCells = 16'000'000; ///< rows × columns of one heat map or scatter plot
  static constexpr std::int64_t kPairCells =
      64'000'000; ///< cells of all pairs of axes, for all, selected and each class
  static constexpr std::int64_t kListed = 1'000'000;    ///< "count", "most", "most_axes", "top_count"
  static constexpr std::int64_t kResamples = 1'000'000; ///< "bootstrap"
  static constexpr int kRanks = 1'024;                  ///< of an engine
  /// Launches of a causal answer unless the request says otherwise: the first take seconds, with intervals of
  /// a percent or two; the second are analysed where a sample of the first does not represent the variability
  /// of all.
  static constexpr std::int64_t kCausalRows = 131'072, kMaxCausalRows = 2'000'000;
};

/// Of a text that has not been parsed yet: its length and how deep brackets are nested in it.
Expected<void> check_text(std::string_view json);
/// Of the options of any operation. The number of cells is checked where the bins of axes are known:
/// check_pair_cells.
Expected<void> check_limits(const nlohmann::json& options);
/// `axes` neighbouring pairs with `bins` each way, counted for `sets` sets of rows.
Expected<void> check_pair_cells(std::size_t axes, std::int64_t bins, std::size_t sets);

} // namespace jitterscope::engine
