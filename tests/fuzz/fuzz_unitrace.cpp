#include "core/import/formats/unitrace/unitrace_reader.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::unitrace::kReader)
