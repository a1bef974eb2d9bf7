#include "core/import/formats/table/table_reader.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::table::kReader)
