#include "app/session/chosen_group.h"

#include "app/engine/group_filter.h"

namespace jitterscope::app {

std::optional<ChosenGroup> chosen_group(const SelectionState& state, const QString& column,
                                        const QStringList& kernel_names) {
  ChosenGroup chosen{state, {}};
  if (column == "kernel") {
    if (state.kernels.size() > 1) return std::nullopt;
    const auto kernel = one_kernel(state, kernel_names);
    if (!kernel) return std::nullopt;
    if (state.kernels.empty()) chosen.others.where = split_kernel(state.where, kernel_names)->base;
    chosen.others.kernels.clear();
    chosen.group = group_condition(column, static_cast<double>(*kernel));
    return chosen;
  }
  const auto group = split_group(state.where, column);
  if (!group) return std::nullopt;
  chosen.others.where = group->base;
  chosen.group = group->group;
  return chosen;
}

void toggle_group(SelectionState& state, const QString& column, const QString& group,
                  const QStringList& kernel_names) {
  if (column != "kernel") {
    state.where = with_group(state.where, column, group);
    return;
  }
  const auto now = chosen_group(state, column, kernel_names);
  if (now) state = now->others;
  if (now && now->group == group) return;
  if (const auto requested = split_kernel(group, {})) state.kernels = {requested->kernel};
}

std::optional<std::uint32_t> one_kernel(const SelectionState& state, const QStringList& kernel_names) {
  if (state.kernels.size() == 1) return state.kernels.front();
  if (!state.kernels.empty()) return std::nullopt;
  const auto named = split_kernel(state.where, kernel_names);
  return named ? std::optional(named->kernel) : std::nullopt;
}

} // namespace jitterscope::app
