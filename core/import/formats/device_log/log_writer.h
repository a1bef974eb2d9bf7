#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/formats/device_log/log_columns.h"
#include "core/import/formats/device_log/sample_time.h"
#include "core/import/records/draft.h"
#include "core/import/records/row_issues.h"
#include "core/import/records/units.h"

namespace jitterscope::import::device_log {

/// Appends the rows of a log to the samples of a draft, and creates each counter with its first sample.
class LogWriter {
public:
  LogWriter(Draft& draft, std::vector<LogColumn> columns, std::string file, RowIssues& issues);

  /// Sets whether numbers have decimal commas: "244,759".
  void set_decimal_comma(bool is_so) { decimal_comma_ = is_so; }

  /// Adds a row of the log; `place()` describes where it is.
  void add(std::span<const std::string_view> fields, const std::function<std::string()>& place);

  /// Appends the log to the draft; false if it has no sample.
  bool finish();
  /// Absolute time of the zero of the samples' times, −1 if the times do not count from 1970.
  std::int64_t utc_ns() const { return base_.value_or(0) > 0 ? *base_ : -1; }

private:
  static constexpr std::size_t kMaxDevices = 4'096;
  static constexpr std::size_t kMaxColumns = 4'096;

  /// What a column holds: unknown until its first number.
  struct Content {
    bool numbers = false;
    Unit unit;
    std::int64_t texts = 0; ///< cells without a number
    std::string text;       ///< the first of them, and where it is
  };

  std::string_view cell(std::span<const std::string_view> fields, std::optional<std::size_t> column) const;
  std::optional<std::int64_t> time_of(std::span<const std::string_view> fields);
  std::optional<std::uint32_t> device_of(std::span<const std::string_view> fields);
  std::optional<double> value_of(std::size_t column, std::string_view text,
                                 const std::function<std::string()>& place);
  void count_texts(const Content& content, std::int64_t texts);
  void add_reasons(std::int64_t time, std::uint32_t device, std::size_t column, std::string_view text);
  void push(std::int64_t time, std::uint32_t device, std::size_t key, std::string_view name,
            const std::string& unit, double value);

  void remove_absent_reasons();

  Draft& draft_;
  RowIssues& issues_;
  std::vector<LogColumn> columns_;
  std::vector<Content> contents_;
  std::optional<std::size_t> time_, date_, number_, uuid_, host_, rank_;
  SampleClock clock_;
  bool decimal_comma_ = false;
  DeviceLog log_;
  std::optional<std::int64_t> base_;
  std::map<std::string, std::uint32_t, std::less<>> devices_;
  std::string last_key_;
  std::optional<std::uint32_t> last_device_;
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t>
      counters_;                   ///< row of Draft::counters by device and key of the column
  std::vector<std::size_t> keys_;  ///< by counter of this log: key of the counter's column
  std::set<std::size_t> occurred_; ///< keys of the reasons that occurred on any device
};

} // namespace jitterscope::import::device_log
