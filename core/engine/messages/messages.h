#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::engine {

using Bytes = std::vector<std::uint8_t>;

/// Options of requests and typed answers: types generated from the schemas *_options.fbs and *_answers.fbs.
template <class Type>
concept TableType = requires {
  typename Type::TableType;
};

template <TableType Table>
Bytes encode_table(const Table& values); // tables.h
std::string operation_name_of(std::string_view table);

/// Name of the operation that these options belong to, from the name of their table: WidestColumnsOptions are
/// those of "widest_columns".
template <class Options>
const std::string& operation_name() {
  static const std::string kName = operation_name_of(Options::TableType::GetFullyQualifiedName());
  return kName;
}

/// A request to an operation of the engine. Every type of options converts into the request that they make.
struct Request {
  std::string operation;
  Bytes options;       ///< encoded table; verified by the operation
  std::string channel; ///< a newer request of an operation replaces an older one on the same channel

  Request() = default;
  template <TableType Options>
  Request(const Options& requested, std::string on_channel = {}) // NOLINT(google-explicit-constructor)
      : operation(operation_name<Options>()), options(encode_table(requested)),
        channel(std::move(on_channel)) {}
  bool operator==(const Request&) const = default;

  template <TableType Options>
  bool is() const {
    return operation == operation_name<Options>();
  }
};

/// An answer: a table (table_of() in tables.h), or the JSON document that a command prints, with named arrays
/// for large data.
struct Answer {
  Answer() = default;
  template <TableType Table>
  explicit Answer(const Table& values)
      : type(Table::TableType::GetFullyQualifiedName()), table(encode_table(values)) {}

  std::string type; ///< of the table; empty: the answer is a document
  Bytes table;
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
