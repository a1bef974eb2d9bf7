#include "core/analysis/bins/bin_values.h"

#include "core/base/vector_clones.h"

namespace jitterscope::analysis {
namespace {

JITTERSCOPE_VECTOR_CLONES
bool any_missing(const double* values, std::size_t count) {
  unsigned missing = 0;
  for (std::size_t i = 0; i < count; ++i) missing |= values[i] != values[i];
  return missing != 0;
}

// Moves the values of selected rows to the front and returns their number. Without branches, because the
// mask is unpredictable.
template <class Value>
std::size_t compact(Value* values, const std::uint8_t* mask, std::size_t rows) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    values[kept] = values[i];
    kept += mask[i];
  }
  return kept;
}

} // namespace

const std::vector<BinPart>& BinValues::read(std::span<const Segment> segments) {
  std::size_t rows = 0;
  for (const auto& segment : segments) rows += static_cast<std::size_t>(segment.rows());
  if (values_.size() < rows) values_.resize(rows);
  if (question_.groups && numbers_.size() < rows) numbers_.resize(rows);
  const bool everything = question_.filter.everything();
  if (!everything && mask_.size() < rows) mask_.resize(rows);
  std::size_t selected = 0;
  for (const auto& segment : segments) {
    if (everything) {
      read_all(segment, selected);
      selected += static_cast<std::size_t>(segment.rows());
    } else {
      selected += read_selected(segment, selected);
    }
  }
  parts_.clear();
  if (question_.groups)
    divide(selected);
  else if (selected > 0)
    parts_.push_back(part_of({values_.data(), selected}));
  return parts_;
}

void BinValues::read_all(const Segment& segment, std::size_t at) {
  question_.reader.read(segment, values_.data() + at);
  if (question_.groups) question_.groups->read(segment, numbers_.data() + at, numbers_buffer_);
}

std::size_t BinValues::read_selected(const Segment& segment, std::size_t at) {
  if (!question_.filter.select(segment, mask_.data(), buffers_)) return 0;
  read_all(segment, at);
  const auto rows = static_cast<std::size_t>(segment.rows());
  if (question_.groups) compact(numbers_.data() + at, mask_.data(), rows);
  return compact(values_.data() + at, mask_.data(), rows);
}

BinPart BinValues::part_of(std::span<double> values) {
  BinPart part;
  part.launches = static_cast<std::int64_t>(values.size());
  auto kept = values.size();
  if (any_missing(values.data(), kept))
    kept = static_cast<std::size_t>(
        std::remove_if(values.begin(), values.end(), [](double v) { return v != v; }) - values.begin());
  part.values = values.first(kept);
  return part;
}

// Distributes values over their groups by counting sort, in row order.
void BinValues::divide(std::size_t count) {
  if (sorted_.size() < count) sorted_.resize(count);
  touched_.clear();
  for (std::size_t i = 0; i < count; ++i)
    if (counts_[numbers_[i]]++ == 0) touched_.push_back(numbers_[i]);
  std::sort(touched_.begin(), touched_.end());
  std::uint32_t at = 0;
  for (const auto group : touched_) at += std::exchange(counts_[group], at);
  for (std::size_t i = 0; i < count; ++i) sorted_[counts_[numbers_[i]]++] = values_[i];
  std::size_t from = 0;
  for (const auto group : touched_) {
    const auto to = std::exchange(counts_[group], 0);
    parts_.push_back(part_of({sorted_.data() + from, to - from}));
    parts_.back().group = group;
    from = to;
  }
}

} // namespace jitterscope::analysis
