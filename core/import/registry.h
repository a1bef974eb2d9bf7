#pragma once

#include <string>

#include "core/import/records/reader.h"

namespace jitterscope::import {

/// The reader for an input, by its first bytes.
/// Errors: BadInput when it is empty or of a kind that cannot be imported; the hint says how to make an
/// importable file of it. `known` in the error's place field is empty for kinds that nobody knows.
Expected<const Reader*> reader_for(const Input& input);

/// True when the input is something that people have and that cannot be imported as it is (a report that must
/// be exported first); false for what nobody knows (a README in a folder of traces).
bool is_foreign(const Input& input);

/// Under which code the import report tells that such an input was left out: kinds that are exported by
/// different commands have different ones. Empty for what is not foreign.
std::string foreign_code(const Input& input);

} // namespace jitterscope::import
