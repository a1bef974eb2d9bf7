#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/reasons/contrast.h"

namespace jitterscope::analysis {

/// How a moment's columns differ from those of its peers, beyond the causes (spec: contrast, what is special
/// here).
///
/// Learned once of the sample, for any number of moments. A column's values are centred within configurations
/// and call sites; the mean of a moment is compared with the means of other moments of as many launches. A
/// moment that is part of a longer episode is not compared with the rest of this episode: neighbouring
/// moments that differ at least half as much in the same direction.
class PeerDifferences {
public:
  static constexpr std::size_t kMostListed = 5;

  /// `compared`: by launch of the sample, whether it is a peer. A job that was cancelled leaves what is not
  /// to be used.
  PeerDifferences(const LaunchReasons& reasons, const std::vector<std::uint8_t>& compared, const Job& job);

  /// Sets the differences of a contrast of these launches; `launches` with the values of all features of the
  /// sample.
  void add_to(Contrast& contrast, const FittedLaunches& launches, std::span<const std::size_t> chosen,
              const std::function<bool(std::int64_t session_row)>& inside) const;

private:
  /// One column over the launches that are compared, centred.
  struct Column {
    std::size_t feature = 0;
    std::vector<double> mean, n;      ///< by peers
    std::vector<double> sum;          ///< of centred values before each kGrid-th launch in order of start
    std::vector<std::uint32_t> count; ///< of launches with a value before it
    double slope = 0;                 ///< relative excess per unit, over all that are compared
    bool clear = false; ///< the slope, against as many independent launches as there are blocks of time
  };
  /// Places on the grid, [first, last).
  struct Span {
    std::size_t first = 0, last = 0;
  };
  struct Moment {
    std::vector<std::size_t> rows; ///< launches of the sample that are inside and compared
    std::size_t length = 1;        ///< steps of the grid
    Span span;                     ///< that it takes; empty where its launches do not follow each other
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
  std::vector<std::size_t> order_;   ///< launches of the sample by start
  std::vector<std::int64_t> starts_; ///< in this order
  std::vector<Column> columns_;
};

} // namespace jitterscope::analysis
