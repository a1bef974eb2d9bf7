#include "core/store/format/verify.h"

#include <algorithm>

#include "core/store/hdf5/store_input.h"

namespace jitterscope::store {
namespace {

void add(std::vector<DamagedRows>& all, DamagedRows rows) {
  for (auto& known : all)
    if (known.table == rows.table && known.column == rows.column && known.last >= rows.first) {
      known.last = std::max(known.last, rows.last);
      return;
    }
  all.push_back(std::move(rows));
}

void add(Verification& found, const Layout& layout, ByteRange damaged) {
  auto rows = rows_in(layout, damaged);
  for (auto& each : rows) add(found.rows, std::move(each));
  if (!rows.empty()) return;
  if (!found.other.empty() && found.other.back().end == damaged.begin)
    found.other.back().end = damaged.end;
  else
    found.other.push_back(damaged);
}

} // namespace

Expected<Verification> verify_store(const std::string& path, const Job& job) {
  auto input = StoreInput::open(path, StoreInput::Check::Nothing);
  if (!input) return forward(input.error());
  const auto layout = read_layout(*input);
  if (!layout) return forward(layout.error());
  Verification found;
  found.has_checksums = input->has_sums();
  if (!found.has_checksums) return found;
  const auto& sums = *input->sums();
  constexpr std::size_t kPiece = 256; // blocks per piece
  std::vector<std::byte> piece(kPiece * kSumBlock);
  for (std::size_t first = 0; first < sums.sums.size(); first += kPiece) {
    if (job.cancelled()) return Job::cancelled_error();
    job.progress(static_cast<std::int64_t>(first), static_cast<std::int64_t>(sums.sums.size()),
                 "comparing checksums");
    const auto last = std::min(first + kPiece, sums.sums.size());
    const auto begin = std::uint64_t{first} * kSumBlock;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), sums.bytes - begin));
    if (!read_all(input->descriptor(), begin, piece.data(), size))
      return failure(ErrorKind::Io, "the file cannot be read", path);
    found.bytes += size;
    for (auto wrong = first;
         (wrong = sums.first_mismatch(wrong, last, piece.data() + (wrong - first) * kSumBlock)) != last;
         ++wrong)
      add(found, *layout,
          {std::uint64_t{wrong} * kSumBlock, std::min(std::uint64_t{wrong + 1} * kSumBlock, sums.bytes)});
  }
  return found;
}

} // namespace jitterscope::store
