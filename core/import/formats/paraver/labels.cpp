#include "core/import/formats/paraver/labels.h"

#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/text/text.h"
#include "core/paraver/event_types.h"

namespace jitterscope::import::paraver {
namespace {

constexpr std::size_t kMaxNames = 10'000'000;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Removes a number and the blanks after it from the front.
std::optional<std::int64_t> consume_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc()) return {};
  text = trimmed(text.substr(static_cast<std::size_t>(result.ptr - text.data())));
  return number;
}

} // namespace

std::string EventType::value_name(std::int64_t value) const {
  if (!values) return {};
  const auto found = values->find(value);
  return found == values->end() ? std::string() : found->second;
}

Expected<void> Labels::read(Lines& lines) {
  enum class Section { Other, States, Types, Values } section = Section::Other;
  SpillVector<std::int64_t> block; // types that share the values below
  std::shared_ptr<std::map<std::int64_t, std::string>> values;
  std::size_t names = 0;
  for (;;) {
    const auto line = lines.next();
    if (!line) return forward(line.error());
    if (!*line) return {};
    auto text = trimmed(**line);
    if (text.empty()) continue;
    const bool numbered = (text.front() >= '0' && text.front() <= '9') || text.front() == '-';
    if (!numbered) {
      if (text == "VALUES" && section != Section::Other && !block.empty()) {
        section = Section::Values;
        values = std::make_shared<std::map<std::int64_t, std::string>>();
        for (const auto type : block) types_[type].values = values;
      } else {
        section = text == "STATES" ? Section::States : text == "EVENT_TYPE" ? Section::Types : Section::Other;
        block.clear();
      }
      continue;
    }
    if (++names > kMaxNames) return {};
    const auto number = consume_number(text);
    if (!number) continue;
    if (section == Section::States) {
      states_[*number] = clean_text(text);
    } else if (section == Section::Values) {
      (*values)[*number] = clean_text(text);
    } else if (section == Section::Types) { // the first number was the gradient
      const auto type = consume_number(text);
      if (!type) continue;
      types_[*type].label = clean_text(text);
      block.push_back(*type);
    }
  }
}

std::string Labels::state(std::int64_t number) const {
  if (const auto found = states_.find(number); found != states_.end()) return found->second;
  const auto known = prv::state_names();
  if (number >= 0 && number < static_cast<std::int64_t>(known.size()))
    return std::string(known[static_cast<std::size_t>(number)]);
  return fmt::format("state {}", number);
}

const EventType* Labels::type(std::int64_t number) const {
  const auto found = types_.find(number);
  return found == types_.end() ? nullptr : &found->second;
}

bool Labels::any_type(std::int64_t first, std::int64_t last) const {
  const auto found = types_.lower_bound(first);
  return found != types_.end() && found->first <= last;
}

Expected<void> Rows::read(Lines& lines) {
  std::vector<std::string>* level = nullptr;
  std::int64_t left = 0;
  for (;;) {
    const auto line = lines.next();
    if (!line) return forward(line.error());
    if (!*line) return {};
    const auto text = trimmed(**line);
    if (text.starts_with("LEVEL ")) {
      auto rest = trimmed(text.substr(6));
      const auto size = rest.find(" SIZE");
      if (size == std::string_view::npos) continue;
      auto count = trimmed(rest.substr(size + 5));
      left = consume_number(count).value_or(0);
      level = &names_[std::string(trimmed(rest.substr(0, size)))];
    } else if (level && left > 0 && level->size() < kMaxNames) {
      if (text.empty() && level->empty()) continue;
      level->push_back(clean_text(text));
      --left;
    }
  }
}

std::string Rows::name(const std::string& level, std::int64_t index) const {
  const auto found = names_.find(level);
  if (found == names_.end() || index < 0 || index >= static_cast<std::int64_t>(found->second.size()))
    return {};
  return found->second[static_cast<std::size_t>(index)];
}

} // namespace jitterscope::import::paraver
