#include "core/import/sqlite/leaf_scan.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace jitterscope::import::sqlite {
namespace {

constexpr unsigned char kInteriorTable = 5, kLeafTable = 13;
constexpr std::size_t kDeepest = 40; // a tree of 2^32 pages is less deep

std::uint32_t big_endian(const unsigned char* bytes, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | bytes[i];
  return value;
}

// A variable-length integer (1 to 9 bytes); false when it does not end before `end`.
bool read_varint(const unsigned char*& at, const unsigned char* end, std::uint64_t& value) {
  if (at < end && *at < 0x80) { // nearly always
    value = *at++;
    return true;
  }
  value = 0;
  for (int i = 0; i < 9 && at < end; ++i) {
    const unsigned char byte = *at++;
    if (i == 8) {
      value = value << 8 | byte;
      return true;
    }
    value = value << 7 | (byte & 0x7F);
    if (byte < 0x80) return true;
  }
  return false;
}

std::uint64_t size_of_serial(std::uint64_t type) {
  static constexpr std::uint8_t kSizes[12] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  return type < 12 ? kSizes[type] : (type - 12) / 2;
}

std::int64_t signed_integer(const unsigned char* bytes, std::size_t count) {
  std::uint64_t value = bytes[0] & 0x80 ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[i];
  return static_cast<std::int64_t>(value);
}

// How much of a payload lies in the leaf (file format, section 1.6).
std::uint64_t local_bytes(std::uint64_t size, std::size_t usable) {
  if (size <= usable - 35) return size;
  const auto least = (usable - 12) * 32 / 255 - 23;
  const auto here = least + (size - least) % (usable - 4);
  return here > usable - 35 ? least : here;
}

Cell cell_of(std::uint64_t type, const unsigned char* bytes, std::size_t size) {
  Cell cell;
  if (type == 0) return cell;
  if (type == 8 || type == 9) {
    cell.kind = Cell::Kind::Integer;
    cell.integer = static_cast<std::int64_t>(type - 8);
  } else if (type < 7) {
    cell.kind = Cell::Kind::Integer;
    cell.integer = signed_integer(bytes, size);
  } else if (type == 7) {
    cell.kind = Cell::Kind::Real;
    cell.integer = signed_integer(bytes, size);
  } else {
    cell.kind = type % 2 == 1 ? Cell::Kind::Text : Cell::Kind::Blob;
    cell.bytes = {reinterpret_cast<const char*>(bytes), size};
  }
  return cell;
}

} // namespace

std::unique_ptr<PageFile> PageFile::open(const std::string& path) {
  auto file = std::make_unique<PageFile>();
  file->file_.reset(std::fopen(path.c_str(), "rb"));
  unsigned char head[100];
  if (!file->file_ || std::fread(head, 1, sizeof head, file->file_.get()) != sizeof head) return nullptr;
  std::setvbuf(file->file_.get(), nullptr, _IONBF, 0);
  const auto size = big_endian(head + 16, 2);
  file->page_size_ = size == 1 ? 65'536 : size;
  const bool power = (file->page_size_ & (file->page_size_ - 1)) == 0;
  const auto reserved = head[20];
  const bool utf8 = big_endian(head + 56, 4) == 1;
  if (file->page_size_ < 512 || !power || !utf8 || file->page_size_ - reserved < 480) return nullptr;
  file->usable_ = file->page_size_ - reserved;
  if (std::fseek(file->file_.get(), 0, SEEK_END) != 0) return nullptr;
  const auto bytes = std::ftell(file->file_.get());
  if (bytes < 0) return nullptr;
  file->pages_ = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(bytes) / file->page_size_, 0xFFFFFFFEu));
  return file;
}

const unsigned char* PageFile::page(std::uint32_t number) {
  if (number == 0 || number > pages_) return nullptr;
  const auto offset = std::uint64_t{number - 1} * page_size_;
  const auto wanted = static_cast<std::int64_t>(offset / kBlock);
  auto& block = blocks_[static_cast<std::size_t>(wanted) % kBlocks];
  if (block.number != wanted) {
    block.number = -1;
    block.bytes.resize(kBlock);
    if (std::fseek(file_.get(), static_cast<long>(wanted) * static_cast<long>(kBlock), SEEK_SET) != 0)
      return nullptr;
    const auto got = std::fread(block.bytes.data(), 1, kBlock, file_.get());
    block.bytes.resize(got);
    block.number = wanted;
  }
  const auto at = offset % kBlock;
  return at + page_size_ <= block.bytes.size() ? block.bytes.data() + at : nullptr;
}

LeafScan::LeafScan(std::unique_ptr<PageFile> file, std::uint32_t root, std::vector<int> columns)
    : file_(std::move(file)), cells_(columns.size()) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0) continue;
    const auto place = static_cast<std::size_t>(columns[i]);
    if (wanted_.size() <= place) wanted_.resize(place + 1, -1);
    wanted_[place] = static_cast<int>(i);
  }
  path_.push_back({{root}, 0});
}

// Goes down to the next leaf. False at the end and when a page makes no sense; path_ is empty only at the
// end.
bool LeafScan::descend() {
  while (!path_.empty()) {
    auto& level = path_.back();
    if (level.next == level.children.size()) {
      path_.pop_back();
      continue;
    }
    if (path_.size() > kDeepest || ++visited_ > file_->pages()) return false;
    const auto depth = path_.size();
    if (!enter(level.children[level.next++])) return false;
    if (path_.size() == depth) return true; // it was a leaf
  }
  return false;
}

// Reads a page: children of an interior one become a level of the path, a leaf becomes the current one.
bool LeafScan::enter(std::uint32_t number) {
  const auto* page = file_->page(number);
  if (!page) return false;
  const std::size_t header = number == 1 ? 100 : 0; // the first page begins with the file's header
  const auto kind = page[header];
  const std::size_t cells = big_endian(page + header + 3, 2);
  const std::size_t pointers = header + (kind == kInteriorTable ? 12 : 8);
  if ((kind != kInteriorTable && kind != kLeafTable) || cells > (file_->page_size() - 8) / 6 ||
      pointers + 2 * cells > file_->usable())
    return false;
  if (kind == kLeafTable) {
    leaf_.assign(page, page + file_->page_size());
    leaf_cells_ = cells;
    next_cell_ = 0;
    header_ = pointers;
    return cells_fit();
  }
  Level level;
  for (std::size_t i = 0; i < cells; ++i) {
    const std::size_t at = big_endian(page + pointers + 2 * i, 2);
    if (at < pointers + 2 * cells || at + 5 > file_->usable()) return false;
    level.children.push_back(big_endian(page + at, 4));
  }
  level.children.push_back(big_endian(page + header + 8, 4));
  path_.push_back(std::move(level));
  return true;
}

// Every cell of the leaf lies behind the pointers and inside the page.
bool LeafScan::cells_fit() const {
  const auto usable = file_->usable();
  for (std::size_t i = 0; i < leaf_cells_; ++i) {
    const std::size_t at = big_endian(leaf_.data() + header_ + 2 * i, 2);
    if (at < header_ + 2 * leaf_cells_ || at + 4 > usable) return false;
    const unsigned char* cursor = leaf_.data() + at;
    const unsigned char* end = leaf_.data() + usable;
    std::uint64_t size = 0, id = 0;
    if (!read_varint(cursor, end, size) || !read_varint(cursor, end, id)) return false;
    const auto local = local_bytes(size, usable);
    if (local + (local < size ? 4 : 0) > static_cast<std::uint64_t>(end - cursor)) return false;
  }
  return true;
}

LeafScan::Step LeafScan::next() {
  while (!started_ || next_cell_ == leaf_cells_) {
    started_ = true;
    if (!descend()) return path_.empty() ? Step::End : Step::Unsure;
  }
  return read_cell();
}

LeafScan::Step LeafScan::read_cell() {
  const std::size_t at = big_endian(leaf_.data() + header_ + 2 * next_cell_++, 2);
  const auto usable = file_->usable();
  if (at >= usable) return Step::Unsure;
  const unsigned char* cursor = leaf_.data() + at;
  const unsigned char* end = leaf_.data() + usable;
  std::uint64_t size = 0, id = 0;
  if (!read_varint(cursor, end, size) || !read_varint(cursor, end, id)) return Step::Unsure;
  const auto row = static_cast<std::int64_t>(id);
  if (any_ && row <= row_id_) return Step::Unsure; // rows stand in ascending order
  const auto here = local_bytes(size, usable);
  if (static_cast<std::uint64_t>(end - cursor) < here) return Step::Unsure;
  bool far = false;
  if (!decode(cursor, static_cast<std::size_t>(here), size, far)) return Step::Unsure;
  row_id_ = row;
  any_ = true;
  return far ? Step::Far : Step::Row;
}

// False when the record makes no sense; `far` when a wanted value lies beyond the `here` bytes of this page.
bool LeafScan::decode(const unsigned char* payload, std::size_t here, std::uint64_t size, bool& far) {
  const unsigned char* type_at = payload;
  std::uint64_t header = 0;
  if (!read_varint(type_at, payload + here, header) || header > size) return false;
  if (header > here) {
    far = true;
    return true;
  }
  const unsigned char* types_end = payload + header;
  if (type_at > types_end) return false;
  std::uint64_t offset = header;
  std::size_t place = 0;
  for (; place < wanted_.size() && type_at < types_end; ++place) {
    std::uint64_t type = 0;
    if (!read_varint(type_at, types_end, type) || type == 10 || type == 11) return false;
    const auto bytes = size_of_serial(type);
    if (bytes > size - offset) return false;
    if (wanted_[place] >= 0) {
      if (offset + bytes > here) {
        far = true;
        return true;
      }
      cells_[static_cast<std::size_t>(wanted_[place])] =
          cell_of(type, payload + offset, static_cast<std::size_t>(bytes));
    }
    offset += bytes;
  }
  if (type_at == types_end && offset != size) return false;
  // Rows that are older than a column do not have it: SQLite reads its default, which is not known here.
  for (; place < wanted_.size(); ++place)
    if (wanted_[place] >= 0) {
      far = true;
      return true;
    }
  return true;
}

} // namespace jitterscope::import::sqlite
