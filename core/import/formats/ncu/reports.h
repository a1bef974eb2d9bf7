#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/records/draft.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import::ncu {

/// What identifies a launch among the reports of one folder.
struct LaunchIdentity {
  std::int64_t id = 0;      ///< number of the launch in the report
  std::uint32_t kernel = 0; ///< row of Draft::kernels
  std::uint32_t stream = 0; ///< resource; its parents are the device and the process
  auto operator<=>(const LaunchIdentity&) const = default;
};

/// The reports of one folder. One report is often exported twice, by sections and by metrics: launches with
/// the same process, number and kernel are one launch if their metrics differ and common metrics have equal
/// values. The same holds for a report that was exported with rounded and with base units: nearly every
/// value equals the other one after rounding. Other reports with the same metrics are two runs and stay
/// separate.
class Reports {
public:
  Reports(Draft& draft, RowIssues& issues) : draft_(draft), issues_(issues) {}

  /// Adds the launches from row `first` on, which one file added; `identities` has one entry for each.
  void add(const std::string& name, std::size_t first, const SpillVector<LaunchIdentity>& identities);

private:
  struct Report {
    std::string name;
    std::map<LaunchIdentity, std::size_t> rows;
  };
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>; ///< (launch row of the earlier report, of
                                                                  ///< the later report)

  bool agree(const Pairs& pairs) const;
  bool repeat(const Pairs& pairs, std::size_t launches) const;
  void join(const Pairs& pairs);
  void drop(const Pairs& pairs, std::size_t first, Report& report);

  Draft& draft_;
  RowIssues& issues_;
  std::vector<Report> reports_;
};

} // namespace jitterscope::import::ncu
