#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/causal/base/result.h"

namespace jitterscope::causal {

/// Remedy for a cause, or data to record if nothing explains the variability. This is general knowledge about
/// GPUs, hosts and their tools, not a result: every text that shows it calls it advice.
struct Advice {
  enum class Kind { remedy, record };
  Kind kind = Kind::remedy;
  std::string feature; ///< the cause; empty for `record`
  std::string text;    ///< a sentence; for `record`: the data to record
  std::string command; ///< command line or functions to call; may be empty
  std::string source;  ///< document and section it is taken from
};

/// The tool that made a trace, by the format of its source ("Nsight Systems SQLite"). The last three are for
/// traces whose rows belong to threads of the host (bursts, ranges, calls).
enum class Tool { nsight_systems, nsight_compute, rocm, pytorch, other, extrae, score_p, other_of_host };
Tool tool_of(std::string_view format);
Tool host_tool_of(std::string_view format);

/// Remedy for a cause; nothing if none is known.
std::optional<Advice> advice_for(std::string_view feature, Tool tool);

/// Data that the rows of an analysis contain.
struct Recorded {
  bool clocks = false, migrations = false;
  bool counters = false; ///< hardware counters of individual launches
  void add(std::string_view column, int tier);
};
Recorded recorded_in(const CausalResult& result);

/// Data to record next, with the option of the tool that made the trace.
std::vector<Advice> recording_advice(Tool tool, const Recorded& recorded);

/// Remedies of the causes, without duplicates; if the variability has no cause, data to record.
std::vector<Advice> advice_on(const CausalResult& result, Tool tool);

/// Lines for the user: "Advice: …" for every remedy, one line for all data to record.
std::vector<std::string> in_words(const std::vector<Advice>& advice);

} // namespace jitterscope::causal
