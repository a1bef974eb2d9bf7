#include "core/import/text/csv/record_pieces.h"

#include <algorithm>
#include <cstring>

#include "core/base/vector_clones.h"
#include "core/import/text/csv/csv_reader.h"

namespace jitterscope::import {
namespace {

JITTERSCOPE_VECTOR_CLONES std::size_t quotes_in(std::string_view text) {
  constexpr std::size_t kWide = 64, kMaxSteps = 255; // sums that fit a byte
  std::size_t quotes = 0, at = 0;
  while (text.size() - at >= kWide) {
    std::uint8_t sums[kWide] = {};
    const auto end = at + std::min((text.size() - at) / kWide, kMaxSteps) * kWide;
    for (; at < end; at += kWide)
      for (std::size_t i = 0; i < kWide; ++i)
        sums[i] = static_cast<std::uint8_t>(sums[i] + (text[at + i] == '"'));
    for (const auto sum : sums) quotes += sum;
  }
  for (; at < text.size(); ++at) quotes += text[at] == '"';
  return quotes;
}

// Number of bytes after the last line break, 0 if that is inside quotes.
std::size_t unended_in(std::string_view text) {
  const auto line_break = text.find_last_of("\r\n");
  const auto begin = line_break == std::string_view::npos ? 0 : line_break + 1;
  return quotes_in(text.substr(0, begin)) % 2 == 0 ? text.size() - begin : 0;
}

} // namespace

std::size_t end_of_records(std::string_view text, bool& quotes) {
  quotes = text.find('"') != std::string_view::npos;
  if (!quotes) {
    const auto feed = text.rfind('\n');
    return feed == std::string_view::npos ? 0 : feed + 1;
  }
  bool inside = quotes_in(text) % 2 != 0;
  for (auto at = text.size(); at-- > 0;) {
    if (text[at] == '"') inside = !inside;
    if (text[at] == '\n' && !inside) return at + 1;
  }
  return 0;
}

bool RecordCutter::cut(RecordPiece& piece) {
  auto& bytes = piece.bytes;
  auto filled = left_.size();
  for (auto requested = std::max(piece_, filled + piece_ / 2);; requested = std::max(2 * requested, filled)) {
    if (bytes.size() < requested + CsvReader::kPadding) bytes.resize(requested + CsvReader::kPadding);
    if (!left_.empty()) std::memcpy(bytes.data(), left_.data(), left_.size());
    left_.clear();
    const auto got = read_fully(stream_, {bytes.data() + filled, requested - filled});
    piece.problem = got ? std::nullopt : std::optional(got.error());
    filled += got ? *got : 0;
    piece.consumed = stream_.consumed();
    const bool last = !got || filled < requested;
    const std::string_view text(bytes.data(), filled);
    const auto end = last ? filled : end_of_records(text, piece.quotes);
    piece.unended = last && got ? unended_in(text) : 0;
    if (last) piece.quotes = text.find('"') != std::string_view::npos;
    if (!last && end == 0 && filled < kMaxPiece) continue;
    piece.whole = end > 0 || last;
    piece.size = (piece.whole ? end : filled) - piece.unended;
    left_.assign(bytes.data() + piece.size + piece.unended, bytes.data() + filled);
    return last;
  }
}

} // namespace jitterscope::import
