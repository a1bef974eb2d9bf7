#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/gpu_trace/parsed_records.h"
#include "core/import/formats/gpu_trace/tables.h"
#include "core/import/records/attribute_column.h"
#include "core/import/records/rows_by_text.h"

namespace jitterscope::import::gpu_trace {

/// One activity of a GPU per row: kernels, copies, memsets and, for nvprof, samples of clock, power and
/// temperature.
class ActivityRows {
public:
  ActivityRows(Tables& tables, Titles titles, bool of_nvprof);
  /// Reads the current record. The result is valid until the process or the header changes.
  Repeated read(const CsvReader& csv);
  /// How records can be read in bulk; empty where they cannot.
  std::optional<RecordPlan> plan(char separator, bool decimal_comma) const;
  /// Adds launches whose texts were seen before; `of_rests`: meaning of each text in ParsedRecords::rests().
  void repeat_launches(std::span<const ParsedRecords::Record> records, std::span<const Repeated> of_rests);
  void repeat_transfer(const ParsedRecords::Record& record, const ParsedRecords::Size& size,
                       const Repeated& known);
  /// Call after all rows; sizes are not known before.
  void finish();

private:
  struct Columns {
    std::size_t start, duration, name, device, context, stream, correlation, bytes, throughput, registers,
        static_shared, dynamic_shared, grid[3], block[3], memory, sample,
        migrated; ///< nvprof's "Unified Memory": bytes of migrations, counts of page faults
  };

  void find_metrics();
  void append_launches(std::span<const ParsedRecords::Record> records, std::span<const Repeated> of_rests);
  void read_row(const CsvReader& csv);
  std::optional<store::TransferKind> transfer_kind_of(const CsvReader& csv, std::string_view name) const;
  void read_kernel(const CsvReader& csv, const Times& times, std::string_view name);
  void read_transfer(const CsvReader& csv, const Times& times, store::TransferKind kind);
  void read_sample(const CsvReader& csv, std::string_view name);
  void read_call(const CsvReader& csv, const Times& times, std::string_view name);
  bool is_call(const CsvReader& csv) const;
  std::uint32_t counter(std::uint32_t device, const std::string& name, const std::string& unit);
  std::uint32_t configuration_of(const CsvReader& csv, std::string_view name);
  std::uint32_t stream_of(const CsvReader& csv);
  std::uint32_t shared_memory(const CsvReader& csv, std::size_t column);
  void judge_prefixes(double size, double seconds, std::optional<double> throughput);

  Tables& tables_;
  Titles titles_;
  bool of_nvprof_;
  Columns columns_;
  struct Size {
    std::size_t transfer;
    double value; ///< in the unit of the column
  };
  void set_bytes(SpillVector<Size>& sizes, std::size_t column);

  SpillVector<Size> sizes_, migrated_;
  std::vector<std::pair<std::size_t, AttributeColumn>> metrics_; ///< columns that nvprof --metrics adds
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> counters_;
  RowsByText configurations_, streams_;
};

/// "name [12]" of nvprof without the number of the launching call, which is returned in `number`.
std::string_view without_number(std::string_view name, std::string_view& number);

/// "[CUDA memcpy HtoD]", "[CUDA Unified Memory memcpy DtoH]", "[CUDA memset]"; nothing for kernels.
std::optional<store::TransferKind> transfer_kind(std::string_view name);

} // namespace jitterscope::import::gpu_trace
