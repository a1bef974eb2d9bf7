#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/table/columns.h"
#include "core/import/formats/table/configuration_columns.h"
#include "core/import/formats/table/time_columns.h"
#include "core/import/records/attribute_column.h"
#include "core/import/records/number_column.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/csv/piece_texts.h"
#include "core/import/text/csv/plain_fields.h"
#include "core/import/text/plain_number.h"

namespace jitterscope::import::table {

/// The interpretation of a table's columns: the same for all of its rows.
struct RowPlan {
  std::vector<std::string> titles;
  Columns columns;
  std::vector<AttributeColumn> attributes; ///< by column: its attribute of launches
  std::vector<bool> is_attribute; ///< by column: whether it becomes an attribute or part of a configuration
  std::vector<ConfigurationField> fields; ///< by column: part of the launches' configurations, null for none
  std::vector<ConfigurationFields>
      extents;            ///< by column: parts stated by texts such as "(4, 2, 1)", null if none
  std::size_t kernel = 0; ///< column of kernel names; the number of columns: none
  std::vector<std::size_t>
      kernel_parts; ///< columns that identify kernels together with `kernel`, and stay attributes
  DurationColumn duration{0, 1};
  std::optional<TimeColumns> times;
  PlaceColumns places; ///< columns of device, stream and rank; used only if `times` is set

  bool own_export = false; ///< the table is an export of Jitterscope (own_export.h)
  std::function<std::string_view(std::string_view)>
      kernel_name;                ///< extracts the kernel name from a cell; optional
  NumberBuffers* rooms = nullptr; ///< memory for narrow_numbers(); null: numbers are not narrowed

  /// Determines which columns without a role are attributes; call it when the roles are known.
  void find_attributes();
  bool is_configuration(std::size_t column) const { return fields[column] || extents[column][0]; }
  bool is_number(std::size_t column) const { return columns.all[column].kind != Column::Kind::Text; }
};

/// A remark or a decision on a single row or cell, while rows are otherwise processed by columns.
struct RowEvent {
  enum class Kind : std::uint8_t {
    RepeatedTitles,  ///< a repeated header before the row, not a row itself
    ReorderedTitles, ///< the header in another order: the rows after it have other columns
    CutOff,          ///< a truncated record of `number` fields, which is left out; `text`: its text
    Ragged,          ///< more fields than column names: `number` of them
    BadDuration,     ///< `text` in a place where a duration was expected
    FirstNumber,     ///< the first number of a column in these rows
    FirstText,       ///< the first text of a column in these rows; `number`: its number in the column's texts
    NotANumber,      ///< `text` in a place where a number was expected
    Rounded,         ///< `text`, a number with more digits than are kept
    OtherText        ///< `text`, in a column of unknown kind
  };
  Kind kind;
  std::uint32_t row = 0; ///< index of the row in its ParsedRows, from 0
  std::uint32_t column = 0;
  std::uint32_t number = 0;
  std::int64_t line = 0;
  std::string_view text = {};
  bool of_row() const { return kind <= Kind::BadDuration; }
};

/// Some rows of a table by columns: everything that can be derived without the rows before. Texts
/// point into the buffer of the reader they came from.
class ParsedRows {
public:
  struct Texts {
    PieceTexts known;
    /// By row: index in `known`, kNone if missing; shorter when all further rows are missing.
    SpillVector<std::uint32_t> numbers;
  };

  /// Reads records, at most `maximum`. False when there may be more. Errors: those of the reader.
  Expected<bool> parse(CsvReader& csv, const RowPlan& plan,
                       std::size_t maximum = std::numeric_limits<std::size_t>::max());

  /// Sets the number of fields of the row that precedes the first row parsed by this object; 0: no row
  /// precedes it. A last record without line break that has fewer fields than the row before it is truncated
  /// and is left out.
  void go_on_behind(std::size_t fields) { row_fields_ = fields; }
  std::size_t last_fields() const { return row_fields_; }

  /// Same as parse() for whole records in which quotes enclose whole fields, several times faster
  /// (parsed_plain.cpp); kMarkBlock bytes after the text must be readable. Lines count from 1. False when
  /// the text has to be read by parse().
  bool parse_plain(std::string_view text, char separator, bool quotes, const RowPlan& plan);
  /// Line breaks in the text of parse_plain().
  std::int64_t lines() const { return line_ - 1; }

  std::size_t rows() const { return rows_; }
  std::span<const RowEvent> events() const { return events_; } ///< in the order of rows and their columns
  /// Numbers by row, NaN if missing; shorter when all further rows are missing.
  std::span<const double> numbers(std::size_t column) const {
    return {numbers_[column].values.data(), numbers_[column].count};
  }
  /// numbers() in the narrowest storage without loss, for columns with enough rows; else empty.
  const NarrowNumbers& narrow(std::size_t column) const { return numbers_[column].narrow; }
  /// Makes narrow() for all rows.
  void narrow_numbers(NumberBuffers& rooms);
  const Texts& texts(std::size_t column) const { return texts_[column]; }
  const Texts& kernels() const { return kernels_; } ///< by row; kNone: no kernel name

  // By row: durations() in tables without times, starts() and seconds() in tables with times.
  std::span<const std::int64_t> durations() const { return durations_; }
  std::span<const std::int64_t> starts() const { return starts_; } ///< kNoTime: missing, also in seconds()
  std::span<const std::int64_t> seconds() const { return seconds_; }
  /// Durations next to starts and ends, kMissingDuration for none; empty when no column has durations.
  std::span<const std::int64_t> written_durations() const { return durations_; }
  const Texts& devices() const { return places_[0]; } ///< kNone: missing, also in streams(), ranks()
  const Texts& streams() const { return places_[1]; }
  const Texts& ranks() const { return places_[2]; }
  std::int64_t line(std::size_t row) const { return lines_[row]; }

private:
  using Fields = std::span<const std::string_view>;

  struct Numbers {
    SpillVector<double> values; ///< the first `count` are valid; the others are kept to reuse their memory
    std::size_t count = 0;
    bool any = false; ///< at least one value is not missing
    NarrowNumbers narrow;
  };
  /// The columns of kernel, times, device, stream and rank.
  enum Role : std::uint8_t {
    kKernel,
    kDuration,
    kStart,
    kSecond,
    kStartPart,
    kSecondPart,
    kDevice,
    kStream,
    kRank,
    kRoles,
    kNoRole
  };
  static constexpr std::array kPlaces = {kDevice, kStream, kRank};

  void clear(const RowPlan& plan);
  void find_roles(const RowPlan& plan);
  bool may_be_quick(const RowPlan& plan) const;
  bool split_plain(std::string_view text, char separator, const RowPlan& plan);
  bool split_plain_haswell(std::string_view text, char separator, const RowPlan& plan);
  bool split_record_by_record(std::string_view text, char separator, const RowPlan& plan);
  bool parse_quickly(std::string_view text, char separator, bool quotes, const RowPlan& plan);
  bool is_regular(std::size_t first_field, const RowPlan& plan) const;
  std::size_t parse_regular(std::size_t first_field, std::size_t rows, std::size_t next_other,
                            const RowPlan& plan);
  void parse_columns(std::size_t first_field, std::size_t rows);
  void parse_other_columns(std::size_t first_field, std::size_t rows, const RowPlan& plan);
  void parse_texts_of(Role role, std::size_t first_field, std::size_t rows, Texts& texts);
  void parse_times(Role role, std::int64_t scale, std::size_t first_field, std::size_t rows,
                   const RowPlan& plan, SpillVector<std::int64_t>& times);
  void add_part(Role role, std::int64_t scale, std::size_t first_field, std::size_t rows, const RowPlan& plan,
                SpillVector<std::int64_t>& times);
  void parse_lines(std::size_t rows);
  void parse_durations(std::size_t first_field, std::size_t rows, const RowPlan& plan);
  std::size_t parse_other_cells(std::size_t first_field, std::size_t rows, std::size_t next_other,
                                const RowPlan& plan);
  static std::optional<std::int64_t> time_of(std::size_t column, std::string_view text, std::int64_t scale,
                                             const RowPlan& plan);
  bool parse_fraction(std::size_t column, std::string_view text, const RowPlan& plan);
  void note_first_numbers(std::size_t rows);
  void make_room(Numbers& numbers, std::size_t rows);
  void parse_row(Fields fields, const RowPlan& plan);
  void parse_field(std::size_t column, std::string_view text, const RowPlan& plan);
  void end_row(std::size_t fields, const RowPlan& plan);
  std::optional<std::string_view> of_launch(Role role) const {
    const auto column = column_of_[role];
    return column < row_fields_ ? std::optional(launch_fields_[roles_[column]]) : std::nullopt;
  }
  void parse_launch(const RowPlan& plan);
  std::optional<std::int64_t> time_in(Role role, std::string_view text, std::int64_t scale,
                                      const RowPlan& plan);
  void parse_cell(std::size_t column, std::string_view text, const RowPlan& plan);
  void put_in_order(std::size_t first_event);
  void parse_cells_in_unit(const RowPlan& plan);
  void parse_cell_in_unit(std::size_t column, std::string_view text, std::string_view unit,
                          const RowPlan& plan);
  std::uint32_t number_of_text(std::size_t column, std::string_view text);
  void parse_text(std::size_t column, std::string_view text);
  void parse_texts(std::size_t column, std::size_t first_field, std::size_t rows);
  void put_number(std::size_t column, double value);
  void put_next_number(std::size_t column, double number);
  static std::optional<double> plain_fraction(std::string_view text);
  std::int64_t duration_of(const RowPlan& plan);
  std::string_view with_point(std::string_view text, const RowPlan& plan);
  void note(RowEvent::Kind kind, std::size_t column, std::string_view text, std::size_t number = 0);

  std::size_t rows_ = 0;
  std::int64_t line_ = 0;
  std::vector<RowEvent> events_;
  std::vector<Numbers> numbers_;
  std::vector<Texts> texts_;
  SpillVector<std::uint8_t> plain_; ///< by column: its numbers become attributes without conversion
  std::vector<std::size_t> others_; ///< indices of the columns that are not plain
  SpillVector<std::uint8_t>
      read_as_numbers_;     ///< by column: whether it is plain, or a time or duration in numbers
  std::vector<Role> roles_; ///< by column: the first of its roles
  PlainFields plain_fields_;
  std::vector<double*> column_places_; ///< by column: where its next numbers are stored, null for none
  std::array<std::size_t, kRoles> column_of_{};
  std::array<std::string_view, kRoles> launch_fields_; ///< by role: field of the current row
  std::size_t row_fields_ = 0;
  bool ragged_ = false;
  std::vector<std::pair<std::size_t, std::string_view>>
      cells_in_unit_;         ///< columns and cells of the current row
  std::string_view row_unit_; ///< unit stated by the current row for cells_in_unit_
  std::string last_unit_;
  std::optional<double> last_factor_; ///< ns per last_unit_
  std::vector<std::string_view> fields_;
  Texts kernels_;
  SpillVector<std::int64_t> durations_, lines_, starts_, seconds_;
  SpillVector<std::int64_t> parts_; ///< buffer for parts of times
  std::array<Texts, 3> places_;     ///< texts of the columns of devices, of streams and of ranks
  std::string point_;
};

[[gnu::always_inline]] inline void ParsedRows::put_next_number(std::size_t column, double number) {
  auto& numbers = numbers_[column];
  if (numbers.count == rows_ && numbers.any && rows_ < numbers.values.size())
    numbers.values[numbers.count++] = number;
  else
    put_number(column, number);
}

// The result of parse_number() for texts such as "-1.5".
[[gnu::always_inline]] inline std::optional<double> ParsedRows::plain_fraction(std::string_view text) {
  const auto number = padded_plain_number(text);
  return number ? nearest(*number) : std::nullopt;
}

// Fast path: nearly every cell of nearly every table is a few digits, with at most one point.
[[gnu::always_inline]] inline void ParsedRows::parse_field(std::size_t column, std::string_view text,
                                                           const RowPlan& plan) {
  if (column >= numbers_.size()) {
    if (column == plan.titles.size() && !trimmed(text).empty()) ragged_ = true;
    return;
  }
  if (std::uint64_t digits = 0; plain_[column] && read_padded_digits(text, digits)) {
    put_next_number(column, static_cast<double>(static_cast<std::int64_t>(digits)));
  } else if (const auto fraction =
                 plain_[column] && !plan.columns.decimal_comma ? plain_fraction(text) : std::nullopt) {
    put_next_number(column, *fraction);
  } else {
    if (column == plan.columns.unit_column) row_unit_ = text;
    if (const auto role = roles_[column]; role != kNoRole) {
      launch_fields_[role] = text;
      return;
    }
    if (plan.columns.all[column].unit_in_row) {
      cells_in_unit_.emplace_back(column, text);
      return;
    }
    parse_cell(column, text, plan);
  }
}

} // namespace jitterscope::import::table
