#include "core/import/records/number_column.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/spill_vector.h"
#include "core/base/vector_clones.h"
#include "core/import/text/plain_number.h"
#include "core/store/columns/narrow.h"

namespace jitterscope::import {
namespace {

constexpr auto kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr int kMaxPlaces = 7;
constexpr std::int32_t kNoMultiple = std::numeric_limits<std::int32_t>::min();
constexpr std::int16_t kNoSmallMultiple = std::numeric_limits<std::int16_t>::min();

constexpr std::size_t kAtOnce = 64; // values per step: loops of known length are vectorised

// Expresses kAtOnce values as integer multiples of 1 / power, to the last bit; false where impossible.
// `maximum`: bits of a double that is at least the maximum absolute value.
JITTERSCOPE_VECTOR_CLONES bool find_multiples(const double* values, double power, std::int32_t* multiples,
                                              std::int64_t& maximum) {
  constexpr double kToInteger = 6755399441055744.0; // 1.5 * 2^52: adding it rounds to an integer
  constexpr auto kBeyond = std::bit_cast<std::int64_t>(2147483647.0),
                 kNone = std::bit_cast<std::int64_t>(kMissing),
                 kUnsigned = std::numeric_limits<std::int64_t>::max();
  std::int64_t bad = 0, largest = maximum;
  for (std::size_t i = 0; i < kAtOnce;
       ++i) { // without branches; bits of unsigned doubles sort as their values
    const auto value = std::bit_cast<std::int64_t>(values[i]);
    const auto scaled = std::bit_cast<std::int64_t>(values[i] * power);
    const auto within = -static_cast<std::int64_t>((scaled & kUnsigned) < kBeyond); // all bits; none for NaN
    const auto whole = (std::bit_cast<double>(scaled & within) + kToInteger) - kToInteger;
    const auto multiple = static_cast<std::int32_t>(whole);
    const auto again = std::bit_cast<std::int64_t>(whole / power);
    bad |= ((again & within) | (kNone & ~within)) ^ value;
    multiples[i] = multiple | (kNoMultiple & static_cast<std::int32_t>(~within));
    largest = std::max(largest, std::bit_cast<std::int64_t>(whole) & kUnsigned);
  }
  maximum = largest;
  return bad == 0;
}

// Decimal places of the first values, 0 where these are not decimal numbers.
int places_of(std::span<const double> values) {
  constexpr std::size_t kFew = 16;
  int places = 1;
  for (const auto value : values.first(std::min(values.size(), kFew)))
    for (;; ++places) {
      if (places > kMaxPlaces) return 0;
      const auto power = kExactPowers[static_cast<std::size_t>(places)];
      if (!(value == value) || std::nearbyint(value * power) / power == value) break;
    }
  return places;
}

struct Multiples {
  SpillVector<std::int32_t> values;
  std::int64_t maximum = 0; ///< bits of the maximum absolute value, as a double
};

// Empty where the values are not decimal numbers.
Multiples multiples_of(std::span<const double> values, int places) {
  Multiples out;
  if (places == 0) return out;
  const auto power = kExactPowers[static_cast<std::size_t>(places)];
  const auto whole = values.size() / kAtOnce * kAtOnce;
  out.values.resize(whole + kAtOnce);
  std::array<double, kAtOnce> last;
  last.fill(kMissing);
  std::copy(values.begin() + static_cast<std::ptrdiff_t>(whole), values.end(), last.begin());
  for (std::size_t at = 0; at <= whole; at += kAtOnce)
    if (!find_multiples(at < whole ? values.data() + at : last.data(), power, out.values.data() + at,
                        out.maximum))
      return {};
  return out;
}

// Converts multiples to 16 bits, where they fit.
JITTERSCOPE_VECTOR_CLONES void make_small(const std::int32_t* multiples, std::int16_t* codes) {
  for (std::size_t i = 0; i < kAtOnce; ++i) { // the low bits of kNoMultiple are 0
    const auto none = -static_cast<std::int32_t>(multiples[i] == kNoMultiple);
    codes[i] = static_cast<std::int16_t>(multiples[i] | (kNoSmallMultiple & none));
  }
}

template <class Code>
JITTERSCOPE_VECTOR_CLONES void read_multiples(const std::byte* bytes, std::size_t count, double power,
                                              Code missing, double* out) {
  for (std::size_t i = 0; i < count; ++i) {
    Code code;
    std::memcpy(&code, bytes + i * sizeof code, sizeof code);
    out[i] = code == missing ? kMissing : static_cast<double>(code) / power;
  }
}

} // namespace

std::shared_ptr<std::byte[]> NumberBuffers::allocate(std::size_t bytes) {
  bytes = (bytes + 7) / 8 * 8;
  std::unique_lock guard(lock_);
  for (auto room = rooms_.begin(); room != rooms_.end(); ++room) {
    if (room->size - room->used < bytes) continue;
    const std::shared_ptr<std::byte[]> place(room->bytes, room->bytes.get() + room->used);
    room->used += bytes;
    if (room->size - room->used < kMinBytesLeft) rooms_.erase(room);
    return place;
  }
  const auto size =
      std::max(bytes, std::min(total_, kMaxCapacity)); // small tables use no more than they need
  total_ += size;
  guard.unlock();
  // Touching memory for the first time takes long: other threads continue meanwhile.
  const std::shared_ptr<std::byte[]> room =
      std::allocate_shared_for_overwrite<std::byte[]>(SpillAllocator<std::byte>(), size);
  guard.lock();
  if (size - bytes >= kMinBytesLeft) rooms_.push_back({room, size, bytes});
  return room;
}

NarrowNumbers::NarrowNumbers(std::span<const double> values, NumberBuffers& rooms)
    : size_(values.size()), stored_(store::narrowest(values)) {
  Multiples multiples;
  if (stored_ == store::ElementType::Float64) {
    places_ = places_of(values);
    multiples = multiples_of(values, places_);
  }
  if (multiples.values.empty()) {
    places_ = 0;
    auto bytes = rooms.allocate(size_ * store::size_of(stored_));
    store::encode(values, stored_, bytes.get());
    bytes_ = std::move(bytes);
    return;
  }
  const bool small = std::bit_cast<double>(multiples.maximum) <= std::numeric_limits<std::int16_t>::max();
  stored_ = small ? store::ElementType::UInt16 : store::ElementType::UInt32;
  auto bytes = rooms.allocate(size_ * store::size_of(stored_));
  std::array<std::int16_t, kAtOnce> codes;
  for (std::size_t at = 0; small && at < size_; at += kAtOnce) {
    make_small(multiples.values.data() + at, codes.data());
    std::memcpy(bytes.get() + at * sizeof codes[0], codes.data(),
                std::min(kAtOnce, size_ - at) * sizeof codes[0]);
  }
  if (!small) std::memcpy(bytes.get(), multiples.values.data(), size_ * sizeof(std::int32_t));
  bytes_ = std::move(bytes);
}

void NarrowNumbers::read(double* out) const {
  if (places_ > 0) {
    const auto power = kExactPowers[static_cast<std::size_t>(places_)];
    if (stored_ == store::ElementType::UInt16)
      read_multiples(bytes_.get(), size_, power, kNoSmallMultiple, out);
    else
      read_multiples(bytes_.get(), size_, power, kNoMultiple, out);
    return;
  }
  store::ColumnView view;
  view.type = store::ElementType::Float64;
  view.stored = stored_;
  view.data = bytes_.get();
  view.rows = size_;
  view.read(0, size_, out);
}

void NumberColumn::join() const {
  constexpr std::size_t kRowsBetweenRelief = 65'536;
  values_.reserve(end_);
  std::size_t relieved = 0;
  for (auto& piece : pieces_) {
    if (piece.row >= relieved + kRowsBetweenRelief) {
      relieved = piece.row;
      SpillMemory::relieve();
    }
    values_.resize(piece.row, std::numeric_limits<double>::quiet_NaN());
    values_.resize(piece.row + piece.numbers.size());
    piece.numbers.read(values_.data() + piece.row);
    piece.numbers = {};
  }
  pieces_ = {};
  end_ = 0;
}

} // namespace jitterscope::import
