#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::table {

/// Records in JSON that say how long something took: results of Google Benchmark, reports of nsys stats in
/// JSON, what pandas and scripts write. They are read as the table in CSV that says the same, by the reader
/// that knows it: `choose` names it.
using ChooseReader = Expected<const Reader*> (*)(const Input& table);
bool recognises_json_records(const Input& input, ChooseReader choose);
Expected<void> read_json_records(std::span<const Input> inputs, Draft& draft, store::Source& source,
                                 const Progress& progress, ChooseReader choose);

} // namespace jitterscope::import::table
