#pragma once

#include <string>

#include "core/base/error.h"
#include "core/model/correction/correction.h"

namespace jitterscope::model {

/// The JSON text of a model file with a correction and its provenance.
std::string saved(const Correction& correction);

/// Parses the text of a model file. Its content is untrusted: names, ranges and trees are checked before use,
/// and only the JSON parser reads it. Errors: BadInput with what is wrong.
Expected<Correction> parse_correction(const std::string& text, const std::string& file);

/// Reads a model file of at most 64 MiB. Errors: those of parse_correction; Io.
Expected<Correction> read_correction(const std::string& file);

} // namespace jitterscope::model
