#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/analysis/filter/selection.h"

namespace jitterscope::analysis {

/// A selection made ready for loops over many rows. What the configuration or the stream of a launch decides
/// is found out once for each of them, so that a row costs one look-up; conditions on one other column are
/// ranges that its values are compared with; cheap conditions come first, and what they leave nothing of is
/// not looked at further. Selects exactly the rows that Selection::select does. All arguments must outlive
/// it. Safe to use from several threads.
class RowFilter {
public:
  RowFilter(const Session& session, const LaunchColumns& columns, const Selection& selection);

  bool everything() const { return selection_->everything(); }
  /// False when no launch of the segment can be selected, because of its time alone.
  bool may_meet(const Segment& segment) const;

  /// What a thread needs; its memory is used again and again.
  struct Buffers {
    std::vector<double> left, right;
    std::vector<std::vector<std::uint8_t>> masks; ///< by depth of the condition
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
  std::shared_ptr<const Test> root_; ///< of filter and streams; null for none
};

} // namespace jitterscope::analysis
