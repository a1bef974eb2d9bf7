#pragma once

#include <optional>

#include "core/import/records/reader.h"

namespace jitterscope::import::table {

/// JSON records with durations: results of Google Benchmark, reports of nsys stats in JSON, the output of
/// pandas and scripts. They are converted to the equivalent CSV table, which is read by the reader that
/// `choose` returns.
using ChooseReader = Expected<const Reader*> (*)(const Input& table);
bool recognises_json_records(const Input& input, ChooseReader choose);
Expected<void> read_json_records(std::span<const Input> inputs, Draft& draft, store::Source& source,
                                 const Progress& progress, ChooseReader choose);

/// The records of an input as a table in CSV; empty if the input holds none. Errors: those of reading the
/// input.
Expected<std::optional<Input>> json_records(const Input& input);
/// The same, but for long files only the first records.
Expected<std::optional<Input>> first_json_records(const Input& input);

} // namespace jitterscope::import::table
