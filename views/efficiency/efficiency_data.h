#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/time.h"

namespace jitterscope::views {

/// One factor of a hierarchy of efficiencies; parents come before the factors that multiply to them.
struct EfficiencyFactor {
  QString title;
  QString meaning; ///< what it is, with its formula
  QString where;   ///< where most of its loss arises, in a sentence; empty: nowhere
  QString place;   ///< the same in short
  int parent = -1; ///< place in EfficiencyData::factors
  double value = NAN;
  double cost = 0;              ///< mean time of a row that it costs [ns]
  std::optional<Interval> when; ///< the moment that costs most
  int row = -1, other = -1;     ///< the row that loses most, the one it is compared with
};

/// A device or a host thread. Parts of a device: useful, communication that no kernel hides, –, idle; of a
/// host thread: useful, MPI, offload, other.
struct EfficiencyRow {
  QString name;
  bool device = false;
  std::optional<std::uint32_t> track;
  std::array<double, 4> parts{}; ///< [ns]
  double hidden = 0;             ///< communication behind kernels [ns]
};

/// Efficiencies of one column of the timeline.
struct EfficiencyPart {
  Interval range;
  std::vector<double> values; ///< by place in EfficiencyData::factors, NaN unknown
};

struct EfficiencyData {
  Interval range;
  QString rangeText; ///< "visible range", "brushed range", "all activity"
  bool collectivesUseful = false;
  std::vector<EfficiencyFactor> factors;
  std::vector<EfficiencyRow> rows;   ///< devices, then host threads
  int rowsLeftOut = 0;               ///< rows that are not listed
  std::vector<EfficiencyPart> parts; ///< of the visible range, in order of time; empty: no timeline
  QStringList notes;

  bool empty() const { return rows.empty(); }
};

} // namespace jitterscope::views
