#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::rocm {

/// JSON of rocprofv3 ({"rocprofiler-sdk-tool":[…]}), one element per process. The file is read up to
/// three times, as its tables may come after the records that need them: tables, traces, counters.
bool recognises_json(const Input& input);
Expected<void> read_json(std::span<const Input> inputs, Draft& draft, store::Source& source,
                         const Progress& progress);

inline constexpr Reader kJsonReader{"rocprofv3 JSON", recognises_json, read_json};

} // namespace jitterscope::import::rocm
