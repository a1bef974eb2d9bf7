#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/chrome/event.h"
#include "core/import/formats/chrome/lanes.h"
#include "core/import/formats/chrome/names.h"
#include "core/import/records/events.h"
#include "core/import/records/kernel_names.h"

namespace jitterscope::import::chrome {

/// Members of the object around the events.
struct Header {
  bool libkineto = false;    ///< PyTorch's profiler wrote it
  bool paddle = false;       ///< written by PaddlePaddle, which uses libkineto's names
  std::int64_t base_ns = -1; ///< absolute time of ts 0, -1 unknown
  std::optional<std::int32_t> rank;
  std::optional<std::int64_t> world_size;
  std::vector<std::pair<std::int64_t, store::DeviceInfo>> devices; ///< device number and properties
  std::string tool, schema;
};

/// True for a member of the top-level object (which contains the events) that the reader uses. All others are
/// skipped, including command lines and environments.
bool is_header_member(std::string_view key);

/// Adds a member to the header; `value` is its JSON text.
void read_header_member(Header& header, std::string_view key, std::string_view value);

/// Whether a device activity without category is a memory operation, by its name.
bool moves(std::string_view name);

/// One trace in Chrome's format while it is read: rows in the draft, whose times are absolute (or of the
/// trace's own clock) and whose streams and threads are numbers in `lanes` until finish().
class Trace {
public:
  /// `host_resource`: the host of its processes, from an earlier trace of the file; kNone: not known yet.
  Trace(Draft& target, const Progress& file_progress, const Input& file, std::uint32_t host_resource = kNone)
      : host(host_resource), draft(target), progress(file_progress), input(file), names(target.strings),
        kernels(target), before(target.sizes()), first_counter(target.counters.size()) {}

  std::uint32_t host; ///< the host passed to the constructor, else made by finish()
  Draft& draft;
  const Progress& progress;
  const Input& input;
  Header header;
  Lanes lanes;
  WrittenNames names;
  KernelNames kernels;
  RowIssues issues;
  const DraftSizes before;
  const std::size_t first_counter;
  std::int64_t events = 0;

  /// The meaning of an argument's key as an attribute of launches.
  struct AttributeKey {
    enum Kind : std::uint8_t { New, Never, Number, Text };
    Kind kind = New;
    std::size_t column = 0;
  };
  /// The keys of one parser by number, as far as they are known.
  using KnownKeys = std::vector<AttributeKey*>;

  /// `keys` belongs to the parser of the event and to this trace.
  void add(const Event& event, KnownKeys& keys);
  /// Names of processes and lanes in metadata events, as written in the file.
  struct Name {
    enum class Of : std::uint8_t { Process, Label, Lane };
    Of of;
    std::string pid, tid, name;
  };
  /// Names known from an earlier reading of the same trace.
  void use_names(const std::vector<Name>& names_before);
  const std::vector<Name>& names_read() const { return names_read_; }
  /// True if the name of a device or of one of its lanes was read after events on it that have no category
  /// and had been interpreted without the name.
  bool named_late() const { return named_late_; }

  /// Joins and closes the rows, shifts them to the trace's own zero, and makes the resources.
  Expected<void> finish();
  /// Position of the trace's zero: ns since 1970 if `absolute`, else on the clock of the file's times.
  struct Zero {
    std::int64_t ns = 0;
    bool absolute = false;
  };
  const Zero& zero() const { return zero_; }

private:
  // One kind of event each; defined in the files named below.
  void add_without_phase(const Event& event);
  void add_complete(const Event& event); // ranges.cpp
  void add_begin(const Event& event);
  void add_end(const Event& event);
  void add_instant(const Event& event);
  void add_async(const Event& event);
  void add_sample(const Event& event); // metadata.cpp
  void read_metadata(const Event& event);
  void set_name(const Name& name);
  void add_flow(const Event& event);                       // joins.cpp
  void add_kernel(const Event& event, const Times& times); // activities.cpp
  void add_copy(const Event& event, const Times& times);
  void add_call(const Event& event, const Times& times);
  void add_timed(const Event& event, const Times& times, bool open_end); // ranges.cpp
  OpenRange begun(const Event& event, std::int64_t time, std::uint32_t lane);
  OpenRange pop_begun(std::vector<OpenRange>& open, const Event& end);
  void add_kept_range(OpenRange begin, const Event& end, std::int64_t time);
  void add_counters(const Event& event, const Times& times);
  bool add_unnamed(const Event& event, const Times& times); // events of AMD tools, which have no category
  void add_range(const Event& event, std::uint32_t lane, const Times& times, std::uint8_t kind);
  std::uint32_t domain_of(const Event& event);

  std::optional<std::int64_t> time_of(const Event& event);
  std::optional<Times> times_of(const Event& event, bool& open_end);
  bool precedes_all(std::int64_t time);
  std::string place() const;
  std::optional<std::uint32_t> stream_of(const Event& event);
  void set_attributes(const Event& event, std::size_t launch);
  std::uint32_t counter(std::string_view pid, std::string_view name, std::string_view series,
                        std::string_view unit);
  void drop(const char* code, const char* why);

  void close_open_ranges();
  void keep_details(const Event& event, std::uint32_t call); // joins.cpp
  void add_details_of_calls();
  void find_owners();
  void match_counters();
  void join_flows();
  void move_to_zero();
  void resolve(const Lanes::Tree& tree);
  void describe_devices(Lanes::Tree& tree);
  void note_launches();

  struct Flow {
    std::uint64_t id = 0;
    std::uint32_t lane = 0;
    std::int64_t time = 0;
  };
  struct CounterKey {
    std::uint32_t process, name;
    auto operator<=>(const CounterKey&) const = default;
  };
  struct AsyncKey {
    std::uint32_t category, process;
    std::string id;
    auto operator<=>(const AsyncKey&) const = default;
  };

  /// A row that flows refer to by its lane and time.
  struct Placed {
    std::uint32_t lane = 0;
    std::int64_t start = 0;
    std::uint32_t row = 0;
    auto operator<=>(const Placed&) const = default;
  };
  std::uint32_t call_of_flow(const Flow& end) const;

  /// Details of a launch or copy that libkineto writes at its call, on AMD's GPUs.
  struct CallDetails {
    std::uint32_t call = 0; ///< row of Draft::calls
    std::optional<Triple> grid, block;
    std::optional<std::int64_t> shared_memory, bytes;
    bool grid_of_items = false; ///< the grid counts work-items, not blocks
  };
  SpillVector<CallDetails> call_details_; ///< sorted by call
  SpillVector<std::uint32_t> sizeless_;   ///< transfers that do not state how many bytes they moved
  std::string first_sizeless_;            ///< place in the file of the first of sizeless_, for messages

  SpillVector<Flow> flow_starts_, flow_ends_;
  /// Filled only for files without correlation numbers.
  SpillVector<Placed> placed_calls_, placed_launches_, placed_transfers_;
  std::map<CounterKey, std::uint32_t> counters_;
  std::map<AsyncKey, std::vector<OpenRange>> async_;
  EndedRanges ended_;
  SpillVector<std::size_t> open_rows_; ///< rows of ranges whose end is not known
  struct Counted {
    Times times;
    std::uint32_t kernel = 0;
    std::vector<std::pair<std::string, double>> values;
  };
  std::vector<Counted> counted_;
  /// The latest time of an event, and the number of events with times since 1970.
  std::int64_t last_end_ = 0, since_1970_ = 0;
  Zero zero_;
  std::vector<Name> names_read_;
  bool named_late_ = false;

  AttributeKey attribute_of(std::string_view key, bool text);
  AttributeKey& attribute_at(const Argument& argument);
  AttributeKey& attribute_named(std::string_view key);
  KnownKeys* known_keys_ = nullptr; ///< keys of the current event's parser
  TextTable<AttributeKey> attribute_keys_;
  AttributeKey no_attribute_{AttributeKey::Never, 0};
  std::size_t attributes_ = 0; ///< number of keys that are attributes

  std::uint32_t kernel_of(std::string_view written);
  TextTable<std::uint32_t> written_kernels_; ///< row of Draft::kernels by name as written in the file
};

} // namespace jitterscope::import::chrome
