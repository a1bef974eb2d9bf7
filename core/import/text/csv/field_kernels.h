#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jitterscope::import {

// The loops that PlainFields spends its time in, each in several ways with the same results: for
// processors with AVX-512 as Intel's since Ice Lake and AMD's since Zen 4 have it, and for all others.

/// Where fields lie in a text, and how many there are up to the end of each record and with it.
struct FieldEnds {
  std::uint32_t *begins, *ends; ///< room for `most` and kMaskBlock more; one field more has begun than ended
  std::uint16_t* records;       ///< likewise
  bool quotes = false;          ///< the text may hold some: what stands within them ends nothing
  std::size_t field_count = 0, record_count = 0;
  bool returns = false; ///< there are any
  bool irregular =
      false; ///< a quote that does not stand at an end of its field, or a line break within quotes
};

/// Finds the ends of the fields from `begin`, where a record begins, block after block as long as there is
/// room for all that a block may have. Of a return and a line feed only the latter ends the field, which then
/// has the former as its last byte. kMaskBlock bytes behind the text may be read.
void find_field_ends(std::string_view text, std::size_t begin, char separator, std::size_t most,
                     FieldEnds& out);

/// Some fields of a text, to be read as numbers.
struct FieldNumbers {
  const std::uint32_t *begins, *ends; ///< room for kFieldGroup behind the last as behind what follows
  std::size_t count;
  bool points;              ///< "1.5" is a number
  double* numbers;          ///< by field: the number that one to fifteen digits are, NaN for all other texts
  std::uint16_t* others;    ///< the fields that are NaN, ascending
  std::uint16_t* fractions; ///< those that are numbers with a point between their digits, ascending
  std::size_t other_count = 0, fraction_count = 0;
  const std::uint8_t* wanted = nullptr; ///< eight fields a byte: what has no bit is NaN and in no list; null:
                                        ///< all are read; one byte more may be read
  std::size_t columns =
      0; ///< fields of every record, 0 where that is not known: points stand where they stood above
};
inline constexpr std::size_t kFieldGroup = 64;

void read_field_numbers(const char* text, FieldNumbers& fields);

/// Puts the numbers of `rows` records of `columns` fields each, which follow each other, into columns: that
/// of `column` to `to[column]` and behind, none where that is null.
void put_into_columns(const double* numbers, std::size_t columns, std::size_t rows, double* const* to);

// For tests: the ways of all processors.
void find_field_ends_portably(std::string_view text, std::size_t begin, char separator, std::size_t most,
                              FieldEnds& out);
void read_field_numbers_portably(const char* text, FieldNumbers& fields);
void put_into_columns_portably(const double* numbers, std::size_t columns, std::size_t rows,
                               double* const* to);

} // namespace jitterscope::import
