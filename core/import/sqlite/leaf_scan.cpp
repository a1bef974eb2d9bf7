#include "core/import/sqlite/leaf_scan.h"

#include <algorithm>
#include <bit>
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

// How much of a payload lies in the leaf (file format, section 1.6).
std::uint64_t local_bytes(std::uint64_t size, std::size_t usable) {
  if (size <= usable - 35) return size;
  const auto least = (usable - 12) * 32 / 255 - 23;
  const auto here = least + (size - least) % (usable - 4);
  return here > usable - 35 ? least : here;
}

RecordLayout::Place place_of(std::uint64_t type, std::uint64_t offset, std::uint64_t bytes) {
  RecordLayout::Place place;
  place.offset = static_cast<std::uint32_t>(offset);
  place.bytes = static_cast<std::uint32_t>(bytes);
  if (type == 0) return place;
  if (type == 8 || type == 9) {
    place.kind = Cell::Kind::Integer;
    place.integer = static_cast<std::int8_t>(type - 8);
  } else if (type <= 7) {
    place.kind = type == 7 ? Cell::Kind::Real : Cell::Kind::Integer;
    place.shift = static_cast<std::uint8_t>(64 - 8 * bytes);
  } else {
    place.kind = type % 2 == 1 ? Cell::Kind::Text : Cell::Kind::Blob;
  }
  return place;
}

// The bytes of a header in words, the rest 0; eight bytes behind it may be read.
template <std::size_t Words>
std::size_t header_words(const unsigned char* payload, std::size_t header, std::uint64_t (&words)[Words]) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < header; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, payload + at, 8);
    if (header - at < 8) {
      const auto behind = 8 * (8 - (header - at));
      word = std::endian::native == std::endian::little ? word << behind >> behind : word >> behind << behind;
    }
    words[count++] = word;
  }
  return count;
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
    block.bytes.resize(kBlock + kSlack);
    if (std::fseek(file_.get(), static_cast<long>(wanted) * static_cast<long>(kBlock), SEEK_SET) != 0)
      return nullptr;
    block.size = std::fread(block.bytes.data(), 1, kBlock, file_.get());
    block.number = wanted;
  }
  const auto at = offset % kBlock;
  return at + page_size_ <= block.size ? block.bytes.data() + at : nullptr;
}

LeafScan::LeafScan(std::unique_ptr<PageFile> file, std::uint32_t root, std::vector<int> columns)
    : file_(std::move(file)), layouts_(kLayouts), odd_places_(columns.size()) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0) continue;
    const auto place = static_cast<std::size_t>(columns[i]);
    if (wanted_.size() <= place) wanted_.resize(place + 1, -1);
    wanted_[place] = static_cast<int>(i);
  }
  places_ = odd_places_.data();
  path_.push_back({{root}, 0});
}

Cell LeafScan::cell(int column) const {
  Cell cell;
  cell.kind = kind(column);
  if (cell.kind == Cell::Kind::Integer || cell.kind == Cell::Kind::Real) cell.integer = integer(column);
  if (cell.kind == Cell::Kind::Text || cell.kind == Cell::Kind::Blob) cell.bytes = bytes(column);
  return cell;
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
    leaf_ = page;
    return find_records(pointers, cells);
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

// False unless every cell of the leaf lies behind the pointers and inside the page.
bool LeafScan::find_records(std::size_t pointers, std::size_t count) {
  records_.clear();
  next_cell_ = 0;
  const auto usable = file_->usable();
  const unsigned char* end = leaf_ + usable;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = big_endian(leaf_ + pointers + 2 * i, 2);
    if (at < pointers + 2 * count || at + 4 > usable) return false;
    const unsigned char* cursor = leaf_ + at;
    std::uint64_t size = 0, id = 0;
    if (!read_varint(cursor, end, size) || !read_varint(cursor, end, id)) return false;
    const auto local = local_bytes(size, usable);
    if (local + (local < size ? 4 : 0) > static_cast<std::uint64_t>(end - cursor)) return false;
    records_.push_back({static_cast<std::uint32_t>(cursor - leaf_), static_cast<std::uint32_t>(local),
                        size, static_cast<std::int64_t>(id)});
  }
  return true;
}

LeafScan::Step LeafScan::next_leaf() {
  do {
    records_.clear();
    next_cell_ = 0;
    if (!descend()) {
      records_.clear();
      return path_.empty() ? Step::End : Step::Unsure;
    }
  } while (records_.empty());
  return read_record();
}

LeafScan::Step LeafScan::read_record() {
  const auto& record = records_[next_cell_++];
  if (any_ && record.row_id <= row_id_) return Step::Unsure; // rows stand in ascending order
  payload_ = leaf_ + record.payload;
  bool far = false;
  if (!find_layout(record, far)) return Step::Unsure;
  row_id_ = record.row_id;
  any_ = true;
  return far ? Step::Far : Step::Row;
}

// False when the record makes no sense; `far` when a wanted value lies beyond the bytes of this page.
bool LeafScan::find_layout(const Record& record, bool& far) {
  const std::size_t header = *payload_;
  constexpr auto kLongest = 8 * RecordLayout::kHeaderWords;
  if (header == 0 || header > kLongest || header > record.size || record.here < record.size) {
    places_ = odd_places_.data();
    return take_apart(payload_, record, odd_places_, far);
  }
  std::uint64_t words[RecordLayout::kHeaderWords];
  const auto count = header_words(payload_, header, words);
  std::uint64_t hash = record.size;
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15ull;
  auto& layout = layouts_[hash >> 55];
  static_assert(kLayouts == std::size_t{1} << (64 - 55));
  bool same = layout.size == record.size;
  for (std::size_t i = 0; i < count; ++i) same = same && layout.header[i] == words[i];
  if (!same) {
    layout.size = 0;
    layout.places.assign(odd_places_.size(), {});
    if (!take_apart(payload_, record, layout.places, far)) return false;
    if (!far) layout.size = record.size;
    std::copy_n(words, count, layout.header);
  }
  places_ = layout.places.data();
  return true;
}

// As find_layout().
bool LeafScan::take_apart(const unsigned char* payload, const Record& record, std::vector<Place>& places,
                          bool& far) const {
  const auto here = record.here;
  const unsigned char* type_at = payload;
  std::uint64_t header = 0;
  if (!read_varint(type_at, payload + here, header) || header > record.size) return false;
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
    if (bytes > record.size - offset) return false;
    if (wanted_[place] >= 0) {
      if (offset + bytes > here) {
        far = true;
        return true;
      }
      places[static_cast<std::size_t>(wanted_[place])] = place_of(type, offset, bytes);
    }
    offset += bytes;
  }
  if (type_at == types_end && offset != record.size) return false;
  // Rows that are older than a column do not have it: SQLite reads its default, which is not known here.
  for (; place < wanted_.size(); ++place)
    if (wanted_[place] >= 0) {
      far = true;
      return true;
    }
  return true;
}

} // namespace jitterscope::import::sqlite
