#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/table/column_kinds.h"
#include "core/import/records/row_issues.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/csv/decimal_commas.h"
#include "core/import/text/csv/plain_fields.h"
#include "core/import/text/plain_number.h"

namespace jitterscope::import::table {

/// "ns", "W", "%": the name of a unit.
bool is_unit(std::string_view text);

/// What is found out about the columns of a table by their cells, one record after the other.
class ColumnSample {
public:
  /// `titles` must outlive this object.
  ColumnSample(std::span<const std::string> titles, char separator);

  void take(std::span<const std::string_view> fields);

  /// Takes what the reader has ready, many records at a time, up to one that needs a closer look; how many
  /// these were.
  std::int64_t take_ahead(CsvReader& csv, std::int64_t most);

  void conclude(Columns& columns, RowIssues& issues);

private:
  static constexpr std::int64_t kWorthIt = 16; // records

  struct Seen {
    std::int64_t numbers = 0, texts = 0;
    std::int64_t dates = 0;      ///< of the texts: those that say a day and a time of it
    std::int64_t time_units = 0; ///< of the texts: "ns", "ms" …
    std::int64_t extents = 0;    ///< of the texts: "(4, 2, 1)", where the title says what of
    bool may_be_extents = false; ///< the title does
    std::int64_t fractions = 0;  ///< of the numbers: those that are not written as whole
    std::int64_t parts = 0;      ///< of the numbers: those that are not whole, which "64.0" is
    std::int64_t with_comma = 0; ///< of the numbers: "1,125", where commas do not separate fields
    std::int64_t quantities = 0; ///< numbers with their units (quantity.h)
    std::string unit;            ///< of the first of these
    std::string quantity;        ///< the first of these
    bool units_differ = false;   ///< these are of different things: "5 W", "6 %"
    std::int64_t almost = 0;     ///< of the texts: a number with something else in its cell
    std::string example;         ///< the first text
    std::int64_t grouped = 0;    ///< "1.306.219": a number where commas are decimal, else a text

    /// Texts that were judged lately, by a hash of them: columns of names hold few different ones.
    struct Text {
      std::string text;
      bool known = false, almost = false, date = false, time_unit = false, extents = false;
      std::size_t next = 0; ///< place of the one that came after it last, unless that has moved
    };
    std::vector<Text> recent; ///< a power of two of them, at most half filled
    std::size_t recent_texts = 0;
    std::size_t last = 0; ///< place of the last one that was known
  };

  static void take_quantities(Seen& seen, Column& column, RowIssues& issues);
  void take_unit_column(Columns& columns, RowIssues& issues) const;
  static void doubt_mixed(const Column& column, const Seen& seen, RowIssues& issues);
  void take_plain(std::size_t records);
  bool is_title(const Seen& column, std::string_view field) const;
  CommaMeaning meaning() const;
  void take_plain_number(Seen& column, std::string_view field, const PlainNumber& number);
  void take_other(Seen& column, std::string_view field);
  static void count_text(Seen& column, std::size_t place);
  static Seen::Text& recent_of(Seen& column, std::string_view field);
  static void take_extents(Seen& column, std::string_view field, Seen::Text* recent);
  void judge_other(Seen& column, std::string_view field, Seen::Text* recent);
  static bool take_quantity(Seen& column, std::string_view field);

  std::span<const std::string> titles_;
  std::vector<Seen> seen_;
  SpillVector<std::uint8_t> all_;        ///< columns, all of them
  std::vector<std::uint16_t> column_of_; ///< by field, of records that have one for every column
  SpillVector<std::int64_t> fractions_;  ///< by column, of the records that are just being taken
  char separator_;
  bool plain_, comma_ = false, thousands_ = false;
  bool point_ = false; ///< means something only where commas may be decimal: they do not separate fields
  std::unique_ptr<PlainFields> fields_ = std::make_unique<PlainFields>();
};

} // namespace jitterscope::import::table
