#include "core/import/formats/caliper/caliper_reader.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::caliper::kReader)
