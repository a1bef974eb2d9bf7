#include "core/analysis/parallel_cache.h"

#include <algorithm>

namespace jitterscope::analysis {

std::shared_ptr<CodedAxis> ParallelCache::find(const std::string& key) {
  const auto found = std::find_if(axes_.begin(), axes_.end(), [&](const auto& each) { return each.first == key; });
  if (found == axes_.end()) return nullptr;
  axes_.splice(axes_.begin(), axes_, found);
  return axes_.front().second;
}

void ParallelCache::keep(const std::string& key, std::shared_ptr<CodedAxis> axis) {
  axes_.emplace_front(key, std::move(axis));
  std::int64_t bytes = 0;
  for (auto each = axes_.begin(); each != axes_.end();) {
    bytes += static_cast<std::int64_t>(each->second->codes.size());
    if (bytes <= kRoom) {
      ++each;
      continue;
    }
    const std::string gone = each->first;
    std::erase_if(pairs_, [&](const auto& pair) { return pair.first.first == gone || pair.first.second == gone; });
    each = axes_.erase(each);
  }
}

const std::vector<std::int64_t>* ParallelCache::find_pair(const std::string& left, const std::string& right) const {
  const auto found = pairs_.find({left, right});
  return found == pairs_.end() ? nullptr : &found->second;
}

void ParallelCache::keep_pair(const std::string& left, const std::string& right, std::vector<std::int64_t> counts) {
  pairs_[{left, right}] = std::move(counts);
}

} // namespace jitterscope::analysis
