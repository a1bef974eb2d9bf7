#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/base/stop.h"

namespace jitterscope::analysis {

/// What surrounds a launch in the program, in several degrees of detail: one number each, equal for equal
/// surroundings.
///
/// Neighbours are launches on the same stream of the same trace, at most kReach rows of the table away, so
/// that a launch's surroundings do not depend on which rows are read together. Configurations are those of
/// the session.
class LaunchContext {
public:
  static constexpr std::int64_t kReach = 1'024;
  /// kBefore + i: the configurations of the kBeforeLengths[i] launches before; kAfter + i: of the launches
  /// after; kPath: names of the ranges around the launch call, outermost first, without digits.
  static constexpr std::array<std::size_t, 5> kBeforeLengths = {1, 2, 4, 8, 16};
  static constexpr std::array<std::size_t, 3> kAfterLengths = {1, 2, 4};
  enum Key : std::size_t {
    kPath,
    kBefore,
    kAfter = kBefore + kBeforeLengths.size(),
    kBoth = kAfter + kAfterLengths.size(),
    kKeys
  };
  using Keys = std::array<std::uint64_t, kKeys>; ///< kBoth: eight before and four after

  /// Not usable when a stop was wanted meanwhile.
  LaunchContext(const Session& session, Stop& stop);

  /// Keys of the rows of a segment.
  std::vector<Keys> read(const Segment& segment) const;
  /// The path in words, its innermost names: "train/forward"; empty where no range is around.
  std::string path_text(std::uint64_t path) const;
  /// Session configuration of the launch before a row on its stream; kNone without.
  std::uint32_t before(std::size_t trace, std::int64_t row) const;

private:
  struct Path {
    std::uint32_t above = 0, name = 0;
  };

  const Session* session_;
  std::vector<std::string> names_;                        ///< of ranges, without numbers
  std::vector<Path> paths_ = {{}};                        ///< the first: no range
  std::vector<std::vector<std::uint32_t>> path_of_range_; ///< per trace: by row of "ranges"
};

} // namespace jitterscope::analysis
