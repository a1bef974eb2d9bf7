#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/lanes/tracks.h"
#include "core/base/stop.h"

namespace jitterscope::analysis {

/// How the shares of selected launches came about.
enum class DimmingKind : std::uint8_t {
  Nothing, ///< everything is selected
  Exact,   ///< every launch of the window was asked
  Sampled  ///< too many: kSampledLaunches of them were asked, in evenly spread runs of rows
};

/// Up to so many launches in the window of all traces are asked each.
inline constexpr std::int64_t kMostAskedLaunches = 4'000'000;
inline constexpr std::int64_t kSampledLaunches = 1'000'000;
inline constexpr std::int64_t kSampleRun = 256; ///< rows that are asked together

/// Which launches of a window the selection leaves bright.
class Dimming {
public:
  /// Useless once a stop is wanted.
  Dimming(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
          const Selection& selection, Interval window, int pixel_columns, std::int64_t most_asked,
          Stop& stop);

  DimmingKind kind() const { return kind_; }
  /// Of a launch that touches the window; true for others. Exact only.
  bool selected(std::size_t trace, std::size_t row) const;
  /// Share of the sampled launch time of a pixel column of a track that is selected; of the whole track where
  /// the column has none in the sample, 1 where the track has none. Sampled only.
  float share(std::uint32_t track, int pixel_column) const;

private:
  struct Rows {
    std::int64_t first = 0; ///< the launches that begin in the window …
    std::int64_t last = 0;
    std::vector<std::uint8_t> mask;                      ///< … and whether they are selected
    std::unordered_map<std::size_t, std::uint8_t> reach; ///< those that began before
  };
  struct Share {
    double selected = 0, all = 0;
  };

  void ask_all(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
               const Selection& selection, Stop& stop);
  void sample(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
              const Selection& selection, std::int64_t rows, Stop& stop);
  void add_sample(const Session& session, const Tracks& tracks, std::size_t trace, std::int64_t row,
                  bool selected);
  void add_to(std::uint32_t track, int column, double length, bool selected);

  Interval window_;
  int pixel_columns_;
  DimmingKind kind_ = DimmingKind::Nothing;
  std::vector<Rows> rows_; ///< by trace
  std::vector<std::vector<Share>>
      shares_; ///< by track and pixel column, the whole track last; empty without sample
};

} // namespace jitterscope::analysis
