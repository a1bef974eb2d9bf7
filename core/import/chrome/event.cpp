#include "core/import/chrome/event.h"

#include <algorithm>
#include <array>

#include "core/import/json/values.h"

namespace jitterscope::import::chrome {
namespace {

using json::Elements;
using simdjson::error_code;

constexpr std::size_t kMostArguments = 256;

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
    Named{"cpu_instant_event", Category::Range},
};

template <class Each>
error_code each_member(simdjson::ondemand::object& object, Each&& each) {
  for (auto field : object) {
    simdjson::ondemand::raw_json_string key;
    Elements::Value value;
    if (const auto error = field.key().get(key)) return error;
    if (const auto error = field.value().get(value)) return error;
    // The key's end is its quote: escapes in names that matter here do not occur.
    const char* begin = key.raw();
    const char* end = begin;
    while (*end != '"') end += *end == '\\' ? 2 : 1;
    if (const auto error = each(std::string_view(begin, static_cast<std::size_t>(end - begin)), value))
      return error;
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
    if (count < 3) numbers[count] = json::integer(json::token(number)).value_or(-1);
    ++count;
  }
  triple = Triple{numbers[0], numbers[1], numbers[2]};
  return simdjson::SUCCESS;
}

error_code parse_arguments(Elements::Value& value, Event& event) {
  simdjson::ondemand::json_type type{};
  if (const auto error = value.type().get(type)) return error;
  if (type != simdjson::ondemand::json_type::object) return simdjson::SUCCESS;
  simdjson::ondemand::object object;
  if (const auto error = value.get_object().get(object)) return error;
  return each_member(object, [&](std::string_view key, Elements::Value& argument) -> error_code {
    const auto text = json::token(argument);
    if (text.empty()) return simdjson::SUCCESS;
    if (text.front() == '[') {
      if (key == "grid") return parse_triple(argument, event.grid);
      if (key == "block") return parse_triple(argument, event.block);
      return simdjson::SUCCESS;
    }
    if (text.front() != '{' && event.arguments.size() < kMostArguments)
      event.arguments.push_back({key, text});
    return simdjson::SUCCESS;
  });
}

bool wants_arguments(const Event& event) {
  return event.category != Category::Range && event.category != Category::Python;
}

} // namespace

Category category_of(std::string_view name) {
  const auto found =
      std::find_if(kCategories.begin(), kCategories.end(), [&](const Named& n) { return n.name == name; });
  return found == kCategories.end() ? Category::None : found->category;
}

std::string_view Event::argument(std::string_view key) const {
  const auto found = std::find_if(arguments.rbegin(), arguments.rend(),
                                  [&](const Argument& argument) { return argument.key == key; });
  return found == arguments.rend() ? std::string_view() : found->value;
}

error_code parse(Elements::Value& value, Event& event) {
  event.phase = 0;
  event.category = Category::None;
  event.category_name = event.name = event.time = event.duration = event.pid = event.tid = event.id = {};
  event.arguments.clear();
  event.grid.reset();
  event.block.reset();
  const auto first = json::token(value);
  if (first.empty()) return simdjson::TAPE_ERROR;
  if (first.front() != '{') return simdjson::SUCCESS;
  simdjson::ondemand::object object;
  if (const auto error = value.get_object().get(object)) return error;
  return each_member(object, [&](std::string_view key, Elements::Value& member) -> error_code {
    if (key == "args") return wants_arguments(event) ? parse_arguments(member, event) : simdjson::SUCCESS;
    const auto text = json::token(member);
    if (text.empty() || text.front() == '{' || text.front() == '[') return simdjson::SUCCESS;
    if (key == "ph") {
      const auto phase = json::unquoted(text);
      event.phase = phase.size() == 1 ? phase.front() : '\0';
    } else if (key == "cat") {
      event.category_name = json::unquoted(text);
      event.category = category_of(event.category_name);
    } else if (key == "name") {
      event.name = text;
    } else if (key == "ts") {
      event.time = text;
    } else if (key == "dur") {
      event.duration = text;
    } else if (key == "pid") {
      event.pid = json::unquoted(text);
    } else if (key == "tid") {
      event.tid = json::unquoted(text);
    } else if (key == "id") {
      event.id = json::unquoted(text);
    }
    return simdjson::SUCCESS;
  });
}

} // namespace jitterscope::import::chrome
