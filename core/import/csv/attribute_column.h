#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/import/draft.h"
#include "core/import/units.h"

namespace jitterscope::import {

/// A column of a source whose cells become an attribute of launches: numbers in the unit that columns keep,
/// or texts. A source that writes both in one column gets one attribute of each kind.
class AttributeColumn {
public:
  enum class Cell { Missing, Number, Text };

  AttributeColumn() = default;
  AttributeColumn(std::string title, std::string_view unit, std::string description = {});

  /// Keeps a cell for a launch; the attribute is made with its first value.
  Cell put(Draft& draft, std::size_t launch, std::string_view text);
  Cell put(Draft& draft, std::size_t launch, std::string_view text, double factor);

  /// Keeps a cell as text whatever it looks like.
  void put_text(Draft& draft, std::size_t launch, std::string_view text);

  /// Makes the attribute although no launch had a value: that something was asked for and not measured is
  /// worth seeing.
  void ensure(Draft& draft);

  /// The number that a cell states, in the unit of the column.
  std::optional<double> number(std::string_view text) const;
  /// The number that is kept for a launch.
  std::optional<double> kept(const Draft& draft, std::size_t launch) const;
  bool has_values() const { return number_ != kUnmade || text_ != kUnmade; }
  const std::string& title() const { return title_; }
  const Unit& unit() const { return unit_; }

private:
  static constexpr std::size_t kUnmade = static_cast<std::size_t>(-1);

  std::string title_, description_;
  Unit unit_;
  std::size_t number_ = kUnmade, text_ = kUnmade; // columns of Draft::attributes
};

} // namespace jitterscope::import
