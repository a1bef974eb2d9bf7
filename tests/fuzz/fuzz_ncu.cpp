#include "core/import/formats/ncu/ncu_reader.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::ncu::kReader)
