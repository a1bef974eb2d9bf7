#include "core/import/csv/decimal_commas.h"

#include <algorithm>

#include "core/import/csv/number.h"

namespace jitterscope::import {

bool DecimalCommas::take(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text.find_first_not_of("0123456789.,-") != std::string_view::npos) return true;
  const auto comma = text.find(','), point = text.find('.');
  if (comma == std::string_view::npos && point == std::string_view::npos) return true;
  if (comma == std::string_view::npos) { // "6.219", "1.306.219"
    for (auto at = point; at != std::string_view::npos; at = text.find('.', at + 1))
      if (std::min(text.find('.', at + 1), text.size()) - at != 4) return false;
    return point > 0 && point <= 3 && text.substr(0, point) != "0";
  }
  if (text.find(',', comma + 1) != std::string_view::npos) return false; // "1,234,567"
  if (point != std::string_view::npos && point > comma) return false;    // "1,234.5"
  found_ = found_ || text.size() - comma != 4 || text.substr(0, comma) == "0" || point < comma;
  return true;
}

} // namespace jitterscope::import
