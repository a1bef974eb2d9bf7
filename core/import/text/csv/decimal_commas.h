#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace jitterscope::import {

/// "1,125": a comma that may precede three decimal places or separate thousands.
bool may_be_thousands(std::string_view number);

/// If numbers look like "1,125" and no number of the table reveals the meaning of the comma: with semicolons
/// as separators it is decimal, because they are chosen as separators for that reason. Otherwise it is
/// decimal if every number of the column has a comma, as numbers below 1000 would have no thousands
/// separator.
enum class CommaMeaning { None, Decimal, PerhapsDecimal, PerhapsThousands };
CommaMeaning meaning_of_commas(char separator, std::int64_t numbers_with_one, std::int64_t numbers);

/// The text that reports the meaning PerhapsDecimal or PerhapsThousands.
std::string_view doubt_of(CommaMeaning meaning);

/// Determines from the cells of a table whether its numbers are written as in a German or French locale,
/// "1.234,5": "5,12" and "1.306.219" are not numbers in other locales, "6.219" must then have a thousands
/// separator.
class DecimalCommas {
public:
  explicit DecimalCommas(char separator) : separator_(separator) {}

  /// False for a number that rules decimal commas out for the whole table.
  bool add(std::size_t column, std::string_view cell);
  bool add(std::span<const std::string_view> row);
  /// None where no number has a comma, or where the commas separate thousands.
  CommaMeaning meaning() const;
  /// True if every point is followed by three digits and preceded by one to three, as in "117.344", which is
  /// 117344 with decimal commas, and nothing shows the meaning of the points.
  bool points_may_be_of_thousands() const { return !certain_ && points_ > 0 && commas_ == 0; }

private:
  struct Column {
    std::int64_t numbers = 0, with_comma = 0;
  };
  char separator_;
  std::int64_t points_ = 0, commas_ = 0; ///< number of cells with a point, and with a comma
  bool certain_ = false;                 ///< some number has a comma that must be decimal, or two points
  std::vector<Column> columns_;
};

} // namespace jitterscope::import
