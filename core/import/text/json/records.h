#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import::json {

/// Records of a JSON text, each an object of numbers and texts: what scripts and benchmarks write in place of
/// a table.
struct Records {
  bool loose = false; ///< the records are consecutive values, not in an array
  std::string
      member; ///< member of the outer object with the array of records; empty: no object around the array
  std::vector<std::string>
      columns; ///< keys of the records, in order of first appearance; of nested objects: "grid.x"
  std::int64_t count = 0;
  std::int64_t others = 0;        ///< elements of the array that are not objects
  std::int64_t keys_left_out = 0; ///< number of values left out because their keys are beyond kMaxRecordKeys
  bool more_behind = false;       ///< another value follows the object or array that holds the records
  bool cut_off = false;
};
inline constexpr std::size_t kMaxRecordKeys = 4096;

using OpenText = std::function<Expected<ByteStreamPointer>()>;

/// The records in a text, or in its beginning: with several arrays in an object those of the longest. Nothing
/// where there are none, and where they contain lists of objects (trees). The text may be opened twice.
/// Errors: BadInput where it is not JSON; those of the stream.
Expected<std::optional<Records>> records_in(const OpenText& open, const std::string& name);

/// The records as a CSV table: a header, and a line for each record, with numbers as
/// written. Lists are texts such as "[4, 2, 1]"; null and missing values are empty.
ByteStreamPointer as_csv(ByteStreamPointer text, std::string name, std::shared_ptr<const Records> records);

/// Whether a text begins like JSON.
bool begins_like_json(std::string_view head);

} // namespace jitterscope::import::json
