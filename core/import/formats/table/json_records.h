#pragma once

#include "core/import/registry.h"

namespace jitterscope::import::table {

/// Records in JSON that say how long something took: results of Google Benchmark, reports of nsys stats in
/// JSON, what pandas and scripts write. They are read as the table in CSV that says the same, by the reader
/// that knows it.
bool recognises_json_records(const Input& input);
Expected<void> read_json_records(std::span<const Input> inputs, Draft& draft, store::Source& source,
                                 const Progress& progress);

inline constexpr Reader kJsonRecordsReader = {"table", recognises_json_records, read_json_records, nullptr,
                                              nullptr};

} // namespace jitterscope::import::table
