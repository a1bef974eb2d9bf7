#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/spill_vector.h"
#include "core/import/text/byte_masks.h"

namespace jitterscope::import {

/// Fields of some whole records of a text, found and read as numbers many at a time: the place of every mark
/// comes from bits of 64 bytes at once, and the digits of several fields are multiplied together
/// (field_kernels.h). What is no plain number is left to others, and so are records with quotes that do not
/// enclose whole fields, with quotes in quoted fields and with line breaks in them.
class PlainFields {
public:
  static constexpr std::size_t kMost = 2'048; ///< fields: all that is kept of them stays in the nearest cache

  /// The fields of the records that begin at `begin` and end with a line break: as many as there is room
  /// for. False when there is not one or there are quotes that are left to others, and then nothing else may
  /// be asked. `quotes`: whether the text may hold any; `points`: whether "1.5" is a number. kMaskBlock bytes
  /// behind the text may be read.
  bool find(std::string_view text, std::size_t begin, char separator, bool quotes, bool points) {
    return find_ends(text, begin, separator, quotes) && (read_numbers(points, {}), true);
  }
  /// The same of records that mostly have so many fields: where all have, only those of the columns that
  /// `wanted` names are read as numbers; the others are NaN and not among others().
  bool find(std::string_view text, std::size_t begin, char separator, bool quotes, bool points,
            std::span<const std::uint8_t> wanted) {
    return find_ends(text, begin, separator, quotes) && (read_numbers(points, wanted), true);
  }
  /// The same without numbers.
  bool find_ends(std::string_view text, std::size_t begin, char separator, bool quotes);

  std::size_t records() const { return records_; }
  /// Fields of all records up to that one and with it.
  std::size_t fields_to(std::size_t record) const { return record_ends_[record]; }
  /// Where the text goes on behind the records, and where a field begins in it.
  std::size_t end() const { return end_; }
  std::size_t begin_of(std::size_t field) const { return begins_[field]; }

  /// Where a field ends, with the quotes around it.
  std::size_t end_of(std::size_t field) const { return ends_[field]; }

  /// Without quotes around it.
  std::string_view text(std::size_t field) const {
    const std::size_t begin = begins_[field], end = ends_[field];
    const std::size_t quote = begin < end && text_[begin] == '"' ? 1 : 0;
    return {text_ + begin + quote, end - begin - 2 * quote};
  }
  /// By field: the number that one to fifteen digits are, with a point between them or none; NaN for all
  /// other texts.
  const double* numbers() const { return numbers_.data(); }
  /// Those that are NaN though they are wanted, in ascending order.
  std::size_t others() const { return others_; }
  std::size_t other(std::size_t i) const { return other_[i]; }
  /// The numbers of one column of some records, as numbers() without points; `first_fields` are the first
  /// fields of these, ascending. Valid until the next call of any other but text().
  const double* numbers_of(std::span<const std::uint16_t> first_fields, std::size_t column);
  /// Those that are numbers with a point, likewise.
  std::span<const std::uint16_t> fractions() const { return {fraction_.data(), fractions_}; }

private:
  void read_numbers(bool points, std::span<const std::uint8_t> wanted);
  const std::uint8_t* bits_of(std::span<const std::uint8_t> wanted);
  void drop_returns();

  const char* text_ = nullptr;
  std::size_t records_ = 0, end_ = 0, others_ = 0, fractions_ = 0;
  std::array<std::uint32_t, kMost + kMaskBlock + 1> ends_, begins_; ///< with room for those of a block
  std::array<double, kMost + kMaskBlock> numbers_;
  std::array<std::uint16_t, kMost + kMaskBlock> record_ends_, other_, fraction_;
  std::array<std::uint32_t, kMost + kMaskBlock> column_ends_, column_begins_;
  SpillVector<std::uint8_t> wanted_;                      ///< columns that wanted_bits_ are of
  std::array<std::uint8_t, kMost / 8 + 2> wanted_bits_{}; ///< by field of records that all have as many
};

} // namespace jitterscope::import
