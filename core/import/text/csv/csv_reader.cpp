#include "core/import/text/csv/csv_reader.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "core/import/text/csv/marks.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/plain_number.h"
#include "core/import/text/text.h"

namespace jitterscope::import {
namespace {

// Many tables are small, and many readers only examine a head: the buffer grows with the second read.
constexpr std::size_t kFirstBytes = std::size_t{1} << 16;
constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
constexpr std::size_t kBlock = kMarkBlock;
static_assert(CsvReader::kPadding >= kBlock && CsvReader::kPadding >= kDigitPadding);

} // namespace

CsvReader::CsvReader(ByteStream& stream, std::string name, char separator)
    : stream_(stream), name_(std::move(name)), separator_(separator), buffer_(kFirstBytes + kPadding) {}

std::string CsvReader::place() const {
  return fmt::format("line {}", record_line_);
}

void CsvReader::set_separator(char separator) {
  separator_ = separator;
  begin_scan(at_);
}

void CsvReader::read_instead(std::vector<char>& content, std::size_t size) {
  buffer_.swap(content);
  at_ = record_begin_ = field_begin_ = 0;
  end_ = size;
  is_piece_ = true;
  std::memset(buffer_.data() + end_, 0, kPadding);
  ended_ = true;
  first_ = after_return_ = too_many_fields_ = false;
  line_ = record_line_ = 1;
  begin_scan(0);
}

tl::unexpected<Error> CsvReader::bad(std::string message, std::string hint) const {
  return failure(ErrorKind::BadInput, std::move(message), name_, place(), std::move(hint));
}

// Views of the record point into the buffer, which has moved.
void CsvReader::rebase(const char* old_base, const char* new_base) {
  for (auto& field : std::span(fields_.data(), count_))
    field = {new_base + (field.data() - old_base), field.size()};
}

// Makes room and reads more; bytes before `keep_from` are discarded. The scan continues where it was.
Expected<CsvReader::More> CsvReader::refill(std::size_t keep_from) {
  if (ended_) return More::End;
  const auto kept = end_ - keep_from;
  if (kept > kMaxRecordBytes)
    return bad(fmt::format("a record is longer than {} MiB", kMaxRecordBytes >> 20),
               "A quote that opens there may never be closed.");
  const char* const old_base = buffer_.data() + keep_from;
  const auto room = buffer_.size() - kPadding;
  if (kept > room / 2 || (end_ > 0 && room < kBufferBytes)) {
    std::vector<char> bigger(std::max(room * 2, kBufferBytes) + kPadding);
    std::memcpy(bigger.data(), old_base, kept);
    rebase(old_base, bigger.data());
    buffer_ = std::move(bigger);
  } else if (keep_from > 0) {
    std::memmove(buffer_.data(), old_base, kept);
    rebase(old_base, buffer_.data());
  }
  const auto got = read_fully(stream_, {buffer_.data() + kept, buffer_.size() - kPadding - kept});
  if (!got) return forward(got.error());
  ended_ = *got < buffer_.size() - kPadding - kept;
  record_begin_ -= keep_from;
  field_begin_ -= keep_from;
  at_ -= keep_from;
  end_ = kept + *got;
  read_ += *got;
  std::memset(buffer_.data() + end_, 0, kPadding);
  return *got == 0 ? More::End : More::Bytes;
}

void CsvReader::scan_block() {
  mask_ = block_ < end_ ? csv_marks(buffer_.data() + block_, separator_) : 0;
  if (end_ - block_ < kBlock && block_ < end_) mask_ &= (std::uint64_t{1} << (end_ - block_)) - 1;
}

void CsvReader::begin_scan(std::size_t at) {
  block_ = at;
  scan_block();
}

// Moves to the first byte of a record; false at the end.
Expected<bool> CsvReader::start_record() {
  for (;;) {
    if (at_ >= end_) {
      record_begin_ = field_begin_ = at_;
      const auto more = refill(at_);
      if (!more) return forward(more.error());
      if (*more == More::End) return false;
      if (first_ && std::string_view(buffer_.data(), end_).starts_with("\xEF\xBB\xBF")) at_ = 3;
      first_ = false;
      begin_scan(at_);
      continue;
    }
    const char c = buffer_[at_];
    if (c != '\n' && c != '\r') break;
    if (c == '\r' || !after_return_) ++line_;
    after_return_ = c == '\r';
    ++at_;
  }
  after_return_ = false;
  return true;
}

// A quoted field without its quotes, doubled ones unescaped. Done in place, as the text only gets shorter.
std::string_view CsvReader::unquoted(std::size_t begin, std::size_t end) {
  char* const base = buffer_.data();
  while (base[begin] != '"') ++begin;
  if (quotes_ == 2 && base[end - 1] == '"') return {base + begin + 1, end - begin - 2};
  char* out = base + begin;
  bool inside = false;
  for (std::size_t i = begin; i < end; ++i) {
    if (base[i] != '"') {
      *out++ = base[i];
      continue;
    }
    if (!inside && i > begin && base[i - 1] == '"') *out++ = '"';
    inside = !inside;
  }
  return {base + begin, static_cast<std::size_t>(out - (base + begin))};
}

void CsvReader::end_field(std::size_t end) {
  if (count_ >= kMaxFields) {
    too_many_fields_ = true;
    return;
  }
  if (fields_.size() <= count_) fields_.resize(2 * count_ + kBlock);
  fields_[count_++] = quotes_ > 0 ? unquoted(field_begin_, end)
                                  : std::string_view(buffer_.data() + field_begin_, end - field_begin_);
  quotes_ = 0;
}

// Processes a special character; true when the record ends before it.
bool CsvReader::handle(std::size_t position) {
  const char c = buffer_[position];
  const bool inside = (quotes_ & 1) != 0;
  if (c == separator_ && !inside) {
    end_field(position);
    field_begin_ = position + 1;
    return false;
  }
  if (c == '"') {
    const auto blank = [&] {
      for (auto i = field_begin_; i < position; ++i)
        if (buffer_[i] != ' ') return false;
      return true;
    };
    if (quotes_ > 0 || position == field_begin_ || blank()) ++quotes_;
    return false;
  }
  if (c != '\n' && c != '\r') return false; // a separator inside quotes
  if (!inside) return true;
  if (c == '\r' || buffer_[position - 1] != '\r') ++line_;
  return false;
}

// Adds the fields of the block up to the first special character that is not a separator. State that changes
// with every field is kept in registers.
void CsvReader::read_plain_fields() {
  if (count_ + kBlock > kMaxFields) return;
  if (fields_.size() < count_ + kBlock) fields_.resize(2 * (count_ + kBlock));
  const char* const base = buffer_.data();
  const char separator = separator_;
  auto* out = fields_.data() + count_;
  auto mask = mask_;
  auto begin = field_begin_;
  for (; mask != 0; mask &= mask - 1) {
    const auto position = block_ + static_cast<std::size_t>(std::countr_zero(mask));
    if (base[position] != separator) break;
    *out++ = {base + begin, position - begin};
    begin = position + 1;
  }
  mask_ = mask;
  field_begin_ = begin;
  count_ = static_cast<std::size_t>(out - fields_.data());
}

Expected<bool> CsvReader::read_record() {
  for (;;) {
    while (mask_ != 0) {
      if (quotes_ == 0) read_plain_fields(); // the most frequent case
      if (mask_ == 0) break;
      const auto position = block_ + static_cast<std::size_t>(std::countr_zero(mask_));
      mask_ &= mask_ - 1;
      if (!handle(position)) continue;
      end_field(position);
      at_ = position;
      return true;
    }
    if (end_ - block_ > kBlock) {
      block_ += kBlock;
      scan_block();
      continue;
    }
    const auto scanned = end_ - record_begin_;
    const auto more = refill(record_begin_);
    if (!more) return forward(more.error());
    if (*more == More::Bytes) {
      begin_scan(record_begin_ + scanned);
      continue;
    }
    if ((quotes_ & 1) != 0 && line_ == record_line_ && !is_piece_ && scanned <= kMaxRecordBytes) {
      cut_off_ = true;
      at_ = end_;
      return false;
    }
    ended_by_text_ = true;
    if ((quotes_ & 1) != 0)
      return bad("a quote is never closed", "The file may be truncated: export it again.");
    end_field(end_);
    at_ = end_;
    return true;
  }
}

// Same as start_record() for the most frequent case, where a record ended with LF and another one follows.
bool CsvReader::at_plain_record() {
  if (end_ - at_ < 2 || buffer_[at_] != '\n') return false;
  const char c = buffer_[at_ + 1];
  if (c == '\n' || c == '\r') return false;
  ++at_;
  ++line_;
  return true;
}

Expected<bool> CsvReader::next() {
  count_ = 0;
  quotes_ = 0;
  if (!at_plain_record()) {
    const auto started = start_record();
    if (!started || !*started) return started;
  }
  record_line_ = line_;
  record_begin_ = field_begin_ = at_;
  // Bits before the record are obsolete; empty lines may have led beyond the block.
  if (at_ >= block_ + kBlock || at_ < block_)
    begin_scan(at_);
  else
    mask_ &= ~std::uint64_t{0} << (at_ - block_);
  auto read = read_record();
  if (read && too_many_fields_) return bad(fmt::format("a record has more than {} fields", kMaxFields), {});
  if (decimal_comma_) put_points();
  return read;
}

// Without a comma, points are thousands separators: "1.306.219". Other separators stay: "1'306'219,5".
std::string_view with_decimal_point(std::string_view field, char* room) {
  if (field.find_first_of(",.") == std::string_view::npos || !has_characters_of_numbers(trimmed(field)))
    return field;
  char* out = room;
  for (const char c : field)
    if (c != '.') *out++ = c == ',' ? '.' : c;
  return {room, static_cast<std::size_t>(out - room)};
}

// Replaces decimal commas in the fields of the record by points, in place: the text only gets shorter.
void CsvReader::put_points() {
  for (auto& field : std::span(fields_.data(), count_))
    field = with_decimal_point(field, buffer_.data() + (field.data() - buffer_.data()));
}

std::string_view CsvReader::lines_ahead() const {
  assert(buffer_.size() >= end_ + kPadding); // whole blocks are examined
  auto lines = rest();
  const std::size_t line_break = lines.starts_with('\n') ? 1 : lines.starts_with("\r\n") ? 2 : 0;
  lines = lines.substr(0, lines.rfind('\n') + 1); // without a line feed, npos + 1 = 0
  return line_break > 0 && lines.size() > line_break ? lines.substr(line_break) : std::string_view();
}

void CsvReader::skip_ahead(std::size_t bytes, std::int64_t lines) {
  if (bytes == 0) return;
  at_ += (buffer_[at_] == '\r' ? 1 : 0) + bytes; // the line feed that ends them
  line_ += lines;
}

Expected<bool> CsvReader::skip_to(const std::function<bool(std::string_view)>& requested) {
  count_ = 0;
  for (;;) {
    const auto started = start_record();
    if (!started || !*started) return started;
    record_line_ = line_;
    std::size_t length = 0;
    for (;;) {
      const std::string_view rest(buffer_.data() + at_, end_ - at_);
      length = line_end(rest, length);
      if (length < rest.size()) break;
      record_begin_ = field_begin_ = at_;
      const auto more = refill(at_);
      if (!more) return forward(more.error());
      begin_scan(at_);
      if (*more == More::End) break;
    }
    if (requested({buffer_.data() + at_, length})) return true;
    at_ += length;
  }
}

} // namespace jitterscope::import
