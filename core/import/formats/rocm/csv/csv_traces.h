#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/rocm/csv/csv_group.h"
#include "core/import/records/attribute_column.h"

namespace jitterscope::import::rocm {

/// The launches of one kernel trace, for joining with data from other files.
struct TraceIndex {
  std::string file;
  SpillVector<DispatchRow> rows;
  SpillVector<std::uint32_t> launches;
};

/// rocprofv3's timed tables: kernels, copies, calls, ranges, scratch memory, samples of the program
/// counter. Calls are read first: they identify the process of each thread.
class CsvTraces {
public:
  CsvTraces(CsvGroup& group, bool keep_index) : group_(group), keep_index_(keep_index) {}

  Expected<void> read_calls(const Input& input);
  Expected<void> read_kernels(const Input& input);
  Expected<void> read_copies(const Input& input);
  /// Read pushes, pops and marks, which rocprofv2 writes as events.
  Expected<void> read_markers(const Input& input);
  /// Read memory allocations and scratch memory, as ranges.
  Expected<void> read_allocations(const Input& input) { return read_ranges(input, "memory allocation"); }
  Expected<void> read_scratch(const Input& input) { return read_ranges(input, "scratch memory"); }
  /// Read the number of samples per launch.
  Expected<void> read_samples(const Input& input);

  /// The kernel trace that belongs to a file by its name, null when there is none.
  const TraceIndex* trace_of(const std::string& file) const;

private:
  template <class EachRow>
  Expected<void> for_rows(const Input& input, EachRow&& each);
  Expected<void> read_ranges(const Input& input, const char* domain);
  std::uint32_t process_of(const CsvTable& table);
  void add_operation(const CsvTable& table, const Times& times);
  bool add_kernel(const CsvTable& table, CommonAttributes& common, TraceIndex& index);
  std::uint32_t name_of(std::string_view text);
  const std::string& prefix_of(const std::string& file_name);

  CsvGroup& group_;
  bool keep_index_;
  std::vector<TraceIndex> traces_;
  std::unordered_map<std::string, std::uint32_t> names_; // recorded text → row of Draft::strings
  std::map<std::string, std::int64_t, std::less<>> pid_of_guid_;
  std::map<std::string, std::set<std::int64_t>> pids_of_prefix_;
  std::map<std::int64_t, std::set<std::int64_t>> pids_of_thread_;
  std::string last_file_, last_prefix_;
  std::set<std::pair<std::int64_t, std::int64_t>> copies_; ///< start and duration of rocprofv2's copies
  std::map<std::string, std::int64_t> unknown_;            // prefix → number in place of a pid
};

/// The prefix before the kind of trace in the name of a file: "1234_" of "1234_kernel_trace.csv".
std::string trace_prefix(const std::string& file_name);

} // namespace jitterscope::import::rocm
