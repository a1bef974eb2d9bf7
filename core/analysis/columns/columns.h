#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/analysis/columns/call_sites.h"
#include "core/analysis/columns/collective_waits.h"
#include "core/analysis/columns/excess_columns.h"
#include "core/analysis/columns/term_columns.h"
#include "core/analysis/session/session.h"
#include "core/columns/column_spec.h"

namespace jitterscope::analysis {

using jitterscope::ColumnKind;

/// A column of launches: stored, or derived from the session.
struct LaunchColumn {
  std::string name;        ///< name in filters and JSON
  std::string unit;        ///< "ns", "B", "%" or empty
  std::string description; ///< definition of the column and how it was computed
  ColumnKind kind = ColumnKind::Number;
  int tier = 2;        ///< causal tier by nature: 0 environment … 5 variability (causal/base/tiers.h)
  bool stored = false; ///< a column of the stores, not derived
  bool recorded =
      false; ///< stored, and recorded by the source (a counter, a parameter) instead of computed at import
  /// Needs the model of durations (excess_columns.h): values are missing until the model is known.
  bool fitted = false;
  /// At most one value in every store that has the column; if derived: in all launches together.
  bool constant = false;
  bool parameter = false; ///< recorded; set by the program before the launch, like the grid
  bool chosen = false;    ///< added by choose(): a metric or an efficiency that the user chose
};

/// All columns that launches of a session have, derived ones first, and their values. Missing values are NaN.
///
/// Derived: derived_columns() (core/columns/column_spec.h). Some exist only where their data are known:
/// collective_wait_ns (several devices and a kernel that communicates), call_site, parts of the excess, terms
/// of the performance model (counters and GPU; prediction/launch_model.h). Kernels with the same short name
/// have one value of short_name: that of the first of them.
///
/// Stored: every other column of table "launches".
///
/// For tables without times only the applicable derived columns exist: start is the index in launch order;
/// duration and variability exist if any duration was measured, parts of the configuration if the table has
/// them.
class LaunchColumns {
public:
  explicit LaunchColumns(const Session& session);
  LaunchColumns(const LaunchColumns&) = delete; // the model reads columns of this object
  LaunchColumns& operator=(const LaunchColumns&) = delete;

  const std::vector<LaunchColumn>& list() const { return list_; }
  /// Finds column `name`, else column `name`_ns: the screen shows migration_ns as "migration" with the unit
  /// next to the value.
  const LaunchColumn* find(std::string_view name) const;
  /// Hint for an error about an unknown column name.
  std::string
  instead_of(std::string_view name,
             std::string otherwise = "\"jitterscope info FILES --columns\" lists the columns.") const;

  /// Values of rows [first, last) of one trace. `name` must be in list().
  std::vector<double> read(std::string_view name, const Segment& segment) const;

  /// Minimum and maximum over all launches of the session, low > high if there are no values; cached once
  /// found, the same on every rank. Only for the thread that runs the session's operations.
  struct Range {
    double low = 0, high = 0;
  };
  const Range* known_range(const std::string& name) const;
  void keep_range(const std::string& name, Range range) const { ranges_[name] = range; }

  /// Whether a derived column depends only on the row of a trace's "configurations" (kernel, grid_x …), or
  /// only on the row of its resource tree (stream, device, rank, process).
  static bool depends_on_configuration(std::string_view name);
  static bool depends_on_stream(std::string_view name) { return of_stream(name) != nullptr; }
  std::vector<double> of_configurations(std::string_view name, std::size_t trace) const;
  std::vector<double> of_resources(std::string_view name, std::size_t trace) const;

  /// The column as stored in one trace; null if it is not stored there.
  const store::ColumnView* stored_view(std::string_view name, std::size_t trace) const;

  /// Learns the data behind the columns of call sites and of collective waits, unless known; returns an error
  /// when cancelled. Otherwise the first use of these columns learns them and cannot be cancelled.
  Expected<void> prepare_call_sites(const Job& job) const;
  /// Call sites of the launches; null for tables without times.
  const CallSites* call_sites() const { return call_sites_.get(); }

  /// Provides the values of the excess columns. They must not depend on the order of requests.
  void set_excess(std::shared_ptr<const ExcessColumns> excess) { excess_ = std::move(excess); }
  const ExcessColumns* excess() const { return excess_.get(); }
  /// Adds the columns of a launch model, if not null. Those with a name already in use are omitted.
  void add_terms(std::shared_ptr<const TermColumns> terms);
  /// Appends these columns, replacing the columns of the previous call. Columns whose names are taken are
  /// left out. Pointers to columns become invalid.
  void choose(std::vector<std::shared_ptr<const TermColumns>> chosen);

  /// Texts of a Text column, indexed by its values.
  std::vector<std::string> texts(std::string_view name) const;
  /// One text of a Text column; empty when out of range or missing.
  std::string text(std::string_view name, double value) const;

private:
  struct TextColumn {
    std::vector<std::string> texts;
    std::vector<std::vector<std::uint32_t>> of_string; ///< per trace: StringId → row of texts
  };
  void add(LaunchColumn column);
  void add_derived();
  void add_excess();
  void add_terms_of(const TermColumns& terms, bool chosen);
  struct TermPlace {
    const TermColumns* columns = nullptr;
    std::size_t term = 0;
    const TermColumns::TermColumn& get() const { return columns->terms()[term]; }
  };
  const TermPlace* term_named(std::string_view name) const;
  void add_stored(const store::Store& store, std::size_t trace);
  void mark_constant_parts();
  void read_texts(const std::string& name, const store::ColumnView& column, std::size_t trace);
  void read_derived(std::string_view name, const Segment& segment, std::vector<double>& out) const;

  const Session* session_;
  std::vector<LaunchColumn> list_;
  std::unordered_map<std::string, std::size_t> place_; ///< column name → index in list_
  std::vector<std::unordered_map<std::string, const store::ColumnView*>>
      views_;                                         ///< per trace: column name → stored column
  std::unordered_map<std::string, TextColumn> texts_; ///< by column name, for stored text columns
  /// Per trace and resource: stream number, device number and row of device_names_ (of the physical device),
  /// rank, process, row of node_names_.
  struct StreamFacts {
    double stream, device, device_name, rank, process, node_name;
  };
  using OfStream = double (*)(const StreamFacts&);
  static OfStream of_stream(std::string_view name);
  std::vector<std::vector<StreamFacts>> facts_;
  mutable std::map<std::string, Range> ranges_;
  std::shared_ptr<const ExcessColumns> excess_;
  std::shared_ptr<const TermColumns> terms_; ///< null without a model of launches
  std::vector<std::shared_ptr<const TermColumns>> chosen_;
  std::map<std::string, TermPlace, std::less<>>
      term_places_;                             ///< by column name, for the columns of terms_ and chosen_
  std::shared_ptr<const CallSites> call_sites_; ///< null for tables without times
  std::shared_ptr<const CollectiveWaits> collective_waits_; ///< null if no launch waits for other devices
  std::vector<std::uint32_t> first_of_short_name_;          ///< by kernel: first one with the same short name
  std::vector<std::string> range_names_;
  std::vector<std::string> device_names_, node_names_;
  std::vector<std::vector<std::uint32_t>> range_of_string_; ///< per trace: StringId → row of range_names_
};

/// Waiting time of a launch of a collective for the other devices (collective_waits.h).
inline constexpr std::string_view kCollectiveWait = "collective_wait_ns";

/// The column to analyse by default: the first of `requested` that exists and is not constant; else a
/// recorded number that is not constant (causal::guess_first_column()), else "start".
std::string default_column(const LaunchColumns& columns, std::initializer_list<const char*> requested);

} // namespace jitterscope::analysis
