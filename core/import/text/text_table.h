#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace jitterscope::import {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// Fast hash of the length of a text and of 8 bytes each at its start, middle and end. Names of kernels often
/// share start and end, so the middle is included.
inline std::size_t quick_hash(std::string_view text) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15u;
  const auto word = [&](std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, text.data() + at, bytes);
    return value;
  };
  std::uint64_t hash = text.size();
  if (text.size() >= 8) {
    hash = (hash ^ word(0, 8)) * kFactor;
    hash = (hash ^ hash >> 32 ^ word(text.size() / 2 - 4, 8)) * kFactor;
    hash = (hash ^ hash >> 32 ^ word(text.size() - 8, 8)) * kFactor;
  } else {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kFactor;
  }
  return static_cast<std::size_t>(hash >> 40);
}

/// Values by text. Recent lookups are found without hashing the whole text; addresses of values are
/// stable.
template <class Value>
class TextTable {
public:
  /// Null when absent.
  Value* find(std::string_view text) {
    auto& recent = recent_[quick_hash(text) % kRecent];
    if (recent && recent->first == text) return &recent->second;
    const auto found = all_.find(text);
    if (found == all_.end()) return nullptr;
    recent = &*found;
    return &found->second;
  }

  Value& add(std::string_view text, Value value) {
    return all_.emplace(std::string(text), std::move(value)).first->second;
  }

  std::size_t size() const { return all_.size(); }

private:
  static constexpr std::size_t kRecent = 256;
  using All = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
  All all_;
  std::array<typename All::value_type*, kRecent> recent_{};
};

} // namespace jitterscope::import
