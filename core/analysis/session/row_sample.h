#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/analysis/session/threads.h"

namespace jitterscope::analysis {

/// The rows that a query of parallel coordinates reads: all rows of a session, or short pieces at equal
/// distances, so that every part of the run is represented. Rows are grouped in blocks, which are distributed
/// over ranks and threads; cached data about a rank's rows (codes, bits) are stored block after block, with
/// room for kBlock rows each.
class RowSample {
public:
  static constexpr std::int64_t kBlock = 1 << 15, kPiece = 1 << 12; ///< rows per block, rows per piece

  /// About `sample_rows` rows; 0: all.
  RowSample(const Session& session, const Communicator& communicator, std::int64_t sample_rows = 0)
      : session_(&session) {
    const std::int64_t rows = session.launches();
    if (sample_rows > 0) every_ = std::max<std::int64_t>(1, rows / std::max(sample_rows, kPiece));
    const std::int64_t pieces = (rows + kPiece * every_ - 1) / (kPiece * every_);
    blocks_ = (pieces + kBlock / kPiece - 1) / (kBlock / kPiece);
    mine_ = share_of(blocks_, communicator.rank(), communicator.size());
    max_blocks_per_rank_ = (blocks_ + communicator.size() - 1) / communicator.size();
  }

  std::int64_t every() const { return every_; } ///< one of this many pieces is read; 1: all pieces
  bool whole() const { return every_ == 1; }
  std::int64_t blocks() const { return mine_.last - mine_.first; } ///< blocks of this rank
  /// Number of rows of this rank that are read.
  std::int64_t rows() const {
    if (whole())
      return std::min(mine_.last * kBlock, session_->launches()) -
             std::min(mine_.first * kBlock, session_->launches());
    std::int64_t sum = 0;
    for (std::int64_t piece = mine_.first * (kBlock / kPiece); piece < mine_.last * (kBlock / kPiece);
         ++piece)
      sum += std::clamp<std::int64_t>(session_->launches() - piece * every_ * kPiece, 0, kPiece);
    return sum;
  }
  /// Room for the rows of this rank [rows].
  std::size_t room() const { return static_cast<std::size_t>(blocks() * kBlock); }
  /// Maximum room over all ranks [rows]: the same on every rank.
  std::int64_t max_rows_per_rank() const { return max_blocks_per_rank_ * kBlock; }

  /// Calls `use(thread, block, rows, segments)` for the blocks of this rank, numbered from 0, on all its
  /// threads. Errors: Cancelled.
  template <class Use>
  Expected<void> for_each(const Job& job, const std::string& what, Use&& use) const {
    const bool complete = on_threads(blocks(), job, what, [&](std::size_t thread, std::int64_t block) {
      std::vector<Segment> segments;
      std::size_t rows = 0;
      const auto add = [&](std::int64_t first, std::int64_t last) {
        for (const auto& segment : session_->segments(first, std::min(last, session_->launches()))) {
          rows += static_cast<std::size_t>(segment.rows());
          segments.push_back(segment);
        }
      };
      const std::int64_t first = (mine_.first + block) * kBlock;
      if (whole()) {
        add(first, first + kBlock);
      } else {
        for (std::int64_t piece = first / kPiece; piece < (first + kBlock) / kPiece; ++piece)
          if (piece * every_ * kPiece < session_->launches())
            add(piece * every_ * kPiece, (piece * every_ + 1) * kPiece);
      }
      use(thread, static_cast<std::size_t>(block), rows, segments);
    });
    if (!complete) return Job::cancelled_error();
    return {};
  }

private:
  const Session* session_;
  std::int64_t every_ = 1, blocks_ = 0, max_blocks_per_rank_ = 0;
  Share mine_;
};

} // namespace jitterscope::analysis
