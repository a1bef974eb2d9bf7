#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/lanes/tracks.h"
#include "core/base/stop.h"

namespace jitterscope::analysis {

/// How the shares of selected launches were computed.
enum class DimmingKind : std::uint8_t {
  Nothing, ///< nothing is dimmed: all launches are selected
  Exact,   ///< every launch of the window was evaluated
  Sampled  ///< too many launches: kSampledLaunches of them were evaluated, in runs of rows
};

/// Up to this many launches in the window, over all traces, each is evaluated.
inline constexpr std::int64_t kMaxRequestedLaunches = 4'000'000;
inline constexpr std::int64_t kSampledLaunches = 1'000'000;
inline constexpr std::int64_t kSampleRun = 256; ///< consecutive rows evaluated together

/// Selected launches in a window; all others are dimmed.
class Dimming {
public:
  /// If a stop was requested meanwhile, the object must not be used.
  Dimming(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
          const Selection& selection, Interval window, int pixel_columns, std::int64_t max_requested,
          Stop& stop);

  DimmingKind kind() const { return kind_; }
  /// Whether a launch that touches the window or its outermost bins is selected; true for all others. Only
  /// for kind Exact.
  bool selected(std::size_t trace, std::size_t row) const;
  /// Selected share of the sampled launch time in a pixel column of a track; of the whole track if the column
  /// has no sample, 1 if the track has none. Only for kind Sampled.
  float share(std::uint32_t track, int pixel_column) const;

private:
  struct Rows {
    std::int64_t first = 0; ///< launches [first, last) begin in the window; Exact: or in its outermost bins
    std::int64_t last = 0;
    std::vector<std::uint8_t> mask; ///< by launch: whether it is selected
    std::unordered_map<std::size_t, std::uint8_t>
        reach; ///< by launch that reaches into the first of them from before: whether it is selected
  };
  struct Share {
    double selected = 0, all = 0;
  };

  std::int64_t find_rows(const Session& session, Interval interval);
  void ask_all(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
               const Selection& selection, Nanoseconds from, Stop& stop);
  void sample(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
              const Selection& selection, std::int64_t rows, Stop& stop);
  void add_sample(const Session& session, const Tracks& tracks, std::size_t trace, std::int64_t row,
                  bool selected);
  void add_to(std::uint32_t track, int column, double length, bool selected);

  Interval window_;
  int pixel_columns_;
  DimmingKind kind_ = DimmingKind::Nothing;
  std::vector<Rows> rows_; ///< by trace: launches that were evaluated
  std::vector<std::vector<Share>>
      shares_; ///< by track and pixel column, the whole track last; empty if not sampled
};

} // namespace jitterscope::analysis
