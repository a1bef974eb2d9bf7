#include "core/import/formats/gpu_trace/row_text.h"

#include <algorithm>

namespace jitterscope::import::gpu_trace {
namespace {

__extension__ typedef unsigned __int128 Wide;

// Combines both halves of a 128-bit product (as wyhash, Wang Yi 2019).
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t kFirst = 0xA0761D6478BD642Fu, kSecond = 0xE7037ED1A0B428DBu,
                        kThird = 0x8EBC6AF09C88C6E3u;

[[gnu::always_inline]] inline std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
  const char* at = text.data();
  auto left = text.size();
  hash ^= left * kThird; // for one byte, kSecond would leave a zero factor
  if (left < 8) return mixed(few_bytes(at, left) ^ kFirst, hash ^ kSecond);
  auto other = hash;
  const auto mix = [&](const FourWords& words) __attribute__((always_inline)) {
    hash = mixed(words.a ^ kFirst, words.b ^ hash); // two independent dependency chains
    other = mixed(words.c ^ kSecond, words.d ^ other);
  };
  for (; left > 32; at += 32, left -= 32) {
    mix(four_words(at, 32));
    if (left < 40) at -= 40 - left, left = 40;
  }
  mix(four_words(at, left));
  return hash ^ other;
}

constexpr std::size_t kMinSlots = 128;
constexpr std::size_t kMaxSteps = 32; // beyond this, a file is crafted to have equal hashes

} // namespace

std::uint64_t hash_of(const RowText& text) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < text.count; ++i) hash = hash_of(text.runs[i], hash);
  return hash;
}

void RowTexts::clear() {
  known_.clear();
  recent_.fill(kNone);
  last_ = kNone;
  followed_ = 0;
  std::fill(slots_.begin(), slots_.end(), kNone);
}

std::uint32_t RowTexts::find(const RowText& text) {
  if (2 * known_.size() >= slots_.size()) grow();
  const auto hash = hash_of(text);
  for (std::size_t step = 0; step < kMaxSteps; ++step) {
    auto& slot = slots_[(hash + step) & (slots_.size() - 1)];
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(known_.size());
      known_.push_back({hash, text});
      return slot;
    }
    if (known_[slot].hash == hash && known_[slot].text == text) return slot;
  }
  return kNone;
}

void RowTexts::grow() {
  slots_.assign(std::max(kMinSlots, 2 * slots_.size()), kNone);
  for (std::uint32_t number = 0; number < known_.size(); ++number)
    for (auto at = known_[number].hash;; ++at)
      if (auto& slot = slots_[at & (slots_.size() - 1)]; slot == kNone) {
        slot = number;
        break;
      }
}

} // namespace jitterscope::import::gpu_trace
