#include "core/import/formats/enter_leave/enter_leave_reader.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "core/import/formats/gpu_trace/titles.h"
#include "core/import/records/csv_rows.h"
#include "core/import/records/events.h"
#include "core/import/records/places.h"
#include "core/import/records/row_issues.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::enter_leave {
namespace {

using gpu_trace::field;
using gpu_trace::kAbsent;
using gpu_trace::Titles;
using store::Severity;

constexpr std::size_t kMaxOpen = 65'536; // maximum number of open functions per thread

enum class What { None, Enter, Leave, Instant };

What what_of(std::string_view text) {
  const auto word = slug(text);
  constexpr std::array kEnters = {"enter", "entry", "entered"}, kLeaves = {"leave", "exit", "left"};
  if (std::find(kEnters.begin(), kEnters.end(), word) != kEnters.end()) return What::Enter;
  if (std::find(kLeaves.begin(), kLeaves.end(), word) != kLeaves.end()) return What::Leave;
  return word == "instant" ? What::Instant : What::None;
}

struct Layout {
  char separator = ',';
  Titles titles;
  std::size_t time = kAbsent, what = kAbsent, name = kAbsent, process = kAbsent, thread = kAbsent;
};

std::optional<Layout> layout_of(const Input& input) {
  for (const char separator : {',', ';', '\t'}) {
    const auto stream = open_memory(input.head);
    CsvReader csv(*stream, {}, separator);
    if (const auto more = csv.next(); !more || !*more || csv.fields().size() < 3) continue;
    Layout layout{separator, Titles(csv.fields())};
    layout.time = layout.titles.find({"timestamp", "time", "ts", "t"});
    layout.what = layout.titles.find({"eventtype", "event", "type", "kind", "eventkind"});
    layout.name = layout.titles.find({"name", "function", "functionname", "region", "regionname"});
    layout.process = layout.titles.find({"process", "pid", "rank", "processid", "location"});
    layout.thread = layout.titles.find({"thread", "tid", "threadid"});
    if (layout.time == kAbsent || layout.what == kAbsent || layout.name == kAbsent) continue;
    const auto more = csv.next();
    if (more && *more && what_of(field(csv, layout.what)) != What::None) return layout;
  }
  return {};
}

/// The number of a process or thread; where a file has names instead, they are numbered.
std::int64_t number_of(std::map<std::string, std::int64_t, std::less<>>& known, std::string_view text) {
  if (const auto number = parse_integer(text); number && *number >= 0) return *number;
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  return known.emplace(std::string(text), static_cast<std::int64_t>(known.size())).first->second;
}

class Pairing {
public:
  Pairing(const Layout& layout, Draft& draft, RowIssues& issues)
      : layout_(layout), draft_(draft), issues_(issues), places_(draft),
        domain_(draft.strings.intern("functions").value) {}

  void add(const CsvReader& csv) {
    const auto what = what_of(field(csv, layout_.what));
    const auto time = parse_decimal(field(csv, layout_.time), layout_.titles.time_scale(layout_.time));
    if (what == What::None)
      return issues_.count(Severity::Drop, "other-events", [&] {
        return fmt::format("{} has kind \"{}\", which is neither enter, leave nor instant", csv.place(),
                           clean_text(field(csv, layout_.what).substr(0, 60)));
      });
    if (!time || *time > kLatestTime || *time < -kMaxTime)
      return issues_.count(Severity::Drop, "missing-time",
                           [&] { return csv.place() + " has no usable time"; });
    if (!base_) base_ = *time >= kEpoch ? *time : 0;
    const auto at = *time - *base_;
    last_ = std::max(last_, at);
    const auto name = draft_.strings.intern(clean_text(field(csv, layout_.name))).value;
    const auto thread = thread_of(csv);
    auto& open = open_[thread];
    if (what == What::Instant) return push_range(draft_, {at, 0}, name, domain_, thread, kMark);
    if (what == What::Enter) {
      if (open.size() < kMaxOpen) return open.push_back({at, name});
      return issues_.count(Severity::Drop, "too-many-open", [&] {
        return fmt::format("{} enters a function nested in {} others, which is the limit", csv.place(),
                           kMaxOpen);
      });
    }
    const auto begun =
        std::find_if(open.rbegin(), open.rend(), [&](const Open& one) { return one.name == name; });
    if (begun == open.rend() || begun->start > at)
      return issues_.count(Severity::Drop, "end-without-begin", [&] {
        return fmt::format("{} leaves a function that was not entered before", csv.place());
      });
    push_range(draft_, {begun->start, at - begun->start}, name, domain_, thread, kPushPopRange);
    ended_.add(draft_);
    open.erase(std::next(begun).base());
  }

  void finish() {
    ended_.finish(draft_);
    for (const auto& [thread, open] : open_)
      for (const auto& one : open) {
        push_range(draft_, {one.start, std::max<std::int64_t>(last_ - one.start, 0)}, one.name, domain_,
                   thread, kPushPopRange);
        issues_.count(Severity::Repair, "open-range", [&] {
          return fmt::format("\"{}\" has no leave event: its end is set to the time of the last event",
                             draft_.strings[StringId{one.name}]);
        });
      }
  }
  std::int64_t utc_ns() const { return base_.value_or(0) > 0 ? *base_ : -1; }

private:
  static constexpr std::int64_t kEpoch =
      1'000'000'000'000'000'000; // ns, in 2001; larger times are Unix times
  struct Open {
    std::int64_t start;
    std::uint32_t name;
  };

  std::uint32_t thread_of(const CsvReader& csv) {
    const auto process = layout_.process == kAbsent ? 0 : number_of(processes_, field(csv, layout_.process));
    const auto thread = layout_.thread == kAbsent ? 0 : number_of(threads_, field(csv, layout_.thread));
    return places_.thread(places_.process(process), thread);
  }

  const Layout& layout_;
  Draft& draft_;
  RowIssues& issues_;
  Places places_;
  std::uint32_t domain_;
  EndedRanges ended_;
  std::map<std::uint32_t, std::vector<Open>> open_; ///< by thread: open functions, innermost last
  std::map<std::string, std::int64_t, std::less<>> processes_, threads_;
  std::optional<std::int64_t> base_;
  std::int64_t last_ = 0;
};

bool recognises(const Input& input) {
  return layout_of(input).has_value();
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  const auto& input = inputs.front();
  const auto layout = layout_of(input);
  if (!layout)
    return failure(ErrorKind::BadInput, "this is not a table of enter and leave events of functions",
                   input.name());
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  CsvReader csv(**stream, input.name(), layout->separator);
  if (const auto titles = csv.next(); !titles) return forward(titles.error());
  RowIssues issues;
  Pairing pairing(*layout, draft, issues);
  const auto before = draft.ranges.start.size();
  auto done = each_row(csv, progress, input.disk_bytes, "events", [&] { pairing.add(csv); });
  if (!done) return done;
  pairing.finish();
  report_truncation(csv, issues);
  if (draft.ranges.start.size() == before)
    return failure(ErrorKind::BadInput, "no function in the table has usable times of both entry and exit",
                   input.name());
  issues.count(Severity::Info, "no-kernels", [&] {
    return fmt::format("{} contains host functions and no GPU kernels", input.file_name());
  });
  source.utc_ns = pairing.utc_ns();
  issues.move_to(draft.report);
  return {};
}

} // namespace

const Reader kReader = {"table of enter and leave events", recognises, read};

} // namespace jitterscope::import::enter_leave
