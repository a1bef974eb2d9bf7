#pragma once

#include "core/efficiency/cut/row_choice.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::efficiency {

/// The chosen rows of a store as the tables of a new one: every column, also those that only this source has;
/// references point at the new rows, or at none where what they point at is left out. Kernels,
/// configurations, counters, resources and strings that nothing refers to any more are left out. Context
/// columns of launches (gap, queue delay …) keep the values that they have in the whole trace. Without track
/// index.
struct Copy {
  store::TraceData data;
  std::vector<std::uint32_t> new_resource; ///< by resource of the store; kNone: left out
  std::int64_t lost_calls = 0;             ///< kept launches and copies whose call is left out
};

/// `store_range`: where given and `borders` is Clip, starts and durations are cut to it. `move_by` is added
/// to all times [ns]. Errors: Cancelled.
Expected<Copy> copy_rows(const store::Store& store, const Choice& choice,
                         const std::optional<Interval>& store_range, Borders borders, std::int64_t move_by,
                         const Job& job);

/// Every row of every table.
Choice choose_everything(const store::Store& store);

} // namespace jitterscope::efficiency
