#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "core/import/formats/chrome/trace.h"
#include "core/import/text/json/values.h"

namespace jitterscope::import::chrome {
namespace {

constexpr std::size_t kMaxCounters = 65'536;
constexpr std::size_t kMaxNames = 1'000'000;

bool is_base_unit(std::string_view text) {
  static constexpr std::array<std::string_view, 9> kUnits = {"ns", "%", "B", "W", "J", "V", "C", "Hz", "B/s"};
  return std::find(kUnits.begin(), kUnits.end(), text) != kUnits.end();
}

std::string tidy(std::string_view written) {
  auto text = clean_text(json::text_of(written));
  while (!text.empty() && text.back() == ' ') text.pop_back(); // libkineto writes "stream 7 "
  return text;
}

} // namespace

void Trace::read_metadata(const Event& event) {
  const auto what = json::unquoted(event.name);
  const auto keep = [&](Name::Of of, Key key) {
    Name name{of, std::string(event.pid), std::string(event.tid), tidy(event.argument(key))};
    set_name(name);
    if (names_read_.size() < kMaxNames) names_read_.push_back(std::move(name));
  };
  if (what == "thread_name")
    keep(Name::Of::Lane, Key::Name);
  else if (what == "process_name")
    keep(Name::Of::Process, Key::Name);
  else if (what == "process_labels")
    keep(Name::Of::Label, Key::Labels);
}

void Trace::set_name(const Name& name) {
  const auto row = lanes.process(name.pid);
  auto& process = lanes.process_at(row);
  const auto device = Lanes::device_of(process);
  if (name.of == Name::Of::Lane) {
    const auto lane = lanes.lane(name.pid, name.tid);
    const auto kind = Lanes::kind_of(lanes.at(lane));
    lanes.name_lane(lane, name.name);
    auto& named = lanes.process_of(lane);
    named_late_ = named_late_ || (named.judged && device && kind != Lanes::kind_of(lanes.at(lane)));
    return;
  }
  if (name.of == Name::Of::Label)
    process.label = name.name;
  else
    lanes.name_process(row, name.name);
  named_late_ = named_late_ || (process.judged && device != Lanes::device_of(process));
}

void Trace::use_names(const std::vector<Name>& names_before) {
  for (const auto& name : names_before) set_name(name);
}

// The counter of a series; several values of one event become several counters "name.series".
std::uint32_t Trace::counter(std::string_view pid, std::string_view name, std::string_view series,
                             std::string_view unit) {
  const auto title = json::unquoted(name);
  const auto& full =
      series.empty() || series == title ? std::string(title) : fmt::format("{}.{}", title, series);
  const CounterKey key{lanes.process(pid), names(full)};
  const auto found = counters_.find(key);
  if (found != counters_.end()) return found->second;
  if (counters_.size() >= kMaxCounters) return kNone;
  return counters_[key] = draft.add_counter(full, unit, kNone, true);
}

void Trace::add_sample(const Event& event) {
  const auto time = time_of(event);
  if (!time) return;
  bool any = false;
  for (const auto& argument : event.arguments) {
    const auto value = json::real(argument.value);
    if (!value) continue;
    any = true;
    const bool only = event.arguments.size() == 1;
    // The key of the only value may be its unit, as in Jitterscope's export.
    const bool unit = only && is_base_unit(argument.key);
    const auto row = counter(event.pid, event.name, only ? std::string_view() : argument.key,
                             unit ? argument.key : std::string_view());
    if (row == kNone) return drop("too-many-counters", "is beyond the limit of 65,536 counters");
    push_sample(draft, *time, row, *value);
  }
  if (!any) drop("missing-value", "is a counter sample without a numeric value");
}

} // namespace jitterscope::import::chrome
