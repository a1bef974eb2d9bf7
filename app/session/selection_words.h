#pragma once

#include <functional>

#include "app/session/selection_hub.h"

namespace jitterscope::app {

/// Display names for the numbers in a selection.
struct SelectionNames {
  CategoryCodes codes;
  views::AxisUnit axis = views::AxisUnit::Time;
  std::function<QString(std::uint32_t)> kernel;       ///< name of a session kernel
  std::function<QString(const QString& column)> unit; ///< "ns", "bytes" …
};

/// Text of a selection without its window and launch, for status lines and headlines: values rounded,
/// with units. The engine's filter is SelectionState::filter. Empty if nothing is
/// selected.
QString selection_words(const SelectionState& state, const SelectionNames& names);

/// Text of a selection without times and bins: typed filter, kernels and brushed values.
QString filter_words(const SelectionState& state, const SelectionNames& names);

} // namespace jitterscope::app
