#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/formats/rocm/csv/csv_columns.h"
#include "core/import/records/events.h"
#include "core/import/records/reader.h"
#include "core/import/records/row_issues.h"
#include "core/import/text/csv/csv_reader.h"

namespace jitterscope::import::rocm {

/// Progress through a group of files.
struct Meter {
  const Progress& progress;
  std::int64_t done = 0;  ///< bytes of the files that have been read
  std::int64_t whole = 0; ///< bytes of all files, each multiplied by the number of times it is read
};

/// A timestamp of a table.
struct Stamp {
  std::int64_t ns = 0;
  double fraction = 0;  ///< fraction of a ns, as in means over several passes
  bool rounded = false; ///< the number was written with an exponent: digits were lost
};
std::optional<Stamp> parse_stamp(std::string_view text);

/// An integer, also if written "64.0".
std::optional<std::int64_t> parse_whole_number(std::string_view text);

/// The rows of one table.
class CsvTable {
public:
  /// Errors: BadInput when the file cannot be read or has no header.
  static Expected<std::unique_ptr<CsvTable>> open(const Input& input, Meter& meter);
  ~CsvTable();

  const Header& header() const { return header_; }
  const std::string& name() const { return name_; }
  std::string place() const { return name_ + " " + reader_.place(); }

  /// The next row; false after the last row and at the header of another table. Repeated headers are skipped;
  /// rows with fewer fields than the header are dropped. Both are counted. Errors: BadInput, Cancelled.
  Expected<bool> next(RowIssues& issues);

  /// Calls `each()` for every row. Errors: those of next().
  template <class Each>
  Expected<void> for_each(RowIssues& issues, Each&& each) {
    for (;;) {
      const auto more = next(issues);
      if (!more) return forward(more.error());
      if (!*more) return {};
      each();
    }
  }

  std::string_view field(std::size_t column) const { return fields()[column]; }
  /// Empty when the table has no such column.
  std::string_view text(Role role) const;
  std::optional<std::int64_t> whole(Role role) const;
  /// Returns `otherwise` for absent columns and for values that are not numbers.
  std::int64_t integer_or(Role role, std::int64_t otherwise) const { return whole(role).value_or(otherwise); }

private:
  CsvTable(const Input& input, ByteStreamPointer stream, Meter& meter);
  std::span<const std::string_view> fields() const {
    return header_.separator == ',' && !joined_ ? reader_.fields()
                                                : std::span<const std::string_view>(fields_);
  }
  bool repeats_titles() const;
  bool join_name(RowIssues& issues);
  void read_fields(RowIssues& issues);

  std::string name_;
  std::int64_t bytes_;
  ByteStreamPointer stream_;
  CsvReader reader_;
  Meter& meter_;
  Header header_;
  std::int64_t rows_ = 0;
  // Where the separator is not a comma: the fields with a point in place of a decimal comma. For a row whose
  // name contained unquoted commas: its fields with the name joined.
  std::vector<std::string_view> fields_;
  std::string points_, name_with_commas_;
  bool joined_ = false;
};

/// Start and duration of the row; nothing if they are unusable, which is counted as an issue.
std::optional<Times> times_of(const CsvTable& table, RowIssues& issues);

/// The number of an agent: 4 of "4" and of "Agent 4"; 0 when there is none.
std::int64_t agent_number(std::string_view text);

} // namespace jitterscope::import::rocm
