#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/bins/bin_lists.h"
#include "core/analysis/bins/group_numbers.h"
#include "core/analysis/columns/launch_reader.h"
#include "core/analysis/filter/row_filter.h"

namespace jitterscope::analysis {

class WideBins;

/// Read-only input that all threads share.
struct BinQuestion {
  const Session& session;
  const LaunchColumns& columns;
  const Selection& selection;
  const Bins& frame;
  const LaunchReader& reader;
  const GroupNumbers* groups = nullptr; ///< groups into which the bins are divided; null: no groups
  const WideBins* wide = nullptr;       ///< bins that are computed separately; null: none
  RowFilter filter = RowFilter(session, columns, selection);

  std::int64_t start_of(std::int64_t bin) const { return frame.origin_ns + bin * frame.width_ns; }
};

/// Iterates over neighbouring bins and reads the values of each.
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

  /// Advances to the next bin before `last` that has launches. False if there is none.
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
  // Skips empty bins, because most bins are empty if they are narrow.
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

  // Galloping search from the end of the last bin, so that rows of distant bins are never touched.
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

/// Values of some rows, or of one group of them; `launches` also counts rows without a value.
struct BinPart {
  std::uint32_t group = 0; ///< number of the group; 0 if there are no groups
  std::int64_t launches = 0;
  std::span<const double> values;
};

/// Values of the selected launches of a bin. Reuses its memory between calls: use one object per thread.
class BinValues {
public:
  explicit BinValues(const BinQuestion& question)
      : question_(question), counts_(question.groups ? question.groups->count() : 0) {}

  /// The selected launches of all segments, or their groups in ascending order. Valid until the next call.
  const std::vector<BinPart>& read(std::span<const Segment> segments);

private:
  void read_all(const Segment& segment, std::size_t at);
  std::size_t read_selected(const Segment& segment,
                            std::size_t at); ///< returns the number of selected rows
  static BinPart part_of(std::span<double> values);
  void divide(std::size_t count);

  const BinQuestion& question_;
  std::vector<double> values_, sorted_, numbers_buffer_;
  std::vector<std::uint32_t> numbers_; ///< group numbers of the rows
  std::vector<std::uint8_t> mask_;
  RowFilter::Buffers buffers_;
  std::vector<std::uint32_t> counts_;  ///< by group: number of rows; all 0 between calls
  std::vector<std::uint32_t> touched_; ///< groups that occur in the rows
  std::vector<BinPart> parts_;
};

} // namespace jitterscope::analysis
