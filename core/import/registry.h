#pragma once

#include <string>

#include "core/import/records/reader.h"

namespace jitterscope::import {

/// The reader for an input, by its first bytes. Errors: BadInput when it is empty or of a kind that cannot be
/// imported; the hint states how to convert it to an importable file.
Expected<const Reader*> reader_for(const Input& input);

/// True for a common kind of file that cannot be imported as it is (a report that must
/// be exported first); false for unknown kinds (a README in a folder of traces).
bool is_foreign(const Input& input);

/// The code in the import report for a foreign input that was left out: kinds that are exported by different
/// commands have different codes. Empty for inputs that are not foreign.
std::string foreign_code(const Input& input);

} // namespace jitterscope::import
