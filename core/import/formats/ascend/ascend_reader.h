#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::ascend {

/// Tables of Ascend devices written by torch_npu and msprof: kernel_details.csv and op_summary_….csv hold
/// kernels. Other tables of the same folder are named in the report; opened alone, they are read as plain
/// tables.
extern const Reader kReader;

} // namespace jitterscope::import::ascend
