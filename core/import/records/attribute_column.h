#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/spill_vector.h"
#include "core/import/records/draft.h"
#include "core/import/records/units.h"

namespace jitterscope::import {

/// A column of a source whose cells become an attribute of launches: numbers in the unit of stored columns,
/// or texts. A source that mixes both in one column gets one attribute of each kind.
class AttributeColumn {
public:
  enum class Cell { Missing, Number, Text };

  AttributeColumn() = default;
  AttributeColumn(std::string title, std::string_view unit, std::string description = {});

  /// Stores a cell for a launch; the attribute is created with its first value.
  Cell put(Draft& draft, std::size_t launch, std::string_view text);
  Cell put(Draft& draft, std::size_t launch, std::string_view text, double factor);

  /// Stores a number in the unit of the column, as returned by number().
  void put_number(Draft& draft, std::size_t launch, double value) {
    if (number_ == kUnmade) make_number(draft);
    draft.attributes.set(number_, launch, value);
  }

  /// Stores a cell as text, even if it is a number or marks a missing value.
  void put_text(Draft& draft, std::size_t launch, std::string_view text);

  /// The string of the draft that represents a text; the attribute is created with its first text.
  std::uint32_t string_of(Draft& draft, std::string_view text);
  /// Creates the attribute of numbers if it does not exist.
  void ensure_number(Draft& draft) {
    if (number_ == kUnmade) make_number(draft);
  }

  /// Creates the attribute although no launch had a value: it is useful to see that something was requested
  /// and not measured.
  void ensure(Draft& draft);

  /// The number in a cell, in the unit of the column.
  std::optional<double> number(std::string_view text) const;
  /// The number stored for a launch.
  std::optional<double> kept(const Draft& draft, std::size_t launch) const;
  /// The column of Draft::attributes with the numbers; it must exist.
  std::uint32_t number_column() const { return static_cast<std::uint32_t>(number_); }
  /// The column of Draft::attributes with the texts; it must exist.
  std::uint32_t text_column() const { return static_cast<std::uint32_t>(text_); }
  bool has_numbers() const { return number_ != kUnmade; }
  bool has_texts() const { return text_ != kUnmade; }
  bool has_values() const { return number_ != kUnmade || text_ != kUnmade; }
  const std::string& title() const { return title_; }
  const Unit& unit() const { return unit_; }

private:
  void make_number(Draft& draft);
  std::uint32_t interned(Draft& draft, std::string_view text);

  static constexpr std::size_t kUnmade = static_cast<std::size_t>(-1);

  std::string title_, description_;
  Unit unit_;
  std::size_t number_ = kUnmade, text_ = kUnmade; // columns of Draft::attributes
  SpillVector<std::uint32_t> recent_texts_;       // strings of the draft by hash of their text
};

} // namespace jitterscope::import
