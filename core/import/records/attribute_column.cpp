#include "core/import/records/attribute_column.h"

#include <cmath>
#include <utility>

#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"
#include "core/import/text/text_table.h"

namespace jitterscope::import {

AttributeColumn::AttributeColumn(std::string title, std::string_view unit, std::string description)
    : title_(std::move(title)), description_(std::move(description)), unit_(normalised_unit(unit)) {}

std::optional<double> AttributeColumn::number(std::string_view text) const {
  return parse_number(text, unit_.factor);
}

AttributeColumn::Cell AttributeColumn::put(Draft& draft, std::size_t launch, std::string_view text) {
  return put(draft, launch, text, unit_.factor);
}

AttributeColumn::Cell AttributeColumn::put(Draft& draft, std::size_t launch, std::string_view text,
                                           double factor) {
  if (const auto value = parse_number(text, factor)) {
    put_number(draft, launch, *value);
    return Cell::Number;
  }
  if (is_missing(text)) return Cell::Missing;
  put_text(draft, launch, text);
  return Cell::Text;
}

void AttributeColumn::put_text(Draft& draft, std::size_t launch, std::string_view text) {
  const auto string = string_of(draft, text);
  draft.attributes.set_text(text_, launch, string);
}

std::uint32_t AttributeColumn::string_of(Draft& draft, std::string_view text) {
  if (text_ == kUnmade) text_ = draft.attributes.text(title_, description_);
  return interned(draft, trimmed(text));
}

// Text columns hold few different texts: recent ones are compared before cleaning and lookup. The strings of
// a draft are clean: if one equals the text as written, no cleaning is needed.
std::uint32_t AttributeColumn::interned(Draft& draft, std::string_view text) {
  constexpr std::size_t kRecent = 64;
  if (recent_texts_.empty()) recent_texts_.resize(kRecent); // 0 is the empty string
  auto& recent = recent_texts_[quick_hash(text) % kRecent];
  if (draft.strings[StringId{recent}] != text) recent = draft.strings.intern(clean_text(text)).value;
  return recent;
}

void AttributeColumn::make_number(Draft& draft) {
  number_ = draft.attributes.number(title_, unit_.base, description_);
}

void AttributeColumn::ensure(Draft& draft) {
  if (!has_values()) make_number(draft);
}

std::optional<double> AttributeColumn::kept(const Draft& draft, std::size_t launch) const {
  if (number_ == kUnmade) return {};
  const auto& values = draft.attributes.all()[number_].numbers.values();
  if (launch >= values.size() || std::isnan(values[launch])) return {};
  return values[launch];
}

} // namespace jitterscope::import
