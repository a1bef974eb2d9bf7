#include "core/import/formats/chrome/event.h"

#include <algorithm>
#include <array>

#include "core/import/text/json/values.h"

namespace jitterscope::import::chrome {
namespace {

using json::Elements;
using simdjson::error_code;

struct Named {
  std::string_view name;
  Category category;
};
constexpr std::array kCategories = {
    Named{"cpu_op", Category::Range},
    Named{"python_function", Category::Python},
    Named{"kernel", Category::Kernel},
    Named{"cuda_runtime", Category::Call},
    Named{"cuda_driver", Category::Call},
    Named{"user_annotation", Category::Range},
    Named{"gpu_memcpy", Category::Copy},
    Named{"gpu_memset", Category::Set},
    Named{"gpu_user_annotation", Category::OnDevice},
    Named{"cuda_sync", Category::OnDevice},
    Named{"cuda_event", Category::OnDevice},
    Named{"cuda_profiler_range", Category::Counters},
    Named{"overhead", Category::Range},
    Named{"Trace", Category::Range},
    Named{"Operator", Category::Range}, // 2021
    Named{"Kernel", Category::Kernel},
    Named{"Memcpy", Category::Copy},
    Named{"Memset", Category::Set},
    Named{"Runtime", Category::Call},
    Named{"CudaRuntime", Category::Call}, // PaddlePaddle
    Named{"hip_runtime", Category::Call},
    Named{"hip_driver", Category::Call},
    Named{"concurrent_kernel", Category::Kernel}, // spellings of libkineto's other versions and devices
    Named{"gpu_kernel", Category::Kernel},
    Named{"memcpy", Category::Copy},
    Named{"memset", Category::Set},
    Named{"runtime", Category::Call},
    Named{"xpu_runtime", Category::Call},
    Named{"xpu_driver", Category::Call},
    Named{"privateuse1_runtime", Category::Call},
    Named{"privateuse1_driver", Category::Call},
    Named{"musa_runtime", Category::Call},
    Named{"musa_driver", Category::Call},
    Named{"mtia_runtime", Category::Call},
    Named{"cpu_instant_event", Category::Range},
    Named{"gpu_op", Category::Ran},         // Intel's unitrace, onetrace and ze_tracer
    Named{"thread_state", Category::State}, // Jitterscope's export
};

// Keys of the event's own members have a kind of their own, after the kinds for the arguments of each
// category.
constexpr std::uint32_t kMembers = Keys::kKinds - 1;
static_assert(static_cast<std::uint32_t>(Category::Counters) < kMembers);
constexpr std::size_t kMaxCategories = 4096; // further ones are looked up each time

template <class Each>
error_code each_member(simdjson::ondemand::object& object, Keys& keys, std::uint32_t kind, Each&& each) {
  Keys::Place place{Keys::kMaxKeys, kind};
  for (auto result : object) {
    if (const auto error = result.error()) return error;
    // By reference: copying values, which simdjson writes in pieces, would cause store forwarding stalls.
    auto&& field = std::move(result).value_unsafe();
    const auto key = keys.at(field.key().raw(), place);
    if (const auto error = each(key, field.value())) return error;
    place.previous = key.number;
  }
  return simdjson::SUCCESS;
}

error_code parse_triple(Elements::Value& value, std::optional<Triple>& triple) {
  simdjson::ondemand::array array;
  if (const auto error = value.get_array().get(array)) return error;
  std::array<std::int64_t, 3> numbers = {1, 1, 1};
  std::size_t count = 0;
  for (auto element : array) {
    Elements::Value number;
    if (const auto error = element.get(number)) return error;
    if (count < 3) numbers[count] = json::integer_in_padded(json::token(number)).value_or(-1);
    ++count;
  }
  triple = Triple{numbers[0], numbers[1], numbers[2]};
  return simdjson::SUCCESS;
}

bool wants_arguments(const Event& event) {
  return event.category != Category::Range && event.category != Category::Python &&
         event.category != Category::State;
}

} // namespace

Category category_of(std::string_view name) {
  for (;;) {
    const auto comma = std::min(name.find(','), name.size());
    const auto part = name.substr(0, comma);
    const auto found =
        std::find_if(kCategories.begin(), kCategories.end(), [&](const Named& n) { return n.name == part; });
    if (found != kCategories.end()) return found->category;
    if (comma == name.size()) return Category::None;
    name.remove_prefix(comma + 1);
  }
}

bool is_of_gpu(Category category) {
  return category == Category::Kernel || category == Category::Copy || category == Category::Set ||
         category == Category::Counters || category == Category::Ran;
}

KeptEvent::KeptEvent(const Event& begin) : event(begin) {
  const auto each = [&](auto&& use) {
    for (auto* text :
         {&event.category_name, &event.name, &event.time, &event.duration, &event.pid, &event.tid, &event.id})
      use(*text);
    for (auto& argument : event.arguments) {
      use(argument.key);
      use(argument.value);
      argument.number = Keys::kUnnumbered;
    }
  };
  std::size_t size = kDigitPadding;
  each([&](std::string_view text) { size += text.size(); });
  text_.reserve(size);
  each([&](std::string_view& text) {
    const auto at = text_.size();
    text_ += text;
    text = {text_.data() + at, text.size()};
  });
  text_.append(kDigitPadding, ' ');
}

void KeptEvent::add_arguments(const Event& end) {
  for (const auto& argument : end.arguments) {
    const auto same = [&](const Argument& other) { return other.key == argument.key; };
    if (event.arguments.size() >= kMaxArguments ||
        std::any_of(event.arguments.begin(), event.arguments.end(), same))
      continue;
    event.arguments.emplace_back(argument.key, argument.value);
    if (argument.number < static_cast<std::uint32_t>(Key::Count)) {
      event.known |= std::uint64_t{1} << argument.number;
      event.known_arguments[argument.number] = static_cast<std::uint8_t>(event.arguments.size() - 1);
    }
  }
  if (!event.grid) event.grid = end.grid;
  if (!event.block) event.block = end.block;
}

Category EventParser::known_category(std::string_view name) {
  if (const auto* known = categories_.find(name)) return *known;
  const auto category = category_of(name);
  if (categories_.size() < kMaxCategories) categories_.add(name, category);
  return category;
}

// Inline, so that pointers and lengths stay in registers: loading a pair as one word just after storing it
// as two stalls the processor.
inline error_code EventParser::read_argument(Keys::Found key, Elements::Value& argument, Event& event) {
  const auto text = json::token(argument);
  if (text.empty()) return simdjson::SUCCESS;
  if (text.front() == '[') {
    if (key.number == static_cast<std::uint32_t>(Key::Grid)) return parse_triple(argument, event.grid);
    if (key.number == static_cast<std::uint32_t>(Key::Block)) return parse_triple(argument, event.block);
    return simdjson::SUCCESS;
  }
  if (text.front() == '{' || event.arguments.size() >= kMaxArguments) return simdjson::SUCCESS;
  event.arguments.emplace_back(key.text, text, key.number);
  if (key.number < static_cast<std::uint32_t>(Key::Count)) {
    event.known |= std::uint64_t{1} << key.number;
    event.known_arguments[key.number] = static_cast<std::uint8_t>(event.arguments.size() - 1);
  }
  return simdjson::SUCCESS;
}

error_code EventParser::parse_arguments(Elements::Value& value, Event& event) {
  simdjson::ondemand::json_type type{};
  if (const auto error = value.type().get(type)) return error;
  if (type != simdjson::ondemand::json_type::object) return simdjson::SUCCESS;
  simdjson::ondemand::object object;
  if (const auto error = value.get_object().get(object)) return error;
  return each_member(
      object, keys_, static_cast<std::uint32_t>(event.category),
      [&](const Keys::Found& key, Elements::Value& argument) { return read_argument(key, argument, event); });
}

error_code EventParser::read_member(Key key, Elements::Value& member, Event& event) {
  if (key == Key::Arguments)
    return wants_arguments(event) ? parse_arguments(member, event) : simdjson::SUCCESS;
  const auto text = json::token(member);
  // Not JSON, but accepted by simdjson.
  if (!text.empty() && text.front() == '\'') return simdjson::INCORRECT_TYPE;
  if (text.empty() || text.front() == '{' || text.front() == '[') return simdjson::SUCCESS;
  switch (key) {
  case Key::Phase: {
    const auto phase = json::unquoted(text);
    event.phase = phase.size() == 1 ? phase.front() : '\0';
    break;
  }
  case Key::CategoryName:
    event.category_name = json::unquoted(text);
    event.category = known_category(event.category_name);
    break;
  case Key::Name:
    event.name = text;
    break;
  case Key::Time:
    event.time = text;
    break;
  case Key::Duration:
    event.duration = text;
    break;
  case Key::Pid:
    event.pid = json::unquoted(text);
    break;
  case Key::Tid:
    event.tid = json::unquoted(text);
    break;
  case Key::Id:
    event.id = json::unquoted(text);
    break;
  default:
    break;
  }
  return simdjson::SUCCESS;
}

error_code EventParser::parse(Elements::Value& value, Event& event) {
  event.phase = 0;
  event.category = Category::None;
  event.category_name = event.name = event.time = event.duration = event.pid = event.tid = event.id = {};
  event.arguments.clear();
  event.known = 0;
  event.grid.reset();
  event.block.reset();
  const auto first = json::token(value);
  if (first.empty()) return simdjson::TAPE_ERROR;
  if (first.front() != '{') return simdjson::SUCCESS;
  simdjson::ondemand::object object;
  if (const auto error = value.get_object().get(object)) return error;
  return each_member(object, keys_, kMembers, [&](const Keys::Found& key, Elements::Value& member) {
    return read_member(key.number < static_cast<std::uint32_t>(Key::Count) ? static_cast<Key>(key.number)
                                                                           : Key::Count,
                       member, event);
  });
}

} // namespace jitterscope::import::chrome
