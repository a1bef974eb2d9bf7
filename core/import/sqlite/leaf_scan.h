#pragma once

#include <cstdint>
#include <cstdio>
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
  /// Page 1, 2, …; nothing beyond the file's end or when the disk does not answer.
  const unsigned char* page(std::uint32_t number);

private:
  static constexpr std::size_t kBlock = 65'536, kBlocks = 4;
  struct Block {
    std::int64_t number = -1;
    std::vector<unsigned char> bytes;
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
  Step next();

  std::int64_t row_id() const { return row_id_; }
  const Cell& cell(int column) const { return cells_[static_cast<std::size_t>(column)]; }

private:
  struct Level {
    std::vector<std::uint32_t> children;
    std::size_t next = 0;
  };
  bool descend();
  bool enter(std::uint32_t page);
  bool cells_fit() const;
  Step read_cell();
  bool decode(const unsigned char* payload, std::size_t here, std::uint64_t size, bool& far);

  std::unique_ptr<PageFile> file_;
  std::vector<int> wanted_; // by place in the record: index into cells_, −1 not wanted
  std::vector<Cell> cells_;
  std::vector<Level> path_;
  std::vector<unsigned char> leaf_; // a copy: blocks come and go
  std::size_t leaf_cells_ = 0, next_cell_ = 0, header_ = 0;
  std::int64_t row_id_ = 0;
  std::uint32_t visited_ = 0;
  bool started_ = false, any_ = false;
};

} // namespace jitterscope::import::sqlite
