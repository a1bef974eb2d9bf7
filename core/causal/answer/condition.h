#pragma once

#include <string>

#include "core/causal/base/result.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// Text for a column at one of its two values: "read only = 1", "with host-to-device copies during the
/// launch", "without stream 13".
std::string words_for_condition(const Column& column, double value);

/// Sentence after that of the cause: on which kernels the cause acts, and on which not.
std::string kernels_sentence(const Contribution& cause);

/// Sentence that states the only condition under which the cause acts.
std::string condition_sentence(const Contribution& cause);

/// The condition as a note with the code "interaction".
Warning note_on_condition(const Contribution& cause);

} // namespace jitterscope::causal
