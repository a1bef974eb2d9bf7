#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/spill_vector.h"
#include "core/import/text/byte_masks.h"

namespace jitterscope::import {

/// Fields of some whole records of a text, located and parsed as numbers in bulk: the positions of special
/// characters come from masks of 64 bytes, and the digits of several fields are multiplied together
/// (field_kernels.h). Other texts are left to general parsers, and so are records with quotes that do not
/// enclose whole fields, with quotes in quoted fields and with line breaks in them.
class PlainFields {
public:
  static constexpr std::size_t kMaxFields =
      2'048; ///< maximum number of fields per call: their data stay in the L1 cache

  /// Finds the fields of the records that begin at `begin` and end with a line break: as many as there is
  /// room for. False when there is none or there are irregular quotes; then no other function may be called.
  /// `quotes`: whether the text may contain any; `points`: whether "1.5" is a number. kMaskBlock bytes
  /// after the text must be readable.
  bool find(std::string_view text, std::size_t begin, char separator, bool quotes, bool points) {
    return find_ends(text, begin, separator, quotes) && (read_numbers(points, {}), true);
  }
  /// find() for records that mostly have as many fields as `requested`: if all have, only the columns marked
  /// in `requested` are parsed as numbers; the others are NaN and not among others().
  bool find(std::string_view text, std::size_t begin, char separator, bool quotes, bool points,
            std::span<const std::uint8_t> requested) {
    return find_ends(text, begin, separator, quotes) && (read_numbers(points, requested), true);
  }
  /// find() without parsing numbers.
  bool find_ends(std::string_view text, std::size_t begin, char separator, bool quotes);

  std::size_t records() const { return records_; }
  /// Number of fields of all records up to and including this one.
  std::size_t fields_to(std::size_t record) const { return record_ends_[record]; }
  /// Offset after the records, and offset of a field.
  std::size_t end() const { return end_; }
  std::size_t begin_of(std::size_t field) const { return begins_[field]; }

  /// End offset of a field, including its quotes.
  std::size_t end_of(std::size_t field) const { return ends_[field]; }

  /// The text of a field without enclosing quotes.
  std::string_view text(std::size_t field) const {
    const std::size_t begin = begins_[field], end = ends_[field];
    const std::size_t quote = begin < end && text_[begin] == '"' ? 1 : 0;
    return {text_ + begin + quote, end - begin - 2 * quote};
  }
  /// By field: the value of one to fifteen digits, with or without a decimal point; NaN for all
  /// other texts.
  const double* numbers() const { return numbers_.data(); }
  /// The requested fields that are NaN, in ascending order.
  std::size_t others() const { return others_; }
  std::size_t other(std::size_t i) const { return other_[i]; }
  /// The numbers of one column of some records, as numbers() without points; `first_fields` are their first
  /// fields, ascending. Valid until the next call of any other function but text().
  const double* numbers_of(std::span<const std::uint16_t> first_fields, std::size_t column);
  /// The fields that are numbers with a point, in ascending order.
  std::span<const std::uint16_t> fractions() const { return {fraction_.data(), fractions_}; }

private:
  void read_numbers(bool points, std::span<const std::uint8_t> requested);
  const std::uint8_t* bits_of(std::span<const std::uint8_t> requested);
  void drop_returns();

  const char* text_ = nullptr;
  std::size_t records_ = 0, end_ = 0, others_ = 0, fractions_ = 0;
  std::array<std::uint32_t, kMaxFields + kMaskBlock + 1> ends_,
      begins_; ///< kMaskBlock: the fields of one more block
  std::array<double, kMaxFields + kMaskBlock> numbers_;
  std::array<std::uint16_t, kMaxFields + kMaskBlock> record_ends_, other_, fraction_;
  std::array<std::uint32_t, kMaxFields + kMaskBlock> column_ends_, column_begins_;
  SpillVector<std::uint8_t> requested_; ///< by column: the argument that requested_bits_ was computed from
  std::array<std::uint8_t, kMaxFields / 8 + 2>
      requested_bits_{}; ///< one bit per field, if all records have as many fields as requested_
};

} // namespace jitterscope::import
