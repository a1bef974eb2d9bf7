#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>

#include "core/base/spill_vector.h"
#include "core/import/formats/ncu/header.h"
#include "core/import/formats/ncu/reports.h"
#include "core/import/records/draft.h"
#include "core/import/records/kernel_names.h"
#include "core/import/records/places.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import::ncu {

/// The processes and devices of the reports of one folder.
struct Site {
  explicit Site(Draft& draft) : places(draft, draft.add_resource(store::ResourceKind::Host, kNone, 0, {})) {}
  Places places;
  std::map<std::int64_t, Gpu> devices; ///< properties of each device, by number
};

/// The launches of one table of Nsight Compute. The properties of a launch (registers, shared memory,
/// duration) are metrics, in any order: finish() combines them.
class Launches {
public:
  Launches(Draft& draft, RowIssues& issues, Site& site);

  /// The launch of the current record, added when it is new. Launches are identified by process, number and
  /// configuration.
  std::uint32_t of(const CsvReader& csv, const Header& header);
  /// Adds a launch without checking whether it is known.
  std::uint32_t add(const CsvReader& csv, const Header& header);
  /// Begins another report: its launches are new, even if they have the same numbers.
  void begin_report() { known_.clear(); }

  /// Uses a metric that describes the launch itself. `value` is in the unit of the stored columns.
  void learn(std::uint32_t launch, std::string_view metric, double value);
  /// Names a device, unless it has a name already.
  void name_device(std::int64_t number, std::string_view name);

  void finish();
  std::size_t first() const { return first_; }
  const SpillVector<LaunchIdentity>& identities() const { return identities_; }
  std::size_t count() const { return draft_.launches.start.size() - first_; }

private:
  struct Key {
    std::int64_t process, id;
    std::uint32_t configuration;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  Configuration configuration_of(const CsvReader& csv, const Header& header);
  std::uint32_t stream_of(const CsvReader& csv, const Header& header);
  std::uint32_t add(const Configuration& configuration, std::uint32_t stream, std::int64_t id);

  Draft& draft_;
  RowIssues& issues_;
  KernelNames names_;
  Site& site_;
  std::size_t first_;
  SpillVector<Configuration> configurations_; // by launch, from first_ on
  SpillVector<LaunchIdentity> identities_;    // by launch, from first_ on
  struct Cycles {
    double elapsed = 0, per_second = 0;
  };
  std::unordered_map<std::uint32_t, Cycles> cycles_; // by launch, of multiprocessors
  SpillVector<std::uint8_t> duration_rank_;          // which metric the duration was taken from, 0 none
  std::unordered_map<Key, std::uint32_t, KeyHash> known_;
};

/// "(256, 1, 1)", "256,1,1" or "256" as three numbers; false when it is none of them.
bool parse_extent(std::string_view text, std::uint32_t& x, std::uint32_t& y, std::uint32_t& z);

/// Reports as doubtful a time that is written in s or ms with few digits.
void doubt_rounded_time(RowIssues& issues, std::string_view metric, std::string_view unit,
                        const CsvReader& csv);

} // namespace jitterscope::import::ncu
