#include "core/import/formats/ascend/ascend_reader.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::ascend::kReader)
