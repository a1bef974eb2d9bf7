#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jitterscope::import::sqlite {

/// The pages of an SQLite database file (https://www.sqlite.org/fileformat2.html, sections 1.2 and 1.3), read
/// in blocks. A page stays valid until other blocks have been read.
class PageFile {
public:
  /// Nothing when the file is not one whose tables can be read without SQLite: its text is not UTF-8, or its
  /// header makes no sense.
  static std::unique_ptr<PageFile> open(const std::string& path);

  std::uint32_t pages() const { return pages_; }
  std::size_t page_size() const { return page_size_; }
  /// Bytes of a page that b-trees use.
  std::size_t usable() const { return usable_; }
  /// Page 1, 2, …; nothing beyond the file's end or when the disk does not answer. kSlack bytes behind it may
  /// be read.
  const unsigned char* page(std::uint32_t number);
  static constexpr std::size_t kSlack = 8;

private:
  static constexpr std::size_t kBlock = 65'536, kBlocks = 4;
  struct Block {
    std::int64_t number = -1;
    std::size_t size = 0;
    std::vector<unsigned char> bytes; // and the slack
  };

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
  std::size_t page_size_ = 0, usable_ = 0;
  std::uint32_t pages_ = 0;
  Block blocks_[kBlocks];
};

/// One value of a row, as it lies in its page.
struct Cell {
  enum class Kind : std::uint8_t { Null, Integer, Real, Text, Blob };
  Kind kind = Kind::Null;
  std::int64_t integer = 0; ///< of an Integer; the bits of a Real
  std::string_view bytes;   ///< of a Text or Blob, valid until the next row
};

/// Where the wanted values of a record lie. The header of a record alone decides it, and a table has few
/// different headers: each is taken apart once, then found again by its bytes.
struct RecordLayout {
  struct Place {
    std::uint32_t offset = 0, bytes = 0; ///< in the payload
    Cell::Kind kind = Cell::Kind::Null;
    std::uint8_t shift = 0;  ///< of a number: bits below it in eight bytes from `offset`
    std::int8_t integer = 0; ///< of an Integer that takes no bytes
  };
  static constexpr std::size_t kHeaderWords = 8;
  std::vector<Place> places;           ///< by wanted column
  std::uint64_t header[kHeaderWords]{}; ///< its bytes, the rest 0
  std::uint64_t size = 0;               ///< of the payload, 0: nothing is here
};

/// Walks over the leaf pages of a table in the order of its row numbers and decodes the wanted columns only:
/// several times faster than stepping through a statement.
class LeafScan {
public:
  /// `columns`: place in the record of each wanted column, −1 for one that reads as NULL.
  LeafScan(std::unique_ptr<PageFile> file, std::uint32_t root, std::vector<int> columns);

  enum class Step {
    Row,   ///< the cells are those of the next row
    Far,   ///< the next row continues on overflow pages: ask SQLite for row_id()
    End,   ///< there is none
    Unsure ///< something is not as it should be: ask SQLite for all rows
  };
  Step next() { return next_cell_ < records_.size() ? read_record() : next_leaf(); }

  std::int64_t row_id() const { return row_id_; }

  // Of the current row. Values are decoded when they are asked for.
  Cell::Kind kind(int column) const { return place(column).kind; }
  /// Of an Integer, or the bits of a Real.
  std::int64_t integer(int column) const {
    const auto& at = place(column);
    return at.bytes == 0 ? at.integer : number_at(payload_ + at.offset) >> at.shift;
  }
  /// Of a Text or Blob, valid until the next row.
  std::string_view bytes(int column) const {
    const auto& at = place(column);
    return {reinterpret_cast<const char*>(payload_ + at.offset), at.bytes};
  }
  Cell cell(int column) const;

private:
  using Place = RecordLayout::Place;
  struct Level {
    std::vector<std::uint32_t> children;
    std::size_t next = 0;
  };
  /// A record of the current leaf.
  struct Record {
    std::uint32_t payload = 0, here = 0; ///< first byte, and how many of them lie in the leaf
    std::uint64_t size = 0;
    std::int64_t row_id = 0;
  };
  static constexpr std::size_t kLayouts = 512;

  // Reads eight bytes, whatever the number has: the file's slack.
  static std::int64_t number_at(const unsigned char* bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    if constexpr (std::endian::native == std::endian::little) value = __builtin_bswap64(value);
    return static_cast<std::int64_t>(value);
  }
  const Place& place(int column) const { return places_[column]; }
  bool descend();
  bool enter(std::uint32_t page);
  bool find_records(std::size_t pointers, std::size_t count);
  Step next_leaf();
  Step read_record();
  bool find_layout(const Record& record, bool& far);
  bool take_apart(const unsigned char* payload, const Record& record, std::vector<Place>& places,
                  bool& far) const;

  std::unique_ptr<PageFile> file_;
  std::vector<int> wanted_; // by place in the record: wanted column, −1 not wanted
  std::vector<Level> path_;
  const unsigned char* leaf_ = nullptr; // no other page is read as long as it has records
  std::vector<Record> records_;     // of the leaf
  std::size_t next_cell_ = 0;
  std::vector<RecordLayout> layouts_; // by a hash of the header
  std::vector<Place> odd_places_;     // of a record that has no place there
  const unsigned char* payload_ = nullptr;
  const Place* places_ = nullptr;
  std::int64_t row_id_ = 0;
  std::uint32_t visited_ = 0;
  bool any_ = false;
};

} // namespace jitterscope::import::sqlite
