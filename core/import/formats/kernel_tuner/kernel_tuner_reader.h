#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::kernel_tuner {

/// Caches of Kernel Tuner, results of its tune_kernel(), results in the T4 interchange form (also of KTT),
/// KTT's own JSON and that of CLTune: every configuration of a kernel, timed once or several times. One
/// launch per repetition, in the order of the file; configurations that failed are left out and counted.
extern const Reader kReader;

} // namespace jitterscope::import::kernel_tuner
