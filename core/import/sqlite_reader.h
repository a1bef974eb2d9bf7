#pragma once

#include "core/import/records/reader.h"
#include "core/import/sqlite/database.h"

namespace jitterscope::import::sqlite {

/// A kind of SQLite file, recognised by its tables.
struct Dialect {
  std::string_view format; ///< name of the format, copied to Source.format
  bool (*recognises)(const Database& database);
  Expected<void> (*read)(Database& database, const Input& input, Draft& draft, store::Source& source,
                         const Progress& progress);
};

bool recognises(const Input& input);

/// Opens the database (unpacked to a temporary file if necessary) and passes it to its dialect.
/// Errors: BadInput when its kind is unknown, and those of the dialect.
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"SQLite database", recognises, read};

} // namespace jitterscope::import::sqlite
