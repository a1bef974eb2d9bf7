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

/// One factor of a hierarchy of efficiencies; parents precede the factors whose product they are.
struct EfficiencyFactor {
  QString title;
  QString meaning; ///< description with its formula
  QString where;   ///< sentence about the place with most of its loss; empty: no loss
  QString place;   ///< short form of `where`
  int parent = -1; ///< index into EfficiencyData::factors
  double value = NAN;
  double cost = 0;              ///< mean time lost per row [ns]
  std::optional<Interval> when; ///< interval with the largest loss
  int row = -1, other = -1;     ///< the row with the largest loss, and the row it is compared with
  bool scaling = false;         ///< relative to a reference run: without cost, bar and timeline
};

/// A device or a host thread. The four parts of a device: useful, communication that no kernel hides, unused,
/// idle; of a host thread: useful, MPI, offload, other.
struct EfficiencyRow {
  QString name;
  bool device = false;
  std::optional<std::uint32_t> track;
  std::array<double, 4> parts{}; ///< [ns]
  double hidden = 0;             ///< communication hidden by kernels [ns]
};

/// Efficiencies of one column of the timeline.
struct EfficiencyPart {
  Interval range;
  std::vector<double> values; ///< by index into EfficiencyData::factors; NaN: unknown
};

struct EfficiencyData {
  Interval range;
  QString source;    ///< names of the files, for pictures
  QString rangeText; ///< "visible range", "brushed range", "all activity"
  bool collectivesUseful = false;
  std::vector<EfficiencyFactor> factors;
  std::vector<EfficiencyRow> rows;   ///< devices, then host threads
  int rowsLeftOut = 0;               ///< rows that are not listed
  std::vector<EfficiencyPart> parts; ///< columns of the visible range in time order; empty: no timeline
  QStringList notes;

  bool empty() const { return rows.empty(); }
};

} // namespace jitterscope::views
