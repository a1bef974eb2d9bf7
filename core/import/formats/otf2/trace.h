#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <otf2/otf2.h>

#include "core/import/formats/otf2/definitions.h"
#include "core/import/input/input.h"
#include "core/import/records/events.h"
#include "core/import/records/kernel_names.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import::otf2 {

/// A region that was entered and not yet left.
struct Open {
  std::int64_t start;
  std::uint64_t region;
  struct Message {
    std::uint8_t kind;
    std::uint32_t peer, tag;
    std::int64_t bytes;
  };
  std::optional<Message> message;
  std::int64_t moved = -1; ///< bytes of a memory operation, −1 for other regions
};

/// Converts the events of an archive, in the order of their times, into rows of the draft.
class Trace {
public:
  Trace(Draft& draft, const Input& input)
      : draft_(draft), input_(input), names_(draft), before_(draft.sizes()) {}

  Definitions definitions;
  RowIssues issues;

  void enter(std::uint64_t location, std::uint64_t tick, std::uint64_t region);
  void leave(std::uint64_t location, std::uint64_t tick, std::uint64_t region);
  void message(std::uint64_t location, std::uint8_t kind, std::uint32_t peer, std::uint32_t tag,
               std::uint64_t bytes);
  void move(std::uint64_t location, std::uint64_t tick, std::uint64_t bytes, std::uint64_t id);
  void moved(std::uint64_t location, std::uint64_t tick, std::uint64_t id);
  void metric(std::uint64_t location, std::uint64_t tick, std::uint64_t metric, std::size_t count,
              const OTF2_Type* types, const OTF2_MetricValue* values);
  void other() { ++others_; }

  Expected<void> finish(store::Source& source);

private:
  std::optional<std::int64_t> time_of(std::uint64_t tick);
  Location* location_of(std::uint64_t number);
  void close(Location& location, const Open& open, std::int64_t end);
  std::uint32_t configuration_of(std::uint64_t region);
  std::uint32_t counter(std::uint32_t resource, std::uint64_t member);

  Draft& draft_;
  const Input& input_;
  KernelNames names_;
  const DraftSizes before_;
  std::unordered_map<std::uint64_t, std::vector<Open>> open_;
  EndedRanges ended_;
  struct Moving {
    std::int64_t start, bytes;
  };
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, Moving>>
      moving_; ///< by location and number of the operation
  std::unordered_map<std::uint64_t, std::uint32_t> configurations_, name_strings_;
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, std::uint32_t>> counters_;
  std::int64_t last_ = 0, others_ = 0;
};

} // namespace jitterscope::import::otf2
