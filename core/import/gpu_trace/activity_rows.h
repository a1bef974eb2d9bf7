#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/csv/attribute_column.h"
#include "core/import/draft.h"
#include "core/import/gpu_trace/titles.h"
#include "core/import/row_issues.h"
#include "core/import/rows/kernel_names.h"
#include "core/import/rows/places.h"
#include "core/import/rows/rows_by_text.h"

namespace jitterscope::import::gpu_trace {

/// Times beyond this (36 years) are no measurements.
inline constexpr std::int64_t kMostTime = std::int64_t{1} << 60;

struct Times {
  std::int64_t start = 0, duration = 0;
};

/// Who stands where in the tables of one source.
class Tables {
public:
  Tables(Draft& target, RowIssues& row_issues);

  Draft& draft;
  RowIssues& issues;
  KernelNames names;
  Places places;
  std::int64_t process_number = 0; ///< for rows that do not say
  std::int64_t decimal_units = 0;  ///< copies whose throughput shows that MB are 10^6 B …
  std::int64_t binary_units = 0;   ///< … or 2^20 B

  std::uint32_t stream(std::int64_t process, std::string_view device, std::int64_t context,
                       std::string_view number);
  std::uint32_t device(std::int64_t process, std::string_view device);
  std::uint32_t thread(std::int64_t process, std::string_view number);
  /// Start and duration in two columns; nothing, and an issue counted, when they hold none that can be used.
  std::optional<Times> times(const CsvReader& csv, const Titles& titles, std::size_t start,
                             std::size_t duration);
  std::uint32_t count(std::string_view text);

private:
  std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> contexts_;
  std::map<std::string, std::int64_t, std::less<>> devices_; // numbers of those whose names hold none
};

/// One activity of a GPU per row: kernels, copies, memsets and, in nvprof's, samples of clock, power and
/// temperature.
class ActivityRows {
public:
  ActivityRows(Tables& tables, Titles titles, bool of_nvprof);
  /// Takes the current record.
  void read(const CsvReader& csv);
  /// Sizes are known only when all rows were seen.
  void finish();

private:
  struct Columns {
    std::size_t start, duration, name, device, context, stream, correlation, bytes, throughput, registers,
        static_shared, dynamic_shared, grid[3], block[3], sample;
  };

  void find_metrics();
  void read_kernel(const CsvReader& csv, const Times& times, std::string_view name);
  void read_transfer(const CsvReader& csv, const Times& times, store::TransferKind kind);
  void read_sample(const CsvReader& csv, std::string_view name);
  void read_call(const CsvReader& csv, const Times& times, std::string_view name);
  bool is_call(const CsvReader& csv) const;
  std::uint32_t counter(std::uint32_t device, const std::string& name, const std::string& unit);
  std::uint32_t configuration_of(const CsvReader& csv, std::string_view name);
  std::uint32_t stream_of(const CsvReader& csv);
  std::uint32_t shared_memory(const CsvReader& csv, std::size_t column);
  void judge_prefixes(double size, double seconds, std::string_view throughput);

  Tables& tables_;
  Titles titles_;
  bool of_nvprof_;
  Columns columns_;
  struct Size {
    std::size_t transfer;
    double value; ///< in the column's unit
  };
  std::vector<Size> sizes_;
  std::vector<std::pair<std::size_t, AttributeColumn>> metrics_; ///< columns that nvprof --metrics adds
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> counters_;
  RowsByText configurations_, streams_;
  std::int64_t streams_process_ = 0; ///< of which streams_ are
};

/// "name [12]" of nvprof without the number of the call that launched it, which `number` then is.
std::string_view without_number(std::string_view name, std::string_view& number);

/// "[CUDA memcpy HtoD]", "[CUDA Unified Memory memcpy DtoH]", "[CUDA memset]"; nothing for kernels.
std::optional<store::TransferKind> transfer_kind(std::string_view name);

} // namespace jitterscope::import::gpu_trace
