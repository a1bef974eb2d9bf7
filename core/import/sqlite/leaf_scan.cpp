#include "core/import/sqlite/leaf_scan.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace jitterscope::import::sqlite {
namespace {

constexpr unsigned char kInteriorTable = 5, kLeafTable = 13;
constexpr std::size_t kFileHeader = 100; // size of the header at the beginning of the first page [B]
constexpr std::size_t kHashes = 512;
constexpr std::size_t kDeepest = 40; // maximum depth of a tree; even one of 2^32 pages is less deep

std::uint32_t big_endian(const unsigned char* bytes, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | bytes[i];
  return value;
}

// A variable-length integer (1 to 9 bytes); false when it does not end before `end`.
bool read_varint(const unsigned char*& at, const unsigned char* end, std::uint64_t& value) {
  if (at < end && *at < 0x80) { // the most frequent case
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

// Bytes of a payload that are stored in the leaf (file format, section 1.6).
std::uint64_t local_bytes(std::uint64_t size, std::size_t usable) {
  if (size <= usable - 35) return size;
  const auto minimum = (usable - 12) * 32 / 255 - 23;
  const auto here = minimum + (size - minimum) % (usable - 4);
  return here > usable - 35 ? minimum : here;
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

// The bytes of a header in words, padded with zeros; eight bytes after it must be readable.
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

// Whether a page has room for the cell pointers, which follow its header.
bool fits(const unsigned char* page, std::size_t header, std::size_t pointers, std::size_t page_size,
          std::size_t usable) {
  const std::size_t cells = big_endian(page + header + 3, 2);
  return cells <= (page_size - 8) / 6 && pointers + 2 * cells <= usable;
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
  const auto requested = static_cast<std::int64_t>(offset / kBlock);
  auto& block = blocks_[static_cast<std::size_t>(requested) % kBlocks];
  if (block.number != requested) {
    block.number = -1;
    block.bytes.resize(kBlock + kSlack);
    if (std::fseek(file_.get(), static_cast<long>(requested) * static_cast<long>(kBlock), SEEK_SET) != 0)
      return nullptr;
    block.size = std::fread(block.bytes.data(), 1, kBlock, file_.get());
    block.number = requested;
  }
  const auto at = offset % kBlock;
  return at + page_size_ <= block.size ? block.bytes.data() + at : nullptr;
}

void LeafPiece::add(const unsigned char* page, std::size_t page_size) {
  page_size_ = page_size;
  const auto at = pages_++ * page_size;
  if (bytes_.size() < at + page_size + PageFile::kSlack)
    bytes_.resize(std::max(2 * bytes_.size(), at + page_size + PageFile::kSlack));
  std::memcpy(bytes_.data() + at, page, page_size + PageFile::kSlack);
}

void LeafPiece::read(std::size_t usable, const std::vector<int>& requested, std::size_t columns) {
  constexpr std::size_t kMaxLayouts = 4'096;
  requested_ = &requested;
  columns_ = columns;
  records_.clear();
  if (by_hash_.empty() || layouts_.size() > kMaxLayouts) {
    by_hash_.assign(kHashes, nullptr);
    layouts_.clear();
  }
  for (std::size_t page = 0; page < pages_; ++page)
    if (!read_leaf(page * page_size_, usable)) {
      broken_ = true;
      return;
    }
}

RecordLayout& LeafPiece::new_layout() {
  auto& layout = layouts_.emplace_back();
  layout.places.resize(columns_);
  return layout;
}

// False unless every cell of the leaf is after the pointers and inside the page, and its record is valid.
// Records before the first invalid one are kept.
bool LeafPiece::read_leaf(std::size_t first, std::size_t usable) {
  const unsigned char* const page = bytes_.data() + first;
  const std::size_t header = page[0] == kLeafTable ? 0 : kFileHeader;
  const std::size_t cells = big_endian(page + header + 3, 2), pointers = header + 8;
  if (!fits(page, header, pointers, page_size_, usable)) return false;
  const unsigned char* const end = page + usable;
  for (std::size_t i = 0; i < cells; ++i) {
    const std::size_t at = big_endian(page + pointers + 2 * i, 2);
    if (at < pointers + 2 * cells || at + 4 > usable) return false;
    const unsigned char* cursor = page + at;
    std::uint64_t size = 0, id = 0;
    if (!read_varint(cursor, end, size) || !read_varint(cursor, end, id)) return false;
    const auto local = local_bytes(size, usable);
    if (local + (local < size ? 4 : 0) > static_cast<std::uint64_t>(end - cursor)) return false;
    Record record;
    record.row_id = static_cast<std::int64_t>(id);
    record.payload = static_cast<std::uint32_t>(cursor - bytes_.data());
    if (!find_layout({cursor, local, size}, record)) return false;
    records_.push_back(record);
  }
  return true;
}

// False when the record is invalid.
bool LeafPiece::find_layout(const Extent& extent, Record& record) {
  const std::size_t header = extent.here > 0 ? *extent.payload : 0;
  constexpr auto kLongest = 8 * RecordLayout::kHeaderWords;
  if (header == 0 || header > kLongest || header > extent.size || extent.here < extent.size) {
    auto& layout = new_layout();
    record.places = layout.places.data();
    return split(extent, layout.places, record.far);
  }
  std::uint64_t words[RecordLayout::kHeaderWords];
  const auto count = header_words(extent.payload, header, words);
  std::uint64_t hash = extent.size;
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15ull;
  auto*& known = by_hash_[hash >> 55];
  static_assert(kHashes == std::size_t{1} << (64 - 55));
  bool same = known && known->size == extent.size;
  for (std::size_t i = 0; same && i < count; ++i) same = known->header[i] == words[i];
  if (!same) {
    auto& layout = new_layout();
    if (!split(extent, layout.places, record.far)) return false;
    if (!record.far) {
      layout.size = extent.size;
      std::copy_n(words, count, layout.header);
      known = &layout;
    }
    record.places = layout.places.data();
    return true;
  }
  record.places = known->places.data();
  return true;
}

// Same as find_layout(), without cache; `far` when a requested value is beyond the bytes of this page.
bool LeafPiece::split(const Extent& extent, std::vector<Place>& places, bool& far) const {
  const auto* payload = extent.payload;
  const auto here = extent.here;
  const auto& requested = *requested_;
  const unsigned char* type_at = payload;
  std::uint64_t header = 0;
  if (!read_varint(type_at, payload + here, header) || header > extent.size) return false;
  if (header > here) {
    far = true;
    return true;
  }
  const unsigned char* types_end = payload + header;
  if (type_at > types_end) return false;
  std::uint64_t offset = header;
  std::size_t place = 0;
  for (; place < requested.size() && type_at < types_end; ++place) {
    std::uint64_t type = 0;
    if (!read_varint(type_at, types_end, type) || type == 10 || type == 11) return false;
    const auto bytes = size_of_serial(type);
    if (bytes > extent.size - offset) return false;
    if (requested[place] >= 0) {
      if (offset + bytes > here) {
        far = true;
        return true;
      }
      places[static_cast<std::size_t>(requested[place])] = place_of(type, offset, bytes);
    }
    offset += bytes;
  }
  if (type_at == types_end && offset != extent.size) return false;
  // Rows older than a column lack it: SQLite reads its default, which is not known here.
  for (; place < requested.size(); ++place)
    if (requested[place] >= 0) {
      far = true;
      return true;
    }
  return true;
}

LeafScan::LeafScan(std::unique_ptr<PageFile> file, std::uint32_t root, std::vector<int> columns, int threads)
    : file_(std::move(file)), columns_(columns.size()), no_places_(columns.size()),
      pieces_(
          threads, [this](LeafPiece& piece) { return cut(piece); },
          [this](LeafPiece& piece) { piece.read(file_->usable(), requested_, columns_); }) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0) continue;
    const auto place = static_cast<std::size_t>(columns[i]);
    if (requested_.size() <= place) requested_.resize(place + 1, -1);
    requested_[place] = static_cast<int>(i);
  }
  places_ = no_places_.data();
  path_.push_back({{root}, 0});
}

Cell LeafScan::cell(int column) const {
  Cell cell;
  cell.kind = kind(column);
  if (cell.kind == Cell::Kind::Integer || cell.kind == Cell::Kind::Real) cell.integer = integer(column);
  if (cell.kind == Cell::Kind::Text || cell.kind == Cell::Kind::Blob) cell.bytes = bytes(column);
  return cell;
}

// The next leaves; true when there are no more, or when the data after them are invalid.
bool LeafScan::cut(LeafPiece& piece) {
  constexpr std::size_t kPiece = std::size_t{128} << 10; // approximate size of a piece [B]
  const auto maximum = std::max<std::size_t>(kPiece / file_->page_size(), 1);
  piece.clear();
  while (piece.pages() < maximum) {
    const auto* leaf = next_leaf();
    if (!leaf) {
      if (!path_.empty()) piece.set_broken();
      return true;
    }
    piece.add(leaf, file_->page_size());
  }
  return false;
}

// Descends to the next leaf. Null at the end and for an invalid page; path_ is empty only at the end.
const unsigned char* LeafScan::next_leaf() {
  while (!path_.empty()) {
    auto& level = path_.back();
    if (level.next == level.children.size()) {
      path_.pop_back();
      continue;
    }
    if (path_.size() > kDeepest || ++visited_ > file_->pages()) return nullptr;
    const auto number = level.children[level.next++];
    const auto* page = file_->page(number);
    if (!page) return nullptr;
    const std::size_t header = number == 1 ? kFileHeader : 0;
    if (page[header] == kLeafTable) return page;
    if (!enter(page, header)) return nullptr;
  }
  return nullptr;
}

// Adds the children of an interior page as a level of the path.
bool LeafScan::enter(const unsigned char* page, std::size_t header) {
  const std::size_t cells = big_endian(page + header + 3, 2), pointers = header + 12;
  if (page[header] != kInteriorTable || !fits(page, header, pointers, file_->page_size(), file_->usable()))
    return false;
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

LeafScan::Step LeafScan::next_piece() {
  while (next_ == end_) {
    if (broken_) return Step::Unsure;
    const auto* piece = pieces_.next();
    if (!piece) return Step::End;
    broken_ = piece->broken();
    bytes_ = piece->bytes();
    next_ = piece->records().data();
    end_ = next_ + piece->records().size();
  }
  return next();
}

} // namespace jitterscope::import::sqlite
