#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/records/draft.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import::ncu {

/// What tells a launch apart among the reports of one folder.
struct LaunchIdentity {
  std::int64_t id = 0;      ///< number in the report
  std::uint32_t kernel = 0; ///< row of Draft::kernels
  std::uint32_t stream = 0; ///< resource: its process and device with it
  auto operator<=>(const LaunchIdentity&) const = default;
};

/// The reports of one folder. One report is often written twice, by its sections and by its metrics: launches
/// of one process, number and kernel whose metrics differ only in which there are, not in their values, are
/// one launch. So are those of a report that was exported twice, with rounded and with base units: each value
/// is the other one rounded. Otherwise reports with the same metrics are two runs and stay apart.
class Reports {
public:
  Reports(Draft& draft, RowIssues& issues) : draft_(draft), issues_(issues) {}

  /// Takes the launches from row `first` on, which one file added; `identities` has one entry for each.
  void add(const std::string& name, std::size_t first, const SpillVector<LaunchIdentity>& identities);

private:
  struct Report {
    std::string name;
    std::map<LaunchIdentity, std::size_t> rows;
  };
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>; ///< row of the earlier report, of the later

  bool agree(const Pairs& pairs) const;
  bool repeat(const Pairs& pairs, std::size_t launches) const;
  void join(const Pairs& pairs);
  void drop(const Pairs& pairs, std::size_t first, Report& report);

  Draft& draft_;
  RowIssues& issues_;
  std::vector<Report> reports_;
};

} // namespace jitterscope::import::ncu
