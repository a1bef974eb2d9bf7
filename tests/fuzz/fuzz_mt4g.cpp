#include "core/import/formats/machine/machine_readers.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::machine::kMt4gReader)
