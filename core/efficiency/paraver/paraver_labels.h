#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace jitterscope::efficiency {

/// Event types (nsys2prv 0.6, Extrae).
namespace paraver {
inline constexpr std::int64_t kRunning = 1, kMemoryTransfer = 17; ///< numbers of states
inline constexpr std::int64_t kMpiPointToPoint = 50'000'001, kMpiCollective = 50'000'002,
                              kMpiOther = 50'000'003;
inline constexpr std::int64_t kMpiBytes = 50'100'001;
inline constexpr std::int64_t kCall = 63'000'000; ///< outermost calls; nested calls: kNestedCall + depth
inline constexpr std::int64_t kNestedCall = 63'000'100;
inline constexpr std::int64_t kCopy = 63'000'001, kCopyBytes = 63'000'002, kKernel = 63'000'006,
                              kCollective = 63'000'007;
inline constexpr std::int64_t kGridX = 9101, kCorrelation = 9200;
inline constexpr std::int64_t kRange = 9600; ///< outermost ranges; nested ranges: kRange + depth
inline constexpr std::int64_t kLaunchTag = 55'001, kCopyTag = 55'002;
inline constexpr std::int64_t kInstructions = 42'000'050, kCycles = 42'000'059, kOtherCounter = 42'001'000;
} // namespace paraver

/// Names of states, of event types and of their values: the .pcf.
class ParaverLabels {
public:
  /// The value that represents a name in an event type, from 1.
  std::int64_t value(std::int64_t type, std::string_view name);
  /// The number of a state: Paraver's own if it has that name, else from 100 on.
  std::int64_t state(std::string_view name);
  /// The event type of a counter.
  std::int64_t counter(std::string_view name);
  std::string text() const;

private:
  struct Values {
    std::map<std::string, std::int64_t, std::less<>> numbers;
  };
  std::map<std::int64_t, Values> types_;
  std::map<std::string, std::int64_t, std::less<>> states_, counters_;
};

} // namespace jitterscope::efficiency
