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

/// Some whole records of comma-separated text, as far as record ends are known without parsing.
struct RecordPiece {
  std::vector<char> bytes; ///< `size` bytes of content, followed by at least CsvReader::kPadding more
  std::size_t size = 0;
  std::size_t unended = 0;   ///< bytes after the `size` bytes: a last line without line break
  std::int64_t consumed = 0; ///< bytes of the file on disk that had been read when the piece was cut
  bool whole = false;        ///< the piece ends with a record; false: a record is longer than kMaxPiece
  bool quotes = false;
  std::optional<Error> problem; ///< error of the stream after the piece
};

/// Splits comma-separated text at ends of records: after a line feed with an even number of quotes before it
/// (Ge et al. 2019, "Speculative distributed CSV data parsing"). Where quotes occur inside unquoted fields
/// that may be wrong: the parser then finds a quote that is never closed, and must read that
/// piece and all later ones as one text.
class RecordCutter {
public:
  static constexpr std::size_t kPiece = std::size_t{256} << 10;
  static constexpr std::size_t kMaxPiece = std::size_t{8} << 20;

  /// `begin`: bytes already read from the stream; they start with a record. `piece`: approximate size;
  /// with long records, a size above kPiece reduces the work per column and piece.
  RecordCutter(ByteStream& stream, std::string_view begin, std::size_t piece = kPiece)
      : stream_(stream), left_(begin.begin(), begin.end()), piece_(std::clamp(piece, kPiece, kMaxPiece)) {}

  /// True when the piece is the last one.
  bool cut(RecordPiece& piece);

private:
  ByteStream& stream_;
  std::vector<char> left_; ///< bytes read from the stream and not yet returned
  std::size_t piece_;
};

/// End of the last complete record of a text that begins with one, 0 when there is none.
std::size_t end_of_records(std::string_view text, bool& quotes);

} // namespace jitterscope::import
