#include "core/import/text/csv/decimal_commas.h"

#include <algorithm>

#include "core/import/text/csv/number.h"

namespace jitterscope::import {

bool may_be_thousands(std::string_view number) {
  if (number.starts_with('-') || number.starts_with('+')) number.remove_prefix(1);
  const auto comma = number.find(',');
  return comma != std::string_view::npos && comma > 0 && comma <= 3 && number[0] != '0' &&
         number.size() - comma == 4 && std::count(number.begin(), number.end(), ',') == 1 &&
         number.find_first_not_of("0123456789,") == std::string_view::npos;
}

CommaMeaning meaning_of_commas(char separator, std::int64_t numbers_with_one, std::int64_t numbers) {
  if (separator == ',' || numbers_with_one == 0) return CommaMeaning::None;
  if (separator == ';') return CommaMeaning::Decimal;
  return numbers_with_one == numbers ? CommaMeaning::PerhapsDecimal : CommaMeaning::PerhapsThousands;
}

std::string_view doubt_of(CommaMeaning meaning) {
  return meaning == CommaMeaning::PerhapsDecimal
             ? "numbers such as \"1,125\" may mean 1.125 or 1125: every number of a column has one comma, so "
               "they are read as 1.125"
             : "numbers such as \"1,125\" may mean 1.125 or 1125: other numbers of the column have no comma, "
               "so they are read as 1125";
}

bool DecimalCommas::add(std::size_t column, std::string_view text) {
  text = trimmed(text);
  if (!has_characters_of_numbers(text)) return true;
  // "1'234,5", also with spaces that do not break: what follows the last separator of thousands.
  if (const auto separator = text.find_last_of(kSeparatorBytes); separator != std::string_view::npos)
    text.remove_prefix(separator + 1);
  if (text.empty() || text.find_first_not_of("0123456789.,-") != std::string_view::npos) return true;
  if (columns_.size() <= column) columns_.resize(column + 1);
  ++columns_[column].numbers;
  const auto comma = text.find(','), point = text.find('.');
  if (comma == std::string_view::npos && point == std::string_view::npos) return true;
  if (comma == std::string_view::npos) { // "6.219", "1.306.219"
    for (auto at = point; at != std::string_view::npos; at = text.find('.', at + 1))
      if (std::min(text.find('.', at + 1), text.size()) - at != 4) return false;
    if (point == 0 || point > 3 || text.substr(0, point) == "0") return false;
    certain_ = certain_ || text.find('.', point + 1) != std::string_view::npos;
    ++points_;
    return true;
  }
  ++commas_;
  if (text.find(',', comma + 1) != std::string_view::npos) return false; // "1,234,567"
  if (point != std::string_view::npos && point > comma) return false;    // "1,234.5"
  const bool uncertain = may_be_thousands(text);
  columns_[column].with_comma += uncertain;
  certain_ = certain_ || !uncertain;
  return true;
}

bool DecimalCommas::add(std::span<const std::string_view> row) {
  for (std::size_t column = 0; column < row.size(); ++column)
    if (!add(column, row[column])) return false;
  return true;
}

CommaMeaning DecimalCommas::meaning() const {
  if (certain_) return CommaMeaning::Decimal;
  auto meaning = CommaMeaning::None;
  for (const auto& column : columns_) {
    const auto own = meaning_of_commas(separator_, column.with_comma, column.numbers);
    if (own == CommaMeaning::Decimal || own == CommaMeaning::PerhapsDecimal) return own;
    if (own != CommaMeaning::None) meaning = own;
  }
  return meaning;
}

} // namespace jitterscope::import
