#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/import/formats/tau/function_name.h"
#include "core/import/formats/tau/message_sizes.h"
#include "core/import/formats/tau/thread_profile.h"
#include "core/import/records/kernel_names.h"

namespace jitterscope::import::tau {

/// Numbers in the name of a file profile.NODE.CONTEXT.THREAD.
struct ThreadNumbers {
  std::int64_t node = 0, context = 0, thread = 0;
  auto operator<=>(const ThreadNumbers&) const = default;
};

/// Appends profiles of threads to a draft: a launch without time for each row, its exclusive time as
/// duration, and a launch without duration for each user event.
class ProfileRows {
public:
  /// `ranks`: nodes are ranks of MPI even if no row is a call of MPI.
  ProfileRows(Draft& draft, RowIssues& issues, bool ranks)
      : draft_(draft), issues_(issues), kernels_(draft), ranks_(ranks) {}

  void add(const ThreadNumbers& numbers, ThreadProfile profile);
  std::int64_t rows() const { return rows_; }

private:
  /// Columns of a metric; exclusive values of the main metric are the durations.
  struct MetricColumns {
    double factor = 1; ///< factor from the unit of the metric to the unit of the columns
    std::size_t inclusive = 0;
    std::optional<std::size_t> exclusive;
  };

  const MetricColumns& metric_columns(const std::string& metric, bool main);
  std::uint32_t stream(const ThreadNumbers& numbers, const ThreadProfile& profile, bool mpi);
  std::uint32_t process(const ThreadNumbers& numbers, const ThreadProfile& profile, bool mpi);
  std::uint32_t device(std::uint32_t process, const ThreadNumbers& numbers, const ThreadProfile& profile);
  std::uint32_t configuration(const FunctionName& name, RowKind kind);
  void add_function(const ProfileRow& row, const FunctionName& name, RowKind kind,
                    const ThreadProfile& profile, std::uint32_t stream);
  void add_sums(std::uint32_t launch, const ProfileRow& row, const ThreadProfile& profile);
  void add_parameters(std::uint32_t launch, const FunctionName& name);
  void add_sizes(std::uint32_t launch, const Sizes& sizes);
  void add_event(const Event& event, std::uint32_t stream);
  void number(std::uint32_t launch, std::string_view title, std::string_view unit,
              std::string_view description, double value);
  void text(std::uint32_t launch, std::string_view title, std::string_view description,
            std::string_view value);

  Draft& draft_;
  RowIssues& issues_;
  KernelNames kernels_;
  bool ranks_;
  std::int64_t rows_ = 0;
  std::map<std::string, std::uint32_t> hosts_;                               ///< host name → resource
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> processes_; ///< (node, context) → resource
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> devices_;   ///< (process, name) → resource
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t>
      gpus_of_host_; ///< (host, device number) → resource
  std::map<std::string, std::uint32_t, std::less<>>
      configurations_; ///< kind and name → row of Draft::configurations
  std::map<std::string, std::size_t, std::less<>> columns_; ///< title → column of Draft::attributes
  std::map<std::pair<std::string, bool>, MetricColumns>
      metric_columns_; ///< by (metric, whether it is the main metric)
  std::map<std::string, std::size_t, std::less<>>
      parameters_; ///< parameter name → column of Draft::attributes
};

} // namespace jitterscope::import::tau
