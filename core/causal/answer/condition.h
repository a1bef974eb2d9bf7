#pragma once

#include <string>

#include "core/causal/base/result.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// "read only = 1", "with host-to-device copies during the launch", "not on stream 13": a column at one of
/// its two values, in words.
std::string words_for_condition(const Column& column, double value);

/// The sentence that goes with the cause's own: on which kernels it acts, and on which not.
std::string kernels_sentence(const Contribution& cause);

/// And: where it acts only.
std::string condition_sentence(const Contribution& cause);

/// "interaction": the same as a note.
Warning note_on_condition(const Contribution& cause);

} // namespace jitterscope::causal
