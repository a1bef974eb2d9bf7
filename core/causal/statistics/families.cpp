#include "core/causal/statistics/families.h"

#include <algorithm>

namespace jitterscope::causal {
namespace {

class Linkage {
public:
  Linkage(Eigen::MatrixXf similarity, float threshold)
      : similarity_(std::move(similarity)), threshold_(threshold),
        groups_(static_cast<std::size_t>(similarity_.rows())), open_(groups_.size(), 1) {
    for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i] = {static_cast<int>(i)};
    similarity_.diagonal().setConstant(-2);
  }

  std::vector<std::vector<int>> run() {
    std::vector<int> chain;
    for (std::size_t start = 0; start < groups_.size(); ++start)
      while (!chain.empty() || open_[start]) {
        if (chain.empty()) chain.push_back(static_cast<int>(start));
        grow(chain);
      }
    for (auto& group : groups_) std::ranges::sort(group);
    std::erase_if(groups_, [](const auto& g) { return g.empty(); });
    std::ranges::sort(groups_);
    return std::move(groups_);
  }

private:
  /// Appends the nearest neighbour of the chain's end. If that is the group before the end, merges both; if
  /// no similarity exceeds the threshold, closes the end.
  void grow(std::vector<int>& chain) {
    const int end = chain.back();
    const int before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
    int nearest = before;
    float best = before >= 0 ? similarity_(before, end) : threshold_;
    for (int k = 0; k < static_cast<int>(groups_.size()); ++k)
      if (open_[k] && k != end && similarity_(k, end) > best) best = similarity_(k, end), nearest = k;
    if (nearest < 0 || best <= threshold_) {
      open_[end] = 0; // no later similarity is larger
      chain.pop_back();
    } else if (nearest == before) {
      chain.resize(chain.size() - 2);
      join(std::min(before, end), std::max(before, end));
    } else {
      chain.push_back(nearest);
    }
  }

  void join(int into, int from) {
    auto& a = groups_[into];
    auto& b = groups_[from];
    const auto na = static_cast<float>(a.size()), nb = static_cast<float>(b.size());
    similarity_.col(into) = (na * similarity_.col(into) + nb * similarity_.col(from)) / (na + nb);
    similarity_.row(into) = similarity_.col(into).transpose();
    similarity_(into, into) = -2;
    a.insert(a.end(), b.begin(), b.end());
    b.clear();
    open_[from] = 0;
  }

  Eigen::MatrixXf similarity_;
  float threshold_;
  std::vector<std::vector<int>> groups_;
  std::vector<char> open_; ///< by group: 1 if it may still be merged
};

} // namespace

std::vector<std::vector<int>> average_linkage(Eigen::MatrixXf similarity, float threshold) {
  return Linkage(std::move(similarity), threshold).run();
}

std::vector<std::vector<int>> Components::groups() {
  std::vector<std::vector<int>> by_root(parent_.size());
  for (std::size_t i = 0; i < parent_.size(); ++i) by_root[root(i)].push_back(static_cast<int>(i));
  std::erase_if(by_root, [](const auto& g) { return g.empty(); });
  return by_root;
}

} // namespace jitterscope::causal
