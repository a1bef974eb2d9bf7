#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "app/controllers/causal/causal_knowledge.h"
#include "app/engine/decode.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {
namespace {

constexpr std::size_t kMaxNodes = 28; // including the target; larger graphs are unreadable

using views::Text;

/// What is compared with what, after the name of the method; empty for all rows together.
QString compared_rows(const std::string& reading) {
  if (reading == "within") return Text::tr("within configurations");
  if (reading == "within kernel") return Text::tr("configurations of a kernel");
  return reading == "between" ? Text::tr("means of configurations") : QString();
}

/// Builds the view's graph: the target, its causes, and nodes connected to them.
class GraphBuilder {
public:
  explicit GraphBuilder(const causal::CausalResult& result) : result_(result) {}

  views::CausalGraph run() {
    graph_.target = QString::fromStdString(result_.target_label);
    graph_.method = QString::fromStdString(result_.method).toUpper();
    if (const auto compared = compared_rows(result_.reading); !compared.isEmpty())
      graph_.method += ", " + compared;
    graph_.n = static_cast<std::uint64_t>(result_.n);
    for (int tier = 0; !tier_name(tier).isEmpty(); ++tier) graph_.tierNames << tier_name(tier);
    const auto advice = result_.sentences.size() - result_.advice_sentences;
    for (std::size_t k = 0; k < result_.sentences.size(); ++k)
      (k < advice ? graph_.sentences : graph_.advice) << QString::fromStdString(result_.sentences[k]);
    for (const auto& warning : result_.warnings)
      graph_.warnings.push_back({QString::fromStdString(warning.code), QString::fromStdString(warning.text)});
    target_ = node(result_.target);
    const auto shown = nearest_to_target();
    for (const auto& edge : result_.edges)
      if (shown.contains(edge.from) && shown.contains(edge.to)) add(edge);
    for (const auto& contribution : result_.contributions) add(contribution);
    if (std::ranges::any_of(result_.contributions,
                            [](const auto& c) { return c.role == causal::Role::cause; }))
      graph_.withoutCause = result_.without_cause_percent;
    distinguish();
    if (graph_.contributions.empty()) {
      graph_.nothingFound =
          graph_.sentences.isEmpty()
              ? QCoreApplication::translate("CausalGraph", "Nothing recorded explains the target.")
              : graph_.sentences.takeFirst();
    } else {
      views::CausalContribution rest;
      rest.feature = QCoreApplication::translate("CausalGraph", "unexplained");
      rest.percent = rest.low = rest.high = result_.unexplained_percent;
      graph_.contributions.push_back(rest);
    }
    return std::move(graph_);
  }

private:
  // Tables have hundreds of columns, but a picture can show only a few: those that contribute, then those
  // with an edge to a shown one, step by step away from the target.
  std::set<std::string> nearest_to_target() {
    std::set<std::string> shown = {result_.target}, all = {result_.target};
    for (const auto& edge : result_.edges) all.insert({edge.from, edge.to});
    for (const auto& c : result_.contributions) shown.insert(c.feature);
    for (bool grew = true; grew;) {
      grew = false;
      const auto reached = shown;
      for (const auto& edge : result_.edges)
        for (const auto& [near, far] : {std::pair(edge.to, edge.from), std::pair(edge.from, edge.to)}) {
          const bool leads = near == edge.to || !edge.directed;
          if (leads && reached.contains(near) && shown.size() < kMaxNodes) grew |= shown.insert(far).second;
        }
    }
    std::size_t left = 0;
    for (const auto& name : all) left += !shown.contains(name);
    if (left > 0 && shown.size() < kMaxNodes) // small graphs are complete, even if not connected
      for (const auto& name : all)
        if (shown.size() < kMaxNodes) left -= shown.insert(name).second;
    if (left > 0)
      graph_.warnings.push_back(
          {"not-drawn",
           QCoreApplication::translate("CausalGraph", "%1 more columns are in the graph but not drawn: they "
                                                      "affect %2 only through others, or not at all.")
               .arg(left)
               .arg(graph_.target)});
    return shown;
  }

  /// The column that represents a cause; the column itself unless it is folded under another one.
  const std::string& first_of_cause(const std::string& name) const {
    for (const auto& c : result_.contributions)
      if (c.feature == name && !c.under.empty()) return c.under;
    return name;
  }

  int node(const std::string& column) {
    const auto& name = first_of_cause(column);
    const auto [place, added] = ids_.emplace(name, static_cast<int>(ids_.size()));
    if (!added) return place->second;
    views::CausalNode made;
    made.id = place->second;
    const auto* feature = result_.find(name);
    const bool target = name == result_.target;
    made.role = target ? views::NodeRole::Target : views::NodeRole::Feature;
    made.label = feature_title(name, feature ? feature->label : std::string());
    made.tier = feature ? feature->tier : target ? 5 : 2;
    if (target) made.label = QString::fromStdString(result_.target_label).section(',', 0, 0);
    QStringList members;
    for (const auto& other : result_.features)
      if (other.status == causal::FeatureStatus::merged && other.representative == name)
        members << words(other.name);
    for (const auto& c : result_.contributions)
      if (c.under == name) members << words(c.feature);
    if (!members.isEmpty() && !target) {
      made.role = views::NodeRole::Family;
      made.members = static_cast<int>(members.size()) + 1;
    }
    made.key = QString::fromStdString(name);
    made.memberNames = members;
    // The first line distinguishes columns with the same title.
    made.details = target ? QString::fromStdString(result_.target_label)
                          : distinct_feature_title(name) +
                                QCoreApplication::translate("CausalGraph", "\ncolumn\t") +
                                QString::fromStdString(name);
    if (feature && !target && QString::fromStdString(feature->label) != made.label)
      made.details +=
          QCoreApplication::translate("CausalGraph", "\nin words\t") + QString::fromStdString(feature->label);
    if (feature)
      made.details += QCoreApplication::translate("CausalGraph", "\nrange\t%1 – %2 %3")
                          .arg(feature->minimum, 0, 'g', 6)
                          .arg(feature->maximum, 0, 'g', 6)
                          .arg(QString::fromStdString(feature->unit));
    if (!members.isEmpty())
      made.details += QCoreApplication::translate("CausalGraph", "\nalso represents\t") + members.join(", ");
    graph_.nodes.push_back(std::move(made));
    return place->second;
  }

  // Time, bytes and number of the same thing can have the same title; if several are in the graph, each title
  // states which one it is.
  void distinguish() {
    std::map<QString, int> uses;
    for (const auto& each : graph_.nodes) ++uses[each.label];
    for (auto& each : graph_.nodes)
      if (uses[each.label] > 1) each.label = each.details.section('\n', 0, 0);
  }

  const causal::Contribution* contribution_of(const std::string& feature) const {
    for (const auto& c : result_.contributions)
      if (c.feature == feature || std::find(c.members.begin(), c.members.end(), feature) != c.members.end())
        return &c;
    return nullptr;
  }

  /// For columns merged into one node, draws the edges of the column that represents them, and edges that
  /// this column lacks.
  bool is_drawn(const causal::Edge& edge, const views::CausalEdge& out) const {
    if (first_of_cause(edge.from) == edge.from && first_of_cause(edge.to) == edge.to) return true;
    const auto between = [&](int from, int to) {
      return std::any_of(graph_.edges.begin(), graph_.edges.end(), [&](const auto& e) {
        return (e.from == from && e.to == to) || (e.from == to && e.to == from);
      });
    };
    const bool firsts = std::any_of(result_.edges.begin(), result_.edges.end(), [&](const auto& e) {
      return (e.from == first_of_cause(edge.from) && e.to == first_of_cause(edge.to)) ||
             (e.to == first_of_cause(edge.from) && e.from == first_of_cause(edge.to));
    });
    return !firsts && !between(out.from, out.to);
  }

  void add(const causal::Edge& edge) {
    views::CausalEdge out;
    out.from = node(edge.from);
    out.to = node(edge.to);
    if (out.from == out.to || !is_drawn(edge, out)) return;
    out.directed = edge.directed;
    out.sign = edge.sign;
    out.coefficient = edge.coefficient;
    out.low = edge.ci_low;
    out.high = edge.ci_high;
    out.unit = "σ per σ"; // both ends in units of their standard deviation
    out.stability = edge.stability;
    out.n = static_cast<std::uint64_t>(result_.n);
    out.inUnits = edge.coefficient_units;
    out.units =
        per(unit_of(edge.to),
            is_event(edge.from) ? QCoreApplication::translate("CausalGraph", "event") : unit_of(edge.from));
    if (result_.bootstrap > 0)
      out.test =
          QCoreApplication::translate("CausalGraph", "block bootstrap, %1 resamples; %2 effective rows")
              .arg(result_.bootstrap)
              .arg(
                  views::formatCount(static_cast<std::uint64_t>(std::llround(std::max(0.0, result_.n_eff)))));
    for (const auto& [method, opinion] : edge.agreement)
      out.opinions.push_back({display_name(method), verdict_of(opinion), opinion == causal::Opinion::same});
    const bool from_target = !edge.directed && edge.from == result_.target;
    if (edge.to == result_.target || from_target)
      if (const auto* c = contribution_of(from_target ? edge.to : edge.from)) {
        out.percent = c->attributable_percent.value_or(c->percent);
        out.ofVariability = c->attributable_percent.has_value();
        out.sentence = sentence_about(*c);
      }
    graph_.edges.push_back(std::move(out));
  }

  static QString display_name(const std::string& method) {
    if (method == "pc") return "PC";
    return method == "lingam" ? QString("LiNGAM") : QString::fromStdString(method).toUpper();
  }

  static QString verdict_of(causal::Opinion opinion) {
    switch (opinion) {
    case causal::Opinion::same:
      return QCoreApplication::translate("CausalGraph", "the same");
    case causal::Opinion::undirected:
      return QCoreApplication::translate("CausalGraph", "direction not identified");
    case causal::Opinion::directed:
      return QCoreApplication::translate("CausalGraph", "identifies a direction");
    case causal::Opinion::reversed:
      return QCoreApplication::translate("CausalGraph", "the opposite direction");
    case causal::Opinion::absent:
      return QCoreApplication::translate("CausalGraph", "no edge");
    }
    return {};
  }

  bool is_event(const std::string& name) const {
    const auto* feature = result_.find(name);
    return feature && feature->unit.empty() && feature->minimum == 0 && feature->maximum == 1;
  }

  QString unit_of(const std::string& name) const {
    if (name == result_.target) return QString::fromStdString(result_.target_unit);
    const auto* feature = result_.find(name);
    return feature ? QString::fromStdString(feature->unit) : QString();
  }

  static QString per(const QString& effect, const QString& cause) {
    return (effect.isEmpty() ? QString() : effect + " ") + "per " +
           (cause.isEmpty() ? QCoreApplication::translate("CausalGraph", "unit") : cause);
  }

  // The answer's sentence about the feature, else its share.
  // Sentences may name other features, such as interacting ones; the subject is named first.
  QString sentence_about(const causal::Contribution& c) const {
    for (const auto& sentence : result_.sentences) {
      const auto at = sentence.find(c.label);
      const bool first =
          at != std::string::npos &&
          std::none_of(result_.contributions.begin(), result_.contributions.end(), [&](const auto& other) {
            return other.label.find(c.label) == std::string::npos && sentence.find(other.label) < at;
          });
      if (first) return QString::fromStdString(sentence);
    }
    return QCoreApplication::translate("CausalGraph", "%1 accounts for %2 % of the variance of %3.")
        .arg(QString::fromStdString(c.label))
        .arg(c.percent, 0, 'f', 1)
        .arg(graph_.target);
  }

  void add(const causal::Contribution& c) {
    views::CausalContribution out;
    out.feature = feature_title(c.feature, c.label);
    out.node = node(c.feature);
    out.percent = c.percent;
    out.low = c.ci_low;
    out.high = c.ci_high;
    out.attributable = c.attributable_percent.value_or(-1);
    out.attributableLow = c.attributable_ci_low;
    out.attributableHigh = c.attributable_ci_high;
    out.sign = c.sign;
    out.folded = !c.under.empty();
    out.cause = c.role == causal::Role::cause;
    out.affected = c.affected;
    out.ofRows = c.of_rows;
    out.key = QString::fromStdString(c.feature);
    graph_.contributions.push_back(std::move(out));
  }

  const causal::CausalResult& result_;
  views::CausalGraph graph_;
  std::map<std::string, int> ids_;
  int target_ = 0;
};

} // namespace

views::DeviceMapData device_map_of(const causal::CausalResult& result) {
  views::DeviceMapData map;
  if (!result.groups) return map;
  const auto& groups = *result.groups;
  const auto text = [](const std::string& s) { return QString::fromStdString(s); };
  map.target = result.target == "kernel_variability" ? QCoreApplication::translate("CausalGraph", "duration")
                                                     : text(result.target_label).section(',', 0, 0);
  map.targetUnit = text(result.target_unit), map.unit = text(groups.unit),
  map.column = text(groups.between.group);
  map.sameConfigurations = result.target == "kernel_variability" ||
                           std::any_of(groups.components.begin(), groups.components.end(),
                                       [](const auto& c) { return c.group == "configuration"; });
  map.logarithm = groups.logarithm;
  if (!groups.sentences.empty()) map.sentence = text(groups.sentences.front());
  for (const auto& column : groups.place_columns) map.placeColumns << text(column);
  for (const auto& d : groups.devices) {
    views::DeviceCell cell{text(d.name),         {},       d.n,      d.geometric_mean.value_or(d.mean),
                           d.difference_percent, d.ci_low, d.ci_high};
    for (const auto& place : d.places) cell.places << text(place);
    map.devices.push_back(std::move(cell));
  }
  return map;
}

views::CausalGraph graph_of(const causal::CausalResult& result) {
  return GraphBuilder(result).run();
}

} // namespace jitterscope::app
