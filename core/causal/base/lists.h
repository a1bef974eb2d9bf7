#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>
#include <vector>

namespace jitterscope::causal {

/// Whether a list has an element with this value; `member`: whose member or result has it.
template <class Member = std::identity>
bool contains(const auto& list, const auto& value, const Member& member = {}) {
  return std::ranges::find(list, value, member) != std::ranges::end(list);
}

/// A member of every element, or the result of a function.
auto mapped(const auto& list, const auto& member) {
  std::vector<std::decay_t<decltype(std::invoke(member, *std::ranges::begin(list)))>> all;
  all.reserve(static_cast<std::size_t>(std::ranges::size(list)));
  for (const auto& element : list) all.push_back(std::invoke(member, element));
  return all;
}

/// 0 … count − 1.
template <class Number>
std::vector<Number> numbers_below(Number count) {
  std::vector<Number> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), Number{0});
  return numbers;
}

} // namespace jitterscope::causal
