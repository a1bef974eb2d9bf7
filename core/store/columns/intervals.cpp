#include "core/store/columns/intervals.h"

#include <algorithm>
#include <functional>

#include "core/base/spill_vector.h"

namespace jitterscope::store {
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

// Chooses parts of equal length, a power of two in ns, with about kTimesOfPart times each on average.
void SpreadTimes::choose_parts(std::int64_t last) {
  constexpr std::size_t kTimesOfPart = 4;
  const auto span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first_);
  while (span >> shift_ > times_.size() / kTimesOfPart) ++shift_;
  starts_.resize((span >> shift_) + 2);
}

SpreadTimes::SpreadTimes(SpillVector<std::int64_t> times, Stop& stop) : times_(std::move(times)) {
  if (times_.empty()) return;
  auto last = first_ = times_.front();
  bool sorted = true;
  for (std::size_t i = 0; i < times_.size() && !stop.at(i); ++i) {
    sorted = sorted && times_[i] >= last;
    first_ = std::min(first_, times_[i]);
    last = std::max(last, times_[i]);
  }
  choose_parts(last);
  for (std::size_t i = 0; i < times_.size() && !stop.at(i); ++i) ++starts_[part_of(times_[i]) + 1];
  for (std::size_t part = 1; part < starts_.size() && !stop.at(part); ++part)
    starts_[part] += starts_[part - 1];
  if (!sorted && !stop.requested()) sort(stop);
}

// Distributes the times over their parts, then sorts each part.
void SpreadTimes::sort(Stop& stop) {
  // sorting more takes too long between checks for cancellation
  constexpr std::size_t kMaxPart = std::size_t{1} << 16;
  for (std::size_t part = 0; part + 1 < starts_.size() && !stop.at(part); ++part)
    if (starts_[part + 1] - starts_[part] > kMaxPart) return sort_stably(times_, std::less<>(), stop);
  SpillVector<std::int64_t> distributed(times_.size());
  auto next = starts_;
  for (std::size_t i = 0; i < times_.size() && !stop.at(i); ++i)
    distributed[next[part_of(times_[i])]++] = times_[i];
  times_ = std::move(distributed);
  for (std::size_t part = 0; part + 1 < starts_.size() && !stop.at(part); ++part)
    std::sort(times_.begin() + starts_[part], times_.begin() + starts_[part + 1]);
}

std::size_t SpreadTimes::count_until(std::int64_t time) const {
  if (times_.empty() || time < first_) return 0;
  const auto part = part_of(time);
  if (part + 1 >= starts_.size()) return times_.size();
  const auto* const begin = times_.begin();
  return static_cast<std::size_t>(std::upper_bound(begin + starts_[part], begin + starts_[part + 1], time) -
                                  begin);
}

Load::Load(std::span<const Span> sorted, Stop& stop) {
  const auto times_of = [&](std::int64_t Span::*border) {
    SpillVector<std::int64_t> times;
    times.reserve(sorted.size());
    for (std::size_t row = 0; row < sorted.size() && !stop.at(row); ++row)
      times.push_back(sorted[row].*border);
    return SpreadTimes(std::move(times), stop);
  };
  begins_ = times_of(&Span::begin);
  ends_ = times_of(&Span::end);
  const auto sums = [&stop](const SpreadTimes& times) {
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
std::uint64_t Load::before(std::int64_t time) const {
  const auto t = static_cast<std::uint64_t>(time);
  const auto begun = begins_.count_until(time), ended = ends_.count_until(time);
  return (begun * t - begin_sums_[begun]) - (ended * t - end_sums_[ended]);
}

std::int64_t Load::within(std::int64_t begin, std::int64_t end) const {
  return end > begin ? static_cast<std::int64_t>(before(end) - before(begin)) : 0;
}

Overlaps::Overlaps(std::span<const Span> sorted, Stop& stop) {
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
Overlaps::Sum Overlaps::with(std::int64_t begin, std::int64_t end) const {
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
// this start, so their union before the window is one piece that begins at the earliest of their starts. The
// same holds for the window's end.
std::int64_t FullLengthUnion::length(std::int64_t begin, std::int64_t end) const {
  if (coverage_.empty() || end < begin) return 0;
  const auto begun = count_before(begins_, end, near_begin_);
  if (begun == 0 || latest_end_[begun - 1] <= begin) return 0;
  const auto earliest = begins_[count_until(latest_end_, begin, near_end_)];
  return coverage_.within(begin, end) + std::max<std::int64_t>(0, begin - earliest) +
         std::max<std::int64_t>(0, latest_end_[begun - 1] - end);
}

} // namespace jitterscope::store
