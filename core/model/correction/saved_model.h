#pragma once

#include <string>

#include "core/base/error.h"
#include "core/model/correction/correction.h"

namespace jitterscope::model {

/// A correction as the JSON text of a model file, with its provenance.
std::string saved(const Correction& correction);

/// The correction of such a text. Nothing in it is trusted: names, ranges and trees are checked before they
/// are used, and no library parses it but the JSON parser. Errors: BadInput with what is wrong.
Expected<Correction> parse_correction(const std::string& text, const std::string& file);

/// Reads a model file of at most 64 MiB. Errors: those of parse_correction; Io.
Expected<Correction> read_correction(const std::string& file);

} // namespace jitterscope::model
