#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/analysis/columns/columns.h"
#include "core/analysis/lanes/tracks.h"
#include "core/base/stop.h"

namespace jitterscope::analysis {

inline constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

/// Name of the signed variability of a launch relative to its configuration: (d − mean) / mean, the mean
/// over all launches of the configuration in the session. NaN for configurations with only one measured
/// launch.
inline constexpr const char* kRelativeToMean = "relative_to_mean";

/// How the values of pixel columns were computed.
enum class ValueKind : std::uint8_t {
  None,   ///< no values were requested
  Exact,  ///< from every launch of the window
  Sampled ///< too many launches: from kSampledLaunches of them, in runs of rows
};

/// Values of one launch column in a window, for the colours of a timeline: the value of each launch, and for
/// pixel columns of streams and devices the mean over the launches that touch them. For kRelativeToMean the
/// mean is weighted by the mean duration of the configuration: Σ d / Σ mean − 1.
class LaunchValues {
public:
  /// `column` as in LaunchColumns (a number or a category), kRelativeToMean, or empty for none.
  /// If a stop was requested meanwhile, the object must not be used.
  LaunchValues(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
               const std::string& column, Interval window, int pixel_columns, std::int64_t max_requested,
               Stop& stop);

  ValueKind kind() const { return kind_; }
  /// Value of a launch; NaN if it has none.
  float of_launch(std::size_t trace, std::size_t row) const;
  /// Mean in a pixel column of a stream or device; NaN if no launch with a value touches it. Sampled: over
  /// the sampled launches of the column, else of its group of 32 columns, else of the track.
  float of_column(std::uint32_t track, int pixel_column) const;

private:
  struct Mean {
    double sum = 0, weight = 0;
    float value(bool against_typical) const;
  };
  void add_rows(std::size_t trace, std::int64_t first, std::int64_t last);
  void add_launch(std::size_t trace, std::int64_t row, double value, double weight);
  void add_to(std::uint32_t track, int first, int last, double value, double weight);
  int column_at(std::int64_t time) const;
  double typical_of(std::size_t trace, std::size_t row) const;
  float read(std::size_t trace, std::int64_t row) const;

  const Session* session_;
  const LaunchColumns* columns_;
  const Tracks* tracks_;
  std::string column_;
  bool relative_to_mean_ = false;
  Interval window_;
  int pixel_columns_;
  ValueKind kind_ = ValueKind::None;
  std::vector<std::vector<Mean>>
      means_; ///< by track: means of pixel columns, then of groups of kGroup columns, then of the track
};

} // namespace jitterscope::analysis
