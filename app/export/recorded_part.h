#pragma once

#include "core/base/error.h"
#include "core/base/time.h"
#include "views/base/format.h"

namespace jitterscope::app {

/// The part of a requested range that was recorded. Errors: BadUse if there is none.
Expected<Interval> recorded_part(const Interval& requested, const Interval& recorded, views::AxisUnit axis);

} // namespace jitterscope::app
