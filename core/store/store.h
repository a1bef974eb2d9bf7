#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/store/trace_data.h"

namespace jitterscope::store {

inline constexpr std::int64_t kFormatVersion = 2;

enum class ElementType : std::uint8_t { Int64, UInt32, UInt8, Float32, Float64 };
template <class T>
struct ElementTypeOf;
template <>
struct ElementTypeOf<std::int64_t> {
  static constexpr auto value = ElementType::Int64;
};
template <>
struct ElementTypeOf<std::uint32_t> {
  static constexpr auto value = ElementType::UInt32;
};
template <>
struct ElementTypeOf<std::uint8_t> {
  static constexpr auto value = ElementType::UInt8;
};
template <>
struct ElementTypeOf<float> {
  static constexpr auto value = ElementType::Float32;
};
template <>
struct ElementTypeOf<double> {
  static constexpr auto value = ElementType::Float64;
};

/// A column as it lies in the mapped file (or in memory where mapping is impossible).
struct ColumnView {
  std::string name;
  std::string unit;
  std::string description;
  ElementType type = ElementType::Int64;
  const std::byte* data = nullptr;
  std::size_t rows = 0;

  /// The value as a double; exact for |integers| < 2^53. kNone stays 4294967295.
  double at(std::size_t row) const;
};

struct TableView {
  std::string name;
  std::size_t rows = 0;
  std::vector<ColumnView> columns;
  const ColumnView* find(std::string_view column) const;
};

/// Writes `data` to a temporary name beside `path`, flushes it and renames it: a store is complete or not
/// there. Fails with BadInput when tables are ragged or unsorted, with Io when the disk refuses.
Expected<void> write_store(const TraceData& data, const std::string& path, const Job& job = {});

/// A store opened for reading: mapped into memory, shared with other processes, immutable. Copies share it.
class Store {
public:
  /// Checks magic, version, completeness, every reference between tables and every offset against the
  /// file's size. Errors name what is damaged and what to do.
  static Expected<Store> open(const std::string& path);

  const std::string& path() const;
  const Manifest& manifest() const;
  const std::vector<Resource>& resources() const;
  const std::vector<TableView>& tables() const;

  /// The table; an empty one when the store has none of that name.
  const TableView& table(std::string_view name) const;

  /// A required column (see TraceData) as a span of its type. The types of required columns are checked by
  /// open(), so this asserts.
  template <class T>
  std::span<const T> column(std::string_view table_name, std::string_view column_name) const {
    const ColumnView& view = require(table_name, column_name, ElementTypeOf<T>::value);
    return {reinterpret_cast<const T*>(view.data), view.rows};
  }

  std::string_view string(StringId id) const;
  std::size_t strings() const;

  /// True when the columns are mapped, false when they had to be read into memory.
  bool mapped() const;

private:
  struct Content;
  const ColumnView& require(std::string_view table, std::string_view column, ElementType type) const;
  std::shared_ptr<const Content> content_;
};

} // namespace jitterscope::store
