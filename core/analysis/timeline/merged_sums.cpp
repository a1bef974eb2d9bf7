#include "core/analysis/timeline/merged_sums.h"

#include <algorithm>

namespace jitterscope::analysis {

MergedSums::MergedSums(std::span<const std::uint32_t> row_of_track, std::size_t rows, std::size_t names,
                       bool peaks)
    : row_of_track_(row_of_track), peaks_(peaks), tracks_in_row_(rows), local_(names + 1, kNone),
      by_local_(rows), slots_(rows) {
  for (const auto row : row_of_track) ++tracks_in_row_[row];
  if (peaks) tracks_.resize(row_of_track.size());
}

void MergedSums::start(std::span<const std::int64_t> borders) {
  borders_ = borders;
  if (columns_ != borders.size() - 1) { // the slots have another layout
    count_ = 0;
    for (auto& slots : slots_) slots.clear();
    for (auto& of : by_local_) of.clear();
  }
  columns_ = borders.size() - 1;
  columns_per_ns_ = static_cast<double>(columns_) / static_cast<double>(borders.back() - borders.front());
  std::fill(part_.begin(), part_.end(), 0);
  std::fill(full_.begin(), full_.end(), 0);
  std::fill(peak_.begin(), peak_.end(), 0);
  if (peaks_) covered_peak_.assign(slots_.size() * columns_, 0);
  for (auto& track : tracks_) track.column = -1;
}

std::uint32_t MergedSums::make_slot(std::uint32_t row, std::uint32_t name) {
  auto& local = local_[std::min<std::size_t>(name, local_.size() - 1)];
  if (local == kNone) local = locals_++;
  auto& of = by_local_[row];
  if (of.size() <= local) of.resize(local + std::size_t{1}, kNone);
  if (of[local] != kNone) return of[local];
  of[local] = count_;
  slots_[row].push_back({count_, name});
  const auto needed = (count_ + std::size_t{1}) * columns_;
  if (part_.size() < needed) {
    part_.resize(std::max(needed, 2 * part_.size()));
    if (peaks_) peak_.resize(part_.size());
  }
  if (const auto more = needed + count_ + 1; full_.size() < more)
    full_.resize(std::max(more, 2 * full_.size()));
  return count_++;
}

[[gnu::always_inline]] inline std::size_t MergedSums::column_of(std::int64_t time) const {
  auto column = std::min(
      static_cast<std::size_t>(static_cast<double>(time - borders_.front()) * columns_per_ns_), columns_ - 1);
  while (column > 0 && time < borders_[column]) --column;
  while (column + 1 < columns_ && time >= borders_[column + 1]) ++column;
  return column;
}

[[gnu::always_inline]] inline void MergedSums::add_to(std::uint32_t track, std::uint32_t slot,
                                                      std::size_t column, std::int64_t time) {
  part_[slot * columns_ + column] += time;
  if (peaks_) add_peak(track, slot, column, time);
}

void MergedSums::add(std::uint32_t track, std::uint32_t name, std::int64_t begin, std::int64_t end) {
  end = std::min(std::max(end, begin + 1), borders_.back());
  begin = std::max(begin, borders_.front());
  if (begin >= end) return;
  const auto slot = slot_of(row_of_track_[track], name);
  const auto first = column_of(begin), last = end <= borders_[first + 1] ? first : column_of(end - 1);
  if (first == last) return add_to(track, slot, first, end - begin);
  add_to(track, slot, first, borders_[first + 1] - begin);
  auto* full = &full_[slot * (columns_ + 1)];
  ++full[first + 1];
  --full[last];
  add_to(track, slot, last, end - borders_[last]);
}

void MergedSums::add_time(std::uint32_t track, std::uint32_t name, std::size_t column, std::int64_t time) {
  add_to(track, slot_of(row_of_track_[track], name), column, time);
}

void MergedSums::add_peak(std::uint32_t track, std::uint32_t slot, std::size_t column, std::int64_t time) {
  auto& of = tracks_[track];
  if (of.column != static_cast<std::int32_t>(column)) {
    flush(track);
    of.column = static_cast<std::int32_t>(column);
    of.covered = 0;
    of.slots.fill(slot);
    of.times.fill(0);
  }
  of.covered += time;
  std::size_t place = 0, smallest = 0;
  for (; place < kNamesOfTrack && of.slots[place] != slot; ++place)
    if (of.times[place] < of.times[smallest]) smallest = place;
  if (place == kNamesOfTrack) { // a free slot, else the slot with the least time
    place = smallest;
    auto& peak = peak_[of.slots[place] * columns_ + column];
    peak = std::max(peak, of.times[place]);
    of.slots[place] = slot;
    of.times[place] = 0;
  }
  of.times[place] += time;
}

void MergedSums::flush(std::uint32_t track) {
  auto& of = tracks_[track];
  if (of.column < 0) return;
  const auto column = static_cast<std::size_t>(of.column);
  for (std::size_t i = 0; i < kNamesOfTrack; ++i) {
    auto& peak = peak_[of.slots[i] * columns_ + column];
    peak = std::max(peak, of.times[i]);
  }
  auto& covered = covered_peak_[row_of_track_[track] * columns_ + column];
  covered = std::max(covered, of.covered);
  of.column = -1;
}

void MergedSums::cells(std::uint32_t row, std::span<Cell> out) {
  if (peaks_ && row == 0)
    for (std::uint32_t track = 0; track < tracks_.size(); ++track) flush(track);
  std::vector<std::int64_t> best(columns_, -1), minimum(columns_), covered(columns_);
  std::fill(out.begin(), out.end(), Cell());
  for (const auto& [slot, name] : slots_[row]) {
    std::int64_t filled = 0;
    for (std::size_t c = 0; c < columns_; ++c) {
      const auto width = borders_[c + 1] - borders_[c];
      filled += full_[slot * (columns_ + 1) + c];
      const auto total = filled * width + part_[slot * columns_ + c];
      if (total == 0) continue;
      covered[c] += total;
      const auto peak = !peaks_ ? total : filled > 0 ? width : peak_[slot * columns_ + c];
      const bool equal = peak == best[c];
      const bool before = total < minimum[c] || (total == minimum[c] && name < out[c].name);
      if (peak > best[c] || (equal && (peaks_ ? before : name < out[c].name))) {
        best[c] = peak;
        minimum[c] = total;
        out[c].name = name;
      }
      if (peaks_ && filled > 0) covered_peak_[row * columns_ + c] = width;
    }
  }
  for (std::size_t c = 0; c < columns_; ++c) {
    if (best[c] < 0) continue;
    const auto width = static_cast<double>(borders_[c + 1] - borders_[c]);
    const auto share =
        peaks_ ? static_cast<double>(covered_peak_[row * columns_ + c]) / width
               : static_cast<double>(covered[c]) /
                     (width * static_cast<double>(std::max<std::int64_t>(tracks_in_row_[row], 1)));
    out[c].share = std::min(share, 1.0);
  }
}

} // namespace jitterscope::analysis
