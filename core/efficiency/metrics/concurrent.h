#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/efficiency/metrics/bound.h"
#include "core/efficiency/metrics/steps.h"

namespace jitterscope::efficiency::metrics {

/// The number of records of threads that run at a time in the whole session, in one pass over the tables,
/// which are sorted by time. Aggregates over all objects need no timeline of each object: with 100,000
/// threads those cost many times as much.
class Concurrent {
public:
  /// For an aggregate (Op::Across) of count(r) or active(r) at the level of the application, where `child` is
  /// the aggregated expression: sum, mean and any, for active(r) also count and all. Nothing if it is another
  /// expression, if records of one object may overlap (active), if the condition of r depends on more than
  /// the record, or if not every row of the table belongs to an object.
  static std::optional<Concurrent> make(const Bound& bound, const Node& across, const Node& child);

  /// Evaluates an attribute of records of the source.
  using Attribute = std::function<std::vector<double>(const Node&, Source, std::span<const Record>)>;
  /// The same steps as those of the aggregated timelines.
  Steps steps(std::int64_t begin, std::int64_t end, const Attribute& attribute, Halt& halt) const;

private:
  struct Table { ///< a table of one trace
    std::uint32_t trace = 0;
    std::span<const std::int64_t> starts;
    store::Values<std::int64_t> durations;
    store::Values<std::uint32_t> names;
    store::Values<std::uint8_t> kinds; ///< empty: all rows are records of the source
    std::int64_t longest = 0;          ///< duration of the longest record [ns]
  };
  /// Times of changes in [begin, end), and the number of records that run at `begin`.
  struct Changes {
    std::vector<std::int64_t> starts, ends;
    std::int64_t open = 0;
  };

  Concurrent(const Bound& bound, const Records& records) : bound_(&bound), records_(&records) {}
  bool add_tables();
  bool of_source(std::uint8_t kind) const;
  void add_rows(const Table& table, std::int64_t begin, std::int64_t end, const Attribute& attribute,
                Changes& changes, Halt& halt) const;

  const Bound* bound_;
  const Records* records_;
  Aggregator aggregator_ = Aggregator::Sum;
  std::size_t objects_ = 0;
  std::vector<Table> tables_;
};

} // namespace jitterscope::efficiency::metrics
