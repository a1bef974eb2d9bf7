#include "core/import/formats/paraver/paraver_reader.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::paraver::kReader)
