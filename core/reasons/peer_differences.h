#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/reasons/contrast.h"

namespace jitterscope::analysis {

/// Differences between the columns of a moment and those of its peers, other than the causes.
///
/// Learned once from the sample, for any number of moments. The values of a column are centred within
/// configurations and call sites; the mean of a moment is compared with the means of other moments with as
/// many launches. A moment in a longer episode is not compared with the rest of that episode, i.e.
/// neighbouring moments that differ at least half as much in the same direction.
class PeerDifferences {
public:
  static constexpr std::size_t kMaxListed = 5;

  /// `compared`: by launch of the sample, whether it is a peer. After a cancelled job, this object is
  /// invalid.
  PeerDifferences(const LaunchReasons& reasons, const std::vector<std::uint8_t>& compared, const Job& job);

  /// Sets the differences in a contrast of these launches; `launches` must have values of all features of the
  /// sample.
  void add_to(Contrast& contrast, const FittedLaunches& launches, std::span<const std::size_t> chosen,
              const std::function<bool(std::int64_t session_row)>& inside) const;

private:
  /// One column over the compared launches, centred.
  struct Column {
    std::size_t feature = 0;
    bool score = false;           ///< positive values mean that an event occurred; their size is no quantity
    bool yes_or_no = true;        ///< all compared values are 0 or 1: means are shares of launches
    std::vector<double> total, n; ///< by peers: sum and number of values
    std::vector<double> sum;      ///< sums of centred values before each kGrid-th launch in start order
    std::vector<std::uint32_t> count; ///< number of launches with a value before each kGrid-th launch
    double slope = 0;                 ///< relative excess per unit, over all compared launches
    bool clear = false; ///< slope is significant, counting blocks of time as independent launches

    double compared(double value) const; ///< the value to compare; missing stays missing
  };
  /// Range of grid points [first, last).
  struct Span {
    std::size_t first = 0, last = 0;
  };
  struct Moment {
    std::vector<std::size_t> rows; ///< compared launches of the sample that are inside
    std::size_t length = 1;        ///< length of the moment, grid steps
    /// Range of the moment on the grid; empty if its launches are not consecutive.
    Span span;
  };
  Column column_of(std::size_t feature) const;
  Moment moment_of(const FittedLaunches& launches, std::span<const std::size_t> chosen,
                   const std::function<bool(std::int64_t)>& inside) const;
  double mean_of(const Column& column, Span span) const;
  Span episode_of(const Column& column, const Moment& moment, double mean) const;
  std::vector<double> other_moments(const Column& column, const Moment& moment, double mean) const;

  const LaunchReasons& reasons_;
  std::function<bool()> cancelled_;
  std::vector<std::uint8_t> compared_;
  std::vector<std::size_t> order_;   ///< launches of the sample, sorted by start
  std::vector<std::int64_t> starts_; ///< starts in the order of order_
  std::vector<Column> columns_;
};

} // namespace jitterscope::analysis
