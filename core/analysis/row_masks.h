#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/launch_reader.h"
#include "core/analysis/row_sample.h"
#include "core/analysis/selection.h"
#include "core/analysis/value_set.h"

namespace jitterscope::analysis {

struct ParallelCache;

/// A bit for each row of this rank's share of a RowSample, kWordsOfBlock words a block; bits behind the last row of a
/// block are 0.
using RowBits = std::vector<std::uint64_t>;
inline constexpr std::size_t kWordsOfBlock = RowSample::kBlock / 64;

/// Which rows selections select, as bits. A selection is taken apart into conditions on single columns, times and
/// streams; the bits of each are kept, so that a brush that moves on one axis reads one column again and no other.
class RowMasks {
public:
  /// `cache` may be null.
  RowMasks(const Session& session, const LaunchColumns& columns, const RowSample& sample, ParallelCache* cache)
      : session_(session), columns_(columns), sample_(sample), cache_(cache) {}

  /// A mask of the rows that all of these select. Returns its number.
  std::size_t add(const std::vector<const Selection*>& all_of);
  /// Finds the bits of all masks. Not collective. Errors: Cancelled.
  Expected<void> make(const Job& job);
  /// Null: all rows.
  const std::shared_ptr<const RowBits>& bits(std::size_t mask) const { return masks_[mask].bits; }

private:
  /// A condition whose bits are kept by themselves.
  struct Part {
    std::string key;
    std::shared_ptr<LaunchReader> reader; ///< of the column, for conditions on one
    ValueSet values;
    std::vector<std::vector<std::uint8_t>> accepted; ///< per trace, where the reader has a table: whether each id passes
    Selection whole;                                 ///< what is no condition on one column
    std::shared_ptr<RowBits> bits;
    bool known = false;
  };
  struct Tree {
    enum class Kind { Part, And, Or, Not } kind = Kind::Part;
    std::size_t part = 0;
    std::vector<Tree> children;
  };
  struct Mask {
    std::vector<Tree> all_of;
    std::shared_ptr<const RowBits> bits;
    std::shared_ptr<RowBits> made; ///< where it is not the bits of one part
  };

  Tree tree_of(const std::shared_ptr<const Filter::Node>& node);
  Tree part(Part made);
  void read(const Part& part, const std::vector<Segment>& segments, std::size_t block, std::vector<double>& values,
            std::vector<std::uint8_t>& bytes) const;
  void join(const Tree& tree, std::size_t block, std::size_t rows, std::uint64_t* words) const;

  const Session& session_;
  const LaunchColumns& columns_;
  const RowSample& sample_;
  ParallelCache* cache_;
  std::vector<Part> parts_;
  std::vector<Mask> masks_;
};

} // namespace jitterscope::analysis
