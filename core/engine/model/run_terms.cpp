#include "core/engine/model/run_terms.h"

#include <cmath>

namespace jitterscope::engine {

using nlohmann::json;

void Calls::add(const CallTime& of) {
  ++count;
  time.transfer_before += of.transfer_before, time.transfer += of.transfer;
  time.waiting_before += of.waiting_before, time.waiting += of.waiting;
}

json calls_of(const std::map<std::string, Calls>& calls) {
  json out = json::array();
  for (const auto& [operation, of] : calls)
    out.push_back({{"operation", operation},
                   {"count", of.count},
                   {"transfer_ns", of.time.transfer},
                   {"transfer_recorded_ns", of.time.transfer_before},
                   {"waiting_ns", of.time.waiting},
                   {"waiting_recorded_ns", of.time.waiting_before}});
  return out;
}

void Terms::add(const std::string& name, double value, const char* unit, const std::string& formula) {
  list_.push_back({{"name", name}, {"value", value}, {"unit", unit}, {"formula", formula}});
}

void Terms::add_bursts(const Scenario& scenario) {
  add("Factor of bursts", RunFactors::burst(scenario), "",
      "assumed: on N times as many nodes, the computation of the same problem takes 1/N of the time (no "
      "serial part)");
}

void Terms::add_messages(std::int64_t ranks, const Scenario& scenario, double work, const char* waiting) {
  add("Ranks", static_cast<double>(ranks) * scenario.nodes, "", "number of ranks of a collective");
  add("Bytes of point-to-point messages", scenario.strong ? std::pow(scenario.nodes, -2.0 / 3) : 1, "",
      "relative to the recording: nodes^(−2/3), the surface of a three-dimensional subdomain");
  add("Factor of waiting", work, "", waiting);
}

} // namespace jitterscope::engine
