#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/efficiency/metrics/data.h"

namespace jitterscope::efficiency::metrics {

/// Whether a definition needs LaunchCalls.
bool needs_calls(const Definition& definition);

/// A definition with its names resolved in a session: columns, patterns, counters, means of groups. Immutable
/// and thread-safe once made. The data and the calls must outlive it.
class Bound {
public:
  /// Reads records only if the definition refers to whole runs: recorded(), group_mean(), deviation().
  /// `calls` may be null unless needs_calls(). Errors: BadUse with the place of a name that the session does
  /// not have; Cancelled.
  static Expected<Bound> make(std::shared_ptr<const Definition> definition, const Data& data,
                              const LaunchCalls* calls, const Job& job);

  const Definition& definition() const { return *definition_; }
  const Data& data() const { return *data_; }
  const LaunchCalls* calls() const { return calls_; }
  std::span<const Source> sources() const { return sources_; } ///< sources whose records are read
  /// Tier of the metric's column in causal answers: the stated one; else that of the durations, ends and
  /// variability of kernels that it uses; else kUnknownTier.
  int tier() const { return definition_->tier != kUnknownTier ? definition_->tier : tier_of_outcome_; }
  /// Approximate number of records and samples to read for a range, at least 1.
  double work(Interval range) const;

  /// Evaluates a field or a text test for each record.
  void read(const Node& node, std::span<const Record> records, double* out) const;

  /// The samples of a counter of one object; null if there are none.
  struct Samples {
    std::uint32_t trace = 0;
    const store::CounterSeries* series = nullptr;
  };
  const Samples& samples(const Node& node, std::uint32_t object) const {
    return tables_[node.id].samples[object];
  }
  bool recorded(const Node& node, std::uint32_t object) const {
    return tables_[node.id].recorded[object] != 0;
  }
  /// The mean of the group that a record belongs to; NaN if no record of the group has the attribute.
  double group_mean(const Node& node, const Record& record) const;

private:
  class Binder;
  enum class Kind : std::uint8_t { Column, Duration, Begin, End, OfName, Launching, Derived };
  struct OfTrace {
    const store::ColumnView* column = nullptr; ///< the column, for Kind::Column
    store::Values<std::uint32_t> through;      ///< if not empty: row of `column` for each row
    std::vector<float> by_name;                ///< OfName: result by Record::name, or by value of `column`
    std::vector<std::uint32_t> group;          ///< group means: group by Record::name, or by configuration
  };
  struct Table {
    Kind kind = Kind::Column;
    std::int64_t missing = -1; ///< value of a column that means "none"
    bool has_missing = false;
    std::vector<OfTrace> traces;
    std::vector<Samples> samples;
    std::vector<std::uint8_t> recorded;
    std::vector<double> means;         ///< mean of each group
    std::string derived;               ///< Derived: name of the column of launches
    std::vector<std::uint8_t> by_text; ///< Derived, if a text: result by value
  };
  void read_derived(const Table& table, std::span<const Record> records, double* out) const;
  std::uint32_t group_of(const Node& node, const Record& record) const;

  std::shared_ptr<const Definition> definition_;
  const Data* data_ = nullptr;
  const LaunchCalls* calls_ = nullptr;
  std::vector<Source> sources_;                              ///< sources whose records are read
  int tier_of_outcome_ = kUnknownTier;                       ///< of the attributes of kernels that it uses
  std::vector<std::uint32_t> counters_;                      ///< nodes that are counters
  std::vector<Table> tables_;                                ///< tables by Node::id
  std::vector<store::Values<std::uint32_t>> configurations_; ///< by trace: configuration of each launch
};

} // namespace jitterscope::efficiency::metrics
