#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/bins/bin_values.h"
#include "core/base/communicator.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

/// The bins that have too many launches for one thread. Their rows are divided into pieces of fixed size,
/// which all threads of all ranks share. The results of the pieces are merged in order: they depend neither
/// on threads nor on ranks. Values are not stored: quartiles come from counting values in ever narrower
/// intervals (quantile_search.h).
class WideBins {
public:
  /// Finds the bins with at least `wide_rows` launches among `bins` bins; reads few rows. The result is the
  /// same on every rank. The rows of each of these bins are divided into pieces of half of `wide_rows` rows.
  WideBins(const BinQuestion& question, std::int64_t bins, std::int64_t wide_rows);

  /// Computes the wide bins. Collective. Errors: Cancelled.
  Expected<void> compute(Communicator& communicator, const Job& job);

  bool contains(std::int64_t bin) const;
  /// The bin, or its groups in ascending order; available on every rank after compute().
  std::span<const Bin> of(std::int64_t bin) const;

  std::int64_t rows() const { return rows_; }       ///< rows in all wide bins, selected or not
  std::int64_t rows_before(std::int64_t bin) const; ///< rows in the wide bins before this one
  /// The ranges of bins that remain of [first, last) without the wide bins.
  std::vector<std::pair<std::int64_t, std::int64_t>> without(std::int64_t first, std::int64_t last) const;

  /// Divides the rows of a wide bin into pieces.
  std::vector<std::vector<Segment>> pieces_of(const std::vector<Segment>& segments) const;

private:
  struct Piece {
    std::size_t wide = 0; ///< index into bins_
    std::vector<Segment> rows;
  };
  /// A group of a bin in one piece.
  struct PartMoments {
    std::uint32_t wide = 0, group = 0;
    std::int64_t launches = 0;
    Moments moments;
  };
  /// Calls `use(thread, piece, part)` for the groups in this rank's share of the pieces: in row order in each
  /// piece, possibly several times for one group.
  template <class Use>
  Expected<void> for_each_part(Communicator& communicator, const Job& job, Use&& use) const;
  Expected<std::vector<PartMoments>> find_moments(Communicator& communicator, const Job& job) const;
  Expected<std::vector<Quartiles>> find_quartiles(const std::vector<PartMoments>& parts,
                                                  Communicator& communicator, const Job& job) const;

  const BinQuestion& question_;
  std::int64_t piece_rows_;
  std::vector<std::int64_t> bins_;        ///< indices of the wide bins, ascending
  std::vector<std::int64_t> rows_before_; ///< rows in the wide bins before each, then the total
  std::int64_t rows_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Bin> found_;         ///< results, sorted by bin and group
  std::vector<std::size_t> first_; ///< index of each wide bin in found_, then the end
};

} // namespace jitterscope::analysis
