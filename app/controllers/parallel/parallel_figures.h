#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace jitterscope::app {

/// A predefined picture of parallel coordinates: its axes, colouring column,
/// and order of categories.
struct ParallelFigure {
  QString name;     ///< name on the command line
  QString title;    ///< title in menus
  QString details;  ///< description
  QStringList axes; ///< columns of the axes; columns missing in the session are left out
  QString needs;    ///< required column
  QString colour;   ///< colouring column
  QString sorted;   ///< column of categories sorted by the mean of `target`; empty: none
  QString target;
};

/// Grid size against kernel variability and copy kind against kernel variability, as in Lahiry et al. 2025.
const std::vector<ParallelFigure>& parallel_figures();

} // namespace jitterscope::app
