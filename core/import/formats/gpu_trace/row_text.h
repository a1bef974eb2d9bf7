#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/text/same_bytes.h"

namespace jitterscope::import::gpu_trace {

/// The text of a record without a few of its fields: the runs of bytes between those fields.
struct RowText {
  static constexpr std::size_t kMaxRuns = 6;

  std::array<std::string_view, kMaxRuns> runs;
  std::size_t count = 0;

  [[gnu::always_inline]] inline bool operator==(const RowText& other) const {
    if (count != other.count) return false;
    for (std::size_t i = 0; i < count; ++i)
      if (runs[i].size() != other.runs[i].size() ||
          !same_bytes(runs[i].data(), other.runs[i].data(), runs[i].size()))
        return false;
    return true;
  }
  std::size_t size() const {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) bytes += runs[i].size();
    return bytes;
  }
};

/// Hash of all bytes of a row's text: names of kernels often differ in a few letters in the middle.
std::uint64_t hash_of(const RowText& text);

/// Hash of the lengths of a row's runs and of the bytes at their ends: much faster than hash_of().
inline std::uint64_t quick_hash_of(const RowText& text) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < text.count; ++i) {
    const auto run = text.runs[i];
    const auto ends = run.size() < 8
                          ? few_bytes(run.data(), run.size())
                          : eight_bytes(run.data()) ^ std::rotl(eight_bytes(run.data() + run.size() - 8), 29);
    hash = (hash ^ ends ^ run.size()) * 0x9E3779B97F4A7C15u; // 2^64 / golden ratio (Knuth, vol. 3, 6.4)
  }
  return hash;
}

/// The distinct texts of the rows of a piece, numbered in the order in which they appear. The bytes must
/// outlive this object.
class RowTexts {
public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  RowTexts() { recent_.fill(kNone); }
  void clear();
  /// The number of a text, which is added if it is new; kNone if too many known texts have about the same
  /// hash. Programs repeat sequences of texts: after kAWhile successions that occurred before, the next text
  /// of the sequence is compared first, else the last text with the same first bits of quick_hash_of().
  std::uint32_t number_of(const RowText& text) {
    const auto guess = last_ != kNone ? known_[last_].next : kNone;
    const bool guessed = followed_ >= kAWhile && guess != kNone && known_[guess].text == text;
    const auto number = guessed ? guess : find_recent(text);
    followed_ = number == guess ? followed_ + 1 : 0;
    if (last_ != kNone) known_[last_].next = number;
    return last_ = number;
  }
  std::size_t size() const { return known_.size(); }
  const RowText& operator[](std::uint32_t number) const { return known_[number].text; }
  std::uint64_t hash(std::uint32_t number) const { return known_[number].hash; }

private:
  struct Known {
    std::uint64_t hash;
    RowText text;
    std::uint32_t next = kNone; ///< number of the text that followed the last occurrence of this text
  };
  std::uint32_t find_recent(const RowText& text) {
    auto& recent = recent_[quick_hash_of(text) >> (64 - kRecentBits)];
    if (recent == kNone || !(known_[recent].text == text)) recent = find(text);
    return recent;
  }
  std::uint32_t find(const RowText& text);
  void grow();

  static constexpr int kRecentBits = 8;
  static constexpr std::uint32_t kAWhile =
      4; ///< repeated successions in a row after which the next one is expected

  std::vector<Known> known_;
  std::array<std::uint32_t, std::size_t{1} << kRecentBits>
      recent_; ///< number of the last text by the first bits of its quick_hash_of()
  SpillVector<std::uint32_t>
      slots_; ///< hash table of text numbers; its size is a power of two, at most half is filled
  std::uint32_t last_ = kNone;
  std::uint32_t followed_ = 0; ///< number of texts in a row that followed their predecessor as last time
};

template <class Value>
class ByRowText {
public:
  /// Null when absent.
  const Value* find(const RowText& text, std::uint64_t hash) const {
    const auto found = entries_.find(hash);
    return found != entries_.end() && found->second.text == text ? &found->second.value : nullptr;
  }
  /// Adds a text. Only the first of several texts with the same hash is kept.
  void add(const RowText& text, std::uint64_t hash, Value value) {
    if (entries_.size() >= kMaxKept || text.size() > kLongestKept) return;
    const auto [place, added] = entries_.try_emplace(hash);
    if (!added) return;
    auto& entry = place->second;
    entry.value = value;
    entry.bytes.reserve(text.size());
    entry.text.count = text.count;
    for (std::size_t i = 0; i < text.count; ++i) {
      const auto at = entry.bytes.size();
      entry.bytes.append(text.runs[i]);
      entry.text.runs[i] = {entry.bytes.data() + at, text.runs[i].size()};
    }
  }
  void clear() { entries_.clear(); }

private:
  // At most 64 MiB of texts, for any file.
  static constexpr std::size_t kMaxKept = 16'384, kLongestKept = 4'096;
  struct Entry {
    std::string bytes;
    RowText text; ///< runs that point into `bytes`
    Value value{};
  };
  std::unordered_map<std::uint64_t, Entry> entries_;
};

} // namespace jitterscope::import::gpu_trace
