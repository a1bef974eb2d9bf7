#include "core/import/formats/rocm/json/json_record.h"

#include <algorithm>

namespace jitterscope::import::rocm {
namespace {

using json::Elements;
using simdjson::error_code;

constexpr int kMaxDepth = 4;
constexpr std::size_t kMaxFields = 512;

std::string_view key_text(const simdjson::ondemand::raw_json_string& key) {
  const char* end = key.raw();
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  return {key.raw(), static_cast<std::size_t>(end - key.raw())};
}

template <class Each>
error_code each_member(simdjson::ondemand::object& object, Each&& each) {
  for (auto field : object) {
    simdjson::ondemand::raw_json_string key;
    Elements::Value value;
    if (const auto error = field.key().get(key)) return error;
    if (const auto error = field.value().get(value)) return error;
    if (const auto error = each(key_text(key), value)) return error;
  }
  return simdjson::SUCCESS;
}

} // namespace

error_code JsonRecord::parse(Elements::Value& value) {
  fields_.clear();
  counters_.clear();
  names_.clear();
  const auto text = json::token(value);
  if (text.empty()) return simdjson::TAPE_ERROR;
  if (text.front() != '{') return simdjson::SUCCESS;
  simdjson::ondemand::object object;
  if (const auto error = value.get_object().get(object)) return error;
  return add_object(object, path_number(""), 0);
}

error_code JsonRecord::add_object(simdjson::ondemand::object& object, std::uint64_t path, int depth) {
  return each_member(object, [&](std::string_view key, Elements::Value& member) {
    return add(member, path_number(key, depth == 0 ? path : path_number(".", path)), depth, key);
  });
}

error_code JsonRecord::add(Elements::Value& value, std::uint64_t path, int depth, std::string_view key) {
  const auto text = json::token(value);
  if (text.empty()) return simdjson::SUCCESS;
  if (text.front() == '{') {
    if (depth >= kMaxDepth) return simdjson::SUCCESS;
    simdjson::ondemand::object object;
    if (const auto error = value.get_object().get(object)) return error;
    return add_object(object, path, depth + 1);
  }
  if (text.front() == '[') {
    if (key != "records" && key != "operations") return simdjson::SUCCESS;
    simdjson::ondemand::array array;
    if (const auto error = value.get_array().get(array)) return error;
    if (key == "records") return add_counters(array);
    for (auto element : array) {
      Elements::Value name;
      if (const auto error = element.get(name)) return error;
      names_.push_back(json::token(name));
    }
    return simdjson::SUCCESS;
  }
  if (fields_.size() < kMaxFields) fields_.emplace_back(path, text);
  return simdjson::SUCCESS;
}

error_code JsonRecord::add_counters(simdjson::ondemand::array& array) {
  for (auto element : array) {
    Elements::Value value;
    if (const auto error = element.get(value)) return error;
    const auto text = json::token(value);
    if (text.empty() || text.front() != '{') continue;
    simdjson::ondemand::object object;
    if (const auto error = value.get_object().get(object)) return error;
    std::pair<std::string_view, std::string_view> counter;
    const auto error = each_member(object, [&](std::string_view key, Elements::Value& member) -> error_code {
      const auto written = json::token(member);
      if (key == "value") counter.second = written;
      if (key != "counter_id") return simdjson::SUCCESS;
      if (!written.empty() && written.front() != '{') {
        counter.first = written;
        return simdjson::SUCCESS;
      }
      simdjson::ondemand::object id;
      if (const auto bad = member.get_object().get(id)) return bad;
      return each_member(id, [&](std::string_view name, Elements::Value& handle) {
        if (name == "handle") counter.first = json::token(handle);
        return simdjson::SUCCESS;
      });
    });
    if (error) return error;
    counters_.push_back(counter);
  }
  return simdjson::SUCCESS;
}

std::string_view JsonRecord::written(std::uint64_t path) const {
  const auto found =
      std::find_if(fields_.rbegin(), fields_.rend(), [&](const auto& f) { return f.first == path; });
  return found == fields_.rend() ? std::string_view() : found->second;
}

} // namespace jitterscope::import::rocm
