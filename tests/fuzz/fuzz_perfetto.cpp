#include "core/import/formats/perfetto/perfetto_reader.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::perfetto::kReader)
