#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// The records of comma-separated text (RFC 4180), one after the other: quoted fields with doubled quotes and
/// line breaks, LF, CRLF or CR, a byte order mark, a missing last line break. Empty lines are skipped, in
/// tables of one column as well. Fields are bytes: they may contain NUL and need not be UTF-8. A quote in an
/// unquoted field is an ordinary character; blanks before an opening quote are dropped.
///
/// One buffer is reused: no memory is allocated per record.
class CsvReader {
public:
  static constexpr std::size_t kMaxRecordBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMaxFields = std::size_t{1} << 22;

  /// `name` is for messages; the stream must outlive the reader.
  CsvReader(ByteStream& stream, std::string name, char separator = ',');

  /// Reads the next record; false at the end. Errors: BadInput (place: the line) for a quote that is never
  /// closed, a record beyond kMaxRecordBytes or kMaxFields, and those of the stream. A quote opened in
  /// the very last line is not an error: the text was truncated there, see cut_off().
  Expected<bool> next();
  /// The last line ends within quotes and was left out.
  bool cut_off() const { return cut_off_; }
  /// The record was ended by the end of the text, not by a line break.
  bool ended_by_text() const { return ended_by_text_; }

  /// Skips lines, quoted or not, until one satisfies the predicate; next() returns that line as a record.
  /// False when none does. Errors as for next().
  Expected<bool> skip_to(const std::function<bool(std::string_view line)>& requested);

  /// Fields of the record, without quotes; valid until next(). kDigitPadding bytes from the beginning of each
  /// (plain_number.h) are readable.
  std::span<const std::string_view> fields() const { return {fields_.data(), count_}; }
  /// Line in which the record began, 1 for the first.
  std::int64_t line() const { return record_line_; }
  /// Bytes of the file on disk that have been read.
  std::int64_t consumed() const { return stream_.consumed(); }
  /// Size on disk of the records read so far [B]; an estimate for a compressed file.
  std::int64_t bytes_of_records() const {
    const auto split = static_cast<double>(read_ - (end_ - at_));
    return read_ == 0 ? 0
                      : static_cast<std::int64_t>(split / static_cast<double>(read_) *
                                                  static_cast<double>(consumed()));
  }
  /// "line 12".
  std::string place() const;

  /// Sets whether numbers have decimal commas: numeric fields such as "1.234,5" are then returned as
  /// "1234.5", as by with_decimal_point().
  void set_decimal_comma(bool is_so) { decimal_comma_ = is_so; }

  /// Sets the separator of the records that follow.
  void set_separator(char separator);

  /// Bytes read from the stream and not yet returned, from the line break after the last record on.
  std::string_view rest() const { return {buffer_.data() + at_, end_ - at_}; }
  /// The complete lines of rest() after the line break that ends the last record; quotes are not interpreted.
  /// Empty if the record does not end with a line break. kPadding bytes after them are readable.
  std::string_view lines_ahead() const;
  /// Skips this number of bytes of lines_ahead(), which contain the given number of lines and records.
  void skip_ahead(std::size_t bytes, std::int64_t lines);
  /// Declares that the text starts in the middle of a file: its next line has this number.
  void go_on_at(std::int64_t line) {
    line_ = line;
    first_ = false;
  }
  /// Continues with other bytes in place of the stream's: the first `size` of `content`, which has kPadding
  /// more bytes and is swapped with the reader's own buffer. They begin with a record. Fields are valid until
  /// the next call of this function.
  void read_instead(std::vector<char>& content, std::size_t size);
  static constexpr std::size_t kPadding = 64;

  /// Swaps the buffers back. Fields stay valid; there are no more records.
  void give_back(std::vector<char>& content) {
    buffer_.swap(content);
    at_ = end_ = 0;
  }
  /// Line at which the text after the last record begins.
  std::int64_t next_line() const { return line_; }

private:
  enum class More { Bytes, End };

  bool at_plain_record();
  Expected<bool> read_record();
  void read_plain_fields();
  Expected<bool> start_record();
  Expected<More> refill(std::size_t keep_from);
  void scan_block();
  void begin_scan(std::size_t at);
  void rebase(const char* old_base, const char* new_base);
  bool handle(std::size_t position);
  void end_field(std::size_t end);
  std::string_view unquoted(std::size_t begin, std::size_t end);
  void put_points();
  tl::unexpected<Error> bad(std::string message, std::string hint) const;

  ByteStream& stream_;
  std::string name_;
  char separator_;
  std::vector<char> buffer_; // end_ bytes of content and kPadding readable bytes
  std::size_t at_ = 0, end_ = 0;
  std::size_t read_ = 0;   // bytes read from the stream
  std::size_t block_ = 0;  // offset of the block of mask_
  std::uint64_t mask_ = 0; // special characters of the block that are still to be processed
  std::size_t record_begin_ = 0, field_begin_ = 0;
  std::size_t quotes_ = 0; // in the field so far, 0 for an unquoted one
  std::int64_t line_ = 1, record_line_ = 1;
  bool ended_ = false, first_ = true, after_return_ = false, too_many_fields_ = false;
  bool cut_off_ = false, ended_by_text_ = false, is_piece_ = false;
  bool decimal_comma_ = false;
  std::vector<std::string_view> fields_; // the record's count_ fields, and room for the fields of a block
  std::size_t count_ = 0;
};

/// Converts a number such as "1.234,5" to "1234.5", in `room`, which has the field's size; other texts
/// unchanged. `room` may be the field itself.
std::string_view with_decimal_point(std::string_view field, char* room);

} // namespace jitterscope::import
