#pragma once

#include <optional>

#include "app/session/selection_hub.h"

namespace jitterscope::app {

/// A selected group among the groups of a column.
struct ChosenGroup {
  SelectionState others; ///< the same selection with all groups instead of this one
  QString group;         ///< condition that selects the group
};

/// The group of the column that the selection contains, by the filter text or the selected kernels.
std::optional<ChosenGroup> chosen_group(const SelectionState& state, const QString& column,
                                        const QStringList& kernel_names);

/// Selects the group of the condition, or deselects it if already selected. Kernels are selected as in the
/// other views.
void toggle_group(SelectionState& state, const QString& column, const QString& group,
                  const QStringList& kernel_names);

/// The selected kernel if exactly one is selected.
std::optional<std::uint32_t> one_kernel(const SelectionState& state, const QStringList& kernel_names);

} // namespace jitterscope::app
