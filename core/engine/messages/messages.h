#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::engine {

/// A request: the operation's name and its options as a JSON object.
struct Request {
  std::string operation;
  nlohmann::json options = nlohmann::json::object();
};

/// An answer: a JSON document for small data, named arrays for large data.
struct Answer {
  struct Array {
    std::string name;
    std::variant<std::vector<std::int64_t>, std::vector<std::uint32_t>, std::vector<std::uint8_t>,
                 std::vector<float>, std::vector<double>>
        values;
  };
  nlohmann::json document = nlohmann::json::object();
  std::vector<Array> arrays;

  template <class T>
  void add(std::string name, std::vector<T> values) {
    arrays.push_back({std::move(name), std::move(values)});
  }
  /// The array with this name and type; an empty array if there is none.
  template <class T>
  const std::vector<T>& get(std::string_view name) const {
    static const std::vector<T> kEmpty;
    for (const auto& array : arrays)
      if (array.name == name)
        if (const auto* values = std::get_if<std::vector<T>>(&array.values)) return *values;
    return kEmpty;
  }
};

struct Progress {
  std::int64_t done = 0;
  std::int64_t total = 0; ///< value of `done` at the end; 0: unknown
  std::string what;
};

struct Hello {
  std::uint32_t protocol = 0;
  std::uint32_t ranks = 1;
  std::string host;
  std::int64_t process = 0;
};

using Bytes = std::vector<std::uint8_t>;

/// FlatBuffers payloads. Every decoder verifies the buffer first and fails with an Engine error.
Bytes encode(const Request& request);
Bytes encode(const Answer& answer);
Bytes encode(const Progress& progress);
Bytes encode(const Error& error);
Bytes encode(const Hello& hello);
Expected<Request> decode_request(std::span<const std::uint8_t> bytes);
Expected<Answer> decode_answer(std::span<const std::uint8_t> bytes);
Expected<Progress> decode_progress(std::span<const std::uint8_t> bytes);
Expected<Error> decode_failure(std::span<const std::uint8_t> bytes);
Expected<Hello> decode_hello(std::span<const std::uint8_t> bytes);

} // namespace jitterscope::engine
