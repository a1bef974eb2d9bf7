#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace jitterscope::import {

/// "1,125": a comma that may stand before a fraction of three digits or between thousands.
bool may_be_thousands(std::string_view number);

/// Where numbers are written as in "1,125" and none of the table shows what its comma means: between
/// semicolons it is decimal, for semicolons stand there because commas do. Elsewhere it is where each of a
/// column's numbers has one, as thousands would leave those below 1000 without.
enum class CommaMeaning { None, Decimal, PerhapsDecimal, PerhapsThousands };
CommaMeaning meaning_of_commas(char separator, std::int64_t numbers_with_one, std::int64_t numbers);

/// What is told of a meaning that is not certain.
std::string_view doubt_of(CommaMeaning meaning);

/// Tells by the cells of a table whether its numbers are written as a German or French locale does,
/// "1.234,5": "5,12" and "1.306.219" are no numbers elsewhere, "6.219" must then be one of thousands.
class DecimalCommas {
public:
  explicit DecimalCommas(char separator) : separator_(separator) {}

  /// False for a number that is not written so: then none is.
  bool take(std::size_t column, std::string_view cell);
  /// None where no number has a comma, or where those are of thousands.
  CommaMeaning meaning() const;
  /// Every point stands before three digits and behind one to three, as in "117.344", which is 117344 where
  /// commas are decimal, and nothing shows what points mean.
  bool points_may_be_of_thousands() const { return !certain_ && points_ > 0 && commas_ == 0; }

private:
  struct Column {
    std::int64_t numbers = 0, with_comma = 0;
  };
  char separator_;
  std::int64_t points_ = 0, commas_ = 0; ///< numbers that have one
  bool certain_ = false; ///< some number has a comma that can only stand before a fraction, or two points
  std::vector<Column> columns_;
};

} // namespace jitterscope::import
