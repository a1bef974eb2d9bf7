#pragma once

#include <span>
#include <string>

#include "core/import/records/reader.h"

namespace jitterscope::import::ascend {

/// Tables of Ascend devices written by torch_npu and msprof: kernel_details.csv and op_summary_….csv hold
/// kernels. Other tables of the same folder are named in the report; opened alone, they are read as plain
/// tables.
bool recognises(const Input& input);
std::string group(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"Ascend kernels", recognises, read, group};

} // namespace jitterscope::import::ascend
