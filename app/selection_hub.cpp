#include "app/selection_hub.h"

#include <algorithm>

#include <QStringList>

#include "app/bin_coordinates.h"
#include "app/decode.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

// Enough digits that the engine compares with the very number that was brushed.
QString digits(double value) {
  return QString::number(value, 'g', 17);
}

QString category_text(const QString& column, const std::vector<views::ValueRange>& ranges,
                      const Categories& categories) {
  QStringList chosen;
  for (std::size_t i = 0; i < categories.codes.size(); ++i)
    if (std::any_of(ranges.begin(), ranges.end(), [&](const views::ValueRange& range) {
          return range.low <= static_cast<double>(i) && static_cast<double>(i) <= range.high;
        }))
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
  if (present.size() > 1 && std::all_of(present.begin(), present.end(), single)) { // chosen rows, one by one
    QStringList values;
    for (const auto& range : present) values << digits(range.low);
    parts << column + " in (" + values.join(", ") + ")";
    present.clear();
  }
  for (const auto& range : present)
    parts << QString("%1 between %2 and %3").arg(column, digits(range.low), digits(range.high));
  return parts.size() == 1 ? parts.first() : "(" + parts.join(" or ") + ")";
}

/// The same for people: "duration 4.41 µs – 28.6 µs".
QString brush_words(const QString& column, const std::vector<views::ValueRange>& ranges, const CategoryCodes& codes,
                    const std::map<QString, QString>& units) {
  constexpr std::size_t kMost = 3;
  const bool single = std::any_of(ranges.begin(), ranges.end(), [](const auto& range) { return range.low == range.high; });
  if (codes.contains(column) || single) return brush_text(column, ranges, codes); // names and numbers that are meant as they are
  const auto unit = units.find(column);
  const QString own = unit == units.end() ? QString() : unit->second;
  QStringList parts;
  for (const auto& range : ranges) {
    if (parts.size() == static_cast<qsizetype>(kMost)) {
      parts << QString("%1 more").arg(ranges.size() - kMost);
      break;
    }
    parts << (range.isMissing() ? QString("missing") : views::formatValue(range.low, own, 4) + " – " + views::formatValue(range.high, own, 4));
  }
  return words(column.toStdString()) + " " + parts.join(" or ");
}

} // namespace

QString Categories::literal(std::size_t place) const {
  const auto at = static_cast<qsizetype>(place);
  if (texts.isEmpty()) return digits(place < codes.size() ? codes[place] : -1);
  return '"' + QString(at < texts.size() ? texts[at] : QString()).replace('"', "\\\"") + '"';
}

void add_categories(const nlohmann::json& answer, CategoryCodes& codes) {
  for (const auto& axis : answer.value("axes", nlohmann::json::array())) {
    Categories found;
    found.codes = axis.value("codes", std::vector<double>());
    if (found.codes.empty()) continue;
    if (axis.value("texts", false))
      for (const auto& text : axis.value("categories", std::vector<std::string>())) found.texts << QString::fromStdString(text);
    codes[QString::fromStdString(axis.value("column", std::string()))] = std::move(found);
  }
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
    if (!ranges.empty() && !BinCoordinates::names_axis(column)) parts << brush_text(column, ranges, codes);
  if (parts.isEmpty()) return {};
  QString text = parts.join(brush_logic.any ? " or " : " and ");
  if (parts.size() > 1 && brush_logic.any && !brush_logic.inverted) text = "(" + text + ")";
  return brush_logic.inverted ? "not (" + text + ")" : text;
}

std::vector<Interval> SelectionState::intervals() const {
  std::vector<Interval> times = bin_times;
  for (const auto& own : {brush, bin ? std::optional<Interval>(bin->interval) : std::nullopt}) {
    if (!own) continue;
    if (times.empty()) {
      times.push_back(*own);
      continue;
    }
    std::vector<Interval> both;
    for (const auto& each : times)
      if (const Interval part{std::max(own->begin, each.begin), std::min(own->end, each.end)}; !part.empty()) both.push_back(part);
    if (both.empty()) both.push_back({own->begin, own->begin});
    times = std::move(both);
  }
  return times;
}

bool SelectionState::selects() const {
  return !filter().isEmpty() || brush || bin || !bin_times.empty();
}

QString SelectionState::text(const CategoryCodes& codes, views::AxisUnit axis, const std::map<QString, QString>& units) const {
  QStringList parts;
  if (bin) parts << QString("bin %1").arg(bin->index);
  if (brush)
    parts << (axis == views::AxisUnit::Time ? "time " : "rows ") +
                 views::formatLength(brush->length(), axis) + " wide";
  QStringList of_bins;
  for (const auto& [column, ranges] : brushes)
    if (BinCoordinates::names_axis(column) && !ranges.empty()) of_bins << BinCoordinates::title(column);
  if (!of_bins.isEmpty()) parts << "bins by " + of_bins.join(", ");
  SelectionState plain; // all but the brushes
  plain.where = where;
  plain.kernels = kernels;
  if (const QString f = plain.filter(codes); !f.isEmpty()) parts << f;
  QStringList brushed;
  for (const auto& [column, ranges] : brushes)
    if (!ranges.empty() && !BinCoordinates::names_axis(column)) brushed << brush_words(column, ranges, codes, units);
  const QString joined = brushed.join(brush_logic.any ? " or " : " and ");
  if (!brushed.isEmpty()) parts << (brush_logic.inverted ? "not (" + joined + ")" : joined);
  return parts.join(" · ");
}

void SelectionHub::reset() {
  const SelectionState before = state();
  states_.assign(1, SelectionState{});
  at_ = 0;
  merge_.clear();
  emit changed(state(), before);
  emit historyChanged();
}

void SelectionHub::apply(const SelectionState& wanted, const QString& merge) {
  if (wanted == state()) return;
  const SelectionState before = state();
  states_.resize(at_ + 1);
  if (!merge.isEmpty() && merge == merge_ && at_ > 0) {
    states_[at_] = wanted;
  } else {
    states_.push_back(wanted);
    if (states_.size() > kLongestHistory) states_.erase(states_.begin());
    at_ = states_.size() - 1;
  }
  merge_ = merge;
  emit changed(state(), before);
  emit historyChanged();
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
