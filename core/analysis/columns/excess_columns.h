#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// Launch columns that require a fitted model of durations, and the interface that computes their values.
class ExcessColumns {
public:
  /// Kinds of causes, in the order of stacking and colouring used everywhere.
  enum Kind : std::size_t {
    kClock,
    kCopies,
    kMigrations,
    kOtherKernels,
    kPlace,
    kWaiting,
    kFirstLaunch,
    kOther,
    kRest,
    kKinds
  };
  static constexpr std::array<std::string_view, kKinds> kColumns = {
      "excess_clock_ns",         "excess_copies_ns", "excess_migrations_ns",
      "excess_other_kernels_ns", "excess_place_ns",  "excess_waiting_ns",
      "excess_first_launch_ns",  "excess_other_ns",  "excess_unexplained_ns"};
  static constexpr std::string_view kTotal = "excess_ns", kWork = "different_work_ns";

  virtual ~ExcessColumns() = default;
  /// Values of one of kColumns, kTotal or kWork for the rows of a segment.
  virtual std::vector<double> read(std::string_view column, const Segment& segment) const = 0;
};

} // namespace jitterscope::analysis
