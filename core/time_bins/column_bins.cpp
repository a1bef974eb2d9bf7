#include "core/time_bins/column_bins.h"

#include <algorithm>
#include <bit>

namespace jitterscope {
namespace {

constexpr int kMaxShift = 60; // so that no border overflows

/// begin + length · i / parts for i = 0, 1 …, rounded down, without 128-bit division.
class EvenSteps {
public:
  EvenSteps(std::int64_t begin, std::int64_t length, std::int64_t parts)
      : at_(begin), step_(length / parts), rest_(length % parts), parts_(parts) {}
  std::int64_t at() const { return at_; }
  void advance() {
    at_ += step_;
    over_ += rest_;
    if (over_ < parts_) return;
    over_ -= parts_;
    ++at_;
  }

private:
  std::int64_t at_, step_, rest_, parts_, over_ = 0;
};

} // namespace

ColumnBins::ColumnBins(Interval window, int columns, bool dyadic) : columns_(std::max(columns, 1)) {
  if (window.empty()) window.end = window.begin + Nanoseconds{1};
  const auto length = window.length().count;
  if (dyadic && length < columns_) {
    shift_ = 0;
  } else if (dyadic && columns_ > 1) {
    const auto apart = (length - 1) / (columns_ - 1);
    shift_ =
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(apart, 1)))) - 1;
    if (shift_ >= kMaxShift) shift_ = -1;
  }
  if (this->dyadic() && length >= columns_)
    add_dyadic(window);
  else
    add_columns(window);
}

void ColumnBins::add_columns(Interval window) {
  const auto length = window.length().count;
  const auto bins = std::min<std::int64_t>(columns_, length);
  EvenSteps border(window.begin.count, length, bins);
  for (std::int64_t i = 0; i <= bins; ++i, border.advance()) borders_.push_back(border.at());
}

void ColumnBins::add_dyadic(Interval window) {
  const auto count = static_cast<std::size_t>(columns_);
  std::vector<std::int64_t> at; // by column: index of the narrow bin that contains the sample point
  at.reserve(count);
  EvenSteps sample(window.begin.count, window.length().count - 1, columns_ - 1);
  for (std::size_t c = 0; c < count; ++c, sample.advance()) at.push_back(sample.at() >> shift_);
  const auto together = [&](std::size_t c, std::size_t other) { return at[c] >> 1 == at[other] >> 1; };
  borders_.reserve(count + 1);
  std::int64_t end = 0;
  for (std::size_t c = 0; c < count; ++c) {
    // The half of an outermost bin that is outside the window is not shown.
    const bool outside = (c == 0 && (at[c] & 1) == 1) || (c + 1 == count && (at[c] & 1) == 0);
    const bool narrow = outside || (c > 0 && together(c, c - 1)) || (c + 1 < count && together(c, c + 1));
    const auto first = narrow ? at[c] : at[c] & ~std::int64_t{1};
    borders_.push_back(first * (std::int64_t{1} << shift_));
    end = (first + (narrow ? 1 : 2)) * (std::int64_t{1} << shift_);
  }
  borders_.push_back(end);
}

std::size_t ColumnBins::bin_of(int column) const {
  const auto c = static_cast<std::size_t>(column), columns = static_cast<std::size_t>(columns_);
  if (bins() == columns) return c;
  return (2 * c + 1) * bins() / (2 * columns);
}

Interval ColumnBins::interval(int column) const {
  const auto bin = bin_of(column);
  return {{borders_[bin]}, {borders_[bin + 1]}};
}

} // namespace jitterscope
