#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// Some whole records of comma-separated text, as far as can be told without reading them.
struct RecordPiece {
  std::vector<char> bytes; ///< `size` of content, CsvReader::kPadding and more behind it
  std::size_t size = 0;
  std::size_t unended = 0;   ///< bytes behind these: a last line that no line break ends
  std::int64_t consumed = 0; ///< bytes of the file on disk that were read when it was cut
  bool whole = false;        ///< it ends with a record; else a record goes on beyond kMostPiece
  bool quotes = false;
  std::optional<Error> problem; ///< what the stream found behind it
};

/// Cuts comma-separated text at ends of records: behind a line feed with an even number of quotes before it
/// (Ge et al. 2019, "Speculative distributed CSV data parsing"). Where quotes stand inside unquoted fields
/// that may be wrong: whoever reads the records finds a quote that is never closed, and must then read that
/// piece and all that follow as one text.
class RecordCutter {
public:
  static constexpr std::size_t kPiece = std::size_t{256} << 10;
  static constexpr std::size_t kMostPiece = std::size_t{8} << 20;

  /// `begin`: what was read of the stream already; it starts with a record. `piece`: bytes of a piece, about;
  /// where records are long, more than kPiece save what is done for every column of every piece.
  RecordCutter(ByteStream& stream, std::string_view begin, std::size_t piece = kPiece)
      : stream_(stream), left_(begin.begin(), begin.end()), piece_(std::clamp(piece, kPiece, kMostPiece)) {}

  /// True when the piece is the last one.
  bool cut(RecordPiece& piece);

private:
  ByteStream& stream_;
  std::vector<char> left_; ///< read and not given yet
  std::size_t piece_;
};

/// Where the last record of a text that begins with one ends, 0 when it is longer.
std::size_t end_of_records(std::string_view text, bool& quotes);

} // namespace jitterscope::import
