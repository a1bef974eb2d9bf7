#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "core/import/sqlite/database.h"
#include "tests/fuzz/fuzz_reader.h"

namespace jitterscope::import {

/// A table of one kind of database, as its reader queries it.
struct FuzzTable {
  const char* name;
  std::vector<const char*> columns;
};

/// Input of a reader of databases. Arbitrary bytes are almost never an SQLite file, so they describe rows for
/// a valid one: a byte selects a table, then each cell has a byte for its type. Bytes that begin like an
/// SQLite file are used unchanged.
struct FuzzDatabase {
  std::vector<FuzzTable> tables;
  std::vector<const char*> texts; ///< values of text cells, in addition to arbitrary text
  std::int64_t epoch = 0;         ///< most times are near this value
  bool (*recognises)(const sqlite::Database&) = nullptr;
  Expected<void> (*read)(sqlite::Database&, const Input&, Draft&, store::Source&, const Progress&) = nullptr;
};

class FuzzBytes {
public:
  explicit FuzzBytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool done() const { return at_ >= bytes_.size(); }
  std::uint64_t integer(int size) {
    std::uint64_t value = 0;
    for (int i = 0; i < size; ++i) value = value << 8 | (done() ? 0U : bytes_[at_++]);
    return value;
  }
  std::string_view text(std::size_t size) {
    const auto from = at_;
    at_ = std::min(at_ + size, bytes_.size());
    return {reinterpret_cast<const char*>(bytes_.data()) + from, at_ - from};
  }

private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

/// Binds a value made of `bytes` to the parameter of the statement with the number `parameter`.
inline void bind_cell(sqlite3_stmt* insert, int parameter, const FuzzDatabase& kind, FuzzBytes& bytes) {
  const auto text = [&](std::string_view value) {
    sqlite3_bind_text(insert, parameter, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
  };
  switch (bytes.integer(1) % 16) {
  case 0:
    sqlite3_bind_null(insert, parameter);
    break;
  case 1:
    sqlite3_bind_int64(insert, parameter, static_cast<std::int64_t>(bytes.integer(8)));
    break;
  case 2:
    sqlite3_bind_int64(insert, parameter, static_cast<std::int32_t>(bytes.integer(4)));
    break;
  case 3: {
    const auto size = bytes.integer(1) % 64;
    text(bytes.text(size));
    break;
  }
  case 4: {
    const auto bits = bytes.integer(8);
    double value = 0;
    static_assert(sizeof value == sizeof bits);
    std::copy_n(reinterpret_cast<const char*>(&bits), sizeof value, reinterpret_cast<char*>(&value));
    sqlite3_bind_double(insert, parameter, value);
    break;
  }
  case 5: {
    const auto value = bytes.text(bytes.integer(1) % 16);
    sqlite3_bind_blob(insert, parameter, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
    break;
  }
  case 6:
  case 7:
    text(kind.texts[bytes.integer(1) % kind.texts.size()]);
    break;
  case 8:
  case 9:
  case 10:
    sqlite3_bind_int64(insert, parameter, kind.epoch + static_cast<std::int64_t>(bytes.integer(3)));
    break;
  case 11:
    sqlite3_bind_int64(insert, parameter, static_cast<std::int64_t>(bytes.integer(1)));
    break;
  default:
    sqlite3_bind_int64(insert, parameter, static_cast<std::int64_t>(bytes.integer(1) % 8));
    break;
  }
}

/// The bytes of an SQLite file with the rows that `bytes` describe. The first byte selects a table to leave
/// out, the second a column.
inline std::string fuzz_file(const FuzzDatabase& kind, FuzzBytes& bytes) {
  sqlite3* opened = nullptr;
  if (sqlite3_open(":memory:", &opened) != SQLITE_OK) std::abort();
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, sqlite3_close);
  using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;
  std::vector<Statement> inserts;
  std::vector<std::size_t> widths;
  const auto without_table = bytes.integer(1), without_column = bytes.integer(1);
  std::size_t columns_before = 0;
  sqlite3_exec(opened, "PRAGMA journal_mode=OFF; BEGIN", nullptr, nullptr, nullptr);
  for (std::size_t t = 0; t < kind.tables.size(); ++t) {
    std::string columns, marks;
    std::size_t width = 0;
    for (const auto* column : kind.tables[t].columns) {
      if (++columns_before == without_column) continue;
      columns += (width ? ", " : "") + sqlite::identifier(column);
      marks += width++ ? ", ?" : "?";
    }
    if (width == 0 || t + 1 == without_table) continue;
    const auto name = sqlite::identifier(kind.tables[t].name);
    if (sqlite3_exec(opened, ("CREATE TABLE " + name + " (" + columns + ")").c_str(), nullptr, nullptr,
                     nullptr) != SQLITE_OK)
      std::abort();
    sqlite3_stmt* insert = nullptr;
    if (sqlite3_prepare_v2(opened, ("INSERT INTO " + name + " VALUES (" + marks + ")").c_str(), -1, &insert,
                           nullptr) != SQLITE_OK)
      std::abort();
    inserts.emplace_back(insert, sqlite3_finalize);
    widths.push_back(width);
  }
  while (!bytes.done()) {
    const auto t = bytes.integer(1) % inserts.size();
    for (std::size_t c = 0; c < widths[t]; ++c)
      bind_cell(inserts[t].get(), static_cast<int>(c) + 1, kind, bytes);
    sqlite3_step(inserts[t].get());
    sqlite3_reset(inserts[t].get());
  }
  inserts.clear();
  sqlite3_exec(opened, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> file(sqlite3_serialize(opened, "main", &size, 0),
                                                             sqlite3_free);
  return file ? std::string(reinterpret_cast<const char*>(file.get()), static_cast<std::size_t>(size))
              : std::string();
}

inline const FuzzDatabase*& fuzzed_database() {
  static const FuzzDatabase* kind = nullptr;
  return kind;
}

inline Expected<void> read_fuzzed_database(std::span<const Input> inputs, Draft& draft, store::Source& source,
                                           const Progress& progress) {
  const auto file = inputs.front().local(progress.job);
  if (!file) return forward(file.error());
  auto database = sqlite::Database::open(file->path(), progress.job);
  if (!database) return forward(database.error());
  (void)fuzzed_database()->recognises(**database);
  return fuzzed_database()->read(**database, inputs.front(), draft, source, progress);
}

inline int fuzz_database(const FuzzDatabase& kind, const std::uint8_t* bytes, std::size_t size) {
  fuzzed_database() = &kind;
  Reader reader;
  reader.recognises = [](const Input&) { return true; };
  reader.read = read_fuzzed_database;
  const std::string_view given(reinterpret_cast<const char*>(bytes), size);
  if (given.starts_with("SQLite format 3")) return fuzz_reader(reader, bytes, size);
  FuzzBytes rows({bytes, size});
  const auto file = fuzz_file(kind, rows);
  return fuzz_reader(reader, reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
}

} // namespace jitterscope::import
