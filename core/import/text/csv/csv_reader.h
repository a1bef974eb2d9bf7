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

/// The records of comma-separated text (RFC 4180) one after the other: quoted fields with doubled quotes and
/// line breaks, LF, CRLF or CR, a byte order mark, a missing last line break. Empty lines are skipped, in
/// tables of one column as well. Fields are bytes: they may hold NUL and need not be UTF-8. A quote inside an
/// unquoted field stands for itself; blanks before an opening quote are dropped.
///
/// One buffer is used again and again: no memory is taken per record.
class CsvReader {
public:
  static constexpr std::size_t kMostRecordBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMostFields = std::size_t{1} << 22;

  /// `name` is for messages; the stream must outlive the reader.
  CsvReader(ByteStream& stream, std::string name, char separator = ',');

  /// The next record; false at the end. Errors: BadInput (place: the line) for a quote that is never closed,
  /// a record beyond kMostRecordBytes or kMostFields, and what the stream finds. A quote that is opened in
  /// the very last line is no error: the text was cut off there, see cut_off().
  Expected<bool> next();
  /// The last line ends within quotes: it was left out.
  bool cut_off() const { return cut_off_; }
  /// No line break ended the record, but the text.
  bool ended_by_text() const { return ended_by_text_; }

  /// Skips lines, quotes or not, until one satisfies the predicate; next() gives that line as a record. False
  /// when none does. Errors as next().
  Expected<bool> skip_to(const std::function<bool(std::string_view line)>& wanted);

  /// Fields of the record, without quotes; valid until next(). kDigitPadding bytes from the beginning of each
  /// (plain_number.h) may be read.
  std::span<const std::string_view> fields() const { return {fields_.data(), count_}; }
  /// Line in which the record began, 1 for the first.
  std::int64_t line() const { return record_line_; }
  /// Bytes of the file on disk that were read so far.
  std::int64_t consumed() const { return stream_.consumed(); }
  /// Bytes of the file on disk that the records so far took; about so many of a compressed one.
  std::int64_t bytes_of_records() const {
    const auto split = static_cast<double>(read_ - (end_ - at_));
    return read_ == 0 ? 0
                      : static_cast<std::int64_t>(split / static_cast<double>(read_) *
                                                  static_cast<double>(consumed()));
  }
  /// "line 12".
  std::string place() const;

  /// From here on fields that are numbers as in "1.234,5" are given as "1234.5", as with_decimal_point()
  /// does.
  void set_decimal_comma(bool is_so) { decimal_comma_ = is_so; }

  /// Separator of the records from here on.
  void set_separator(char separator);

  /// What was read of the stream and not given yet, from the line break behind the last record on.
  std::string_view rest() const { return {buffer_.data() + at_, end_ - at_}; }
  /// Of rest(): the lines behind the line break that ends the record, quotes or not, as far as they are
  /// whole; empty where something else follows the record. kPadding bytes behind them may be read.
  std::string_view lines_ahead() const;
  /// Goes on behind so many bytes of lines_ahead(): so many lines and records.
  void skip_ahead(std::size_t bytes, std::int64_t lines);
  /// What comes is the middle of a text whose next line has this number.
  void go_on_at(std::int64_t line) {
    line_ = line;
    first_ = false;
  }
  /// Goes on with other bytes in place of the stream's: the first `size` of `content`, which has kPadding
  /// more and is exchanged for the reader's own buffer. They begin with a record. Fields are valid until the
  /// next call of this.
  void read_instead(std::vector<char>& content, std::size_t size);
  static constexpr std::size_t kPadding = 64;

  /// Takes the buffer out again, fields stay where they are; there are no more records.
  void give_back(std::vector<char>& content) {
    buffer_.swap(content);
    at_ = end_ = 0;
  }
  /// Line in which what follows the last record begins.
  std::int64_t next_line() const { return line_; }

private:
  enum class More { Bytes, End };

  bool at_plain_record();
  Expected<bool> read_record();
  void take_plain_fields();
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
  std::vector<char> buffer_; // end_ bytes of content and kPadding bytes that may be read
  std::size_t at_ = 0, end_ = 0;
  std::size_t read_ = 0;   // bytes of the stream
  std::size_t block_ = 0;  // where the block of mask_ begins
  std::uint64_t mask_ = 0; // bytes of the block that mean something and are still to be looked at
  std::size_t record_begin_ = 0, field_begin_ = 0;
  std::size_t quotes_ = 0; // in the field so far, 0 for an unquoted one
  std::int64_t line_ = 1, record_line_ = 1;
  bool ended_ = false, first_ = true, after_return_ = false, too_many_fields_ = false;
  bool cut_off_ = false, ended_by_text_ = false, is_piece_ = false;
  bool decimal_comma_ = false;
  std::vector<std::string_view> fields_; // the record's count_ and room for those of a block
  std::size_t count_ = 0;
};

/// A number as in "1.234,5" as "1234.5", in `room`, which has the field's size; other texts as they are.
/// `room` may be where the field lies.
std::string_view with_decimal_point(std::string_view field, char* room);

} // namespace jitterscope::import
