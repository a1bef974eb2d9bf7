#include "core/import/formats/gpu_trace/gpu_trace_reader.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::gpu_trace::kNvprofReader)
