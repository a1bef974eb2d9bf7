#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/base/stop.h"

namespace jitterscope::import {

/// Row numbers in sorted order; empty if the rows are already sorted.
using Permutation = SpillVector<std::uint32_t>;

/// Finds the order of rows by (first, second), ties in their original order. Rows of traces are nearly in
/// order: blocks of them are sorted in the cache, then merged where they overlap.
template <class First, class Second>
class RowOrder {
public:
  RowOrder(const SpillVector<First>& first, const SpillVector<Second>& second, Stop& stop)
      : first_(first), second_(second), stop_(stop) {}

  /// The order of the rows; unspecified if a stop was requested.
  Permutation find() {
    std::size_t row = 1;
    while (row < first_.size() && !before(row, row - 1) && !stop_.at(row)) ++row;
    if (row >= first_.size()) return {};
    order_.reserve(first_.size());
    for (std::uint32_t i = 0; i < first_.size() && !stop_.at(i); ++i) order_.push_back(i);
    for (std::size_t begin = 0; begin < order_.size() && !stop_.requested(); begin += kBlock)
      sort_block(begin, std::min(begin + kBlock, order_.size()));
    for (std::size_t width = kBlock; width < order_.size(); width *= 2)
      for (std::size_t begin = 0; begin + width < order_.size(); begin += 2 * width) {
        if (stop_.requested()) return {};
        merge(begin, begin + width, std::min(begin + 2 * width, order_.size()));
      }
    return std::move(order_);
  }

private:
  static constexpr std::size_t kBlock = 16'384;
  struct Key {
    First first;
    Second second;
    std::uint32_t row;
  };

  bool before(std::size_t a, std::size_t b) const {
    return first_[a] < first_[b] || (first_[a] == first_[b] && second_[a] < second_[b]);
  }

  void sort_block(std::size_t begin, std::size_t end) {
    auto row = begin + 1;
    while (row < end && !before(row, row - 1)) ++row;
    if (row >= end) return;
    keys_.clear();
    for (row = begin; row < end; ++row)
      keys_.push_back({first_[row], second_[row], static_cast<std::uint32_t>(row)});
    std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) {
      if (a.first != b.first) return a.first < b.first;
      return a.second != b.second ? a.second < b.second : a.row < b.row;
    });
    for (std::size_t i = 0; i < keys_.size(); ++i) order_[begin + i] = keys_[i].row;
  }

  // Merges two sorted parts: only the rows of the left one that follow the first of the right one, and the
  // rows of the right one that precede the last of the left one, move.
  void merge(std::size_t begin, std::size_t middle, std::size_t end) {
    const auto less = [this](std::uint32_t a, std::uint32_t b) { return before(a, b); };
    auto* const rows = order_.data();
    if (!less(rows[middle], rows[middle - 1])) return;
    auto* left = std::upper_bound(rows + begin, rows + middle, rows[middle], less);
    auto* const right_end = std::lower_bound(rows + middle, rows + end, rows[middle - 1], less);
    moved_.assign(left, rows + middle);
    auto* out = left;
    auto* right = rows + middle;
    std::size_t i = 0;
    while (i < moved_.size() && right < right_end) {
      if (stop_.at(i)) return;
      *out++ = less(*right, moved_[i]) ? *right++ : moved_[i++];
    }
    std::copy(moved_.begin() + static_cast<std::ptrdiff_t>(i), moved_.end(), out);
  }

  const SpillVector<First>& first_;
  const SpillVector<Second>& second_;
  Stop& stop_;
  Permutation order_, moved_;
  std::vector<Key> keys_;
};

template <class First, class Second>
Permutation sorted_order(const SpillVector<First>& first, const SpillVector<Second>& second, Stop& stop) {
  return RowOrder<First, Second>(first, second, stop).find();
}

/// Same as sorted_order(group, time), but faster if the rows of each group are in order, as samples of
/// counters are. `groups`: number of groups.
inline Permutation grouped_order(const SpillVector<std::uint32_t>& group, std::size_t groups,
                                 const SpillVector<std::int64_t>& time, Stop& stop) {
  std::size_t row = 1;
  const auto before = [&](std::size_t a, std::size_t b) {
    return group[a] < group[b] || (group[a] == group[b] && time[a] < time[b]);
  };
  while (row < group.size() && !before(row, row - 1) && !stop.at(row)) ++row;
  if (row >= group.size()) return {};
  std::vector<std::size_t> next(groups + 1);
  for (row = 0; row < group.size() && !stop.at(row); ++row) ++next[group[row] + std::size_t{1}];
  for (std::size_t g = 0; g < groups; ++g) next[g + 1] += next[g];
  Permutation order(group.size());
  for (row = 0; row < group.size() && !stop.at(row); ++row)
    order[next[group[row]]++] = static_cast<std::uint32_t>(row);
  for (row = 1; row < order.size() && !stop.at(row); ++row)
    if (before(order[row], order[row - 1])) return sorted_order(group, time, stop);
  return order;
}

} // namespace jitterscope::import
