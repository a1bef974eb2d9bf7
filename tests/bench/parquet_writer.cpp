#include "tests/bench/parquet_writer.h"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace jitterscope::bench {
namespace {

constexpr std::string_view kMagic = "PAR1";
constexpr int kPlain = 0, kRunLength = 3; // encodings

/// A structure in Thrift's compact protocol: fields in ascending order.
class Fields {
public:
  Fields& number(int field, std::int64_t value, bool wide = false) {
    head(field, wide ? 6 : 5);
    put(zigzag(value));
    return *this;
  }
  Fields& text(int field, std::string_view value) {
    head(field, 8);
    put_text(value);
    return *this;
  }
  Fields& structure(int field, const Fields& value) {
    head(field, 12);
    bytes_ += value.ended();
    return *this;
  }
  Fields& numbers(int field, std::initializer_list<std::int64_t> values) {
    list(field, 5, values.size());
    for (const auto value : values) put(zigzag(value));
    return *this;
  }
  Fields& texts(int field, std::initializer_list<std::string_view> values) {
    list(field, 8, values.size());
    for (const auto value : values) put_text(value);
    return *this;
  }
  Fields& structures(int field, const std::vector<Fields>& values) {
    list(field, 12, values.size());
    for (const auto& value : values) bytes_ += value.ended();
    return *this;
  }
  std::string ended() const { return bytes_ + '\0'; }

private:
  static std::uint64_t zigzag(std::int64_t value) {
    return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
  }
  void put(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_ += static_cast<char>(value % 128 + 128);
    bytes_ += static_cast<char>(value);
  }
  void put_text(std::string_view value) {
    put(value.size());
    bytes_ += value;
  }
  void head(int field, int type) {
    bytes_ += static_cast<char>((field - last_) << 4 | type); // field numbers differ by less than 16
    last_ = field;
  }
  void list(int field, int type, std::size_t count) {
    head(field, 9);
    if (count < 15) {
      bytes_ += static_cast<char>(count << 4 | static_cast<unsigned>(type));
      return;
    }
    bytes_ += static_cast<char>(0xF0 | type);
    put(count);
  }

  std::string bytes_;
  int last_ = 0;
};

int physical_type(ParquetType type) {
  return type == ParquetType::Int64 ? 2 : 1;
}

Fields schema_element(const ParquetWriter::Column& column) {
  Fields element;
  element.number(1, physical_type(column.type)).number(3, 0).text(4, column.name);
  if (column.type == ParquetType::UInt16) element.number(6, 12);
  if (column.type == ParquetType::UInt32) element.number(6, 13);
  return element;
}

} // namespace

ParquetWriter::ParquetWriter(const std::string& path, std::vector<Column> columns)
    : path_(path), columns_(std::move(columns)), out_(path, std::ios::binary) {
  out_ << kMagic;
  written_ = static_cast<std::int64_t>(kMagic.size());
}

void ParquetWriter::begin_group(std::size_t rows) {
  groups_.push_back({static_cast<std::int64_t>(rows), {}});
}

void ParquetWriter::add(std::span<const std::byte> values) {
  auto& group = groups_.back();
  const auto size = static_cast<std::int64_t>(values.size());
  Fields page;
  page.number(1, 0).number(2, size).number(3, size);
  page.structure(
      5, Fields().number(1, group.rows).number(2, kPlain).number(3, kRunLength).number(4, kRunLength));
  const auto head = page.ended();
  out_ << head;
  out_.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(size));
  const auto bytes = static_cast<std::int64_t>(head.size()) + size;
  group.chunks.push_back({written_, bytes});
  written_ += bytes;
}

std::string ParquetWriter::footer() const {
  std::vector<Fields> schema{Fields().text(4, "rows").number(5, static_cast<std::int64_t>(columns_.size()))};
  for (const auto& column : columns_) schema.push_back(schema_element(column));
  std::vector<Fields> groups;
  std::int64_t rows = 0;
  for (const auto& group : groups_) {
    std::vector<Fields> chunks;
    std::int64_t bytes = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto& chunk = group.chunks[c];
      const auto meta = Fields()
                            .number(1, physical_type(columns_[c].type))
                            .numbers(2, {kPlain, kRunLength})
                            .texts(3, {columns_[c].name})
                            .number(4, 0)
                            .number(5, group.rows, true)
                            .number(6, chunk.bytes, true)
                            .number(7, chunk.bytes, true)
                            .number(9, chunk.offset, true);
      chunks.push_back(Fields().number(2, chunk.offset, true).structure(3, meta));
      bytes += chunk.bytes;
    }
    groups.push_back(Fields().structures(1, chunks).number(2, bytes, true).number(3, group.rows, true));
    rows += group.rows;
  }
  return Fields().number(1, 1).structures(2, schema).number(3, rows, true).structures(4, groups).ended();
}

Expected<void> ParquetWriter::finish() {
  const auto text = footer();
  out_ << text;
  for (unsigned shift = 0; shift < 32; shift += 8) out_.put(static_cast<char>(text.size() >> shift & 0xFF));
  out_ << kMagic;
  out_.flush();
  if (!out_) return failure(ErrorKind::Io, "the file cannot be written", path_);
  return {};
}

} // namespace jitterscope::bench
