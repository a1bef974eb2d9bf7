#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/base/stop.h"

namespace jitterscope::analysis {

/// Number of rows that contain about `count` rows of each stream of a trace, between `least` and `most`.
std::int64_t reach_of(const Trace& trace, std::int64_t count, std::int64_t least, std::int64_t most);

/// Surroundings of a launch in the program, in several levels of detail: one number each, equal for equal
/// surroundings.
///
/// Neighbours are launches on the same stream of the same trace, at most reach_of() rows away, so that the
/// surroundings of a launch do not depend on which rows are read together. A key that needs neighbours
/// further away is kUnknown. Configurations are those of the session.
class LaunchContext {
public:
  static constexpr std::int64_t kReach = 1'024, kMaxReach = 16'384;
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0}; ///< no path, and no hash
  /// kBefore + i: configurations of the kBeforeLengths[i] preceding launches; kAfter + i: of the following
  /// launches; kPath: names of the ranges around the launch call, outermost first, with numbers masked.
  static constexpr std::array<std::size_t, 5> kBeforeLengths = {1, 2, 4, 8, 16};
  static constexpr std::array<std::size_t, 3> kAfterLengths = {1, 2, 4};
  enum Key : std::size_t {
    kPath,
    kBefore,
    kAfter = kBefore + kBeforeLengths.size(),
    kBoth = kAfter + kAfterLengths.size(),
    kKeys
  };
  using Keys = std::array<std::uint64_t,
                          kKeys>; ///< by Key; kBoth: 8 launches before, 4 after

  /// If a stop was requested meanwhile, the object must not be used.
  LaunchContext(const Session& session, Stop& stop);

  std::vector<Keys> read(const Segment& segment) const;
  /// The innermost names of the path: "train/forward"; empty if no range encloses the launch.
  std::string path_text(std::uint64_t path) const;
  /// Session configuration of the preceding launch on the stream of a row; kNone if there is none.
  std::uint32_t before(std::size_t trace, std::int64_t row) const;

private:
  struct Path {
    std::uint32_t above = 0, name = 0;
  };

  const Session* session_;
  std::vector<std::string> names_;                        ///< names of ranges, without numbers
  std::vector<Path> paths_ = {{}};                        ///< paths of ranges; index 0: no range
  std::vector<std::vector<std::uint32_t>> path_of_range_; ///< per trace, by row of "ranges": index in paths_
};

} // namespace jitterscope::analysis
