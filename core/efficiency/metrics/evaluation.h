#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "core/efficiency/metrics/bound.h"
#include "core/efficiency/metrics/concurrent.h"
#include "core/efficiency/metrics/steps.h"
#include "core/efficiency/step_function.h"

namespace jitterscope::efficiency::metrics {

/// ∫ of steps over [begin, end), which must be inside them [value · ns]; summed in time order.
double integral(const Steps& steps, std::int64_t begin, std::int64_t end);

/// Evaluates expressions of one definition, exactly as resources/help/metrics.md defines them. Caches its
/// results until forget(). Not thread-safe. After a halt the values are meaningless.
class Evaluation {
public:
  Evaluation(const Bound& bound, Halt& halt) : bound_(bound), halt_(halt) {}

  /// The timeline of an object at level node.level.
  Steps of(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end);
  /// Records of an object of the source's level that meet the condition and run in [begin, end) or begin
  /// there.
  std::vector<Record> records(const Records& records, std::uint32_t object, std::int64_t begin,
                              std::int64_t end);
  /// An attribute of each record; NaN if it is missing.
  std::vector<double> attribute(const Node& node, Source source, std::uint32_t object,
                                std::span<const Record> records);
  void forget() { kept_.clear(); }

private:
  using Range = std::pair<std::int64_t, std::int64_t>;
  Steps operand(const Node& node, const Node& child, std::uint32_t object, std::int64_t begin,
                std::int64_t end);
  Steps pointwise(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end);
  Steps counter(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end) const;
  Steps counter_interval(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end) const;
  Steps border_interval(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end);
  std::optional<std::int64_t> border_before(const Node& node, std::uint32_t object, std::int64_t time,
                                            std::int64_t step);
  std::optional<std::int64_t> border_after(const Node& node, std::uint32_t object, std::int64_t time,
                                           std::int64_t step);
  Steps running(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end);
  Steps value(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end);
  Steps total(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end);
  Steps starts(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end);
  /// The part of a window in which the session was recorded; all of it if none was.
  Interval recorded_part(std::int64_t begin, std::int64_t end) const;
  Steps windows(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end);
  Steps across(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end);
  Steps each_of(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end);
  std::pair<std::vector<Record>, std::vector<double>> with_attribute(const Node& node, std::uint32_t object,
                                                                     std::int64_t begin, std::int64_t end);
  const Node& chosen(const Node& node);
  std::optional<double> constant(const Node& node);
  const std::optional<Concurrent>& concurrent(const Node& node);
  std::vector<double> over_records(const Node& node, Source source, std::uint32_t object,
                                   std::span<const Record> records);

  const Bound& bound_;
  Halt& halt_;
  std::map<std::tuple<const Node*, std::uint32_t, std::int64_t, std::int64_t>, Steps> kept_;
  std::map<const Node*, std::optional<Concurrent>> concurrent_; ///< by aggregate; nothing: not possible
};

} // namespace jitterscope::efficiency::metrics
