#include "core/import/formats/table/quantity.h"

#include <algorithm>
#include <array>

#include "core/import/text/csv/number.h"

namespace jitterscope::import::table {
namespace {

bool is_unit_text(std::string_view text) {
  static constexpr std::array<std::string_view, 9> kBases = {"ns", "%", "B", "W", "J", "V", "C", "Hz", "B/s"};
  return normalised_unit(text).base != text || std::find(kBases.begin(), kBases.end(), text) != kBases.end();
}

/// "GB/s" or "GB / s", not a sentence with a slash between words.
bool is_one_word(std::string_view unit) {
  for (auto blank = unit.find(' '); blank != std::string_view::npos; blank = unit.find(' ', blank + 1)) {
    const auto before = unit.find_last_not_of(' ', blank), after = unit.find_first_not_of(' ', blank);
    if (before == std::string_view::npos || after == std::string_view::npos ||
        (unit[before] != '/' && unit[after] != '/'))
      return false;
  }
  return true;
}

bool needs_blank(std::string_view unit) {
  return unit.size() == 1 && unit != "s" && unit != "%";
}

} // namespace

std::string_view without_formula(std::string_view cell) {
  const bool formula = cell.size() >= 3 && cell.starts_with("=\"") && cell.ends_with('"');
  return formula ? trimmed(cell.substr(2, cell.size() - 3)) : cell;
}

std::string decimal_point(std::string_view text) {
  std::string number(text);
  std::erase(number, '.'); // thousands separators
  std::replace(number.begin(), number.end(), ',', '.');
  return number;
}

std::optional<Quantity> quantity(std::string_view cell) {
  cell = trimmed(cell);
  const auto text = without_formula(cell);
  if (text.size() < cell.size() && parse_number(text)) return Quantity{text, {}};
  auto end = text.find_first_not_of("0123456789.,+-");
  if (end == 0 || end == std::string_view::npos) return {};
  if ((text[end] == 'e' || text[end] == 'E') && end + 1 < text.size()) { // "1.5e-3 s", not "3 elephants"
    const auto behind =
        text.find_first_not_of("0123456789", end + (text[end + 1] == '-' || text[end + 1] == '+' ? 2 : 1));
    if (behind != std::string_view::npos && text[behind - 1] >= '0' && text[behind - 1] <= '9') end = behind;
  }
  const auto number = text.substr(0, end), unit = trimmed(text.substr(end));
  const bool apart = text[end] == ' ' || text[end] == '\t';
  if (unit.empty() || (!apart && needs_blank(unit)) || !parse_number(number) || !is_one_word(unit) ||
      !is_unit_text(unit))
    return {};
  return Quantity{number, unit};
}

std::optional<double> number_of_quantity(std::string_view cell, const Unit& column) {
  if (const auto number = parse_number(cell, column.factor)) return number;
  const auto found = quantity(cell);
  if (!found) return {};
  if (found->unit.empty()) return parse_number(found->number, column.factor);
  const auto unit = normalised_unit(found->unit);
  return unit.base == column.base ? parse_number(found->number, unit.factor) : std::nullopt;
}

std::optional<std::int64_t> nanoseconds_of_quantity(std::string_view cell, std::int64_t scale) {
  if (const auto number = parse_decimal(cell, scale)) return number;
  const auto found = quantity(cell);
  if (!found) return {};
  if (found->unit.empty()) return parse_decimal(found->number, scale);
  const auto own = nanoseconds_in(found->unit);
  return own ? parse_decimal(found->number, *own) : std::nullopt;
}

} // namespace jitterscope::import::table
