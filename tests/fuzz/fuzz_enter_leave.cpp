#include "core/import/formats/enter_leave/enter_leave_reader.h"
#include "tests/fuzz/fuzz_reader.h"

JITTERSCOPE_FUZZ_READER(jitterscope::import::enter_leave::kReader)
