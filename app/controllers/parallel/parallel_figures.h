#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace jitterscope::app {

/// A picture of parallel coordinates that is asked for often: which columns are its axes, which one colours,
/// and in which order categories stand.
struct ParallelFigure {
  QString name;     ///< of the command line
  QString title;    ///< in menus
  QString details;  ///< what it tells
  QStringList axes; ///< of these the ones that the session has
  QString needs;    ///< column without which it says nothing
  QString colour;   ///< column
  QString sorted;   ///< column of categories sorted by the mean of `target`; empty: none
  QString target;
};

/// Grid size against kernel variability and copy kind against kernel variability, as in Lahiry et al. 2025.
const std::vector<ParallelFigure>& parallel_figures();

} // namespace jitterscope::app
