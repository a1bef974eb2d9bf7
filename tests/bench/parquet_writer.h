#pragma once

#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::bench {

enum class ParquetType : std::uint8_t { Int64, UInt32, UInt16 }; ///< UInt16 is stored in 32 bits

/// Columns of numbers as a Parquet file (https://parquet.apache.org/docs/file-format/) in the form that
/// decodes fastest: plain encoding, no compression, one page for each column of a row group.
class ParquetWriter {
public:
  struct Column {
    std::string name;
    ParquetType type;
  };
  ParquetWriter(const std::string& path, std::vector<Column> columns);

  void begin_group(std::size_t rows);
  /// Adds the next column of the group, little-endian.
  void add(std::span<const std::byte> values);
  Expected<void> finish();

private:
  struct Chunk {
    std::int64_t offset = 0, bytes = 0; ///< offset and size of the page with its header
  };
  struct Group {
    std::int64_t rows = 0;
    std::vector<Chunk> chunks;
  };
  std::string footer() const;

  std::string path_;
  std::vector<Column> columns_;
  std::ofstream out_;
  std::int64_t written_ = 0;
  std::vector<Group> groups_;
};

} // namespace jitterscope::bench
