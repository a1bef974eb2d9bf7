#include "core/import/formats/xplane/xplane_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/core.h>

#include "core/import/formats/chrome/event_text.h"
#include "core/import/formats/chrome/trace.h"
#include "core/import/records/kernel_names.h"
#include "core/import/text/protobuf/wire.h"
#include "core/import/text/text.h"

namespace jitterscope::import::xplane {
namespace {

using chrome::EventText;
using protobuf::bytes_of;
using protobuf::Field;
using protobuf::Fields;
using protobuf::number_of;
using store::Severity;

// Field numbers, grouped by message.
namespace space {
constexpr std::uint32_t kPlane = 1, kHostname = 4;
}
namespace plane {
constexpr std::uint32_t kName = 2, kLine = 3, kEventMetadata = 4, kStatMetadata = 5, kStat = 6;
}
namespace line {
constexpr std::uint32_t kId = 1, kName = 2, kTimestamp = 3, kEvent = 4, kDisplayName = 11;
}
namespace event {
constexpr std::uint32_t kMetadata = 1, kOffset = 2, kDuration = 3, kStat = 4, kOccurrences = 5;
}
namespace stat {
constexpr std::uint32_t kMetadata = 1, kDouble = 2, kUnsigned = 3, kSigned = 4, kText = 5, kReference = 7;
}
namespace metadata {
constexpr std::uint32_t kName = 2, kDisplayName = 4, kStat = 5;
}
constexpr std::uint32_t kMapKey = 1, kMapValue = 2;

constexpr std::size_t kMaxPlane = std::size_t{4} << 30; // maximum size of a plane [B]
constexpr std::int64_t kPicoseconds = 1000;             // per ns
constexpr std::int64_t kMaxOffset = std::int64_t{1} << 62;

// Names of the texts that are kept, because they describe an event; all other texts repeat names or paths.
constexpr std::array<std::string_view, 4> kTexts = {"kernel_details", "memcpy_details", "kind",
                                                    "correlation_id"};
// Ids internal to the profiler.
constexpr std::array<std::string_view, 9> kInternal = {"context_id",  "group_id",      "producer_type",
                                                       "producer_id", "consumer_type", "consumer_id",
                                                       "is_root",     "program_id",    "symbol_id"};

std::int64_t nanoseconds(std::uint64_t picoseconds) {
  const auto ps = static_cast<std::int64_t>(std::min<std::uint64_t>(picoseconds, kMaxOffset));
  return (ps + kPicoseconds / 2) / kPicoseconds;
}

/// Names and statistics of one kind of event; texts point into the plane.
struct Named {
  std::string_view name, display_name;
  std::vector<std::string_view> stats;
};

class Plane {
public:
  Plane(std::string_view bytes, std::int64_t number, chrome::Trace& trace, chrome::Trace::KnownKeys& keys)
      : bytes_(bytes), pid_(fmt::format("{}", number)), trace_(trace), keys_(keys) {}

  /// False after cancellation.
  bool read(const Progress& progress, std::int64_t done) {
    Fields fields(bytes_);
    while (const auto field = fields.next()) {
      if (!field->is_bytes()) continue;
      if (field->number == plane::kName) name_ = field->bytes;
      if (field->number == plane::kLine) lines_.push_back(field->bytes);
      if (field->number == plane::kEventMetadata) read_event_name(field->bytes);
      if (field->number == plane::kStatMetadata)
        stat_names_[number_of(field->bytes, kMapKey)] =
            bytes_of(bytes_of(field->bytes, kMapValue), metadata::kName);
    }
    if (fields.damaged())
      trace_.issues.count(Severity::Drop, "damaged-file", [&] {
        return fmt::format("plane \"{}\" is damaged: the rest of it is lost", clean_text(name_));
      });
    emit_name('M', "process_name", {}, name_);
    for (const auto line : lines_) {
      if (!progress.report(done + (line.data() - bytes_.data()), trace_.input.disk_bytes, "events"))
        return false;
      read_line(line);
    }
    return true;
  }

private:
  void read_event_name(std::string_view entry) {
    const auto value = bytes_of(entry, kMapValue);
    Named named{bytes_of(value, metadata::kName), bytes_of(value, metadata::kDisplayName), {}};
    Fields fields(value);
    while (const auto field = fields.next())
      if (field->number == metadata::kStat && field->is_bytes()) named.stats.push_back(field->bytes);
    event_names_[number_of(entry, kMapKey)] = std::move(named);
  }

  void emit_name(char phase, std::string_view what, std::string_view tid, std::string_view name) {
    text_.begin(phase, {});
    text_.set_name(what);
    text_.set_lane(pid_, tid);
    text_.add_text("name", name);
    trace_.add(text_.event(), keys_);
  }

  void read_line(std::string_view bytes) {
    const auto tid = fmt::format("{}", number_of(bytes, line::kId));
    auto name = bytes_of(bytes, line::kDisplayName);
    if (name.empty()) name = bytes_of(bytes, line::kName);
    if (!name.empty()) emit_name('M', "thread_name", tid, name);
    const auto begin =
        static_cast<std::int64_t>(std::min<std::uint64_t>(number_of(bytes, line::kTimestamp), kMaxOffset));
    Fields fields(bytes);
    while (const auto field = fields.next())
      if (field->number == line::kEvent && field->is_bytes()) read_event(field->bytes, begin, tid);
    if (fields.damaged())
      trace_.issues.count(Severity::Drop, "damaged-file", [&] {
        return fmt::format("line \"{}\" is damaged: the rest of it is lost", clean_text(name));
      });
  }

  void read_event(std::string_view bytes, std::int64_t begin, const std::string& tid) {
    std::uint64_t number = 0, offset = 0, duration = 0;
    bool summed = false;
    stats_.clear();
    Fields fields(bytes);
    while (const auto field = fields.next()) {
      if (field->number == event::kMetadata && field->is_number()) number = field->value;
      if (field->number == event::kOffset && field->is_number()) offset = field->value;
      if (field->number == event::kDuration && field->is_number()) duration = field->value;
      if (field->number == event::kOccurrences) summed = true;
      if (field->number == event::kStat && field->is_bytes()) stats_.push_back(field->bytes);
    }
    if (fields.damaged())
      return trace_.issues.count(Severity::Drop, "broken-events",
                                 [] { return "events that cannot be decoded were left out"; });
    if (summed)
      return trace_.issues.count(Severity::Info, "not-imported",
                                 [] { return "aggregated events have no times and are not imported"; });
    const auto named = event_names_.find(number);
    begin_event(named == event_names_.end()          ? std::string_view()
                : named->second.display_name.empty() ? named->second.name
                                                     : named->second.display_name);
    text_.set_lane(pid_, tid);
    text_.set_time(begin + nanoseconds(offset));
    text_.set_duration(nanoseconds(duration));
    for (const auto stat : stats_) add(stat);
    if (named != event_names_.end())
      for (const auto stat : named->second.stats) add(stat);
    trace_.add(text_.event(), keys_);
  }

  // Kernels with which AMD's runtime copies or fills memory are memory operations.
  void begin_event(std::string_view name) {
    const auto operation = name_.starts_with("/device:") ? memory_operation_of(name) : std::nullopt;
    const bool fill = operation == store::TransferKind::Memset;
    text_.begin('X', !operation ? "" : fill ? "gpu_memset" : "gpu_memcpy");
    text_.set_name(name);
    if (!operation) return;
    if (!fill) text_.add_text("kind", "DtoD");
    trace_.issues.count(Severity::Info, "copy-kernels", [&] {
      return fmt::format("event {} is a runtime kernel that copies or fills memory: it is shown as a memory "
                         "operation of unknown size",
                         trace_.events + 1);
    });
  }

  void add(std::string_view bytes) {
    const auto found = stat_names_.find(number_of(bytes, stat::kMetadata));
    if (found == stat_names_.end() ||
        std::find(kInternal.begin(), kInternal.end(), found->second) != kInternal.end())
      return;
    const auto name = found->second;
    const bool text = std::find(kTexts.begin(), kTexts.end(), name) != kTexts.end();
    Fields fields(bytes);
    while (const auto field = fields.next()) switch (field->number) {
      case stat::kDouble:
        if (field->is_number()) text_.add_real(name, field->real());
        break;
      case stat::kUnsigned:
      case stat::kSigned:
        if (field->is_number() && field->integer() >= -kMaxOffset) text_.add_number(name, field->integer());
        break;
      case stat::kText:
        if (field->is_bytes() && text) text_.add_text(name, field->bytes);
        break;
      case stat::kReference:
        if (const auto referred = stat_names_.find(field->value); text && referred != stat_names_.end())
          text_.add_text(name, referred->second);
        break;
      default:
        break;
      }
  }

  std::string_view bytes_, name_;
  std::string pid_;
  chrome::Trace& trace_;
  chrome::Trace::KnownKeys& keys_;
  EventText text_;
  std::vector<std::string_view> lines_, stats_;
  std::unordered_map<std::uint64_t, Named> event_names_;
  std::unordered_map<std::uint64_t, std::string_view> stat_names_;
};

bool is_name_of_plane(std::string_view name) {
  return name.starts_with("/host:") || name.starts_with("/device:") || name == "Task Environment" ||
         name.starts_with("#Chip") || name.starts_with("/custom:");
}

// The first plane begins with its number and its name.
bool recognises(const Input& input) {
  const std::string_view head = input.head;
  if (head.size() < 4 || head[0] != (space::kPlane << 3 | 2)) return false;
  std::string_view rest = head.substr(1);
  for (int byte = 0; byte < 10 && !rest.empty(); ++byte) { // its length, which may exceed the available bytes
    const bool last = (static_cast<unsigned char>(rest[0]) & 0x80) == 0;
    rest.remove_prefix(1);
    if (last) break;
  }
  Fields fields(rest);
  for (int field = 0; field < 8; ++field) {
    const auto one = fields.next();
    if (!one) return false;
    if (one->number == plane::kName) return one->is_bytes() && is_name_of_plane(one->bytes);
    if (one->number > plane::kStat) return false;
  }
  return false;
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  const auto& input = inputs.front();
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  chrome::Trace trace(draft, progress, input);
  chrome::Trace::KnownKeys keys;
  protobuf::MessageStream planes(**stream, kMaxPlane);
  for (std::int64_t number = 1;;) {
    const auto begin = planes.offset();
    const auto field = planes.next();
    if (!field) return forward(field.error());
    if (!*field) break;
    if ((*field)->number == space::kPlane && (*field)->is_bytes() &&
        !Plane((*field)->bytes, number++, trace, keys).read(progress, begin))
      return Job::cancelled_error();
  }
  if (planes.damaged())
    trace.issues.count(Severity::Drop, "cut-off-file", [&] {
      return fmt::format("{} is damaged or truncated at byte {}: the rest of it is lost", input.file_name(),
                         planes.offset());
    });
  if (trace.events == 0 && planes.damaged())
    return failure(ErrorKind::BadInput, "the file is damaged or truncated before the end of its first plane",
                   input.name(), {}, "Copy the file again, or record the profile again.");
  if (trace.events == 0)
    return failure(ErrorKind::BadInput, "the profile contains no events", input.name(), {},
                   "Record it again while the program runs.");
  if (auto done = trace.finish(); !done) return done;
  if (trace.zero().absolute) source.utc_ns = trace.zero().ns;
  return {};
}

} // namespace

const Reader kReader = {"XPlane profile", recognises, read};

} // namespace jitterscope::import::xplane
