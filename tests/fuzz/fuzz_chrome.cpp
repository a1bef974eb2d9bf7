#include "core/import/formats/chrome/chrome_reader.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::chrome::kReader)
