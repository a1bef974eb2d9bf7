#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/parallel.h"

namespace jitterscope::analysis {

/// One axis as bytes: the bin of every row of this rank's share, and how many of all launches are in each.
struct CodedAxis {
  ParallelAxis axis;               ///< without counts
  int cells = 1;                   ///< bins and the one for missing values
  std::vector<std::uint8_t> codes; ///< of the rows of this rank's blocks, in order
  std::vector<std::int64_t> all;   ///< of all ranks' rows
};

/// What parallel coordinates keep between questions: a byte for each row and axis, least recently used ones leave when
/// room ends. Belongs to one session.
class ParallelCache {
public:
  static constexpr std::int64_t kRoom = 640'000'000; ///< B of codes a rank

  /// Whether axes of so many rows of this rank can be kept.
  static bool has_room(std::int64_t rows, std::size_t axes) { return rows * static_cast<std::int64_t>(axes) <= kRoom; }

  /// The axis if it is there, now the most recently used.
  std::shared_ptr<CodedAxis> find(const std::string& key);
  void keep(const std::string& key, std::shared_ptr<CodedAxis> axis);
  /// Counts of all launches of two axes; null when they were not counted yet.
  const std::vector<std::int64_t>* find_pair(const std::string& left, const std::string& right) const;
  void keep_pair(const std::string& left, const std::string& right, std::vector<std::int64_t> counts);

private:
  std::list<std::pair<std::string, std::shared_ptr<CodedAxis>>> axes_; ///< most recently used first
  std::map<std::pair<std::string, std::string>, std::vector<std::int64_t>> pairs_;
};

} // namespace jitterscope::analysis
