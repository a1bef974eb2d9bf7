#pragma once

#include <functional>

#include "app/session/selection_hub.h"

namespace jitterscope::app {

/// What people call the things that a selection names by numbers.
struct SelectionNames {
  CategoryCodes codes;
  views::AxisUnit axis = views::AxisUnit::Time;
  std::function<QString(std::uint32_t)> kernel;       ///< name of a session kernel
  std::function<QString(const QString& column)> unit; ///< "ns", "bytes" …
};

/// All of a selection but its window and its launch, in words for status lines and headlines: values rounded,
/// with their units. The filter that the engine gets is SelectionState::filter. Empty when nothing is
/// selected.
QString selection_words(const SelectionState& state, const SelectionNames& names);

/// The same without times and bins: what is typed, the kernels and the brushed values.
QString filter_words(const SelectionState& state, const SelectionNames& names);

} // namespace jitterscope::app
