#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "core/import/formats/chrome/trace.h"
#include "core/import/formats/unitrace/command.h"
#include "core/import/text/json/values.h"
#include "core/import/text/text.h"

namespace jitterscope::import::chrome {
namespace {

using store::Severity;

constexpr std::size_t kMaxOpen = 1'000'000; // ranges begun and not ended, per lane or name

} // namespace

void Trace::add_range(const Event& event, std::uint32_t lane, const Times& times, std::uint8_t kind) {
  push_range(draft, times, names(event.name), domain_of(event), lane, kind);
}

// Jitterscope's export writes the domain of a range after the category that makes it one.
std::uint32_t Trace::domain_of(const Event& event) {
  auto category = event.category_name;
  for (const std::string_view prefix : {"user_annotation,", "thread_state,"})
    if (category.starts_with(prefix)) category.remove_prefix(prefix.size());
  return names(category);
}

void Trace::add_complete(const Event& event) {
  if (event.category == Category::Python && draft.options.drop_python_functions) {
    issues.count(Severity::Info, "python-functions-left-out",
                 [&] { return fmt::format("{} is a Python function, left out as requested", place()); });
    return;
  }
  bool open_end = false;
  const auto times = times_of(event, open_end);
  if (!times) return;
  add_timed(event, *times, open_end);
}

void Trace::add_timed(const Event& event, const Times& times, bool open_end) {
  if (is_of_gpu(event.category) && open_end) return drop("missing-time", "has no numeric duration");
  switch (event.category) {
  case Category::Kernel:
    return add_kernel(event, times);
  case Category::Copy:
  case Category::Set:
    return add_copy(event, times);
  case Category::Ran:
    if (const auto command = unitrace::command_of(json::unquoted(event.name)).name;
        unitrace::is_other_command(command))
      return issues.count(Severity::Info, "not-imported", [&] {
        return fmt::format("commands that are neither kernels nor copies, such as {}, are not imported",
                           clean_text(command));
      });
    return moves(json::unquoted(event.name)) ? add_copy(event, times) : add_kernel(event, times);
  case Category::Call:
    return add_call(event, times);
  case Category::Counters:
    return add_counters(event, times);
  case Category::Range:
    if (event.category_name == "cpu_op" && unitrace::is_api(json::unquoted(event.name)))
      return add_call(event, times);
    break;
  case Category::None:
    if (!open_end && add_unnamed(event, times)) return;
    break;
  default:
    break;
  }
  const auto lane = lanes.used_lane(event.pid, event.tid);
  const bool on_device = event.category == Category::OnDevice;
  lanes.at(lane).on_device |=
      on_device || (event.category == Category::None && Lanes::device_of(lanes.process_of(lane)));
  ++lanes.process_of(lane).ranges;
  if (open_end) open_rows_.push_back(draft.ranges.start.size());
  const auto kind = on_device                           ? kStartEndRange
                    : event.category == Category::State ? kStateRange
                                                        : kPushPopRange;
  add_range(event, lane, times, kind);
}

// The open range of a begin event. The event is kept if it may be of a kernel, copy or call, whose properties
// the end event needs; without category, its kind is known only later, with the name of its lane.
OpenRange Trace::begun(const Event& event, std::int64_t time, std::uint32_t lane) {
  OpenRange range{time, names(event.name), domain_of(event), lane, nullptr};
  if (is_of_gpu(event.category) || event.category == Category::Call || event.category == Category::None)
    range.kept = std::make_unique<KeptEvent>(event);
  return range;
}

// The innermost range with the name in the end event; if there is none, or no name, the innermost.
OpenRange Trace::pop_begun(std::vector<OpenRange>& open, const Event& end) {
  auto found = open.end() - 1;
  if (!end.name.empty()) {
    const auto same =
        std::find_if(open.rbegin(), open.rend(),
                     [&, name = names(end.name)](const OpenRange& range) { return range.name == name; });
    if (same != open.rend()) found = same.base() - 1;
  }
  auto range = std::move(*found);
  open.erase(found);
  return range;
}

void Trace::add_kept_range(OpenRange begin, const Event& end, std::int64_t time) {
  begin.kept->add_arguments(end);
  const auto before_it = draft.ranges.start.size();
  add_timed(begin.kept->event, {begin.start, time - begin.start}, false);
  if (draft.ranges.start.size() > before_it) ended_.add(draft);
}

void Trace::add_begin(const Event& event) {
  const auto time = time_of(event);
  if (!time) return;
  last_end_ = std::max(last_end_, *time);
  const auto lane = lanes.lane(event.pid, event.tid);
  auto& open = lanes.at(lane).open;
  if (open.size() >= kMaxOpen) return drop("too-many-open", "begins a range while a million others are open");
  open.push_back(begun(event, *time, lane));
}

void Trace::add_end(const Event& event) {
  const auto time = time_of(event);
  if (!time) return;
  last_end_ = std::max(last_end_, *time);
  const auto lane = lanes.lane(event.pid, event.tid);
  auto& open = lanes.at(lane).open;
  if (open.empty()) return drop("end-without-begin", "ends a range that never started");
  auto begin = pop_begun(open, event);
  if (*time < begin.start) return drop("negative-duration", "ends a range before its start");
  if (begin.kept) return add_kept_range(std::move(begin), event, *time);
  lanes.at(lane).used = true;
  ++lanes.process_of(lane).ranges;
  push_range(draft, {begin.start, *time - begin.start}, begin.name, begin.domain, lane, kPushPopRange);
  ended_.add(draft);
}

void Trace::add_instant(const Event& event) {
  const auto time = time_of(event);
  if (!time) return;
  last_end_ = std::max(last_end_, *time);
  add_range(event, lanes.used_lane(event.pid, event.tid), {*time, 0}, kMark);
}

// Asynchronous ranges begin and end on any lane; category and id identify them (and the process, which the
// format requires only in some of its versions: using it does no harm within one file).
void Trace::add_async(const Event& event) {
  if (event.phase == 'n' || event.phase == 'T' || event.phase == 'p') return add_instant(event);
  const auto time = time_of(event);
  if (!time) return;
  last_end_ = std::max(last_end_, *time);
  const auto lane = lanes.lane(event.pid, event.tid);
  AsyncKey key{names(event.category_name), lanes.at(lane).process, std::string(event.id)};
  auto& open = async_[key];
  if (event.phase == 'b' || event.phase == 'S') {
    if (open.size() >= kMaxOpen)
      return drop("too-many-open", "begins a range while a million others are open");
    open.push_back(begun(event, *time, lane));
    if (event.category == Category::None) open.back().kept.reset(); // asynchronous: never a row of a stream
    return;
  }
  if (open.empty()) return drop("end-without-begin", "ends a range that never started");
  auto begin = pop_begun(open, event);
  if (open.empty()) async_.erase(key);
  if (*time < begin.start) return drop("negative-duration", "ends a range before its start");
  if (begin.kept) return add_kept_range(std::move(begin), event, *time);
  lanes.at(begin.lane).used = true;
  push_range(draft, {begin.start, *time - begin.start}, begin.name, begin.domain, begin.lane, kStartEndRange);
}

} // namespace jitterscope::import::chrome
