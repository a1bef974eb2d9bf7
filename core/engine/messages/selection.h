#pragma once

#include "core/engine/messages/selection_options.h"

namespace jitterscope::engine {

/// `options` about the launches of `selection`.
template <class Options>
Options with_selection(Options options, const SelectionOptions& selection) {
  options.where = selection.where;
  options.intervals = selection.intervals;
  options.streams = selection.streams;
  return options;
}

/// The launches that `options` are about.
template <class Options>
SelectionOptions selection_in(const Options& options) {
  return {options.where, options.intervals, options.streams};
}

/// Sets the fields begin_ns and end_ns.
template <class Options>
void set_range(Options& options, const Interval& range) {
  options.begin_ns = range.begin.count;
  options.end_ns = range.end.count;
}

} // namespace jitterscope::engine
