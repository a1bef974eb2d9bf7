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

/// True for the name of a unit: "ns", "W", "%".
bool is_unit(std::string_view text);

/// Collects statistics on the cells of a table's columns, one record after the other.
class ColumnSample {
public:
  /// `titles` must outlive this object; `columns`: the columns with these titles.
  ColumnSample(std::span<const std::string> titles, std::span<const Column> columns, char separator);

  void add(std::span<const std::string_view> fields);

  /// Examines the records that the reader has ready, in bulk, up to one that needs individual treatment;
  /// returns their number.
  std::int64_t read_ahead(CsvReader& csv, std::int64_t maximum);

  void conclude(Columns& columns, RowIssues& issues);

private:
  // After a call of read_ahead() that examined at most this number of records, all others are read one by
  // one.
  static constexpr std::int64_t kWorthIt = 16;

  struct Seen {
    std::int64_t numbers = 0, texts = 0;
    std::int64_t dates = 0;      ///< number of texts with a date and a time of day
    std::int64_t time_units = 0; ///< number of texts such as "ns", "ms" …
    std::int64_t extents = 0;    ///< number of texts like "(4, 2, 1)", if the column name allows extents
    bool may_be_extents = false; ///< the column name allows extents
    bool may_be_time = false;    ///< as Column::may_be_time: `range` is determined
    std::int64_t fractions = 0;  ///< number of numbers that are not written as integers
    std::int64_t parts = 0;      ///< number of numbers with a fraction other than 0 ("64.0" has none)
    std::int64_t with_comma = 0; ///< number of numbers such as "1,125", if the separator is not a comma
    std::int64_t quantities = 0; ///< number of quantities: numbers with a unit (quantity.h)
    std::string unit;            ///< unit of the first quantity
    std::string quantity;        ///< the first quantity
    bool units_differ = false;   ///< there are quantities of different kinds: "5 W", "6 %"
    std::int64_t almost = 0;     ///< number of texts such as "1'234" and "8b", which a human reads as numbers
    std::string example;         ///< the first text
    std::int64_t grouped =
        0; ///< number of cells such as "1.306.219": numbers with decimal commas, else texts

    /// Cache of recently judged texts, by hash: columns of names hold few different texts.
    struct Text {
      std::string text;
      bool known = false, almost = false, date = false, time_unit = false, extents = false;
      std::size_t next = 0; ///< index of the text that last followed it, unless that text has moved
    };
    std::vector<Text> recent; ///< hash table; its size is a power of two, at most half is filled
    std::size_t recent_texts = 0;
    std::size_t last = 0; ///< index in `recent` of the text found last

    NumberRange range; ///< as Column::range
    void include_time(double number) {
      if (may_be_time && number != -1) range.include(number);
    }
  };

  static void set_quantities(Seen& seen, Column& column, RowIssues& issues);
  void set_unit_column(Columns& columns, RowIssues& issues) const;
  static void doubt_mixed(const Column& column, const Seen& seen, RowIssues& issues);
  void examine_plain(std::size_t records);
  void examine_ranges(std::size_t records);
  bool is_title(const Seen& column, std::string_view field) const;
  CommaMeaning meaning() const;
  void examine_plain_number(Seen& column, std::string_view field, const PlainNumber& number);
  void examine_other(Seen& column, std::string_view field);
  static void count_text(Seen& column, std::size_t place);
  static Seen::Text& recent_of(Seen& column, std::string_view field);
  static void examine_extents(Seen& column, std::string_view field, Seen::Text* recent);
  void judge_other(Seen& column, std::string_view field, Seen::Text* recent);
  bool examine_quantity(Seen& column, std::string_view field);

  std::span<const std::string> titles_;
  std::vector<Seen> seen_;
  SpillVector<std::uint8_t> all_;        ///< indices of all columns
  std::vector<std::uint16_t> column_of_; ///< by field: its column, for records with one field per column
  SpillVector<std::int64_t> fractions_;  ///< by column: number of fractions in the current records
  char separator_;
  bool plain_, comma_ = false, thousands_ = false;
  /// A number has a point that cannot separate thousands. Used only if the separator is not a comma.
  bool point_ = false;
  std::unique_ptr<PlainFields> fields_ = std::make_unique<PlainFields>();
};

} // namespace jitterscope::import::table
