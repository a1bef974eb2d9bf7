#include "core/import/formats/kernel_tuner/kernel_tuner_reader.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::kernel_tuner::kReader)
