#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/bins/bin_values.h"
#include "core/base/communicator.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

/// The bins with so many launches that none is left to one thread: their rows are cut into pieces of a fixed
/// size, which all threads of all ranks share, and what the pieces tell is joined in their order, so that
/// results depend on neither. Values are never held: quartiles come from counting them in ever narrower
/// intervals (quantile_search.h).
class WideBins {
public:
  /// Finds those of at least `wide_rows` launches among `bins` bins, the same on every rank; touches few
  /// rows. A piece has half of that.
  WideBins(const BinQuestion& question, std::int64_t bins, std::int64_t wide_rows);

  /// Computes them. Collective. Errors: Cancelled.
  Expected<void> compute(Communicator& communicator, const Job& job);

  bool contains(std::int64_t bin) const;
  /// The bin, or its groups in ascending order; on every rank, once computed.
  std::span<const Bin> of(std::int64_t bin) const;

  std::int64_t rows() const { return rows_; }       ///< of all wide bins, selected or not
  std::int64_t rows_before(std::int64_t bin) const; ///< of those before this one
  /// What is left of the bins [first, last) without the wide ones.
  std::vector<std::pair<std::int64_t, std::int64_t>> without(std::int64_t first, std::int64_t last) const;

  /// The rows of a wide bin in pieces.
  std::vector<std::vector<Segment>> pieces_of(const std::vector<Segment>& segments) const;

private:
  struct Piece {
    std::size_t wide = 0; ///< place in bins_
    std::vector<Segment> rows;
  };
  /// A group of a bin in one piece.
  struct PartMoments {
    std::uint32_t wide = 0, group = 0;
    std::int64_t launches = 0;
    Moments moments;
  };
  /// Calls `use(thread, piece, part)` for all groups of this rank's share of the pieces, in the order of the
  /// rows.
  template <class Use>
  Expected<void> for_each_part(Communicator& communicator, const Job& job, Use&& use) const;
  Expected<std::vector<PartMoments>> find_moments(Communicator& communicator, const Job& job) const;
  Expected<std::vector<Quartiles>> find_quartiles(const std::vector<PartMoments>& parts,
                                                  Communicator& communicator, const Job& job) const;

  const BinQuestion& question_;
  std::int64_t piece_rows_;
  std::vector<std::int64_t> bins_;        ///< ascending
  std::vector<std::int64_t> rows_before_; ///< of the wide bins before each, and of all
  std::int64_t rows_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Bin> found_;         ///< by bin and group
  std::vector<std::size_t> first_; ///< of each wide bin in found_, and the end
};

} // namespace jitterscope::analysis
