#include "core/analysis/lanes/coverage.h"

#include <algorithm>

namespace jitterscope::analysis {

void Coverage::allow(std::size_t names) {
  if (names_.size() < names + 1) names_.resize(names + 1);
}

void Coverage::start(std::span<const std::int64_t> borders) {
  borders_ = borders;
  const auto bins = borders.empty() ? 0 : borders.size() - 1;
  bins_.assign(bins, {});
  covered_.assign(bins, 0);
  reached_ = bins > 0 ? borders.front() : 0;
  first_ending_.assign(bins, -1);
  pending_.clear();
  entering_.clear();
  at_ = 0;
  given_ = false;
  if (bins > 0) open_bin();
}

std::uint64_t Coverage::width() const {
  return static_cast<std::uint64_t>(borders_[at_ + 1] - borders_[at_]);
}

void Coverage::touch(std::uint32_t name, std::uint64_t time, bool selected) {
  BinSum& bin = bins_[at_];
  Name& of = names_[slot(name)];
  if (!of.touched) touched_.push_back(name);
  of.touched = true;
  of.time += time;
  bin.busy += time;
  if (!selected) return;
  bin.selected += time;
  ++bin.selected_events;
}

void Coverage::cover(std::uint32_t name, bool selected, int by) {
  Name& of = names_[slot(name)];
  if (of.covering == 0) covering_names_.push_back(name);
  of.covering += static_cast<std::uint32_t>(by);
  if (of.covering == 0) std::erase(covering_names_, name);
  covering_ += static_cast<std::uint32_t>(by);
  if (selected) covering_selected_ += static_cast<std::uint32_t>(by);
}

void Coverage::open_bin() {
  for (const auto& event : entering_) cover(event.name, event.selected, 1);
  entering_.clear();
  BinSum& bin = bins_[at_];
  for (auto i = first_ending_[at_]; i >= 0; i = pending_[static_cast<std::size_t>(i)].next) {
    const Pending& event = pending_[static_cast<std::size_t>(i)];
    if (event.covers) cover(event.name, event.selected, -1);
    touch(event.name, static_cast<std::uint64_t>(event.end - borders_[at_]), event.selected);
    ++bin.open;
  }
  bin.open += covering_;
  bin.selected_events += covering_selected_;
}

void Coverage::close_bin() {
  BinSum& bin = bins_[at_];
  const auto wide = width();
  const auto better = [&](std::uint32_t name) {
    const Name& of = names_[slot(name)];
    const auto time = of.time + of.covering * wide;
    if (bin.name == kNone || time > bin.name_busy || (time == bin.name_busy && name < bin.name)) {
      bin.name = name;
      bin.name_busy = time;
    }
  };
  if (!given_) {
    bin.covered = covered_[at_]; // complete: no later event begins in this bin
    for (const auto name : covering_names_) better(name);
    for (const auto name : touched_) better(name);
    bin.busy += covering_ * wide;
    bin.selected += covering_selected_ * wide;
  }
  for (const auto name : touched_) {
    names_[slot(name)].time = 0;
    names_[slot(name)].touched = false;
  }
  touched_.clear();
  given_ = false;
}

void Coverage::advance(std::size_t bin) {
  while (at_ < bin && at_ + 1 < bins_.size()) {
    close_bin();
    ++at_;
    open_bin();
  }
}

std::size_t Coverage::bin_of_last(std::int64_t end) const {
  const auto from = borders_.begin() + static_cast<std::ptrdiff_t>(at_) + 1;
  return static_cast<std::size_t>(std::lower_bound(from, borders_.end(), end) - borders_.begin()) - 1;
}

// The union's pieces are sorted and disjoint, so that all calls together cost no more than the number of bins
// and events.
void Coverage::join(std::int64_t begin, std::int64_t end) {
  begin = std::max(begin, reached_);
  end = std::min(end, borders_.back());
  if (end <= begin) return;
  reached_ = end;
  auto bin = at_;
  if (begin >= borders_[bin + 1])
    bin = static_cast<std::size_t>(
              std::upper_bound(borders_.begin() + static_cast<std::ptrdiff_t>(bin), borders_.end(), begin) -
              borders_.begin()) -
          1;
  for (; bin < bins_.size() && borders_[bin] < end; ++bin)
    covered_[bin] +=
        static_cast<std::uint64_t>(std::min(end, borders_[bin + 1]) - std::max(begin, borders_[bin]));
}

void Coverage::add(const store::Event& event, bool selected) {
  if (bins_.empty() || event.begin >= borders_.back()) return;
  if (event.begin >= borders_[at_ + 1]) {
    auto bin = at_ + 1;
    while (event.begin >= borders_[bin + 1]) ++bin;
    advance(bin);
  }
  const bool before = event.begin < borders_[at_];
  if (before && event.end <= borders_[at_]) return;
  const auto begin = std::max(event.begin, borders_[at_]);
  join(begin, event.end);
  ++(before ? bins_[at_].open : bins_[at_].starts);
  const auto border = borders_[at_ + 1];
  touch(event.name, static_cast<std::uint64_t>(std::min(std::max(event.end, begin), border) - begin),
        selected);
  if (event.end <= border) return;
  const auto last = bin_of_last(event.end);
  Pending pending{event.name, selected, last > at_ + 1, event.end, -1};
  if (pending.covers) entering_.push_back(pending);
  if (last >= bins_.size()) return; // covers all remaining bins
  pending.next = first_ending_[last];
  first_ending_[last] = static_cast<std::int32_t>(pending_.size());
  pending_.push_back(pending);
}

void Coverage::give(const BinSum& sum) {
  if (bins_.empty()) return;
  bins_[at_] = sum;
  given_ = true;
}

std::span<const BinSum> Coverage::finish() {
  if (bins_.empty()) return {};
  advance(bins_.size() - 1);
  close_bin();
  for (const auto& event : entering_) cover(event.name, event.selected, 1); // so that all are reset below
  entering_.clear();
  for (const auto name : covering_names_) names_[slot(name)].covering = 0;
  covering_names_.clear();
  covering_ = covering_selected_ = 0;
  return bins_;
}

} // namespace jitterscope::analysis
