#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/analysis/filter/selection.h"

namespace jitterscope::analysis {

/// A selection compiled for loops over many rows. Conditions that depend on the configuration or the stream
/// are evaluated once for each of them, so that a row costs one lookup; conditions on one other column
/// become intervals of its values. Cheap conditions come first, and the others are skipped if no row is
/// left. Selects exactly the same rows as Selection::select. All arguments must outlive this object.
/// Thread-safe.
class RowFilter {
public:
  RowFilter(const Session& session, const LaunchColumns& columns, const Selection& selection);

  bool everything() const { return selection_->everything(); }
  /// False if no launch of the segment can be selected, judged by time alone.
  bool may_meet(const Segment& segment) const;

  /// Reusable buffers of one thread.
  struct Buffers {
    std::vector<double> left, right;
    std::vector<std::vector<std::uint8_t>> masks; ///< per nesting depth of the condition
  };
  /// Writes 1 for each selected row of the segment, else 0. Returns whether there is any.
  bool select(const Segment& segment, std::uint8_t* out, Buffers& buffers) const;

  struct Test;

private:
  bool run(const Test& test, const Segment& segment, std::uint8_t* out, Buffers& buffers,
           std::size_t depth) const;
  void keep_times(const Segment& segment, std::uint8_t* out) const;

  const Session* session_;
  const Selection* selection_;
  std::shared_ptr<const Test>
      root_; ///< test of the filter and of the streams; null if the selection has neither
};

} // namespace jitterscope::analysis
