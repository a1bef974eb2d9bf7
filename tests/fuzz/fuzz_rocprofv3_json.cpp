#include "core/import/formats/rocm/json/json_reader.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::rocm::kJsonReader)
