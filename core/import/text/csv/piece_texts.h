#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/spill_vector.h"
#include "core/import/text/same_bytes.h"
#include "core/import/text/text_table.h"

namespace jitterscope::import {

/// Numbers the distinct texts of a column in a piece of a table, in the order in which they appear.
/// Texts must outlive this object.
class PieceTexts {
public:
  void clear() {
    texts_.clear();
    next_.clear();
    last_ = kNone;
    std::fill(slots_.begin(), slots_.end(), kNone);
  }
  /// The number of a text, added when new. The text that last followed the previous one is compared first.
  std::uint32_t number_of(std::string_view text) {
    if (const auto guess = guessed(text); guess != kNone) return guess;
    const auto number = add(text);
    if (last_ != kNone) next_[last_] = number;
    return last_ = number;
  }
  /// The number of `text` if it is the text that followed the previous one the last time; else kNone.
  std::uint32_t guessed(std::string_view text) {
    const auto guess = last_ != kNone ? next_[last_] : kNone;
    if (guess == kNone) return kNone;
    return is(guess, text) ? last_ = guess : kNone;
  }
  /// Applies guessed() to the texts `text_of` from `from` to `to`, while they are predicted: returns the
  /// first that is not.
  template <class TextOf>
  [[gnu::always_inline]] inline std::size_t put_guessed(std::size_t from, std::size_t to, TextOf&& text_of,
                                                        std::uint32_t* numbers) {
    auto last = last_;
    for (; from < to && last != kNone; ++from) {
      const auto guess = next_[last];
      if (guess == kNone || !is(guess, text_of(from))) break;
      numbers[from] = last = guess;
    }
    last_ = last;
    return from;
  }
  std::size_t size() const { return texts_.size(); }
  std::string_view operator[](std::uint32_t number) const { return texts_[number]; }

private:
  static constexpr std::size_t kMinSlots = 64;

  [[gnu::always_inline]] inline bool is(std::uint32_t number, std::string_view text) const {
    const auto known = texts_[number];
    return known.size() == text.size() && same_bytes(known.data(), text.data(), text.size());
  }
  std::uint32_t add(std::string_view text) {
    if (2 * texts_.size() >= slots_.size()) grow();
    auto& slot = find(text);
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(texts_.size());
      texts_.push_back(text);
      next_.push_back(kNone);
    }
    return slot;
  }
  std::uint32_t& find(std::string_view text) {
    for (auto at = TextHash()(text);; ++at)
      if (auto& slot = slots_[at & (slots_.size() - 1)]; slot == kNone || texts_[slot] == text) return slot;
  }
  void grow() {
    slots_.assign(std::max(kMinSlots, 2 * slots_.size()), kNone);
    for (std::uint32_t number = 0; number < texts_.size(); ++number) find(texts_[number]) = number;
  }

  std::vector<std::string_view> texts_;
  SpillVector<std::uint32_t> next_; ///< by number of a text: number of the text that last followed it
  SpillVector<std::uint32_t>
      slots_; ///< hash table of text numbers; its size is a power of two, at most half is filled
  std::uint32_t last_ = kNone;
};

} // namespace jitterscope::import
