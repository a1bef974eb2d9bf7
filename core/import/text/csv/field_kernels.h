#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jitterscope::import {

// The inner loops of PlainFields, each in several implementations with the same results: for
// processors with AVX-512 (Intel since Ice Lake, AMD since Zen 4), and for all others.

/// Offsets of the fields of a text, and the cumulative number of fields at the end of each record.
struct FieldEnds {
  std::uint32_t *begins,
      *ends; ///< offsets; room for `maximum` + kMaskBlock; `begins` has one element more than `ends`
  std::uint16_t* records; ///< fields up to the end of each record; room for `maximum` + kMaskBlock
  bool quotes = false; ///< the text may contain quotes: separators and line breaks inside quotes end nothing
  std::size_t field_count = 0, record_count = 0;
  bool returns = false;   ///< the text contains carriage returns
  bool irregular = false; ///< a quote that is not at an end of its field, or a line break within quotes
};

/// Finds the ends of the fields from `begin`, the start of a record, block after block while there is room
/// for all that a block may have. Of a carriage return and a line feed only the line feed ends the field; the
/// return is then the last byte of the field. kMaskBlock bytes after the text must be readable.
void find_field_ends(std::string_view text, std::size_t begin, char separator, std::size_t maximum,
                     FieldEnds& out);

/// Some fields of a text, to be parsed as numbers.
struct FieldNumbers {
  const std::uint32_t *begins,
      *ends; ///< offsets of the fields; these and all arrays below have room for kFieldGroup more
  std::size_t count;
  bool points;              ///< whether "1.5" is a number
  double* numbers;          ///< by field: the value of one to fifteen digits, NaN for all other texts
  std::uint16_t* others;    ///< the fields that are NaN, in ascending order
  std::uint16_t* fractions; ///< the fields that are numbers with a decimal point, in ascending order
  std::size_t other_count = 0, fraction_count = 0;
  const std::uint8_t* requested = nullptr; ///< one bit per field: fields without a bit are NaN and not
                                           ///< listed; null: all are read; one more byte must be readable
  std::size_t columns = 0; ///< fields of every record, 0 if unknown: decimal points are expected where the
                           ///< record before has them
};
inline constexpr std::size_t kFieldGroup = 64;

void read_field_numbers(const char* text, FieldNumbers& fields);

/// Copies the numbers of `rows` consecutive records of `columns` fields each into columns: those
/// of `column` to `to[column]` and after, none where that is null.
void put_into_columns(const double* numbers, std::size_t columns, std::size_t rows, double* const* to);

// For tests: the portable implementations.
void find_field_ends_portably(std::string_view text, std::size_t begin, char separator, std::size_t maximum,
                              FieldEnds& out);
void read_field_numbers_portably(const char* text, FieldNumbers& fields);
void put_into_columns_portably(const double* numbers, std::size_t columns, std::size_t rows,
                               double* const* to);

} // namespace jitterscope::import
