#include "core/import/number_column.h"

#include <algorithm>
#include <limits>

#include "core/store/narrow.h"

namespace jitterscope::import {

std::shared_ptr<std::byte[]> NumberRooms::take(std::size_t bytes) {
  bytes = (bytes + 7) / 8 * 8;
  std::unique_lock guard(lock_);
  for (auto room = rooms_.begin(); room != rooms_.end(); ++room) {
    if (room->size - room->used < bytes) continue;
    const std::shared_ptr<std::byte[]> place(room->bytes, room->bytes.get() + room->used);
    room->used += bytes;
    if (room->size - room->used < kLeastLeft) rooms_.erase(room);
    return place;
  }
  const auto size = std::max(bytes, std::min(total_, kMostRoom)); // small tables take no more than they need
  total_ += size;
  guard.unlock();
  // Touching memory for the first time takes long: others go on meanwhile.
  const std::shared_ptr<std::byte[]> room = std::make_shared_for_overwrite<std::byte[]>(size);
  guard.lock();
  if (size - bytes >= kLeastLeft) rooms_.push_back({room, size, bytes});
  return room;
}

NarrowNumbers::NarrowNumbers(std::span<const double> values, NumberRooms& rooms)
    : size_(values.size()), stored_(store::narrowest(values)) {
  auto bytes = rooms.take(size_ * store::size_of(stored_));
  store::encode(values, stored_, bytes.get());
  bytes_ = std::move(bytes);
}

void NarrowNumbers::read(double* out) const {
  store::ColumnView view;
  view.type = store::ElementType::Float64;
  view.stored = stored_;
  view.data = bytes_.get();
  view.rows = size_;
  view.read(0, size_, out);
}

void NumberColumn::join() const {
  values_.reserve(end_);
  for (auto& piece : pieces_) {
    values_.resize(piece.row, std::numeric_limits<double>::quiet_NaN());
    values_.resize(piece.row + piece.numbers.size());
    piece.numbers.read(values_.data() + piece.row);
    piece.numbers = {};
  }
  pieces_ = {};
  end_ = 0;
}

} // namespace jitterscope::import
