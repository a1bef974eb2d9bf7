#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

namespace jitterscope::views {

enum class NodeRole { Feature, Family, Target };

struct CausalNode {
  int id = 0;
  QString label;
  int tier = 0; ///< 0 environment … 5 variability; an edge never goes from a later to an earlier one
  NodeRole role = NodeRole::Feature;
  int members = 1;              ///< number of columns in a merged family
  QString details;              ///< unit, range, members' names: for the tooltip
  QString key = {};             ///< column; identifies the node across refits
  QStringList memberNames = {}; ///< listed below the name of an opened family
  bool open = false;            ///< family: its members are listed
  QString stated = {};          ///< what the user stated, e.g. "tier: run-time context"; else empty
};

/// Verdict of another method on an edge.
struct CausalOpinion {
  QString method;  ///< "PC"
  QString verdict; ///< "same", "no edge", "the opposite direction" …
  bool agrees = true;
};

struct CausalEdge {
  int from = 0; ///< node ids
  int to = 0;
  bool directed = true;
  int sign = 0;           ///< +1, −1; 0 if the sign is not certain
  double coefficient = 0; ///< coefficient of the edge, in `unit`
  double low = 0;         ///< 95 % interval of the coefficient
  double high = 0;
  QString unit;         ///< "ns per event"
  double stability = 0; ///< share of bootstrap resamples with this orientation, 0..1
  double percent = -1;  ///< share [%] of what ofVariability states; < 0 if the edge is not into the target
  std::uint64_t n = 0;  ///< rows used for the estimate
  QString sentence;     ///< the claim in words
  double inUnits = 0;   ///< effect in `units`
  QString units = {};   ///< "ns per byte"; empty: unknown
  QString test = {};    ///< method by which the interval and the stability were computed
  std::vector<CausalOpinion> opinions = {};
  bool stated = false; ///< stated by the user, not inferred from the data
  bool ofVariability =
      false; ///< `percent` is the attributable share of the variability; else of the variance
};

struct CausalContribution {
  QString feature;
  int node = -1; ///< id of the node, −1 for "unexplained"
  double percent = 0;
  double low = 0;
  double high = 0;
  double attributable = -1; ///< percent of the summed variability that would vanish; < 0: unknown
  double attributableLow = 0;
  double attributableHigh = 0;
  int sign = 0;
  bool folded = false;        ///< another column of the same cause, listed below the first
  bool cause = false;         ///< true for a cause, false for a factor that is only associated
  std::int64_t affected = -1; ///< launches that the cause acts on; −1: unknown
  std::int64_t ofRows = 0;    ///< launches analysed
  QString key = {};           ///< column of the cause; empty: no example can be shown
};

struct CausalWarning {
  QString code;
  QString text;
};

struct CausalGraph {
  bool brief = false; ///< the panel has the headline, the ranked causes and advice; false: all details, too
  QString target;
  QString method; ///< "BOSS, within configurations"
  std::uint64_t n = 0;
  QStringList tierNames; ///< by tier number; tiers beyond its end have no name
  std::vector<CausalNode> nodes;
  std::vector<CausalEdge> edges;
  std::vector<CausalContribution> contributions;
  double withoutCause = -1; ///< share without a cause [%], in the measure of the contributions; < 0: no cause
  std::vector<CausalWarning> warnings;
  QStringList moment;    ///< sentences on why the selection takes longer than the rest of the run, and advice
  QString remark;        ///< names the launches that the rest of the answer is about
  QStringList sentences; ///< sentences of the answer, the headline first
  QStringList advice;
  QString nothingFound; ///< shown instead of a graph when there are no edges into the target

  bool empty() const { return nodes.empty(); }
  const CausalNode* node(int id) const {
    for (const CausalNode& each : nodes)
      if (each.id == id) return &each;
    return nullptr;
  }
};

} // namespace jitterscope::views
