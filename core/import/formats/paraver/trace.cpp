#include "core/import/formats/paraver/trace.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/formats/nsys/session.h"
#include "core/import/records/clock_units.h"
#include "core/import/records/events.h"
#include "core/import/records/units.h"
#include "core/paraver/event_types.h"

namespace jitterscope::import::paraver {
namespace {

using store::Severity;
using store::TransferKind;

constexpr std::size_t kMaxOpen = 4096; // ranges open at once on a thread, of one type
constexpr std::size_t kMaxCounters = 1'000'000;
constexpr std::size_t kSlotsInList = 16; // types of a resource that are searched one by one
constexpr std::size_t kLowStates = 1'024;
constexpr std::uint8_t kUnknownKind = 255;

// nsys2prv includes the unit in the name: "SMs Active [Throughput %]".
std::string unit_of(const std::string& label) {
  if (!label.ends_with(']')) return {};
  const std::string unit(split_unit(label).unit);
  return unit.find('%') != std::string::npos ? "%" : unit;
}

// "0,1,-" → 0, 1, −1; other texts are −1 as well.
std::vector<std::int32_t> ranks_in(std::string_view text) {
  std::vector<std::int32_t> ranks;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    auto one = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    std::int32_t rank = -1;
    std::from_chars(one.data(), one.data() + one.size(), rank);
    ranks.push_back(std::max(rank, -1));
  }
  return ranks;
}

} // namespace

void Trace::drop(const char* code, const char* why) {
  issues.count(Severity::Drop, code, [&] { return fmt::format("line {} {}", line_, why); });
}

bool Trace::time_of(std::int64_t written, std::int64_t& ns) {
  const auto maximum = kMaxTime / header_.tick_ns;
  if (written > maximum || written < -maximum) {
    issues.count(Severity::Drop, "impossible-time", [&] {
      return fmt::format("line {} has the time {}, which is out of range", line_, written);
    });
    return false;
  }
  ns = written * header_.tick_ns;
  return true;
}

// Fields "cpu:application:task:thread" at the front.
Object* Trace::object_of(std::span<const std::int64_t> fields) {
  auto* object = objects_.find(fields[1], fields[2], fields[3]);
  if (!object)
    issues.count(Severity::Drop, "unknown-object", [&] {
      return fmt::format("line {} names application {}, task {}, thread {}, which are out of range", line_,
                         fields[1], fields[2], fields[3]);
    });
  return object;
}

// " 1.1:1152,2.1:128": task, thread and kinds of rows. Threads without records are created.
void Trace::set_recorded(std::string_view text) {
  const auto number = [&text](std::int64_t& to) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty()) text.remove_prefix(1); // '.', ':' or ','
    return error == std::errc();
  };
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  for (std::int64_t task = 0, thread = 0, kinds = 0; !text.empty();) {
    if (!number(task) || !number(thread) || !number(kinds)) return;
    if (!objects_.is_declared(1, task, thread)) continue;
    if (const auto* object = objects_.find(1, task, thread); object && !object->gpu)
      draft_.resources[object->resource].recorded |= low_bits(kinds);
  }
}

void Trace::read_line(std::string_view line, std::int64_t number) {
  line_ = number;
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  if (line.empty()) return;
  if (line.starts_with(prv::kRanksOfTasks)) {
    if (records_ == 0) objects_.set_ranks(ranks_in(line.substr(prv::kRanksOfTasks.size())));
    return;
  }
  if (line.starts_with(prv::kRecordedInWhole)) {
    if (records_ == 0) set_recorded(line.substr(prv::kRecordedInWhole.size()));
    return;
  }
  if (line.front() == '#') return;
  if (line.front() == 'c') {
    mpi_ = true; // a communicator
    return;
  }
  ++records_;
  if (!fields_.read(line) || fields_.numbers().size() < 6)
    return drop("bad-record", "is not a record of numbers");
  if (fields_.huge())
    issues.count(Severity::Repair, "huge-value", [&] {
      return fmt::format("line {} contains a number beyond 64 bits; it is limited to the largest value",
                         line_);
    });
  const auto fields = fields_.numbers().subspan(1);
  switch (fields_.numbers().front()) {
  case 1:
    return read_state(fields);
  case 2:
    return read_event(fields);
  case 3:
    return read_communication(fields);
  default:
    drop("bad-record", "is neither a state, an event nor a communication");
  }
}

void Trace::reserve(double times) {
  constexpr double kMargin = 1.02;
  const auto before = before_.ranges;
  const auto read = static_cast<double>(draft_.ranges.start.size() - before);
  draft_.reserve_ranges(before + static_cast<std::size_t>(kMargin * times * read));
}

void Trace::read_state(std::span<const std::int64_t> fields) {
  if (fields.size() < 7) return drop("bad-record", "is a state record with too few fields");
  std::int64_t start = 0, end = 0;
  auto* object = object_of(fields);
  if (object) object->states = true;
  if (!object || !time_of(fields[4], start) || !time_of(fields[5], end)) return;
  if (end < start) return drop("negative-duration", "is a state that ends before it begins");
  last_ = std::max(last_, end);
  const auto state = fields[6];
  const Times times{start, end - start};
  if (!object->gpu) {
    const auto name = state_name(state);
    if (state_domain_ == kNone) state_domain_ = draft_.strings.intern("state").value;
    return push_range(draft_, times, name, state_domain_, object->resource, kStateRange);
  }
  if (state == prv::kRunning) {
    unnamed_.push_back(draft_.launches.start.size());
    push_launch(draft_, times, kNone, object->resource, 0);
  } else if (state == prv::kMemoryTransfer) {
    unsized_.push_back(draft_.transfers.start.size());
    push_transfer(draft_, times, TransferKind::Unknown, store::kUnknownBytes, object->resource, 0);
  }
}

std::uint32_t Trace::state_name(std::int64_t state) {
  const bool low = state >= 0 && state < static_cast<std::int64_t>(kLowStates);
  if (low && low_state_names_.empty()) low_state_names_.assign(kLowStates, kNone);
  auto& name = low ? low_state_names_[static_cast<std::size_t>(state)]
                   : state_names_.try_emplace(state, kNone).first->second;
  if (name == kNone) {
    const auto text = labels_.state(state);
    draft_.paraver.states.emplace(state, text);
    name = draft_.strings.intern(text).value;
  }
  return name;
}

void Trace::read_event(std::span<const std::int64_t> fields) {
  if (fields.size() < 7) return drop("bad-record", "is an event without a type and value");
  if (fields.size() % 2 == 0)
    issues.count(Severity::Repair, "bad-record", [&] {
      return fmt::format("line {} ends with a type that has no value; it is left out", line_);
    });
  std::int64_t time = 0;
  auto* object = object_of(fields);
  if (!object || !time_of(fields[4], time)) return;
  last_ = std::max(last_, time);
  if (time < object->last_event)
    issues.count(Severity::Doubt, "unsorted-records", [&] {
      return fmt::format(
          "line {} is {} ns earlier than an event of its thread before it: calls and ranges are "
          "wrong where records are not sorted by time. Sort the trace",
          line_, object->last_event - time);
    });
  object->last_event = time;
  const auto pairs = fields.subspan(5);
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
    read_pair(*object, time, {pairs[i], pairs[i + 1]}, pairs);
}

// Objects may have millions of types in damaged files, but a few in others.
Trace::Slot& Trace::slot_of(Object& object, std::int64_t type, const TypeUse& use) {
  if (slots_.size() <= object.resource) slots_.resize(draft_.resources.size());
  auto& list = slots_[object.resource];
  for (auto& slot : list)
    if (slot.type == type) return slot;
  if (list.size() < kSlotsInList) return list.emplace_back(Slot{type, &use, &object});
  return more_slots_.try_emplace({object.resource, type}, Slot{type, &use, &object}).first->second;
}

void Trace::read_pair(Object& object, std::int64_t time, const Pair& pair,
                      std::span<const std::int64_t> all) {
  const auto [type, value] = pair;
  const auto& use = use_of(type, object.gpu);
  switch (use.meaning) {
  case Meaning::Nothing:
    if (!use.known)
      issues.count(Severity::Info, "other-events", [&, type = type] {
        return fmt::format(
            "line {} contains an event of type {} ({}), which has no known meaning: such events are not "
            "read. "
            "Events whose values have names in the .pcf, with a name for 0, are read as ranges",
            line_, type, draft_.strings[StringId{use.label}]);
      });
    else if (use.left_out)
      issues.count(Severity::Info, "details-left-out", [&, type = type] {
        return fmt::format("line {} contains an event of type {} ({}): source locations, callers and similar "
                           "events are not read",
                           line_, type, draft_.strings[StringId{use.label}]);
      });
    return;
  case Meaning::Counter:
    return sample(slot_of(object, type, use), object.resource, time, value);
  default:
    break;
  }
  auto& slot = slot_of(object, type, use);
  if (value != 0) return begin(slot, object, time, pair, all);
  if (slot.stack.empty()) { // a trace may begin with the ends of ranges
    if (use.meaning != Meaning::Following)
      issues.count(Severity::Drop, "end-without-begin", [&, type = type] {
        return fmt::format("line {} ends an activity of type {} ({}) that did not begin: it is left out",
                           line_, type, draft_.strings[StringId{use.label}]);
      });
    return;
  }
  end(object, use, slot.stack.back(), time);
  slot.stack.pop_back();
}
void Trace::begin(Slot& slot, Object& object, std::int64_t time, const Pair& pair,
                  std::span<const std::int64_t> all) {
  const auto [type, value] = pair;
  const auto& use = *slot.use;
  if (slot.last_name == 0 || slot.last_value != value) {
    slot.last_name = value_name(use, type, value);
    slot.last_value = value;
  }
  Open open{time, slot.last_name, value, {}};
  if (use.meaning == Meaning::Kernel || use.meaning == Meaning::Copy || use.meaning == Meaning::Call ||
      use.meaning == Meaning::Message)
    for (std::size_t i = 0; i + 1 < all.size() && open.with.size() < 64; i += 2)
      if (all[i] != type) open.with.emplace_back(all[i], all[i + 1]);
  if (use.meaning != Meaning::Nested || slot.stack.size() >= kMaxOpen)
    while (!slot.stack.empty()) {
      end(object, use, slot.stack.back(), time);
      slot.stack.pop_back();
    }
  slot.stack.push_back(std::move(open));
}

void Trace::sample(Slot& slot, std::uint32_t resource, std::int64_t time, std::int64_t value) {
  if (slot.counter == kNone) {
    if (counters_ >= kMaxCounters)
      return drop("too-many-counters", "is beyond the limit of 1,000,000 counters");
    ++counters_;
    const std::string label = draft_.strings[StringId{slot.use->label}];
    slot.counter = draft_.add_counter(label, unit_of(label), resource);
    draft_.counters[slot.counter].type = slot.type;
  }
  push_sample(draft_, time, slot.counter, static_cast<double>(value));
}

void Trace::end(Object& object, const TypeUse& use, const Open& open, std::int64_t time) {
  if (time < open.start) return drop("negative-duration", "ends an activity before its start");
  const Times times{open.start, time - open.start};
  switch (use.meaning) {
  case Meaning::Kernel:
  case Meaning::Copy:
    return object.states ? name_operation(object, use, open, time) : push_operation(object, use, open, times);
  case Meaning::Message:
    return push_message(object, open, times);
  case Meaning::Call: {
    std::uint32_t correlation = 0;
    for (const auto& [type, value] : open.with)
      if (type == prv::kCorrelation) correlation = low_bits(value);
    return push_call(draft_, times, open.name, object.resource, correlation);
  }
  case Meaning::Nested:
    push_range(draft_, times, open.name, use.label, object.resource, kPushPopRange);
    return ended_.add(draft_);
  default:
    push_range(draft_, times, open.name, use.label, object.resource, kStartEndRange);
  }
}

std::uint8_t Trace::message_kind(std::uint32_t name) {
  if (message_kinds_.size() <= name) message_kinds_.resize(name + std::size_t{1}, kUnknownKind);
  auto& kind = message_kinds_[name];
  if (kind == kUnknownKind) kind = nsys::message_kind(draft_.strings[StringId{name}]);
  return kind;
}

void Trace::push_message(Object& object, const Open& open, const Times& times) {
  std::int64_t bytes = -1;
  for (const auto& [type, value] : open.with)
    if (type == prv::kMpiBytes || type == prv::kMpiBytesReceived) bytes = std::max(bytes, value);
  import::push_message(draft_, times, message_kind(open.name), bytes, object.resource, open.name);
}

bool Trace::is_copy(const TypeUse& use, const Open& open) const {
  const auto& name = draft_.strings[StringId{open.name}];
  return use.meaning == Meaning::Copy ||
         (copy_kind(name) != TransferKind::Unknown &&
          (name.find("mem") != std::string::npos || name.find("Mem") != std::string::npos));
}

// States give the busy times of a stream, events the operation.
void Trace::name_operation(Object& object, const TypeUse& use, const Open& open, std::int64_t time) {
  if (is_copy(use, open)) {
    const auto kind = copy_kind(draft_.strings[StringId{open.name}]);
    const auto order = static_cast<std::uint32_t>(sized_copies_.size());
    sized_copies_.push_back({object.resource, open.start, kind, order, parameters_of(open)});
    return;
  }
  if (use.meaning == Meaning::Copy) return;
  const auto order = static_cast<std::uint32_t>(kernel_names_.size());
  kernel_names_.push_back({object.resource, open.start, open.name, order, parameters_of(open)});
  kernel_names_.push_back({object.resource, time, kNone, order + 1});
}

// nsys2prv: the event that begins an operation has all of its parameters. The meaning of 9107 changed between
// versions, so its label decides.
Trace::Parameters Trace::parameters_of(const Open& open) const {
  Parameters found;
  auto& c = found.configuration;
  static constexpr std::uint32_t Configuration::*kSizes[] = {
      &Configuration::grid_x,  &Configuration::grid_y,  &Configuration::grid_z,
      &Configuration::block_x, &Configuration::block_y, &Configuration::block_z};
  for (const auto& [type, value] : open.with) {
    if (type == prv::kCopyBytes) found.bytes = value;
    if (type == prv::kCorrelation) found.correlation = low_bits(value);
    if (prv::is_within(type, prv::kGridX, prv::kBlockZ)) c.*kSizes[type - prv::kGridX] = count_or_zero(value);
    if (!prv::is_within(type, prv::kStaticSharedMemory, prv::kRegisters)) continue;
    const auto* named = labels_.type(type);
    const auto says = [&](std::string_view word) {
      return named && named->label.find(word) != std::string::npos;
    };
    if (says("egister") || (!named && type == prv::kRegisters))
      c.registers = count_or_zero(value);
    else if (says("tatic") || (!named && type == prv::kStaticSharedMemory))
      c.static_shared_memory = count_or_zero(value);
    else if (says("ynamic") || (!named && type == prv::kDynamicSharedMemory))
      c.dynamic_shared_memory = count_or_zero(value);
  }
  return found;
}

void Trace::push_operation(Object& object, const TypeUse& use, const Open& open, const Times& times) {
  const auto& name = draft_.strings[StringId{open.name}];
  auto [c, bytes, correlation] = parameters_of(open);
  if (!is_copy(use, open)) {
    c.kernel = kernels_.of(name).kernel;
    return push_launch(draft_, times, draft_.configuration(c), object.resource, correlation);
  }
  if (bytes < 0 || bytes > kMaxOperationBytes) {
    issues.count(Severity::Doubt, "missing-bytes", [&] {
      return fmt::format(
          "the operation that ends in line {} does not state how many bytes it moved: its size is unknown",
          line_);
    });
    bytes = store::kUnknownBytes;
  }
  push_transfer(draft_, times, copy_kind(name), bytes, object.resource, correlation);
}

void Trace::read_communication(std::span<const std::int64_t> fields) {
  if (fields.size() < 14) return drop("bad-record", "is a communication record with too few fields");
  auto* sender = object_of(fields);
  auto* receiver = object_of(fields.subspan(6));
  std::int64_t sent = 0, received = 0, logical_send = 0, logical_receive = 0;
  if (!sender || !receiver || !time_of(fields[5], sent) || !time_of(fields[11], received) ||
      !time_of(fields[4], logical_send) || !time_of(fields[10], logical_receive))
    return;
  if (sender->gpu || receiver->gpu) { // between a call and its operation on a stream: not a message
    const auto bytes = fields[12] <= kMaxOperationBytes ? fields[12] : 0;
    if (sender->gpu != receiver->gpu)
      lines_.push_back({sender->gpu ? sender->resource : receiver->resource,
                        sender->gpu ? receiver->resource : sender->resource, sender->gpu ? sent : received,
                        sender->gpu ? received : sent, bytes, sender->gpu});
    return;
  }
  last_ = std::max({last_, sent, received});
  if (received < sent) {
    issues.count(Severity::Repair, "early-receive", [&] {
      return fmt::format(
          "the message of line {} was received {} ns before it was sent: the clocks differ; it is shown as "
          "lasting 0 ns",
          line_, sent - received);
    });
    received = sent;
  }
  if (message_name_ == kNone) message_name_ = draft_.strings.intern("message").value;
  const auto tag =
      fields[13] >= 0 && fields[13] < std::int64_t{kNone} ? static_cast<std::uint32_t>(fields[13]) : kNone;
  import::push_message(
      draft_, {sent, received - sent}, kTransmission, std::max<std::int64_t>(fields[12], -1),
      sender->resource, message_name_,
      receiver->rank < 0 ? kNone : static_cast<std::uint32_t>(receiver->rank), tag,
      {sent - logical_send, logical_receive - received, static_cast<std::uint32_t>(fields[9] - 1)});
}

// States give the busy times of a stream, events the kernel.
void Trace::name_launches() {
  const auto before = [](const Named& a, const Named& b) {
    return std::pair(a.stream, a.time) < std::pair(b.stream, b.time);
  };
  // std::stable_sort would need memory for half of the names.
  std::sort(kernel_names_.begin(), kernel_names_.end(), [](const Named& a, const Named& b) {
    return std::tie(a.stream, a.time, a.order) < std::tie(b.stream, b.time, b.order);
  });
  auto& launches = draft_.launches;
  Named last{kNone};
  std::ptrdiff_t same = 0; // launches of one stream that begin together are in the order of their states
  for (const auto row : unnamed_) {
    const Named moment{launches.stream[row], launches.start[row]};
    same = !before(last, moment) && !before(moment, last) ? same + 1 : 0;
    last = moment;
    const auto [first, after] = std::equal_range(kernel_names_.begin(), kernel_names_.end(), moment, before);
    auto found = std::find_if(
        first, after, [skip = same](const Named& n) mutable { return n.name != kNone && skip-- == 0; });
    if (found == after) // the name that began before
      found = after == kernel_names_.begin() ? kernel_names_.end() : after - 1;
    const bool named = found != kernel_names_.end() && found->stream == moment.stream && found->name != kNone;
    if (!named)
      issues.count(Severity::Doubt, "missing-name", [&] {
        return fmt::format("the kernel at {} ns has no name in the file", launches.start[row]);
      });
    Configuration c = named ? found->parameters.configuration : Configuration();
    if (named) launches.correlation[row] = found->parameters.correlation;
    c.kernel = kernels_.of(named ? draft_.strings[StringId{found->name}] : "(unknown kernel)").kernel;
    launches.configuration[row] = draft_.configuration(c);
  }
}

// 0 if it is out of range.
std::int64_t Trace::duration_in_header() const {
  return header_.duration <= kMaxTime / header_.tick_ns ? header_.duration * header_.tick_ns : 0;
}

std::optional<std::int64_t> Trace::end_after_records() const {
  const auto end = duration_in_header();
  return end > last_ ? std::optional(end) : std::nullopt;
}

// Closes open ranges at the end of the trace, in the order of resource and type.
void Trace::close_open_ranges() {
  std::vector<std::pair<std::pair<std::uint32_t, std::int64_t>, Slot*>> open;
  const auto add = [&](std::uint32_t resource, Slot& slot) {
    if (!slot.stack.empty()) open.push_back({{resource, slot.type}, &slot});
  };
  for (std::uint32_t resource = 0; resource < slots_.size(); ++resource)
    for (auto& slot : slots_[resource]) add(resource, slot);
  for (auto& [key, slot] : more_slots_) add(key.first, slot);
  std::ranges::sort(open, {}, &decltype(open)::value_type::first);
  const auto trace_end = std::max(last_, duration_in_header());
  for (const auto& [key, slot] : open)
    for (; !slot->stack.empty(); slot->stack.pop_back()) {
      const auto& range = slot->stack.back();
      issues.count(Severity::Repair, "open-range", [&, &range = range] {
        return fmt::format("\"{}\" has no end: its end is set to the end of the trace",
                           draft_.strings[StringId{range.name}]);
      });
      end(*slot->object, *slot->use, range, std::max(trace_end, range.start));
    }
}

// A Paraver trace of a program without MPI also has a task, whose number is no rank. Several tasks keep their
// numbers: programs that communicate by other means have ranks as well.
bool Trace::without_mpi() const {
  return header_.tasks.size() == 1 && !objects_.has_ranks() && !mpi_ &&
         !labels_.any_type(prv::kMpiPointToPoint, prv::kMpiLast);
}

Expected<void> Trace::finish(const std::string& file_name) {
  if (without_mpi()) objects_.remove_ranks();
  close_open_ranges();
  ended_.finish(draft_);
  name_launches();
  size_copies();
  add_device_lines();
  doubt_unsized();
  settle_clock_units(draft_, counters_before_, before_.samples, issues);
  const auto reported = duration_in_header();
  if (last_ > reported)
    issues.count(Severity::Doubt, "wrong-duration", [&] {
      return fmt::format("the header states that the trace lasts {} ns, but its last record is at {} ns; the "
                         "later time is used",
                         reported, last_);
    });
  if (objects_.undeclared() > 0)
    issues.count(
        Severity::Doubt, "undeclared-objects",
        [] {
          return "records name tasks or threads that the header does not declare; they are shown with their "
                 "own numbers";
        },
        objects_.undeclared());
  if (objects_.several_applications()) {
    const auto& last = header_.tasks.back();
    issues.count(Severity::Doubt, "several-applications", [&] {
      return fmt::format("the trace contains {} applications: they are read as one program, and ranks count "
                         "through all of them. Rank {} of application {} is rank {} here",
                         last.application, last.number - 1, last.application, header_.tasks.size() - 1);
    });
  }
  if (const auto missing = objects_.without_records(); missing > 0)
    issues.count(
        Severity::Doubt, "tasks-without-records",
        [&] {
          return fmt::format("{} of the {} tasks that the header declares have no records: the trace and its "
                             "efficiencies do not contain them",
                             missing, header_.tasks.size());
        },
        missing);
  if (draft_.launches.start.size() > before_.launches) {
    if (auto done = link_calls(draft_, before_, issues, progress_.job); !done) return done;
  } else {
    issues.count(Severity::Info, "no-kernels",
                 [&] { return fmt::format("{} contains no GPU kernels", file_name); });
  }
  issues.move_to(draft_.report);
  return {};
}

} // namespace jitterscope::import::paraver
