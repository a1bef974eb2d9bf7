#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/gpu_trace/row_text.h"
#include "core/import/formats/gpu_trace/tables.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/csv/plain_fields.h"

namespace jitterscope::import::gpu_trace {

/// Layout of the records of a table of activities, calls or ranges: the columns of their times and numbers,
/// and the other fields that identify equal records. kAbsent for missing columns.
struct RecordPlan {
  struct Run {
    std::size_t first, last; ///< first and last column of the run, both included
  };

  RecordPlan() = default;
  RecordPlan(const Titles& titles, std::size_t start, std::size_t duration, char separator,
             bool decimal_comma);

  char separator = ',';
  bool decimal_comma = false;
  std::size_t columns = 0;
  std::size_t start = kAbsent, duration = kAbsent, correlation = kAbsent, bytes = kAbsent,
              throughput = kAbsent;
  std::int64_t start_scale = 1, duration_scale = 1; ///< ns per unit of the columns
  std::vector<Run>
      compared; ///< columns that identify equal records: at most RowText::kMaxRuns runs, ascending

  /// Treats records as equal if they agree in all columns other than times and numbers.
  void compare_all_others();
  /// Treats records as equal if they agree in these columns.
  void compare(std::vector<std::size_t> requested);
};

/// The meaning of a record, and of all records that differ from it only in times and numbers.
struct Repeated {
  enum class Kind : std::uint8_t { Unknown, Launch, Transfer, Call, Range };
  Kind kind = Kind::Unknown;
  std::uint8_t detail = 0; ///< store::TransferKind of a transfer, kind of a range
  std::uint32_t what = 0;  ///< configuration of a launch, name of a call or range
  std::uint32_t more = 0;  ///< result of a call, domain of a range
  std::uint32_t resource =
      0; ///< stream of a launch, stream or device of a transfer, thread of a call or range
};

/// The content of some records of a table with a RecordPlan, as far as it does not depend on earlier records:
/// times and numbers, and the rest of their text, in which few records differ. Records that are not regular
/// rows of the table are left to be read individually.
class ParsedRecords {
public:
  struct Record {
    std::uint32_t begin = 0; ///< offset of the record in the text
    std::uint32_t rest = 0;  ///< number of its text in rests(), RowTexts::kNone: to be read individually
    std::uint32_t correlation = 0;
    Times times = {};
  };
  struct Size {
    std::uint32_t record = 0;
    double bytes = 0; ///< in the unit of the column
    std::optional<double> throughput;
  };

  /// Whole records; CsvReader::kPadding bytes after the text must be readable. False if they have to be read
  /// one by one.
  bool parse(std::string_view text, bool quotes, const RecordPlan& plan);

  /// Whether a text consists of whole records whose quotes enclose whole fields.
  bool is_regular(std::string_view text, char separator);

  /// All lines of the text, empty ones as well: each is one record.
  const std::vector<Record>& records() const { return records_; }
  std::string_view text_of(std::size_t record) const {
    const std::size_t begin = records_[record].begin,
                      end = record + 1 < records_.size() ? records_[record + 1].begin : text_.size();
    return text_.substr(begin, end - begin);
  }
  std::string_view text_from(std::size_t record) const { return text_.substr(records_[record].begin); }
  const RowTexts& rests() const { return rests_; }
  /// Whether a lookup of known texts pays off: otherwise reading records individually is as fast.
  bool repeat() const { return records_.size() < kFew || 2 * rests_.size() < records_.size(); }
  /// Sizes of the records whose column of bytes holds a number, in their order.
  const std::vector<Size>& sizes() const { return sizes_; }

private:
  static constexpr std::size_t kFew = 256;

  void find_records();
  void parse_times(std::size_t column, std::int64_t scale, SpillVector<std::int64_t>& times);
  void parse_correlations();
  void parse_rests();
  std::string_view number(std::size_t first_field, std::size_t column);
  void parse_size(std::size_t first_field, std::size_t record);

  RecordPlan plan_;
  std::string_view text_;
  PlainFields fields_;
  std::vector<Record> records_;
  std::vector<Size> sizes_;
  RowTexts rests_;
  std::vector<char> room_;

  // By record that may be a row: number of its first field, and the record's own number.
  std::vector<std::uint16_t> first_fields_;
  SpillVector<std::uint32_t> numbers_;
  SpillVector<std::int64_t> starts_, durations_;
};

} // namespace jitterscope::import::gpu_trace
