// What the causal graph says in words.

#include <QStringList>
#include <cmath>

#include "views/base/format.h"
#include "views/causal/causal_scene.h"

namespace jitterscope::views {

namespace {

QString labelOf(const CausalGraph& graph, int id) {
  for (const CausalNode& node : graph.nodes) {
    if (node.id == id) return node.label;
  }
  return {};
}

QString number(double value, const QString& unit) {
  if (unit.isEmpty()) return formatSi(value, {}, 3);
  if (unit == QLatin1String("ns") || unit == QLatin1String("%")) return formatValue(value, unit, 3);
  if (unit.startsWith(QLatin1String("ns "))) return formatDuration(value, 3) + unit.mid(2);
  return formatSi(value, {}, 3) + QLatin1Char(' ') + unit;
}

} // namespace

QString edgeLabel(const CausalEdge& edge) {
  if (edge.percent < 0) return {};
  const QString sign = edge.sign > 0 ? QStringLiteral("+") : edge.sign < 0 ? QStringLiteral("−") : QString();
  return sign + formatFixed(edge.percent, edge.percent < 9.95 ? 1 : 0) + QStringLiteral(" %");
}

QString edgeDetails(const CausalGraph& graph, const CausalEdge& edge) {
  QStringList lines;
  const QString arrow = edge.directed ? QStringLiteral(" → ") : QStringLiteral(" — ");
  lines << labelOf(graph, edge.from) + arrow + labelOf(graph, edge.to);
  lines << QStringLiteral("Effect\t") + number(edge.coefficient, edge.unit);
  lines << QStringLiteral("95 % interval\t") + number(edge.low, edge.unit) + QStringLiteral(" … ") +
               number(edge.high, edge.unit);
  if (edge.percent >= 0) {
    lines << QStringLiteral("Contribution\t") + formatFixed(edge.percent, 1) +
                 QStringLiteral(" % of the variance");
  }
  lines << QStringLiteral("Stability\t") + formatPercent(edge.stability, 0) +
               QStringLiteral(" of the replicates");
  if (edge.n > 0) lines << QStringLiteral("n\t") + formatCount(edge.n);
  if (!edge.directed) lines << QStringLiteral("The data leave the direction open.");
  if (edge.sign == 0) lines << QStringLiteral("The interval includes 0: the sign is not certain.");
  if (!edge.sentence.isEmpty()) lines << edge.sentence;
  return lines.join(QLatin1Char('\n'));
}

QString nodeDetails(const CausalGraph& graph, const CausalNode& node) {
  QStringList lines;
  lines << node.label;
  if (node.role == NodeRole::Target) lines << QStringLiteral("The quantity to explain");
  if (node.role == NodeRole::Family) {
    lines << QStringLiteral("%1 columns that say the same, shown as one").arg(node.members);
  }
  if (node.tier >= 0 && node.tier < graph.tierNames.size())
    lines << QStringLiteral("Tier\t") + graph.tierNames[node.tier];
  if (!node.details.isEmpty()) lines << node.details;
  return lines.join(QLatin1Char('\n'));
}

} // namespace jitterscope::views
