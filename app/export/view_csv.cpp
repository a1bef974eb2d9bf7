#include "app/export/view_csv.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "views/base/format.h"

namespace jitterscope::app {
namespace {

QString number(double value) {
  return std::isfinite(value) ? views::exactNumber(value) : QString();
}

QString titled(const QString& title, const QString& unit) {
  return unit.isEmpty() ? title : title + " [" + unit + "]";
}

/// Writer of CSV lines.
class Lines {
public:
  void add(const QStringList& fields) {
    QStringList written;
    for (const auto& each : fields) written << views::csvField(each);
    text_ += written.join(',') + "\r\n";
  }
  const QString& text() const { return text_; }

private:
  QString text_;
};

QString count(const std::vector<std::uint64_t>& counts, std::size_t place) {
  return place < counts.size() ? QString::number(counts[place]) : QString();
}

} // namespace

QString csv_of(const views::DistributionData& data) {
  QStringList titles = {titled("from", data.unit), titled("to", data.unit), "rows"};
  if (!data.selected.empty()) titles << "selected rows";
  if (data.time) titles << "time of rows [ns]";
  if (data.time && !data.selectedTime.empty()) titles << "time of selected rows [ns]";
  for (const auto& group : data.groups) titles << data.groupedBy + " = " + group.label;
  Lines lines;
  lines.add(titles);
  for (std::size_t bin = 0; bin < data.all.size() && bin + 1 < data.edges.size(); ++bin) {
    QStringList line = {number(data.edges[bin]), number(data.edges[bin + 1]), count(data.all, bin)};
    if (!data.selected.empty()) line << count(data.selected, bin);
    if (data.time) line << count(data.allTime, bin);
    if (data.time && !data.selectedTime.empty()) line << count(data.selectedTime, bin);
    for (const auto& group : data.groups) line << count(group.counts, bin);
    lines.add(line);
  }
  return lines.text();
}

QString csv_of(const views::EfficiencyData& data) {
  Lines lines;
  lines.add({"kind", "name", "efficiency", "cost [ns]", "useful [ns]", "communication or MPI [ns]",
             "offload [ns]", "idle or other [ns]", "begin [ns]", "end [ns]", "where"});
  for (const auto& factor : data.factors) {
    QString name = factor.title;
    for (int parent = factor.parent; parent >= 0;
         parent = data.factors[static_cast<std::size_t>(parent)].parent)
      name = data.factors[static_cast<std::size_t>(parent)].title + " / " + name;
    const auto time = [&](Nanoseconds at) { return factor.when ? QString::number(at.count) : QString(); };
    const Interval when = factor.when.value_or(Interval{});
    lines.add({"factor", name, number(factor.value), factor.scaling ? QString() : number(factor.cost), "", "",
               "", "", time(when.begin), time(when.end), factor.where});
  }
  for (const auto& row : data.rows) {
    QStringList line = {row.device ? "device" : "host thread", row.name, "", ""};
    for (const double part : row.parts) line << number(part);
    line << QString::number(data.range.begin.count) << QString::number(data.range.end.count) << "";
    lines.add(line);
  }
  return lines.text();
}

QString csv_of(const std::vector<views::MetricPanel>& panels) {
  Lines lines;
  lines.add({"metric", "unit", "object", "begin [ns]", "end [ns]", "average", "minimum", "maximum"});
  for (const auto& panel : panels) {
    const auto& values = panel.values;
    const auto edge = [&](int column) {
      return QString::number(
          values.range.begin.count +
          static_cast<std::int64_t>(Int128{values.range.length().count} * column / values.columns));
    };
    for (int object = 0; object < static_cast<int>(values.objects.size()); ++object)
      for (int column = 0; column < values.columns; ++column) {
        const auto at = values.at(object, column);
        lines.add({panel.title, panel.unit, values.objects[object], edge(column), edge(column + 1),
                   number(values.average[at]), number(values.minimum[at]), number(values.maximum[at])});
      }
  }
  return lines.text();
}

QString csv_of(const views::MetricHistogram& data) {
  Lines lines;
  const auto add = [&](QStringList fields, const QString& shown) {
    if (!data.showsTime()) fields << shown;
    lines.add(fields);
  };
  add({"object", "from", "to", "time [ns]"}, titled(data.shown, data.shownUnit));
  for (int object = 0; object < static_cast<int>(data.objects.size()); ++object)
    for (int bin = 0; bin < data.bins; ++bin)
      add({data.objects[object], number(data.edge(bin)), number(data.edge(bin + 1)),
           QString::number(data.at(object, bin))},
          number(data.values[data.place(object, bin)]));
  return lines.text();
}

QString csv_of(const views::HeatMapData& data) {
  const QString axis = data.axis == views::AxisUnit::Time ? "ns" : "launch";
  Lines lines;
  lines.add({titled("begin", axis), titled("end", axis), titled("from", data.unit), titled("to", data.unit),
             "rows"});
  const auto edge = [&](int column) {
    const double share = static_cast<double>(column) / std::max(data.columns, 1);
    return QString::number(data.window.begin.count +
                           std::llround(share * static_cast<double>(data.window.length().count)));
  };
  for (int row = 0; row < data.rows(); ++row)
    for (int column = 0; column < data.columns; ++column) {
      const auto place = static_cast<std::size_t>(row) * static_cast<std::size_t>(data.columns) +
                         static_cast<std::size_t>(column);
      if (place >= data.counts.size() || data.counts[place] == 0) continue;
      const auto low = static_cast<std::size_t>(row);
      lines.add({edge(column), edge(column + 1), number(data.edges[low]), number(data.edges[low + 1]),
                 count(data.counts, place)});
    }
  return lines.text();
}

const QStringList kGraphTitles = {"kind",     "from",        "to",       "directed",  "sign",
                                  "effect",   "effect unit", "95 % low", "95 % high", "share [%]",
                                  "share of", "stability",   "n"};

// One line per edge, then per contribution, each prefixed by `first`.
static void add_graph(Lines& lines, const views::CausalGraph& graph, const QStringList& first) {
  const auto label = [&](int id) {
    const auto* node = graph.node(id);
    return node ? node->label : QString();
  };
  for (const auto& edge : graph.edges)
    lines.add(first + QStringList{"edge", label(edge.from), label(edge.to), edge.directed ? "1" : "0",
                                  QString::number(edge.sign), number(edge.coefficient), edge.unit,
                                  number(edge.low), number(edge.high),
                                  edge.percent < 0 ? QString() : number(edge.percent),
                                  edge.percent < 0     ? QString()
                                  : edge.ofVariability ? QStringLiteral("variability")
                                                       : QStringLiteral("variance"),
                                  number(edge.stability), QString::number(edge.n)});
  for (const auto& part : graph.contributions) {
    const QString n = QString::number(graph.n), sign = QString::number(part.sign);
    lines.add(first + QStringList{"contribution",
                                  part.feature,
                                  graph.target,
                                  {},
                                  sign,
                                  {},
                                  {},
                                  number(part.low),
                                  number(part.high),
                                  number(part.percent),
                                  "variance",
                                  {},
                                  n});
    if (part.attributable >= 0)
      lines.add(first + QStringList{"contribution",
                                    part.feature,
                                    graph.target,
                                    {},
                                    sign,
                                    {},
                                    {},
                                    number(part.attributableLow),
                                    number(part.attributableHigh),
                                    number(part.attributable),
                                    "variability",
                                    {},
                                    n});
  }
}

QString csv_of(const views::CausalGraph& graph) {
  Lines lines;
  lines.add(kGraphTitles);
  add_graph(lines, graph, {});
  return lines.text();
}

QString csv_of(const std::vector<views::CausalGroup>& groups) {
  Lines lines;
  lines.add(QStringList{"group"} + kGraphTitles);
  for (const auto& group : groups) add_graph(lines, group.graph, {group.title});
  return lines.text();
}

QString csv_of(const views::EvidenceData& data) {
  const QString unit = data.histogramAxis.unit;
  Lines lines;
  lines.add({titled(data.effect + " from", unit), titled(data.effect + " to", unit),
             data.rowsName + " with " + data.cause, data.rowsName + " without"});
  for (std::size_t bin = 0; bin + 1 < data.edges.size(); ++bin)
    lines.add({number(data.edges[bin]), number(data.edges[bin + 1]), count(data.with, bin),
               count(data.without, bin)});
  return lines.text();
}

QString csv_of(const views::AreaData& area) {
  using Model = views::AreaKernelsModel;
  static const QStringList titles = {"launches", "total [ns]", "mean [ns]", "CV",        "P50 [ns]",
                                     "P75 [ns]", "P90 [ns]",   "P99 [ns]",  "P99.9 [ns]"};
  Lines lines;
  QStringList head = {"kernel"};
  head += titles;
  for (const auto& title : titles)
    if (!area.whole.empty()) head << "whole run: " + title;
  lines.add(head);
  std::unordered_map<std::uint32_t, const views::KernelRow*> whole;
  for (const auto& row : area.whole) whole[row.id] = &row;
  for (const auto& row : area.rows) {
    QStringList line = {row.name};
    for (int column = Model::Count; column < Model::ColumnCount; ++column)
      line << number(Model::value(row, column));
    const auto all = whole.find(row.id);
    for (int column = Model::Count; column < Model::ColumnCount && !area.whole.empty(); ++column)
      line << (all == whole.end() ? QString() : number(Model::value(*all->second, column)));
    lines.add(line);
  }
  return lines.text();
}

QString csv_of(const views::WhatIfShown& shown) {
  Lines lines;
  lines.add({"feature", "value", "unit", "of " + shown.data.target, "before", "after", "95 % low",
             "95 % high", "target unit"});
  if (shown.feature < 0 || !shown.answer) return lines.text();
  const auto& feature = shown.data.features[static_cast<std::size_t>(shown.feature)];
  const auto& answer = *shown.answer;
  const auto line = [&](const QString& of, double before, double after, const QString& low,
                        const QString& high) {
    lines.add({feature.label, number(shown.value), feature.unit, of, number(before), number(after), low, high,
               shown.data.unit});
  };
  line("mean", answer.meanBefore, answer.meanAfter, number(answer.low), number(answer.high));
  const bool known = answer.stdHigh > 0;
  line("standard deviation", answer.stdBefore, answer.stdAfter, known ? number(answer.stdLow) : QString(),
       known ? number(answer.stdHigh) : QString());
  if (const auto& row = shown.row)
    line(row->name, row->before, row->after, number(row->low), number(row->high));
  return lines.text();
}

QString csv_of(const causal::Knowledge& known) {
  Lines lines;
  lines.add({"from", "to", "kind"});
  const auto text = [](const std::string& column) { return QString::fromStdString(column); };
  for (const auto& [from, to] : known.required) lines.add({text(from), text(to), "required"});
  for (const auto& [from, to] : known.forbidden) lines.add({text(from), text(to), "forbidden"});
  for (const auto& column : known.ignored) lines.add({text(column), {}, "ignored"});
  for (const auto& [column, tier] : known.tiers) lines.add({text(column), {}, QString("tier %1").arg(tier)});
  return lines.text();
}

QString csv_of(const std::vector<views::TimelineFlag>& flags, const std::vector<views::NamedRange>& ranges,
               views::AxisUnit axis) {
  const QString unit = axis == views::AxisUnit::Time ? "ns" : "launch";
  std::vector<views::NamedRange> marks = ranges;
  for (const auto& flag : flags) marks.push_back({{flag.time, flag.time}, flag.label});
  std::stable_sort(marks.begin(), marks.end(),
                   [](const auto& a, const auto& b) { return a.range.begin < b.range.begin; });
  Lines lines;
  lines.add({"name", titled("begin", unit), titled("length", unit)});
  for (const auto& mark : marks)
    lines.add(
        {mark.name, QString::number(mark.range.begin.count), QString::number(mark.range.length().count)});
  return lines.text();
}

} // namespace jitterscope::app
