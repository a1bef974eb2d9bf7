// Texts of the causal graph.

#include <QStringList>
#include <cmath>

#include "views/base/format.h"
#include "views/base/rates.h"
#include "views/base/text.h"
#include "views/causal/causal_scene.h"
#include "views/table_parts/distinct_names.h"

namespace jitterscope::views {

namespace {

QString labelOf(const CausalGraph& graph, int id) {
  for (const CausalNode& node : graph.nodes) {
    if (node.id == id) return node.label;
  }
  return {};
}

// "3 of 4 agree (BOSS, PC, GES); LiNGAM: no edge"
QString opinionsText(const CausalGraph& graph, const CausalEdge& edge) {
  QStringList agree = {graph.method.section(QLatin1Char(','), 0, 0)}, others;
  for (const CausalOpinion& opinion : edge.opinions) {
    if (opinion.agrees)
      agree << opinion.method;
    else
      others << opinion.method + QStringLiteral(": ") + opinion.verdict;
  }
  QString text = Text::tr("%1 of %2 agree (%3)")
                     .arg(agree.size())
                     .arg(edge.opinions.size() + 1)
                     .arg(agree.join(QStringLiteral(", ")));
  return others.isEmpty() ? text : text + QStringLiteral("; ") + others.join(QStringLiteral(", "));
}

QString number(double value, QString unit) {
  if (const auto at = unit.indexOf(QLatin1String(" per ")); at >= 0) {
    QString of = unit.mid(at + 5);
    value *= perMany(value, of);
    unit = unit.left(at + 5) + of;
  }
  if (unit.isEmpty()) return formatSi(value, {}, 3);
  if (unit == QLatin1String("ns") || unit == QLatin1String("%")) return formatValue(value, unit, 3);
  if (unit.startsWith(QLatin1String("ns "))) return formatDuration(value, 3) + unit.mid(2);
  return formatSi(value, {}, 3) + QLatin1Char(' ') + unit;
}

} // namespace

QString nodeTitle(const CausalNode& node) {
  return node.role == NodeRole::Family
             ? node.label + QStringLiteral("  ×%1").arg(node.members) + QChar(QChar::Nbsp) +
                   (node.open ? QStringLiteral("▾") : QStringLiteral("▸"))
             : node.label;
}

QStringList nodeLines(const CausalNode& node, const ViewStyle& style) {
  constexpr double kWidest = 214; // maximum if a second line would hold only the number of members
  const QFont font = style.font(node.role == NodeRole::Feature ? FontRole::Normal : FontRole::Emphasis);
  const QStringList lines = inLines(nodeTitle(node), font, kNodeText, kNodeLines);
  const bool lonely =
      lines.size() == 2 && (lines[1].startsWith(QChar(0x00D7)) || lines[1].startsWith(QChar(0x25B8)));
  return lonely ? inLines(nodeTitle(node), font, kWidest, kNodeLines) : lines;
}

std::vector<QStringList> nodeLines(const CausalGraph& graph, const ViewStyle& style) {
  std::vector<QStringList> lines;
  QStringList shown;
  for (const CausalNode& node : graph.nodes)
    shown << (lines.emplace_back(nodeLines(node, style))).join(QLatin1Char('\n'));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    QStringList alike;
    std::size_t own = 0; // index among the nodes with the same text
    for (std::size_t k = 0; k < lines.size(); ++k) {
      if (shown[static_cast<int>(k)] != shown[static_cast<int>(i)]) continue;
      if (k == i) own = static_cast<std::size_t>(alike.size());
      alike << nodeTitle(graph.nodes[k]);
    }
    if (alike.size() < 2) continue;
    const QFont font = style.font(FontRole::Emphasis); // the wider of the two fonts
    lines[i] = inLines(distinctNames(alike, font, 0.85 * kNodeLines * kNodeText)[static_cast<int>(own)], font,
                       kNodeText, kNodeLines);
  }
  return lines;
}

QStringList openMembers(const CausalNode& node) {
  constexpr int kMax = 12;
  if (!node.open || node.role != NodeRole::Family) return {};
  QStringList lines = node.memberNames.mid(0, kMax);
  if (node.memberNames.size() > kMax) lines << Text::tr("and %1 more").arg(node.memberNames.size() - kMax);
  return lines;
}

QString edgeLabel(const CausalEdge& edge) {
  if (edge.percent < 0.05) return edge.stated ? Text::tr("required") : QString(); // omits "0.0 %"
  const QString sign = edge.sign > 0 ? QStringLiteral("+") : edge.sign < 0 ? QStringLiteral("−") : QString();
  return sign + formatFixed(edge.percent, edge.percent < 9.95 ? 1 : 0) + QStringLiteral(" %");
}

QString edgeDetails(const CausalGraph& graph, const CausalEdge& edge) {
  QStringList lines;
  const QString arrow = edge.directed ? QStringLiteral(" → ") : QStringLiteral(" — ");
  lines << labelOf(graph, edge.from) + arrow + labelOf(graph, edge.to);
  const bool against = edge.sign * edge.coefficient < 0; // the sign is that of the contribution
  lines << (against ? Text::tr("Over all rows\t") : Text::tr("Effect\t")) +
               number(edge.coefficient, edge.unit);
  lines << Text::tr("95 % interval\t") + number(edge.low, edge.unit) + QStringLiteral(" … ") +
               number(edge.high, edge.unit);
  if (!edge.units.isEmpty()) lines << Text::tr("In units\t") + number(edge.inUnits, edge.units);
  if (edge.percent >= 0)
    lines << (edge.ofVariability ? Text::tr("Attributable share\t%1 % of the variability")
                                 : Text::tr("Share of variance\t%1 %"))
                 .arg(formatFixed(edge.percent, 1));
  lines << Text::tr("Stability\t%1 of the resamples").arg(formatPercent(edge.stability, 0));
  if (!edge.opinions.empty()) lines << Text::tr("Methods\t") + opinionsText(graph, edge);
  if (edge.n > 0) lines << QStringLiteral("n\t") + formatCount(edge.n);
  if (!edge.test.isEmpty()) lines << Text::tr("Test\t") + edge.test;
  if (edge.stated)
    lines << Text::tr("Background knowledge requires this edge; it was not tested with the data.");
  if (!edge.directed) lines << Text::tr("The data do not identify the direction.");
  if (edge.sign == 0) {
    const bool excludes0 = edge.low * edge.high > 0;
    lines << (excludes0 ? Text::tr("Grey: the sign is not certain. The coefficient holds associated columns "
                                   "constant; without that, the launches do not show its sign.")
                        : Text::tr("Grey: the interval includes 0, so the sign is not certain."));
  }
  if (!edge.units.isEmpty() && edge.inUnits * edge.coefficient < 0)
    lines << Text::tr(
        "The two effects have opposite signs. The effect in σ per σ compares the order of "
        "values among similar rows. The effect in units is the slope of a straight line "
        "through all rows; a few extreme rows can reverse it. See these rows in the Evidence view.");
  if (against)
    lines << Text::tr("The sign shown is that of the share: within kernels, relative to their "
                      "durations. Over all rows the coefficient has the opposite sign.");
  if (edge.stability < 0.5) lines << Text::tr("Dashed: found in fewer than half of the resamples.");
  if (!edge.sentence.isEmpty()) lines << edge.sentence;
  return lines.join(QLatin1Char('\n'));
}

QString nodeDetails(const CausalGraph& graph, const CausalNode& node) {
  QStringList lines;
  lines << node.label;
  if (node.role == NodeRole::Target) lines << Text::tr("The quantity to explain");
  if (node.role == NodeRole::Family) {
    lines << Text::tr("%1 columns of one cause, or nearly identical, shown as one").arg(node.members);
  }
  if (node.tier >= 0 && node.tier < graph.tierNames.size())
    lines << Text::tr("Tier\t") + graph.tierNames[node.tier];
  if (!node.details.isEmpty()) lines << node.details;
  if (!node.stated.isEmpty()) lines << Text::tr("Background knowledge\t") + node.stated;
  if (node.role == NodeRole::Family)
    lines << (node.open ? Text::tr("Double-click or Enter folds its columns")
                        : Text::tr("Double-click or Enter lists its columns"));
  return lines.join(QLatin1Char('\n'));
}

} // namespace jitterscope::views
