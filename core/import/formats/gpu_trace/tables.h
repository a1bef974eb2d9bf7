#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/import/formats/gpu_trace/titles.h"
#include "core/import/records/draft.h"
#include "core/import/records/events.h"
#include "core/import/records/kernel_names.h"
#include "core/import/records/places.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import::gpu_trace {

inline bool is_measurable(const Times& times) {
  return times.duration >= 0 && times.duration <= kMaxTime && times.start >= -kMaxTime &&
         times.start <= kLatestTime;
}

/// A number that fits into 32 bits, 0 for everything else.
std::uint32_t count_of(std::string_view text);

/// The resources, names and issues shared by the tables of one source.
class Tables {
public:
  Tables(Draft& target, RowIssues& row_issues);

  Draft& draft;
  RowIssues& issues;
  KernelNames names;
  Places places;
  std::int64_t process_number = 0; ///< process number of rows that state none
  std::int64_t decimal_units = 0;  ///< number of copies whose throughput shows that a MB is 10^6 B
  std::int64_t binary_units = 0;   ///< number of copies whose throughput shows that a MB is 2^20 B

  std::uint32_t stream(std::int64_t process, std::string_view device, std::int64_t context,
                       std::string_view number);
  std::uint32_t device(std::int64_t process, std::string_view device);
  std::uint32_t thread(std::int64_t process, std::string_view number);
  /// Start and duration in two columns. If they are unusable, counts an issue and returns nothing.
  std::optional<Times> times(const CsvReader& csv, const Titles& titles, std::size_t start,
                             std::size_t duration);
  /// Whether a kernel's name is present; an issue is counted where it is not.
  bool names_kernel(const CsvReader& csv, std::string_view name);

private:
  std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> contexts_;
  // numbers assigned to devices whose names contain none
  std::map<std::string, std::int64_t, std::less<>> devices_;
};

} // namespace jitterscope::import::gpu_trace
