#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/paraver/fields.h"
#include "core/import/formats/paraver/objects.h"
#include "core/import/records/events.h"
#include "core/import/records/kernel_names.h"
#include "core/import/records/reader.h"

namespace jitterscope::import::paraver {

/// How events of one type are interpreted.
enum class Meaning : std::uint8_t {
  Nothing,
  Message,   ///< MPI call, until value 0
  Call,      ///< call of a GPU's runtime, until value 0
  Nested,    ///< ranges that may be nested, value 0 ends the innermost
  Following, ///< consecutive ranges: the begin of each ends the previous one
  Counter,   ///< counter: each value is a sample
  Kernel,    ///< on a stream: kernels, and copies under their own names, until value 0; where the stream's
             ///< states give its busy times, only the name of the kernel
  Copy,      ///< on a stream: copies and sets, until value 0; nothing where states represent them
};

struct TypeUse {
  Meaning meaning = Meaning::Nothing;
  std::uint32_t label = 0; ///< row of Draft::strings
  bool known = false;      ///< false for a type of unknown meaning
  bool left_out = false;   ///< type of known meaning whose events become no rows and no parts of rows
  const EventType* type = nullptr;
};

/// The body of one .prv while it is read.
class Trace {
public:
  Trace(Draft& target, const Header& file_header, const Labels& names, const Rows& rows,
        const Progress& file_progress)
      : draft_(target), header_(file_header), labels_(names), progress_(file_progress),
        objects_(target, file_header, rows), kernels_(target), before_(target.sizes()),
        counters_before_(target.counters.size()) {}

  /// Reads one line after the header, which is followed by kLinePadding readable bytes.
  void read_line(std::string_view line, std::int64_t number);
  /// Reserves memory for `times` times as many states and ranges as were read so far.
  void reserve(double times);
  /// Closes open ranges and joins related rows.
  Expected<void> finish(const std::string& file_name);

  std::int64_t records() const { return records_; }
  /// End of the trace as the header states it [ns], if it is after the last record.
  std::optional<std::int64_t> end_after_records() const;
  RowIssues issues;

private:
  using Pair = std::pair<std::int64_t, std::int64_t>; ///< type and value of an event

  void set_recorded(std::string_view kinds_of_threads);
  void read_state(std::span<const std::int64_t> fields);
  void read_event(std::span<const std::int64_t> fields);
  void read_communication(std::span<const std::int64_t> fields);
  void read_pair(Object& object, std::int64_t time, const Pair& pair, std::span<const std::int64_t> all);
  bool time_of(std::int64_t written, std::int64_t& ns);
  Object* object_of(std::span<const std::int64_t> fields);
  const TypeUse& use_of(std::int64_t type, bool gpu) {
    auto& recent = recent_uses_[static_cast<std::uint64_t>(type) % recent_uses_.size()];
    if (!recent.use || recent.type != type || recent.gpu != gpu)
      recent = {type, gpu, &find_or_make_use(type, gpu)};
    return *recent.use;
  }
  const TypeUse& find_or_make_use(std::int64_t type, bool gpu);
  Meaning meaning_of(std::int64_t type, bool gpu, const EventType* named, bool& known) const;
  std::uint32_t value_name(const TypeUse& use, std::int64_t type, std::int64_t value);
  std::uint32_t state_name(std::int64_t state);
  std::uint8_t message_kind(std::uint32_t name);
  void drop(const char* code, const char* why);
  /// An operation begun on an object by an event, until value 0.
  struct Open {
    std::int64_t start = 0;
    std::uint32_t name = 0;
    std::int64_t value = 0;
    std::vector<Pair> with; ///< all other pairs of the event's record
  };

  /// The events of one type on a resource.
  struct Slot {
    std::int64_t type = 0;
    const TypeUse* use = nullptr;
    Object* object = nullptr; ///< object of the first event
    std::uint32_t counter = kNone;
    std::uint32_t last_name = 0; ///< name of last_value; 0: none yet
    std::int64_t last_value = 0;
    std::vector<Open> stack = {};
  };
  Slot& slot_of(Object& object, std::int64_t type, const TypeUse& use);
  void begin(Slot& slot, Object& object, std::int64_t time, const Pair& pair,
             std::span<const std::int64_t> all);
  void sample(Slot& slot, std::uint32_t resource, std::int64_t time, std::int64_t value);
  void close_open_ranges();
  bool without_mpi() const;
  std::int64_t duration_in_header() const;

  /// The other pairs of the record that begins an operation (nsys2prv).
  struct Parameters {
    Configuration configuration; ///< all members except `kernel`
    std::int64_t bytes = -1;     ///< −1: not recorded
    std::uint32_t correlation = 0;
  };

  void end(Object& object, const TypeUse& use, const Open& open, std::int64_t time);
  Parameters parameters_of(const Open& open) const;
  /// Whether an operation on a stream moves or sets memory, by its type or its name.
  bool is_copy(const TypeUse& use, const Open& open) const;
  void name_operation(Object& object, const TypeUse& use, const Open& open, std::int64_t time);
  void push_operation(Object& object, const TypeUse& use, const Open& open, const Times& times);
  void push_message(Object& object, const Open& open, const Times& times);
  void name_launches();
  void size_copies(); // this and the next two: device_lines.cpp
  void add_device_lines();
  void doubt_unsized();

  EndedRanges ended_;
  Draft& draft_;
  const Header& header_;
  const Labels& labels_;
  const Progress& progress_;
  Objects objects_;
  bool mpi_ = false; ///< a communicator or an MPI call was read
  KernelNames kernels_;
  const DraftSizes before_;
  const std::size_t counters_before_;

  struct Named { ///< a kernel's name on a stream, from a time on
    std::uint32_t stream = 0;
    std::int64_t time = 0;
    std::uint32_t name = 0;  ///< kNone: no kernel from here on
    std::uint32_t order = 0; ///< index in the order of the file
    Parameters parameters{};
  };
  struct SizedCopy { ///< event data of a copy that a state represents
    std::uint32_t stream = 0;
    std::int64_t time = 0;
    store::TransferKind kind = store::TransferKind::Unknown;
    std::uint32_t order = 0; ///< index in the order of the file
    Parameters parameters{};
  };
  struct Line { ///< communication between a thread of the host and a stream
    std::uint32_t stream = 0, thread = 0;
    std::int64_t time = 0, host_time = 0, bytes = 0;
    bool from_device = false;
  };
  std::vector<Line> lines_;
  SpillVector<std::size_t> unsized_;     ///< rows of transfers made from states, whose size is not known yet
  std::vector<std::vector<Slot>> slots_; ///< by resource: its slots, in the order of their first event
  std::map<std::pair<std::uint32_t, std::int64_t>, Slot>
      more_slots_; ///< by resource and type, for resources whose list in slots_ is full
  std::map<std::pair<std::int64_t, bool>, TypeUse> uses_;
  struct RecentUse {
    std::int64_t type = 0;
    bool gpu = false;
    const TypeUse* use = nullptr;
  };
  std::array<RecentUse, 64> recent_uses_; ///< recent entries of uses_, by the low bits of the type
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> value_names_;
  std::vector<std::uint32_t> low_state_names_; ///< by number of the state; kNone: state not used yet
  std::unordered_map<std::int64_t, std::uint32_t> state_names_;
  std::uint32_t state_domain_ = kNone,
                message_name_ = kNone;      ///< rows of Draft::strings; kNone until first used
  std::vector<std::uint8_t> message_kinds_; ///< by row of Draft::strings; kUnknownKind: name not used yet
  std::size_t counters_ = 0;
  SpillVector<Named> kernel_names_;
  SpillVector<SizedCopy> sized_copies_;
  SpillVector<std::size_t> unnamed_; ///< rows of launches whose kernel is not known yet
  Fields fields_;
  std::int64_t records_ = 0, line_ = 0, last_ = 0;
};

} // namespace jitterscope::import::paraver
