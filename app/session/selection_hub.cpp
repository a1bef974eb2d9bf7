#include "app/session/selection_hub.h"

#include <algorithm>
#include <set>

#include <QStringList>

#include "app/engine/group_filter.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

bool holds(const views::ValueRange& range, std::size_t place) {
  return range.low <= static_cast<double>(place) && static_cast<double>(place) <= range.high;
}

QString category_text(const QString& column, const std::vector<views::ValueRange>& ranges,
                      const Categories& categories) {
  QStringList chosen;
  for (std::size_t i = 0; i < categories.codes.size(); ++i)
    if (std::any_of(ranges.begin(), ranges.end(),
                    [&](const views::ValueRange& range) { return holds(range, i); }))
      chosen << categories.literal(i);
  if (chosen.isEmpty()) chosen << categories.literal(categories.codes.size());
  return column + " in (" + chosen.join(", ") + ")";
}

QString brush_text(const QString& column, const std::vector<views::ValueRange>& ranges,
                   const CategoryCodes& codes) {
  QStringList parts;
  std::vector<views::ValueRange> present;
  for (const auto& range : ranges)
    if (range.isMissing())
      parts << column + " is missing";
    else
      present.push_back(range);
  if (const auto found = codes.find(column); found != codes.end()) {
    if (!present.empty()) parts.prepend(category_text(column, present, found->second));
    return parts.size() == 1 ? parts.first() : "(" + parts.join(" or ") + ")";
  }
  const auto single = [](const views::ValueRange& range) { return range.low == range.high; };
  if (present.size() > 1 && std::all_of(present.begin(), present.end(), single)) { // single selected rows
    QStringList values;
    for (const auto& range : present) values << views::exactNumber(range.low);
    parts << column + " in (" + values.join(", ") + ")";
    present.clear();
  }
  for (const auto& range : present)
    parts << QString("%1 between %2 and %3")
                 .arg(column, views::exactNumber(range.low), views::exactNumber(range.high));
  return parts.size() == 1 ? parts.first() : "(" + parts.join(" or ") + ")";
}

} // namespace

QString Categories::literal(std::size_t place) const {
  const auto at = static_cast<qsizetype>(place);
  if (texts.isEmpty()) return views::exactNumber(place < codes.size() ? codes[place] : -1);
  return quoted_text(at < texts.size() ? texts[at] : QString());
}

void add_categories(const std::vector<engine::answers::ParallelAxisAnswer>& axes, CategoryCodes& codes) {
  for (const auto& axis : axes) {
    if (axis.codes.empty()) continue;
    Categories found;
    found.codes = axis.codes;
    if (axis.texts)
      for (const auto& text : axis.categories) found.texts << QString::fromStdString(text);
    codes[QString::fromStdString(axis.column)] = std::move(found);
  }
}

void add_categories(const nlohmann::json& axes, CategoryCodes& codes) {
  std::vector<engine::answers::ParallelAxisAnswer> read;
  for (const auto& axis : axes) {
    auto& made = read.emplace_back();
    made.column = axis.value("column", std::string());
    made.codes = axis.value("codes", std::vector<double>());
    made.texts = axis.value("texts", false);
    made.categories = axis.value("categories", std::vector<std::string>());
  }
  add_categories(read, codes);
}

std::vector<views::ValueRange>
with_moved_categories(const std::vector<views::ValueRange>& ranges,
                      const std::vector<std::optional<std::size_t>>& place_of) {
  std::vector<views::ValueRange> moved;
  std::set<std::size_t> places;
  for (const auto& range : ranges) {
    if (range.isMissing()) moved.push_back(range);
    for (std::size_t old = 0; old < place_of.size(); ++old)
      if (place_of[old] && holds(range, old)) places.insert(*place_of[old]);
  }
  for (const auto place : places) {
    const auto value = static_cast<double>(place);
    if (!moved.empty() && moved.back().high == value - 1)
      moved.back().high = value;
    else
      moved.push_back({value, value});
  }
  if (moved.empty() && !ranges.empty()) moved.push_back({-1, -1}); // selects nothing, as before
  return moved;
}

nlohmann::json categories_of_brushes(const SelectionState& state, const CategoryCodes& codes) {
  auto axes = nlohmann::json::array();
  for (const auto& [column, ranges] : state.brushes) {
    const auto found = codes.find(column);
    if (found == codes.end()) continue;
    std::vector<std::string> texts;
    for (const auto& text : found->second.texts) texts.push_back(text.toStdString());
    axes.push_back({{"column", column.toStdString()},
                    {"codes", found->second.codes},
                    {"texts", !texts.empty()},
                    {"categories", texts}});
  }
  return axes;
}

QString SelectionState::filter(const CategoryCodes& codes) const {
  QStringList parts;
  if (!where.trimmed().isEmpty()) parts << "(" + where.trimmed() + ")";
  if (!kernels.empty()) {
    QStringList numbers;
    for (const auto kernel : kernels) numbers << QString::number(kernel);
    parts << "kernel in (" + numbers.join(", ") + ")";
  }
  if (const QString brushed = brush_filter(codes); !brushed.isEmpty()) parts << brushed;
  return parts.join(" and ");
}

QString SelectionState::brush_filter(const CategoryCodes& codes) const {
  QStringList parts;
  for (const auto& [column, ranges] : brushes)
    if (!ranges.empty() && !is_of_bins(column)) parts << brush_text(column, ranges, codes);
  if (parts.isEmpty()) return {};
  QString text = parts.join(brush_logic.any ? " or " : " and ");
  if (parts.size() > 1 && brush_logic.any && !brush_logic.inverted) text = "(" + text + ")";
  return brush_logic.inverted ? "not (" + text + ")" : text;
}

namespace {

// Intersection of both, each sorted and without overlaps; one empty interval if they do not overlap.
std::vector<Interval> common(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::vector<Interval> both;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end(); ++(x->end < y->end ? x : y))
    if (const Interval part{std::max(x->begin, y->begin), std::min(x->end, y->end)}; !part.empty())
      both.push_back(part);
  if (both.empty()) both.push_back({b.front().begin, b.front().begin});
  return both;
}

} // namespace

std::vector<Interval> SelectionState::intervals() const {
  const auto own = brush    ? std::vector{*brush}
                   : bin    ? std::vector{bin->interval}
                   : reason ? reason->times
                            : std::vector<Interval>();
  if (own.empty() || bin_times.empty()) return own.empty() ? bin_times : own;
  return common(bin_times, own);
}

bool SelectionState::selects() const {
  return !filter().isEmpty() || brush || bin || reason || !bin_times.empty();
}

void SelectionHub::reset() {
  const SelectionState before = state();
  states_.assign(1, SelectionState{});
  at_ = 0;
  start_.reset();
  merge_.clear();
  emit changed(state(), before);
  emit historyChanged();
}

void SelectionHub::start_at(Interval window) {
  const SelectionState before = state();
  states_.front().window = start_ = window;
  if (at_ == 0) emit changed(state(), before);
}

namespace {

void keep_newest_time(SelectionState& now, const SelectionState& before) {
  if (now.brush && now.brush != before.brush)
    now.bin.reset(), now.reason.reset();
  else if (now.bin && now.bin != before.bin)
    now.brush.reset(), now.reason.reset();
  else if (now.reason && now.reason != before.reason)
    now.brush.reset(), now.bin.reset();
}

} // namespace

void SelectionHub::apply(SelectionState requested, const QString& merge) {
  keep_newest_time(requested, state());
  if (requested == state()) return;
  const SelectionState before = state();
  states_.resize(at_ + 1);
  if (!merge.isEmpty() && merge == merge_ && at_ > 0) {
    states_[at_] = requested;
  } else {
    states_.push_back(requested);
    if (states_.size() > kLongestHistory) states_.erase(states_.begin());
    at_ = states_.size() - 1;
  }
  merge_ = merge;
  emit changed(state(), before);
  emit historyChanged();
}

void SelectionHub::move_categories(const QString& column,
                                   const std::vector<std::optional<std::size_t>>& place_of) {
  for (auto& state : states_)
    if (const auto brush = state.brushes.find(column); brush != state.brushes.end())
      brush->second = with_moved_categories(brush->second, place_of);
}

void SelectionHub::undo() {
  if (canUndo()) move_to(at_ - 1);
}

void SelectionHub::redo() {
  if (canRedo()) move_to(at_ + 1);
}

void SelectionHub::move_to(std::size_t at) {
  const SelectionState before = state();
  at_ = at;
  merge_.clear();
  emit changed(state(), before);
  emit historyChanged();
}

} // namespace jitterscope::app
