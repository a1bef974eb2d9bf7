#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "core/engine/model/run_factors.h"

namespace jitterscope::engine {

inline constexpr auto kNoSerialPart = "Computation of the host is assumed to have no serial part: the same "
                                      "problem on N times as many nodes takes 1/N of the time.";

/// MPI calls of one operation in a process.
struct Calls {
  std::int64_t count = 0;
  CallTime time; ///< sums over the calls
  void add(const CallTime& of);
};
/// [{operation, count, transfer_ns, transfer_recorded_ns, waiting_ns, waiting_recorded_ns}].
nlohmann::json calls_of(const std::map<std::string, Calls>& calls);

/// Names, values and formulas of the terms of a run.
class Terms {
public:
  void add(const std::string& name, double value, const char* unit, const std::string& formula);
  void add_bursts(const Scenario& scenario);
  /// Adds messages. `work`: factor of the waiting time; `waiting`: text that explains it.
  void add_messages(std::int64_t ranks, const Scenario& scenario, double work, const char* waiting);
  nlohmann::json take() { return std::move(list_); }

private:
  nlohmann::json list_ = nlohmann::json::array();
};

} // namespace jitterscope::engine
