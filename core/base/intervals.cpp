#include "core/base/intervals.h"

#include <algorithm>
#include <functional>

#include "core/base/spill_vector.h"

namespace jitterscope {
namespace {

std::size_t count_before(const SpillVector<std::int64_t>& times, std::int64_t time, const NearSearch& near) {
  return near(times.size(), [&](std::size_t i) { return times[i] < time; });
}

std::size_t count_until(const SpillVector<std::int64_t>& times, std::int64_t time, const NearSearch& near) {
  return near(times.size(), [&](std::size_t i) { return times[i] <= time; });
}

} // namespace

Coverage::Coverage(std::span<const Span> sorted, Stop& stop) {
  std::int64_t total = 0;
  for (std::size_t row = 0; row < sorted.size() && !stop.at(row); ++row) {
    const auto& span = sorted[row];
    if (span.end <= span.begin) continue;
    if (begin_.empty())
      for (auto* column : {&begin_, &end_, &covered_}) column->reserve(sorted.size() - row);
    if (!end_.empty() && span.begin <= end_.back()) {
      end_.back() = std::max(end_.back(), span.end);
      continue;
    }
    if (!end_.empty()) total += end_.back() - begin_.back();
    begin_.push_back(span.begin);
    end_.push_back(span.end);
    covered_.push_back(total);
  }
}

std::int64_t Coverage::before(std::int64_t time) const {
  const auto pieces = count_before(begin_, time, near_);
  if (pieces == 0) return 0;
  return covered_[pieces - 1] + std::min(time, end_[pieces - 1]) - begin_[pieces - 1];
}

std::int64_t Coverage::within(std::int64_t begin, std::int64_t end) const {
  return end > begin ? before(end) - before(begin) : 0;
}

Load::Load(std::span<const Span> sorted, Stop& stop) {
  begins_.reserve(sorted.size());
  ends_.reserve(sorted.size());
  for (std::size_t row = 0; row < sorted.size() && !stop.at(row); ++row) {
    begins_.push_back(sorted[row].begin);
    ends_.push_back(sorted[row].end);
  }
  sort_stably(ends_, std::less<>(), stop);
  const auto sums = [&stop](const SpillVector<std::int64_t>& times) {
    SpillVector<std::uint64_t> out;
    out.reserve(times.size() + 1); // resize() would first write zeros
    out.push_back(0);
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (stop.at(i)) return SpillVector<std::uint64_t>(times.size() + 1);
      out.push_back(out.back() + static_cast<std::uint64_t>(times[i]));
    }
    return out;
  };
  begin_sums_ = sums(begins_);
  end_sums_ = sums(ends_);
}

// Σ over begun intervals of (time − begin) minus Σ over ended ones of (time − end).
std::uint64_t Load::before(std::int64_t time, const Near& near) const {
  const auto t = static_cast<std::uint64_t>(time);
  const auto begun = count_until(begins_, time, near.begun), ended = count_until(ends_, time, near.ended);
  return (begun * t - begin_sums_[begun]) - (ended * t - end_sums_[ended]);
}

std::int64_t Load::within(std::int64_t begin, std::int64_t end) const {
  return end > begin ? static_cast<std::int64_t>(before(end, near_end_) - before(begin, near_begin_)) : 0;
}

Meeting::Meeting(std::span<const Span> sorted, Stop& stop) {
  SpillVector<Span> by_end(sorted.begin(), sorted.end());
  for (auto& span : by_end) span.end = std::max(span.end, span.begin + 1);
  sort_stably(
      by_end, [](const Span& a, const Span& b) { return a.end < b.end; }, stop);
  begin_bytes_.push_back(0);
  end_bytes_.push_back(0);
  for (const auto& span : sorted) {
    begins_.push_back(span.begin);
    begin_bytes_.push_back(begin_bytes_.back() + static_cast<std::uint64_t>(span.bytes));
  }
  for (const auto& span : by_end) {
    ends_.push_back(span.end);
    end_bytes_.push_back(end_bytes_.back() + static_cast<std::uint64_t>(span.bytes));
  }
}

// Intervals that began before the window's end minus those that ended at or before its start.
Meeting::Sum Meeting::with(std::int64_t begin, std::int64_t end) const {
  if (begins_.empty() || end < begin) return {};
  const auto begun = count_before(begins_, end, near_begin_), ended = count_until(ends_, begin, near_end_);
  if (begun <= ended) return {};
  return {static_cast<std::int64_t>(begun - ended),
          static_cast<std::int64_t>(begin_bytes_[begun] - end_bytes_[ended])};
}

Flow::Flow(std::span<const Span> sorted, Stop& stop) {
  struct Change {
    std::int64_t time;
    double rate;
    int open;
  };
  std::vector<Change> changes;
  changes.reserve(2 * sorted.size());
  for (const auto& span : sorted) {
    if (span.end <= span.begin || span.bytes == 0) continue;
    const double rate = static_cast<double>(span.bytes) / static_cast<double>(span.end - span.begin);
    changes.push_back({span.begin, rate, 1});
    changes.push_back({span.end, -rate, -1});
  }
  sort_stably(
      changes, [](const Change& a, const Change& b) { return a.time < b.time; }, stop);
  for (auto* column : {&bytes_, &rate_}) column->reserve(changes.size());
  time_.reserve(changes.size());
  double bytes = 0.0, rate = 0.0;
  std::int64_t open = 0;
  for (const auto& change : changes) {
    if (!time_.empty()) bytes += rate * static_cast<double>(change.time - time_.back());
    open += change.open;
    rate = open == 0 ? 0.0 : rate + change.rate; // reset, so that no rounding error remains
    time_.push_back(change.time);
    bytes_.push_back(bytes);
    rate_.push_back(rate);
  }
}

double Flow::before(std::int64_t time) const {
  const auto steps = count_until(time_, time, near_);
  if (steps == 0) return 0.0;
  return bytes_[steps - 1] + rate_[steps - 1] * static_cast<double>(time - time_[steps - 1]);
}

double Flow::within(std::int64_t begin, std::int64_t end) const {
  return end > begin ? std::max(0.0, before(end) - before(begin)) : 0.0;
}

FullLengthUnion::FullLengthUnion(std::span<const Span> sorted, Stop& stop) : coverage_(sorted, stop) {
  begins_.reserve(sorted.size());
  latest_end_.reserve(sorted.size());
  for (const auto& span : sorted) {
    begins_.push_back(span.begin);
    latest_end_.push_back(latest_end_.empty() ? span.end : std::max(latest_end_.back(), span.end));
  }
}

// Inside the window the length is the coverage. All intervals that reach beyond the window's start contain
// it, so that the part before it is one piece from the earliest of their starts. The same holds for the
// window's end.
std::int64_t FullLengthUnion::meeting(std::int64_t begin, std::int64_t end) const {
  if (coverage_.empty() || end < begin) return 0;
  const auto begun = count_before(begins_, end, near_begin_);
  if (begun == 0 || latest_end_[begun - 1] <= begin) return 0;
  const auto earliest = begins_[count_until(latest_end_, begin, near_end_)];
  return coverage_.within(begin, end) + std::max<std::int64_t>(0, begin - earliest) +
         std::max<std::int64_t>(0, latest_end_[begun - 1] - end);
}

} // namespace jitterscope
