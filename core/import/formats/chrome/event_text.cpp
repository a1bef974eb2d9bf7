#include "core/import/formats/chrome/event_text.h"

#include <cmath>

#include <fmt/core.h>

#include "core/import/text/plain_number.h"

namespace jitterscope::import::chrome {
namespace {

// Times in Chrome's format are in µs.
std::string microseconds(std::int64_t ns) {
  const auto size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}

} // namespace

EventText::Place EventText::plain(std::string_view text) {
  const Place place{text_.size(), text.size()};
  text_ += text;
  return place;
}

EventText::Place EventText::quoted(std::string_view text) {
  const auto at = text_.size();
  text_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\')
      text_.append(1, '\\').append(1, c);
    else if (static_cast<unsigned char>(c) < 0x20)
      text_ += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      text_ += c;
  }
  text_ += '"';
  return {at, text_.size() - at};
}

void EventText::begin(char phase, std::string_view category) {
  text_.clear();
  arguments_.clear();
  name_ = time_ = duration_ = pid_ = tid_ = {};
  event_.phase = phase;
  event_.category = category_of(category);
  event_.grid.reset();
  event_.block.reset();
  category_ = plain(category);
}

void EventText::set_name(std::string_view name) {
  name_ = quoted(name);
}

void EventText::set_time(std::int64_t ns) {
  time_ = plain(microseconds(ns));
}

void EventText::set_duration(std::int64_t ns) {
  duration_ = plain(microseconds(ns));
}

void EventText::set_lane(std::string_view pid, std::string_view tid) {
  pid_ = plain(pid);
  tid_ = plain(tid);
}

void EventText::add_number(std::string_view key, std::int64_t value) {
  if (arguments_.size() >= kMaxArguments) return;
  const auto at = plain(key);
  arguments_.push_back({at, plain(fmt::format("{}", value))});
}

void EventText::add_real(std::string_view key, double value) {
  if (!std::isfinite(value) || arguments_.size() >= kMaxArguments) return;
  const auto at = plain(key);
  arguments_.push_back({at, plain(fmt::format("{}", value))});
}

void EventText::add_text(std::string_view key, std::string_view value) {
  if (arguments_.size() >= kMaxArguments) return;
  const auto at = plain(key);
  arguments_.push_back({at, quoted(value)});
}

void EventText::set_extents(Triple grid, Triple block) {
  event_.grid = grid;
  event_.block = block;
}

const Event& EventText::event() {
  text_.append(kDigitPadding, ' ');
  event_.category_name = text(category_);
  event_.name = text(name_);
  event_.time = text(time_);
  event_.duration = text(duration_);
  event_.pid = text(pid_);
  event_.tid = text(tid_);
  event_.id = {};
  event_.arguments.clear();
  event_.known = 0;
  for (const auto& argument : arguments_) {
    event_.arguments.emplace_back(text(argument.key), text(argument.value));
    const auto key = known_key(text(argument.key));
    if (!key || event_.arguments.size() > 255) continue;
    event_.known |= std::uint64_t{1} << static_cast<unsigned>(*key);
    event_.known_arguments[static_cast<std::size_t>(*key)] =
        static_cast<std::uint8_t>(event_.arguments.size() - 1);
  }
  return event_;
}

} // namespace jitterscope::import::chrome
