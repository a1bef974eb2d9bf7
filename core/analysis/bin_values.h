#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/bins.h"
#include "core/analysis/launch_reader.h"

namespace jitterscope::analysis {

/// What all threads share.
struct BinQuestion {
  const Session& session;
  const LaunchColumns& columns;
  const Selection& selection;
  const Bins& frame;
  const LaunchReader& reader;
  const LaunchReader* groups = nullptr; ///< of the column that bins are divided by

  std::int64_t start_of(std::int64_t bin) const { return frame.origin_ns + bin * frame.width_ns; }
};

/// Walks over neighbouring bins, reading the values of each.
class BinReader {
public:
  BinReader(const BinQuestion& question, std::int64_t first_bin) : question_(question), bin_(first_bin) {
    for (const auto& trace : question.session.traces()) {
      const auto starts = trace.starts();
      const auto at =
          std::lower_bound(starts.begin(), starts.end(), question.start_of(first_bin) - trace.shift_ns);
      next_.push_back(at - starts.begin());
    }
  }

  /// Goes on to the next bin before `last` that has launches. False when there is none.
  bool next(std::int64_t last) {
    segments_.clear();
    bin_ = std::max(bin_, bin_of_next_launch(last));
    if (bin_ >= last) return false;
    const auto end = question_.start_of(++bin_);
    for (std::size_t t = 0; t < next_.size(); ++t) {
      const auto& trace = question_.session.traces()[t];
      const auto first = std::exchange(next_[t], first_from(trace.starts(), next_[t], end - trace.shift_ns));
      if (first < next_[t]) segments_.push_back({t, first, next_[t]});
    }
    return !segments_.empty();
  }
  std::int64_t bin() const { return bin_ - 1; }
  const std::vector<Segment>& segments() const { return segments_; }

private:
  // Narrow bins are mostly empty: these are never walked through.
  std::int64_t bin_of_next_launch(std::int64_t last) const {
    auto first = last;
    for (std::size_t t = 0; t < next_.size(); ++t) {
      const auto& trace = question_.session.traces()[t];
      const auto starts = trace.starts();
      if (next_[t] < static_cast<std::int64_t>(starts.size()))
        first = std::min(
            first, (starts[static_cast<std::size_t>(next_[t])] + trace.shift_ns - question_.frame.origin_ns) /
                       question_.frame.width_ns);
    }
    return first;
  }

  // Gallops from where the last bin ended: rows of far away bins are never touched.
  static std::int64_t first_from(std::span<const std::int64_t> starts, std::int64_t from, std::int64_t time) {
    const auto rows = static_cast<std::int64_t>(starts.size());
    std::int64_t step = 1, low = from;
    while (low + step < rows && starts[static_cast<std::size_t>(low + step)] < time) low += step, step *= 2;
    const auto high = std::min(low + step, rows);
    return std::lower_bound(starts.begin() + low, starts.begin() + high, time) - starts.begin();
  }

  const BinQuestion& question_;
  std::int64_t bin_;
  std::vector<std::int64_t> next_; ///< per trace: first row of the next bin
  std::vector<Segment> segments_;
};

/// What a bin or one group of it holds: values without the missing ones; `launches` counts these too.
struct BinPart {
  double group = std::numeric_limits<double>::quiet_NaN();
  std::int64_t launches = 0;
  std::span<const double> values;
};

/// The values of a bin's selected launches, and what they are made of where somebody asks. Its memory is used
/// again and again: one for each thread.
class BinValues {
public:
  explicit BinValues(const BinQuestion& question)
      : question_(question), kernel_sums_(question.session.kernels().size(), 0.0) {}

  /// The whole bin, or its groups in ascending order, those without a value of the group last. Valid until
  /// the next call.
  const std::vector<BinPart>& read(const std::vector<Segment>& segments);

  /// What the bin is made of.
  void describe(const std::vector<Segment>& segments, KeptBin& kept);

private:
  void read_all(const Segment& segment, std::size_t at);
  std::size_t read_selected(const Segment& segment, std::size_t at); ///< how many that are
  static BinPart part_of(std::span<double> values);
  void divide(std::size_t count);
  bool in_group(double code, double group) const {
    return !question_.groups || code == group || (std::isnan(code) && std::isnan(group));
  }
  void add(const Segment& segment, KeptBin& kept, double& largest);

  const BinQuestion& question_;
  std::vector<double> values_, codes_, kernel_sums_;
  std::vector<std::uint32_t> seen_;
  std::vector<BinPart> parts_;
  std::vector<std::unique_ptr<std::vector<double>>> group_values_;
};

} // namespace jitterscope::analysis
