#include "core/engine/messages/table_json.h"

#include <cctype>
#include <cmath>

#include <flatbuffers/minireflect.h>

namespace jitterscope::engine {
namespace {

using flatbuffers::ElementaryType;
using flatbuffers::TypeTable;
using nlohmann::json;

/// Makes JSON of the values that flatbuffers::IterateValue() visits.
class Writer final : public flatbuffers::IterationVisitor {
public:
  json take() { return std::move(value_); }

  void UType(std::uint8_t value, const char* name) override { put_enum(value, name); }
  void Bool(bool value) override { put(value); }
  void Char(std::int8_t value, const char* name) override { put_enum(value, name); }
  void UChar(std::uint8_t value, const char* name) override { put_enum(value, name); }
  void Short(std::int16_t value, const char* name) override { put_enum(value, name); }
  void UShort(std::uint16_t value, const char* name) override { put_enum(value, name); }
  void Int(std::int32_t value, const char* name) override { put_enum(value, name); }
  void UInt(std::uint32_t value, const char* name) override { put_enum(value, name); }
  void Long(std::int64_t value) override { put(value); }
  void ULong(std::uint64_t value) override { put(value); }
  void Float(float value) override { Double(value); }
  void Double(double value) override { put(std::isnan(value) ? json() : json(value)); }
  void String(const flatbuffers::String* text) override { put(text->str()); }

  void StartSequence() override { open(json::object()); }
  void EndSequence() override { close(); }
  void StartVector() override { open(json::array()); }
  void EndVector() override { close(); }
  void Field(std::size_t, std::size_t, ElementaryType type, bool is_vector, const TypeTable*,
             const char* name, const std::uint8_t* value) override {
    key_ = name;
    if (key_.ends_with('_')) key_.pop_back(); // flatc appends it to names that are keywords of C++
    if (value) return;
    if (is_vector)
      put(json::array());
    else if (type == flatbuffers::ET_STRING)
      put(json(""));
    else if (type != flatbuffers::ET_SEQUENCE)
      put(json());
  }

private:
  template <class Value>
  void put_enum(Value value, const char* name) {
    put(name ? json(words_of_enum(name)) : json(value));
  }
  void put(json value) {
    if (open_.empty())
      value_ = std::move(value);
    else if (auto& [key, around] = open_.back(); around.is_array())
      around.push_back(std::move(value));
    else
      around[key_] = std::move(value);
  }
  void open(json value) { open_.emplace_back(key_, std::move(value)); }
  void close() {
    auto [key, value] = std::move(open_.back());
    open_.pop_back();
    key_ = std::move(key);
    put(std::move(value));
  }

  json value_;
  std::string key_;                                ///< of the next value
  std::vector<std::pair<std::string, json>> open_; ///< unfinished objects and lists, with their keys
};

} // namespace

std::string words_of_enum(std::string_view name) {
  std::string words(name);
  for (char& c : words) c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return words;
}

json json_of_table(std::span<const std::uint8_t> bytes, const TypeTable& type) {
  Writer writer;
  flatbuffers::IterateFlatBuffer(bytes.data(), &type, &writer);
  return writer.take();
}

} // namespace jitterscope::engine
