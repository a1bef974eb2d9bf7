#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/efficiency/metrics/data.h"

namespace jitterscope::efficiency::metrics {

/// Whether a definition needs LaunchCalls.
bool needs_calls(const Definition& definition);

/// A definition with what its names mean in a session: columns, patterns, counters, means of groups.
/// Immutable once made, for any thread. The data and the calls must outlive it.
class Bound {
public:
  /// Reads records only where the definition asks for whole runs: recorded(), group_mean(), deviation().
  /// `calls` may be null unless needs_calls(). Errors: BadUse with the place of what the session does not
  /// have; Cancelled.
  static Expected<Bound> make(std::shared_ptr<const Definition> definition, const Data& data,
                              const LaunchCalls* calls, const Job& job);

  const Definition& definition() const { return *definition_; }
  const Data& data() const { return *data_; }
  const LaunchCalls* calls() const { return calls_; }
  /// About how many records and samples are read for a range, at least 1.
  double work(Interval range) const;

  /// A field or a test of a text, of each record.
  void read(const Node& node, std::span<const Record> records, double* out) const;

  /// The samples of a counter of one object; null without.
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
  /// The mean of the group that a record belongs to; NaN when no record of it has the attribute.
  double group_mean(const Node& node, const Record& record) const;

private:
  class Binder;
  enum class Kind : std::uint8_t { Column, Duration, Begin, End, OfName, Launching };
  struct OfTrace {
    const store::ColumnView* column = nullptr; ///< Column
    store::Values<std::uint32_t> through;      ///< rows of `column` for each row, when not empty
    std::vector<std::uint8_t> by_name;         ///< OfName: by Record::name, or by value of `column`
    std::vector<std::uint32_t> group;          ///< group means: by Record::name, or by configuration
  };
  struct Table {
    Kind kind = Kind::Column;
    std::int64_t missing = -1; ///< the value of a column that means none
    bool has_missing = false;
    std::vector<OfTrace> traces;
    std::vector<Samples> samples;
    std::vector<std::uint8_t> recorded;
    std::vector<double> means; ///< by group
  };
  std::uint32_t group_of(const Node& node, const Record& record) const;

  std::shared_ptr<const Definition> definition_;
  const Data* data_ = nullptr;
  const LaunchCalls* calls_ = nullptr;
  std::vector<Source> sources_;                              ///< whose records are read
  std::vector<std::uint32_t> counters_;                      ///< nodes that are counters
  std::vector<Table> tables_;                                ///< by Node::id
  std::vector<store::Values<std::uint32_t>> configurations_; ///< by trace: of each launch
};

} // namespace jitterscope::efficiency::metrics
