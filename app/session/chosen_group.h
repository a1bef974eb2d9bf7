#pragma once

#include <optional>

#include "app/session/selection_hub.h"

namespace jitterscope::app {

/// A selection of one group among the groups of a column.
struct ChosenGroup {
  SelectionState others; ///< the selection without it: all groups
  QString group;         ///< the condition that chooses it
};

/// Where the selection chooses one group of the column, by the filter's text or among the kernels.
std::optional<ChosenGroup> chosen_group(const SelectionState& state, const QString& column,
                                        const QStringList& kernel_names);

/// Chooses the group that the condition names; the chosen one is taken back. Kernels are chosen as everywhere
/// else.
void toggle_group(SelectionState& state, const QString& column, const QString& group,
                  const QStringList& kernel_names);

/// The one kernel that is selected, if it is just one.
std::optional<std::uint32_t> one_kernel(const SelectionState& state, const QStringList& kernel_names);

} // namespace jitterscope::app
