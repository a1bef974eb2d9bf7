#include "core/import/formats/xplane/xplane_reader.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::xplane::kReader)
