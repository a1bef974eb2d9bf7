#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/analysis/selection.h"
#include "core/analysis/tracks.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

/// Which of the launches that touch a range of time a selection lets through: one byte for each that begins in it.
class LaunchMask {
public:
  /// None when it was cancelled. Each launch of the range is asked, on all threads of the rank.
  static std::optional<LaunchMask> of(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
                                      const Selection& selection, Interval range, const Job& job);

  /// Of a launch that touches the range.
  bool selected(std::size_t trace, std::size_t row) const;

private:
  struct Rows {
    std::int64_t first = 0;                              ///< the first launch that begins in the range
    std::vector<std::uint8_t> mask;                      ///< of it and those behind it
    std::unordered_map<std::size_t, std::uint8_t> reach; ///< those that began before
  };
  std::vector<Rows> rows_; ///< by trace
};

} // namespace jitterscope::analysis
