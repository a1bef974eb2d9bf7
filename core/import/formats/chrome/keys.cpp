#include "core/import/formats/chrome/keys.h"

#include <algorithm>
#include <cstring>

namespace jitterscope::import::chrome {
namespace {

// Names of the keys, in the order of Key.
constexpr std::array<std::string_view, static_cast<std::size_t>(Key::Count)> kKnown = {
    "ph",
    "cat",
    "name",
    "ts",
    "dur",
    "pid",
    "tid",
    "id",
    "args",
    "device",
    "context",
    "stream",
    "correlation",
    "correlation_id",
    "correlation id",
    "dev-id",
    "queue-id",
    "registers per thread",
    "shared memory",
    "graph node id",
    "bytes",
    "kind",
    "kernel_details",
    "memcpy_details",
    "BeginNs",
    "EndNs",
    "desc",
    "labels",
    "grid",
    "block",
    "rank",
    "direction",
    "size",
    "Task Type",
    "memcpy direction",
    "data size(Byte)",
    "graph launch",
};

std::string_view written_at(const char* begin) {
  const char* end = begin;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  return {begin, static_cast<std::size_t>(end - begin)};
}

} // namespace

std::optional<Key> known_key(std::string_view text) {
  const auto found = std::find(kKnown.begin(), kKnown.end(), text);
  if (found == kKnown.end()) return {};
  return static_cast<Key>(found - kKnown.begin());
}

Keys::Keys() : next_guesses_(kMaxKeys + 1) {
  for (auto& guesses : next_guesses_) guesses.fill(kUnnumbered);
  for (const auto key : kKnown) number_of(key);
}

std::uint32_t Keys::number_of(std::string_view text) {
  if (const auto* known = numbers_.find(text)) return *known;
  if (texts_.size() >= kMaxKeys) return kUnnumbered;
  const auto number = static_cast<std::uint32_t>(texts_.size());
  auto& known = texts_.emplace_back();
  known.size = static_cast<std::uint32_t>(text.size());
  if (text.size() < kLongestGuess) {
    std::memcpy(known.words.data(), text.data(), text.size());
    reinterpret_cast<char*>(known.words.data())[text.size()] = '"';
    std::memset(known.mask.data(), 0xFF, text.size() + 1);
  }
  return numbers_.add(text, number);
}

Keys::Found Keys::read(const char* begin, std::uint32_t& guess) {
  const auto text = written_at(begin);
  const auto number = number_of(text);
  if (text.size() < kLongestGuess) guess = number;
  return {text, number};
}

} // namespace jitterscope::import::chrome
