#include "views/timeline/lane_names.h"

#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "views/base/text_cache.h"
#include "views/table_parts/distinct_names.h"

namespace jitterscope::views::timeline {

namespace {

constexpr int kGap = 4; // maximum number of empty columns within a run

// Collects runs of columns of one level with the same dominant name.
class Runs {
public:
  Runs(Interval window, int columns, Nanoseconds minimum, std::vector<NameSpan>& spans)
      : window_(window), columns_(columns), minimum_(minimum), spans_(spans) {}

  void of_level(const TimelineCell* cells, int level) {
    int first = 0, last = -1; // ends of the run of columns with events; last < first: none
    double busy = 0, selected = 0;
    const auto finish = [&] {
      if (last < first) return;
      const NameSpan span{at(first),
                          at(last + 1),
                          level,
                          cells[first].nameId,
                          cells[first].value,
                          busy / (last + 1 - first),
                          selected * 2 < last + 1 - first};
      if (span.end - span.begin >= minimum_) spans_.push_back(span);
    };
    for (int column = 0; column < columns_; ++column) {
      const TimelineCell& cell = cells[column];
      if (cell.count == 0 || cell.nameId == kNoName) continue;
      if (last < first || cell.nameId != cells[first].nameId || column - last > kGap) {
        finish();
        first = column;
        busy = selected = 0;
      }
      last = column;
      busy += static_cast<double>(cell.busy);
      selected += static_cast<double>(cell.selected);
    }
    finish();
  }

private:
  Nanoseconds at(int column) const {
    return window_.begin + Nanoseconds{static_cast<std::int64_t>(static_cast<double>(window_.length().count) *
                                                                 column / columns_)};
  }

  Interval window_;
  int columns_;
  Nanoseconds minimum_;
  std::vector<NameSpan>& spans_;
};

// The parts of the bars of one level that later bars do not cover.
class VisibleParts {
public:
  struct Part {
    Nanoseconds end;
    const TimelineBar* bar = nullptr;
  };

  void paint(const TimelineBar& bar) {
    split(bar.begin);
    split(bar.end);
    parts_.erase(parts_.lower_bound(bar.begin), parts_.lower_bound(bar.end));
    if (bar.begin < bar.end) parts_[bar.begin] = {bar.end, &bar};
  }
  const std::map<Nanoseconds, Part>& parts() const { return parts_; }

private:
  void split(Nanoseconds at) {
    const auto after = parts_.lower_bound(at);
    if (after == parts_.begin()) return;
    auto& before = std::prev(after)->second;
    if (before.end > at) parts_.emplace_hint(after, at, std::exchange(before, {at, before.bar}));
  }

  std::map<Nanoseconds, Part> parts_; ///< by begin
};

} // namespace

std::vector<NameSpan> nameSpans(const TrackContent& content, Interval window, int columns, int levels,
                                Nanoseconds minimum) {
  std::vector<NameSpan> spans;
  std::map<int, VisibleParts> by_level;
  for (const TimelineBar& bar : content.bars)
    if (bar.level < levels) by_level[bar.level].paint(bar);
  for (const auto& [level, visible] : by_level)
    for (const auto& [begin, part] : visible.parts())
      if (part.end - begin >= minimum)
        spans.push_back({begin, part.end, level, part.bar->nameId, part.bar->value, 1, part.bar->dimmed});
  if (columns <= 0) return spans;
  Runs runs(window, columns, minimum, spans);
  for (int level = 0;
       level < levels &&
       static_cast<std::size_t>(level + 1) * static_cast<std::size_t>(columns) <= content.cells.size();
       ++level)
    runs.of_level(content.cells.data() + static_cast<std::size_t>(level) * static_cast<std::size_t>(columns),
                  level);
  return spans;
}

LaneNames::LaneNames(const TimelineModel& model, const std::vector<NameSpan>& spans) : model_(model) {
  std::set<std::uint32_t> ids;
  for (const auto& span : spans) ids.insert(span.nameId);
  QStringList names;
  for (const auto id : ids) names << model.name(id);
  shared_ = sharedWords(names);
}

QString LaneNames::text(std::uint32_t nameId, const QFont& font, double width) const {
  const QString name = model_.name(nameId);
  return shared_ == 0 || textWidth(font, name) <= width ? name : name.mid(shared_);
}

} // namespace jitterscope::views::timeline
