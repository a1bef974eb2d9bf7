#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::hpctoolkit {

/// A database of hpcprof, version 4: trace.db with the names in meta.db and the threads in profile.db.
/// Activities of GPU streams are launches and transfers; the sampled call paths of threads become ranges.
extern const Reader kReader;

} // namespace jitterscope::import::hpctoolkit
