#include "core/analysis/lanes/lane_sums.h"

#include <algorithm>

namespace jitterscope::analysis {

void LaneSums::allow(std::size_t names) {
  if (names_.size() < names + 1) names_.resize(names + 1);
}

void LaneSums::start(std::span<const std::int64_t> borders) {
  first_bin_ += bins_.size();
  borders_ = borders;
  const auto bins = borders.empty() ? 0 : borders.size() - 1;
  bins_.assign(bins, {});
  given_.assign(bins, 0);
  at_ = 0;
}

// The name with the largest total time is updated whenever the time of a name has grown: it is the last one
// that reached or exceeded the best so far. The comparison is branch-free, because the order of names is
// unpredictable.
inline void LaneSums::put(BinSum& sum, std::uint64_t number, std::uint32_t name, std::uint64_t time) {
  sum.busy += time;
  Name& of = names_[std::min<std::size_t>(name, names_.size() - 1)];
  const auto before = of.bin == number ? of.time : 0;
  const auto total = before + time;
  of = {total, number};
  const bool better =
      (total > sum.name_busy) | (sum.name == kNone) | ((total == sum.name_busy) & (name < sum.name));
  sum.name = better ? name : sum.name;
  sum.name_busy = better ? total : sum.name_busy;
}

// Adds the parts of an event to a bin and those after it; in all but the first the event counts as open.
void LaneSums::spread(std::size_t bin, const store::Event& event) {
  auto begin = std::max(event.begin, borders_[bin]);
  for (;; ++bin) {
    const auto end = std::min(event.end, borders_[bin + 1]);
    put(bins_[bin], first_bin_ + bin, event.name, static_cast<std::uint64_t>(std::max(end, begin) - begin));
    if (event.end <= borders_[bin + 1] || bin + 1 == bins_.size()) return;
    ++bins_[bin + 1].open;
    begin = borders_[bin + 1];
  }
}

void LaneSums::add_open(const store::Event& event, std::size_t from_bin) {
  if (from_bin >= bins_.size() || event.end <= borders_[from_bin]) return;
  ++bins_[from_bin].open;
  spread(from_bin, event);
}

void LaneSums::add(std::span<const store::Event> events) {
  if (bins_.empty()) return;
  BinSum sum = bins_[at_];
  auto border = borders_[at_ + 1];
  for (const auto& event : events) {
    if (event.begin >= border) {
      bins_[at_] = sum;
      if (event.begin >= borders_.back()) return;
      while (event.begin >= borders_[at_ + 1]) ++at_;
      sum = bins_[at_];
      border = borders_[at_ + 1];
    }
    ++sum.starts;
    if (event.end <= border) {
      put(sum, first_bin_ + at_, event.name, static_cast<std::uint64_t>(event.end - event.begin));
    } else {
      bins_[at_] = sum;
      spread(at_, event);
      sum = bins_[at_];
    }
  }
  bins_[at_] = sum;
}

void LaneSums::give(std::size_t bin, const BinSum& sum) {
  bins_[bin] = sum;
  given_[bin] = 1;
}

std::span<const BinSum> LaneSums::finish() {
  for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
    if (given_[bin]) continue;
    BinSum& sum = bins_[bin];
    sum.covered = sum.selected = sum.busy;
    sum.selected_events = sum.starts + sum.open;
  }
  return bins_;
}

} // namespace jitterscope::analysis
