#pragma once

#include "core/efficiency/cut/row_choice.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::efficiency {

/// Copies the chosen rows of a store into the tables of a new one, with every column, including columns
/// that are specific to its source. References are mapped to the new rows, or to none if their row is
/// dropped. Kernels, configurations, counters, resources and strings without references are dropped. Context
/// columns of launches (gap, queue delay …) keep their values from the whole trace. The copy has no track
/// index.
struct Copy {
  store::TraceData data;
  std::vector<std::uint32_t> new_resource; ///< by resource of the store; kNone: left out
  std::int64_t lost_calls = 0;             ///< kept launches and memory operations whose call is dropped
};

/// `store_range`: if given and `borders` is Clip, starts and durations are cut to it. `move_by` is added to
/// all times [ns]. Errors: Cancelled.
Expected<Copy> copy_rows(const store::Store& store, const Choice& choice,
                         const std::optional<Interval>& store_range, Borders borders, std::int64_t move_by,
                         const Job& job);

/// Chooses every row of every table.
Choice choose_everything(const store::Store& store);

} // namespace jitterscope::efficiency
